"""What multi-label classifiers share: their targets, and predictions from scores."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from algos._validation import refuse_huge, validate_training_data
from algos.multiclass._staged import label_indicators


class MultiLabelClassifier(ClassifierMixin, BaseEstimator):
    """Base of classifiers of many labels at once.

    Fitting takes an indicator matrix of 0 and 1, dense or sparse, shape (n_samples, n_labels), of one label too. It
    also takes a vector of classes, for which there is one label a class (one in all where there are two classes) and
    the class of the largest score is predicted.

    A subclass's ``fit`` calls `_validate_fit`; it overrides `_scores`, which gives each label a number that is above 0
    where the label is predicted.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        return tags

    def _validate_fit(self, X: ArrayLike, y: ArrayLike, min_samples: int = 1) -> tuple[Any, np.ndarray]:
        """Set ``classes_`` (of an indicator matrix its columns' numbers) and ``n_labels_``.

        Returns X, dense or CSR, and the labels as booleans, a column a label.
        """
        self._validate_params()
        X, y = validate_training_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, order="C", multi_output=True,
            ensure_min_samples=min_samples,
        )  # fmt: skip
        refuse_huge(X)
        return _short_indices(X), self._encode_targets(y)

    def _encode_targets(self, y: Any) -> np.ndarray:
        self.multilabel_ = y.ndim == 2 and (y.shape[1] != 1 or _holds_only_0_and_1(y))
        if self.multilabel_:
            labels = _sparse_labels(y) if hasattr(y, "toarray") else label_indicators(y)
            self.classes_ = np.arange(labels.shape[1])  # as OneVsRestClassifier: cross_val_predict wants an array
        else:
            check_classification_targets(y)
            self.classes_, codes = np.unique(column_or_1d(y, warn=True), return_inverse=True)
            if len(self.classes_) < 2:
                raise ValueError(f"a classifier needs at least two classes; y has one class only, {self.classes_[0]}")
            binary = len(self.classes_) == 2
            labels = codes[:, None] == np.arange(1, 2) if binary else codes[:, None] == np.arange(len(self.classes_))
        self.n_labels_ = labels.shape[1]
        return labels

    def _scores(self, X: Any) -> np.ndarray:
        """Return the scores of validated `X`, shape (n_samples, n_labels_)."""
        raise NotImplementedError

    def _validated_scores(self, X: ArrayLike) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=False)
        return self._scores(_short_indices(X))

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Scores of the labels; a label is predicted where its score is above 0.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            (n_samples,) where `y` was a vector of two classes.
        """
        scores = self._validated_scores(X)
        return scores[:, 0] if not self.multilabel_ and len(self.classes_) == 2 else scores

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Labels of positive score as 0 and 1, shape (n_samples, n_labels); or classes, where `y` was a vector of them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        """
        scores = self._validated_scores(X)
        if self.multilabel_:
            return (scores > 0).astype(int)
        chosen = (scores[:, 0] > 0).astype(int) if len(self.classes_) == 2 else scores.argmax(axis=1)
        return self.classes_[chosen]


def last_label_first(scores: np.ndarray, gap: float) -> np.ndarray:
    """Lift equal scores of a sample, the more the higher the label's index.

    No order of unequal scores changes, of a sample's labels or of a label's samples: scores differ by `gap` at least,
    and the lifts are below it.
    """
    n_labels = scores.shape[1]
    return scores + np.arange(n_labels) * (gap / (2 * n_labels))


def _short_indices(X: Any) -> Any:
    """Give a sparse matrix indices of 32 bits, which liblinear insists on, where they reach."""
    if hasattr(X, "indptr") and X.indices.dtype != np.int32 and max(X.nnz, *X.shape) < 2**31:
        return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    return X


def _holds_only_0_and_1(y: Any) -> bool:
    values = y.data if hasattr(y, "toarray") else y
    return bool(np.isin(values, (0, 1)).all()) if values.dtype.kind in "biuf" else False


def _sparse_labels(y: Any) -> np.ndarray:
    label_indicators(y.data)  # what is not written is 0
    return y.astype(bool).toarray()
