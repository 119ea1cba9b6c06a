"""What boosted classifiers share once they are fitted: predictions and errors after every round."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from algos._validation import check_labels, known_class_indices


def label_indicators(y: Any) -> np.ndarray:
    """Return which labels are on, as booleans, of an indicator matrix of 0 and 1, dense or sparse.

    Raises
    ------
    ValueError
        When it holds anything else, such as the -1 of another convention.
    """
    y = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
    other = y[(y != 0) & (y != 1)]
    if other.size:
        raise ValueError(f"multi-label y must hold only 0 and 1; it has {other.flat[0]}")
    return y == 1


class StagedClassifier(ClassifierMixin, BaseEstimator):
    """Base of classifiers with scores ``f(x) = sum_t alpha_t h_t(x)``, h_t(x) of one number a class.

    Fitting sets ``classes_``, ``n_classes_``, ``n_estimators_``, ``estimator_weights_`` (the alphas) and ``forest_``,
    an object with ``add_scores(alphas, first, last, X, scores)``, ``count_errors(alphas, X, labels, n_classes)`` and
    ``feature_gains(alphas, n_features)``; where ``multilabel_`` is true also ``count_label_errors(alphas, X, labels)``.
    Rounds without such a coefficient override ``_add_scores``, ``_count_errors`` and ``_feature_gains``.
    """

    multilabel_ = False

    @property
    def _input_dtype(self) -> type:
        """What X is held as."""
        return np.float64

    def _encode_labels(self, y: np.ndarray) -> np.ndarray:
        """Set the classes; return each sample's class index, shape (n_samples,)."""
        self.classes_, labels = np.unique(column_or_1d(y, warn=True), return_inverse=True)
        self.n_classes_ = len(self.classes_)
        if self.n_classes_ < 2:
            raise ValueError(f"boosting needs at least two classes; y has one class only, {self.classes_[0]}")
        return labels

    def _validate_X(self, X: ArrayLike) -> np.ndarray:
        check_is_fitted(self)
        return validate_data(self, X, dtype=self._input_dtype, order="C", reset=False)

    def _add_scores(self, first: int, last: int, X: np.ndarray, scores: np.ndarray) -> None:
        """Add the rounds ``first:last`` to `scores`, in place."""
        self.forest_.add_scores(self.estimator_weights_, first, last, X, scores)

    def _count_errors(self, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Misclassified rows after each round; `labels` are class indices, -1 for a class not known."""
        return self.forest_.count_errors(self.estimator_weights_, X, labels, self.n_classes_)

    def _feature_gains(self) -> np.ndarray:
        """What each feature's cuts gained, shape (n_features,)."""
        return self.forest_.feature_gains(self.estimator_weights_, self.n_features_in_)

    def _scores(self, X: ArrayLike) -> np.ndarray:
        X = self._validate_X(X)
        scores = np.zeros((len(X), self.n_classes_))
        self._add_scores(0, self.n_estimators_, X, scores)
        return scores

    def _staged_scores(self, X: ArrayLike) -> Iterator[np.ndarray]:
        X = self._validate_X(X)
        scores = np.zeros((len(X), self.n_classes_))
        for t in range(self.n_estimators_):
            self._add_scores(t, t + 1, X, scores)
            yield scores

    def _decision(self, scores: np.ndarray) -> np.ndarray:
        binary = self.n_classes_ == 2 and not self.multilabel_
        return (scores[:, 1] - scores[:, 0]) / 2 if binary else scores.copy()

    def _labels(self, scores: np.ndarray) -> np.ndarray:
        if self.multilabel_:
            return (scores > 0).astype(int)
        return self.classes_[scores.argmax(axis=1)]

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Scores f(x).

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) with two classes
            With two classes half the difference between the score of the second one and that of the first.
        """
        return self._decision(self._scores(X))

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Class of the largest score (the first of equals), or the labels of positive score."""
        return self._labels(self._scores(X))

    def staged_decision_function(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Scores after each round; see :meth:`decision_function`."""
        for scores in self._staged_scores(X):
            yield self._decision(scores)

    def staged_predict(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Predictions after each round; see :meth:`predict`."""
        for scores in self._staged_scores(X):
            yield self._labels(scores)

    def staged_error(self, X: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Error rate after each round: the learning curve, without fitting again.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            A class that was not seen in training counts as an error, as in ``score``.

        Returns
        -------
        ndarray of shape (n_estimators_,)
            Fraction of misclassified samples; Hamming loss for multi-label targets.

        Raises
        ------
        ValueError
            When `y` is not of X's length, has a missing label, or labels of another type than those in training.
        """
        X = self._validate_X(X)
        check_labels(y)
        y = label_indicators(y) if self.multilabel_ else column_or_1d(y)
        if len(y) != len(X):
            raise ValueError(f"X has {len(X)} samples and y has {len(y)}")
        if self.multilabel_ and y.shape != (len(X), self.n_classes_):
            raise ValueError(f"y must have shape {(len(X), self.n_classes_)}, not {y.shape}")
        return self._error_curve(X, y if self.multilabel_ else known_class_indices(self.classes_, y))

    def _error_curve(self, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Errors after each round; `labels` are class indices, -1 for a class not known, or indicators as booleans."""
        X = np.ascontiguousarray(X)
        if self.multilabel_:
            return self.forest_.count_label_errors(self.estimator_weights_, X, labels) / labels.size
        return self._count_errors(X, labels) / len(X)

    @property
    def feature_importances_(self) -> np.ndarray:
        """What each feature's cuts gained, weighted by alpha where rounds have one, and normalised to sum 1.

        The gain is the edge for Hamming trees and products, the normalised decrease of impurity for scikit-learn trees,
        and ``S_L^2/W_L + S_R^2/W_R - S^2/W`` for trees on gradients. Zero everywhere when no cut was made.

        Returns
        -------
        ndarray of shape (n_features_in_,)
        """
        check_is_fitted(self)
        gains = self._feature_gains()
        total = gains.sum()
        return gains / total if total > 0 else gains


class StagedProbabilities:
    """Probabilities, and those after every round, of a :class:`StagedClassifier`; some override ``_probabilities``."""

    def _probabilities(self, scores: np.ndarray) -> np.ndarray:
        """Probabilities of scores, both of shape (n_samples, n_classes): their softmax."""
        from scipy.special import softmax

        return softmax(scores, axis=1)

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probabilities of the classes, the softmax of the scores.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._probabilities(self._scores(X))

    def staged_predict_proba(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Probabilities after each round; see :meth:`predict_proba`."""
        return map(self._probabilities, self._staged_scores(X))
