"""What the binary boosters share: the boosting loop over decision stumps, and scores after every round.

An algorithm adds one generator, ``_rounds``: the stumps it adds to the scores, one after the other.
"""

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_array

from algos._kernels.stump import Cut, StumpSearch, exact_sum
from algos._validation import check_sample_weight, validate_training_data
from algos.binary.losses import Loss
from algos.multiclass._staged import StagedClassifier, StagedProbabilities

STUMP_DTYPE = np.dtype(
    [("feature", np.int32), ("threshold", float), ("minus", float), ("plus", float), ("decay", float)]
)


class Stump(NamedTuple):
    """A round: ``H(x)`` becomes ``decay H(x) + (plus if x[feature] >= threshold else minus)``; feature -1 is plus."""

    feature: int
    threshold: float
    minus: float
    plus: float
    decay: float = 1.0


def on_plus_side(X: np.ndarray, feature: int, threshold: float) -> np.ndarray:
    """Which rows of X have ``x[feature] >= threshold``; all for feature -1."""
    return np.ones(len(X), dtype=bool) if feature < 0 else X[:, feature] >= threshold


def add_stump(scores: np.ndarray, X: np.ndarray, stump: Any) -> np.ndarray:
    """The scores (n_samples,) after one more stump, the same operations in training and prediction."""
    plus = on_plus_side(X, int(stump[0]), stump[1])
    return scores * stump[4] + np.where(plus, stump[3], stump[2])


@dataclass
class TrainingSet:
    """What an algorithm sees of the training samples: all have a positive weight.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    signs : ndarray of shape (n_samples,)
        Labels, -1 or +1.
    sample_weight : ndarray of shape (n_samples,)
        At most 1.
    outliers : ndarray of shape (n_samples,), bool
        Samples that `outlier_loss` weighs in place of the algorithm's own loss.
    """

    X: np.ndarray
    signs: np.ndarray
    sample_weight: np.ndarray
    outliers: np.ndarray
    outlier_loss: Loss | None

    def __post_init__(self) -> None:
        self.search = StumpSearch(self.X)
        self.scores = np.zeros(len(self.X))

    @property
    def margins(self) -> np.ndarray:
        """``y H(x)``, shape (n_samples,)."""
        return self.signs * self.scores

    def weigh(self, *of_inliers: np.ndarray, at_margin_0: float = 1.0) -> Iterator[np.ndarray]:
        """Arrays of weights by the algorithm's own loss, with outliers weighed by theirs and by `sample_weight`.

        `at_margin_0`, what the algorithm's own weight is before the first round, is the unit of the outlier loss's:
        else a loss of small weights, as RobustBoost's with strict goals, would leave the first stumps to the outliers.
        """
        for weights in of_inliers:
            if self.outliers.any():
                weights = weights.copy()
                weights[self.outliers] = at_margin_0 * self.outlier_loss.weight(self.margins[self.outliers])
            yield self.sample_weight * weights

    def plus_side(self, cut: Cut) -> np.ndarray:
        """Which samples lie on the + side of a cut."""
        return on_plus_side(self.X, cut.feature, cut.threshold)


