"""RAkEL: label powersets of random small sets of labels (Tsoumakas et al. 2011), on scikit-learn's linear SVM."""

import itertools
import math
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.svm import LinearSVC
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from algos.exceptions import InputError
from algos.multilabel._base import MultiLabelClassifier, last_label_first


class RAkEL(MultiLabelClassifier):
    """Random k-labelsets with overlap: for each of m distinct subsets of k labels a classifier of their combinations.

    The classes of a subset's classifier are the combinations of its k labels that the training data holds; it is a
    linear SVM, one against the rest. Its prediction votes for or against each label of the subset. A label is predicted
    where at least `threshold` of the votes on it are for it.

    Parameters
    ----------
    k : int, default=3
        Labels in a subset; all labels where there are fewer than `k`.
    n_estimators : int or None, default=None
        Subsets m, at most C(L, k). None is ``min(2 L, C(L, k))``.
    C : float, default=1.0
        Weight of the SVM's squared hinge loss against ``||w||^2 / 2``.
    threshold : float, default=0.5
        Least share of votes for a label to be predicted.
    ties : {"shared", "last_first"}, default="shared"
        Equal shares of votes of a sample: left equal, or lifted by less than shares can differ, the label of higher
        index first, as the printed rows of [2]_ have it.
    max_iter : int, default=1000
        Iterations of an SVM, at most (of each part of it).
    random_state : int, RandomState instance or None, default=None
        Draws the subsets.

    Attributes
    ----------
    subsets_ : list of tuple of int
        The labels of each subset, ascending.
    n_votes_ : ndarray of shape (n_labels,)
        How many subsets hold a label. One that no subset holds is never predicted.
    n_iter_ : int
        Iterations of the SVM that took most.
    classes_ : ndarray of shape (n_classes,) or (n_labels,)
        The classes where `y` was a vector; of an indicator matrix the columns, 0, 1, ...
    n_labels_ : int
        Number of labels.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    `decision_function` is the share of votes less the threshold, and `ties` settles equal ones. A label in no subset is
    as one whose votes all say no. As a share equal to the threshold predicts the label, its score is then the least
    positive number instead of 0.

    References
    ----------
    .. [1] G. Tsoumakas, I. Katakis and I. Vlahavas. Random k-labelsets for multilabel classification. IEEE Transactions
       on Knowledge and Data Engineering 23(7), 2011.
    .. [2] S. You, C. Xu, Y. Wang, C. Xu and D. Tao. Privileged multi-label learning. IJCAI 2017 (as a rival).

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from algos.multilabel import RAkEL
    >>> X, Y = make_multilabel_classification(300, 20, n_classes=5, random_state=0)
    >>> model = RAkEL(random_state=0).fit(X[:200], Y[:200])
    >>> model.predict(X[200:203])
    array([[0, 0, 1, 0, 0],
           [0, 0, 1, 1, 0],
           [0, 0, 0, 0, 0]])
    """

    _parameter_constraints: ClassVar[dict] = {
        "k": [Interval(Integral, 1, None, closed="left")],
        "n_estimators": [Interval(Integral, 1, None, closed="left"), None],
        "C": [Interval(Real, 0, None, closed="neither")],
        "threshold": [Interval(Real, 0, 1, closed="right")],
        "ties": [StrOptions({"shared", "last_first"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        k: int = 3,
        n_estimators: int | None = None,
        C: float = 1.0,
        threshold: float = 0.5,
        ties: str = "shared",
        max_iter: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.k = k
        self.n_estimators = n_estimators
        self.C = C
        self.threshold = threshold
        self.ties = ties
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> "RAkEL":
        """Fit a classifier for each subset.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Finite numbers.
        y : array-like or sparse matrix of shape (n_samples, n_labels), or array-like of shape (n_samples,)
            0 and 1; or classes.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated, or more subsets than there are.
        """
        X, labels = self._validate_fit(X, y)
        rng = check_random_state(self.random_state)
        L, k = self.n_labels_, min(self.k, self.n_labels_)
        there_are = math.comb(L, k)
        if self.n_estimators is not None and self.n_estimators > there_are:
            raise InputError(
                f"n_estimators={self.n_estimators}: there are only {there_are} subsets of {k} of {L} labels; ask for "
                "no more, or give None"
            )
        m = min(2 * L, there_are) if self.n_estimators is None else self.n_estimators
        self.subsets_ = _distinct_subsets(L, k, m, rng)
        self._powersets = [self._fit_powerset(X, labels[:, list(subset)]) for subset in self.subsets_]
        self.n_iter_ = max([1, *(int(svm.n_iter_) for svm, _ in self._powersets if svm is not None)])
        self.n_votes_ = np.bincount(np.concatenate(self.subsets_), minlength=L)
        return self

    def _fit_powerset(self, X: Any, labels: np.ndarray) -> tuple[LinearSVC | None, np.ndarray]:
        """Return the SVM of the combinations of some labels, and those: (n_combinations, k). None needs no SVM."""
        combinations, codes = np.unique(labels, axis=0, return_inverse=True)
        if len(combinations) == 1:
            return None, combinations
        svm = LinearSVC(C=self.C, dual=False, max_iter=self.max_iter)
        return svm.fit(X, codes.ravel()), combinations

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Shares of votes less the threshold (see `ties`); a label is predicted where its score is above 0.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            (n_samples,) where `y` was a vector of two classes.
        """
        scores = super().decision_function(X)
        if self.ties == "shared" or not self.multilabel_:
            return scores
        return last_label_first(scores, 1 / self.n_votes_.max() ** 2)  # a/b and c/d differ by 1/(b d) at least

    def _scores(self, X: Any) -> np.ndarray:
        votes = np.zeros((X.shape[0], self.n_labels_))
        for subset, (svm, combinations) in zip(self.subsets_, self._powersets, strict=True):
            chosen = np.zeros(X.shape[0], dtype=int) if svm is None else svm.predict(X)
            votes[:, list(subset)] += combinations[chosen]
        share = votes / np.maximum(self.n_votes_, 1)
        scores = share - self.threshold
        scores[share >= self.threshold] = np.maximum(scores[share >= self.threshold], np.finfo(float).tiny)
        return scores


def _distinct_subsets(L: int, k: int, m: int, rng: np.random.RandomState) -> list[tuple[int, ...]]:
    """Draw m different subsets of k of L labels, each set of m as likely as any other."""
    there_are = math.comb(L, k)
    if there_are <= 4 * m:  # drawing one by one would repeat itself too often
        every = list(itertools.combinations(range(L), k))
        return [every[i] for i in sorted(rng.permutation(there_are)[:m])]
    subsets: dict[tuple[int, ...], None] = {}
    while len(subsets) < m:
        subsets[tuple(sorted(rng.choice(L, k, replace=False).tolist()))] = None
    return list(subsets)
