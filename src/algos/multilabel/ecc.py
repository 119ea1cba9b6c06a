"""Ensembles of classifier chains (Read et al. 2011), on scikit-learn's chains and linear classifiers."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.multioutput import ClassifierChain
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from algos.multilabel._base import MultiLabelClassifier
from algos.multilabel._linear import BASES, linear_classifier

_RESAMPLING = ("subsample", "bootstrap", "none")


class EnsembleClassifierChains(MultiLabelClassifier):
    """Ensemble of classifier chains (ECC): linear classifiers that see the labels before them in a random order.

    In a chain the classifier of the j-th label of its order is trained on the features and the true labels 1 to j - 1
    of that order, as 0 and 1; at prediction those labels are the chain's own predictions. The chains differ by order
    and training sample, and their confidences in a label are averaged.

    Parameters
    ----------
    n_estimators : int, default=10
        Chains.
    base : {"svm", "logistic"}, default="svm"
        Linear classifier: L2-regularised squared hinge loss, or logistic loss.
    C : float, default=1.0
        Weight of the loss against ``||w||^2 / 2``.
    resampling : {"subsample", "bootstrap", "none"}, default="subsample"
        A chain's training samples: a part of them without replacement, as many as there are with replacement, or all.
    subsample : float, default=0.67
        The part, for ``resampling="subsample"``.
    combine : {"scores", "votes", "probabilities"}, default="scores"
        A chain's confidence in a label: its decision value, 1 or 0 as it predicts it or not, or
        ``1 / (1 + exp(-value))``, which is a probability for ``base="logistic"``.
    threshold : float or "cardinality", default="cardinality"
        A label is predicted where its mean confidence is above this. ``"cardinality"``: the value, among the training
        samples' confidences, with which the mean number of labels predicted for a training sample is nearest to the
        true one.
    max_iter : int, default=1000
        Iterations of a linear classifier, at most.
    random_state : int, RandomState instance or None, default=None
        Draws orders and training samples.

    Attributes
    ----------
    chains_ : list of ClassifierChain
        The fitted chains.
    threshold_ : float
        The threshold; `decision_function` is the mean confidence less it.
    classes_ : ndarray of shape (n_classes,) or (n_labels,)
        The classes where `y` was a vector; of an indicator matrix the columns, 0, 1, ...
    n_labels_ : int
        Number of labels.
    n_iter_ : int
        Iterations of the linear classifier that took most.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A label that all training samples of a chain have, or none, is always, or never, predicted by it (a decision value
    of +-1). The training confidences that set the threshold are those of the chains on all training samples, also those
    they were trained on.

    References
    ----------
    .. [1] J. Read, B. Pfahringer, G. Holmes and E. Frank. Classifier chains for multi-label classification.
       Machine Learning 85(3), 2011.
    .. [2] S. You, C. Xu, Y. Wang, C. Xu and D. Tao. Privileged multi-label learning. IJCAI 2017 (as a rival).

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from algos.multilabel import EnsembleClassifierChains
    >>> X, Y = make_multilabel_classification(300, 20, n_classes=5, random_state=0)
    >>> model = EnsembleClassifierChains(random_state=0).fit(X[:200], Y[:200])
    >>> model.predict(X[200:203])
    array([[0, 0, 1, 0, 0],
           [0, 0, 1, 1, 1],
           [0, 0, 0, 0, 0]])
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "base": [StrOptions(set(BASES))],
        "C": [Interval(Real, 0, None, closed="neither")],
        "resampling": [StrOptions(set(_RESAMPLING))],
        "subsample": [Interval(Real, 0, 1, closed="right")],
        "combine": [StrOptions({"votes", "scores", "probabilities"})],
        "threshold": [StrOptions({"cardinality"}), Interval(Real, None, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_estimators: int = 10,
        base: str = "svm",
        C: float = 1.0,
        resampling: str = "subsample",
        subsample: float = 0.67,
        combine: str = "scores",
        threshold: float | str = "cardinality",
        max_iter: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.base = base
        self.C = C
        self.resampling = resampling
        self.subsample = subsample
        self.combine = combine
        self.threshold = threshold
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> "EnsembleClassifierChains":
        """Fit the chains.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Finite numbers.
        y : array-like or sparse matrix of shape (n_samples, n_labels), or array-like of shape (n_samples,)
            0 and 1; or classes.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated.
        """
        X, labels = self._validate_fit(X, y)
        rng = check_random_state(self.random_state)
        self.chains_ = []
        for _ in range(self.n_estimators):
            order = rng.permutation(self.n_labels_)
            rows = self._training_rows(X.shape[0], rng)
            classifier = linear_classifier(self.base, self.C, self.max_iter)
            self.chains_.append(ClassifierChain(classifier, order=order).fit(X[rows], labels[rows].astype(float)))
        self.n_iter_ = max(int(np.max(link.n_iter_)) for chain in self.chains_ for link in chain.estimators_)
        if self.threshold == "cardinality":
            self.threshold_ = _cardinality_threshold(self._confidences(X), labels.sum())
        else:
            self.threshold_ = float(self.threshold)
        return self

    def _training_rows(self, n: int, rng: np.random.RandomState) -> np.ndarray:
        if self.resampling == "bootstrap":
            return rng.randint(n, size=n)
        if self.resampling == "subsample":
            return rng.permutation(n)[: max(1, round(self.subsample * n))]
        return np.arange(n)

    def _confidences(self, X: Any) -> np.ndarray:
        """Mean confidence of the chains, shape (n_samples, n_labels)."""
        total = np.zeros((X.shape[0], self.n_labels_))
        for chain in self.chains_:
            values = _chain_decisions(chain, X)
            if self.combine == "probabilities":
                from scipy.special import expit

                total += expit(values)
            else:
                total += values > 0 if self.combine == "votes" else values
        return total / len(self.chains_)

    def _scores(self, X: Any) -> np.ndarray:
        return self._confidences(X) - self.threshold_


def _chain_decisions(chain: ClassifierChain, X: Any) -> np.ndarray:
    """What ``chain.decision_function(X)`` returns, with one product by X for all links of a chain of linear ones."""
    d = X.shape[1]
    links = chain.estimators_
    values = X @ np.stack([link.coef_[0, :d] for link in links], axis=1)
    values += np.concatenate([link.intercept_ for link in links])
    predicted = np.zeros_like(values)
    for j, link in enumerate(links):
        values[:, j] += predicted[:, :j] @ link.coef_[0, d:]
        predicted[:, j] = values[:, j] > 0
    decisions = np.empty_like(values)
    decisions[:, chain.order_] = values
    return decisions


def _cardinality_threshold(confidences: np.ndarray, n_true: int) -> float:
    """The confidence t, or one below all, with which the number of cells above t is nearest to `n_true`.

    Of two as near the lower one, with which more is predicted.
    """
    values, counts = np.unique(confidences, return_counts=True)
    n_above = confidences.size - np.cumsum(counts)  # cells above each value
    candidates = np.concatenate([[np.nextafter(values[0], -np.inf)], values])
    n_predicted = np.concatenate([[confidences.size], n_above])
    return float(candidates[np.abs(n_predicted - n_true).argmin()])