def _balanced(weight: np.ndarray, signs: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Weights, at most 1, of which both classes have the same sum over the samples `counted`."""
    factors = [exact_sum(weight[counted & (signs == side)]) for side in (1, -1)]
    if 0 not in factors:
        weight = weight / np.where(signs > 0, *factors)
    return weight / weight.max()


class BoostedStumps(StagedClassifier, metaclass=ABCMeta):
    """Binary classifier by scores ``H(x)``, a sum of decision stumps; positive for ``classes_[1]``.

    A subclass sets ``n_estimators`` and ``balanced``.
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "balanced": ["boolean"],
    }
    _learning_rate: ClassVar[list] = [Interval(Real, 0, None, closed="neither")]

    @abstractmethod
    def _rounds(self, data: TrainingSet) -> Iterator[Stump]:
        """Yield the stumps to add; ``data.scores`` has all those yielded before."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        monitor: Callable[[int, "BoostedStumps"], Any] | None = None,
        outliers: ArrayLike | None = None,
        outlier_loss: Loss | None = None,
    ) -> "BoostedStumps":
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Labels of two classes; the second one in sorted order is the positive one.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies each sample's loss; samples of weight 0 are left out. Only ratios matter.
        monitor : callable, optional
            Called as ``monitor(t, self)`` after each round t = 1, 2, ...; a true answer ends the fit. ``self`` is not
            fitted before the end: it has its parameters and classes, and cannot predict.
        outliers : array-like of shape (n_samples,), bool, optional
            Samples whose weight is ``outlier_loss.weight(margin)`` in place of the algorithm's own; see
            :class:`TwoPassExclusion`.
        outlier_loss : Loss, optional
            A loss of :mod:`algos.binary.losses`; needed if `outliers` is given.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated.
        """
        self._validate_params()
        X, y = validate_training_data(self, X, y, dtype=np.float64)
        signs = self._label_signs(y)
        sample_weight, _ = check_sample_weight(sample_weight, X)
        outliers = self._outlier_mask(outliers, outlier_loss, len(X))
        kept = sample_weight > 0
        if not (kept & ~outliers).any():
            raise ValueError("no sample has a positive weight without being an outlier; nothing is left to learn from")
        # Only ratios matter.
        weight = sample_weight[kept] / sample_weight.max()
        if self.balanced:
            weight = _balanced(weight, signs[kept], ~outliers[kept])
        data = TrainingSet(np.ascontiguousarray(X[kept]), signs[kept], weight, outliers[kept], outlier_loss)
        self._boost(data, monitor)
        return self

    def _label_signs(self, y: np.ndarray) -> np.ndarray:
        check_classification_targets(y)
        target = type_of_target(y, input_name="y")
        if target != "binary":
            raise ValueError(f"Only binary classification is supported. The type of the target is {target}.")
        return np.where(self._encode_labels(y) == 1, 1.0, -1.0)

    @staticmethod
    def _outlier_mask(outliers: ArrayLike | None, outlier_loss: Loss | None, n_samples: int) -> np.ndarray:
        if outliers is None:
            return np.zeros(n_samples, dtype=bool)
        outliers = check_array(outliers, ensure_2d=False, dtype=None, input_name="outliers")
        if outliers.shape != (n_samples,) or outliers.dtype != bool:
            raise ValueError(
                f"outliers must be booleans of shape {(n_samples,)}, not {outliers.dtype} of {outliers.shape}"
            )
        if outlier_loss is None:
            raise ValueError("outliers need an outlier_loss, such as BoundedLogisticLoss(eta)")
        if not isinstance(outlier_loss, Loss):
            raise ValueError(f"outlier_loss is {outlier_loss!r}; give a loss, such as BoundedLogisticLoss(eta)")
        return outliers

    def _boost(self, data: TrainingSet, monitor: Any) -> None:
        stumps = []
        for stump in islice(self._rounds(data), self.n_estimators):
            data.scores = add_stump(data.scores, data.X, stump)
            stumps.append(stump)
            if monitor is not None and monitor(len(stumps), self):
                break
        self.stumps_ = np.array(stumps, dtype=STUMP_DTYPE)
        self.n_estimators_ = len(stumps)

    def _add_scores(self, first: int, last: int, X: np.ndarray, scores: np.ndarray) -> None:
        H = np.ascontiguousarray(scores[:, 1])
        for stump in self.stumps_[first:last].tolist():
            H = add_stump(H, X, stump)
        scores[:, 0], scores[:, 1] = -H, H

    def _count_errors(self, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
        H = np.zeros(len(X))
        counts = np.empty(self.n_estimators_, dtype=np.int64)
        for t, stump in enumerate(self.stumps_.tolist()):
            H = add_stump(H, X, stump)
            counts[t] = np.count_nonzero((H > 0) != labels)
        return counts

    def _feature_gains(self) -> np.ndarray:
        """By how much a feature's cuts part the scores: the sum of half the difference of the sides."""
        stumps = self.stumps_[self.stumps_["feature"] >= 0]
        if not len(stumps):
            return np.zeros(self.n_features_in_)
        later_decay = np.append(np.cumprod(stumps["decay"][:0:-1])[::-1], 1.0)
        parts = np.abs(stumps["plus"] - stumps["minus"]) / 2 * later_decay
        return np.bincount(stumps["feature"], parts, minlength=self.n_features_in_)


class ProbabilityMixin(StagedProbabilities):
    """Probabilities by the link of the class's loss, ``_loss``."""

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probabilities of the classes by the loss's link.

        Returns
        -------
        ndarray of shape (n_samples, 2)
        """
        return super().predict_proba(X)

    def _probabilities(self, scores: np.ndarray) -> np.ndarray:
        positive = self._loss.probability(self._decision(scores))
        return np.column_stack([1 - positive, positive])
