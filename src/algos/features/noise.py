"""Label noise, made on purpose."""

import numpy as np
from numpy.typing import ArrayLike

from algos.exceptions import InputError


def add_label_noise(y: ArrayLike, fraction: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Replace a share of each class's labels by other classes, drawn uniformly.

    Of the n_c samples of class c, ``fraction * n_c`` are replaced, rounded to the nearest whole number (halves up).

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True labels. Give the training part only: noise on validation or test labels is no part of the experiment.
    fraction : float
        Share s of noisy labels, in [0, 1].
    seed : int
        Two calls with the same labels and seed give the same noise.

    Returns
    -------
    noisy : ndarray of shape (n_samples,)
        Labels, of the type of `y`.
    mask : ndarray of bool, shape (n_samples,)
        Where a label was replaced, so that the noisy rows can be audited.

    Raises
    ------
    InputError
        When the fraction is out of range, or y is not one-dimensional or has one class only.

    References
    ----------
    .. [1] T. Pi et al. Self-paced boost learning for classification. IJCAI 2016, section 4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from algos.features import add_label_noise
    >>> noisy, mask = add_label_noise(np.repeat(["cat", "dog"], 10), 0.1, seed=0)
    >>> int(mask.sum()), noisy[mask].tolist()
    (2, ['dog', 'cat'])
    """
    y = np.asarray(y)
    if not 0 <= fraction <= 1:
        raise InputError(f"the fraction of noisy labels must lie between 0 and 1, not at {fraction}")
    if y.ndim != 1:
        raise InputError(f"label noise needs a one-dimensional y, not one of shape {y.shape}")
    classes, labels = np.unique(y, return_inverse=True)
    if len(classes) < 2 and fraction > 0:
        raise InputError("label noise needs at least two classes; y has fewer")
    rng = np.random.default_rng(seed)
    mask = np.zeros(len(y), dtype=bool)
    noisy = labels.copy()
    for c in range(len(classes)):
        members = np.flatnonzero(labels == c)
        rows = rng.permutation(members)[: int(fraction * len(members) + 0.5)]
        mask[rows] = True
        # A draw from the C - 1 other classes: those from c on move up by one.
        drawn = rng.integers(0, len(classes) - 1, size=len(rows))
        noisy[rows] = drawn + (drawn >= c)
    return classes[noisy], mask
