"""Features made of images, and fewer features made of many."""

from algos._lazy import exports

__all__, __getattr__ = exports(
    __name__,
    {
        "Descriptors": "spatial_pyramid",
        "HaarFeatures": "haar",
        "PrincipalComponents": "pca",
        "SpatialPyramid": "spatial_pyramid",
        "StoredDescriptors": "descriptor_store",
        "descriptors": "spatial_pyramid",
        "pool": "spatial_pyramid",
        "store_descriptors": "descriptor_store",
    },
)
