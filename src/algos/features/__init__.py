"""Features of images: windows cut out of photographs, histograms of oriented gradients."""

from algos._lazy import exports

__all__, __getattr__ = exports(
    __name__,
    {
        "HOG": "hog",
        "Shapes": "patches",
        "Windows": "patches",
        "class_windows": "patches",
        "cut": "patches",
        "hardest": "patches",
        "jittered": "patches",
        "mine_hard_negatives": "patches",
        "mirrored": "patches",
        "patch_size": "patches",
        "random_windows": "patches",
        "sliding_windows": "patches",
    },
)
