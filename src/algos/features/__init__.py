"""Features made of images, and fewer features made of many."""

from algos._lazy import exports

__all__, __getattr__ = exports(
    __name__,
    {
        "Descriptors": "spatial_pyramid",
        "HOG": "hog",
        "HaarFeatures": "haar",
        "PrincipalComponents": "pca",
        "Shapes": "patches",
        "SpatialPyramid": "spatial_pyramid",
        "StoredDescriptors": "descriptor_store",
        "Windows": "patches",
        "class_windows": "patches",
        "cut": "patches",
        "descriptors": "spatial_pyramid",
        "hardest": "patches",
        "jittered": "patches",
        "mine_hard_negatives": "patches",
        "mirrored": "patches",
        "patch_size": "patches",
        "pool": "spatial_pyramid",
        "random_windows": "patches",
        "sliding_windows": "patches",
        "store_descriptors": "descriptor_store",
    },
)
