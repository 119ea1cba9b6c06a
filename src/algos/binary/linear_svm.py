"""Linear SVM on normalised features, its C chosen by cross-validation."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.svm import LinearSVC
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from algos._validation import refuse_huge, validate_training_data


class LinearSVM(ClassifierMixin, BaseEstimator):
    """Linear SVM for two classes: liblinear's squared hinge loss, on normalised features.

    Parameters
    ----------
    C : float or "cv", default=1.0
        Weight of the loss against ``|w|^2/2``; ``"cv"`` takes the best of `C_grid`.
    C_grid : sequence of float, default=(0.001, 0.01, 0.1, 1.0, 10.0)
        Tried by ``C="cv"``; of equal scores the smallest wins.
    cv : int or splitter, default=5
        As in scikit-learn; stratified and not shuffled when a number.
    scoring : str or callable, default="average_precision"
        Score of ``C="cv"``. Labels are 0 and 1 there.
    normalization : {"standard", "unit", "none"}, default="standard"
        ``"standard"``: mean 0 and standard deviation 1 of each feature, from the training samples by their weights.
        ``"unit"``: samples of Euclidean norm 1.
    class_weight : dict, "balanced" or None, default=None
        Multiplies C by class, as in scikit-learn.
    max_iter : int, default=10000
        Most iterations of liblinear.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Labels; the second one is the positive one.
    C_ : float
        The C of the model.
    coef_ : ndarray of shape (n_features,)
        Weights of the normalised features.
    intercept_ : float
    n_iter_ : int
        Iterations of liblinear.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Solved in the primal, so nothing is random. The intercept is regularised, as in liblinear.

    References
    ----------
    .. [1] R.-E. Fan, K.-W. Chang, C.-J. Hsieh, X.-R. Wang and C.-J. Lin. LIBLINEAR: a library for large linear
       classification. JMLR 9, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from algos.binary import LinearSVM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LinearSVM(C="cv").fit(X[::2], y[::2])
    >>> model.C_, round(model.score(X[1::2], y[1::2]), 2)
    (0.1, 0.96)
    """

    _parameter_constraints: ClassVar[dict] = {
        "C": [Interval(Real, 0, None, closed="neither"), StrOptions({"cv"})],
        "C_grid": ["array-like"],
        "cv": ["cv_object"],
        "scoring": [str, callable],
        "normalization": [StrOptions({"standard", "unit", "none"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        C: float | str = 1.0,
        C_grid: Any = (0.001, 0.01, 0.1, 1.0, 10.0),
        cv: Any = 5,
        scoring: Any = "average_precision",
        normalization: str = "standard",
        class_weight: Any = None,
        max_iter: int = 10000,
    ) -> None:
        self.C = C
        self.C_grid = C_grid
        self.cv = cv
        self.scoring = scoring
        self.normalization = normalization
        self.class_weight = class_weight
        self.max_iter = max_iter

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> "LinearSVM":
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Labels of two classes; the second one in sorted order is the positive one.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies each sample's loss, that is its C, as in scikit-learn, so their scale matters. Samples of weight
            0 are left out.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated.
        """
        self._validate_params()
        X, y = validate_training_data(self, X, y, dtype=np.float64)
        refuse_huge(X)
        check_classification_targets(y)
        target = type_of_target(y, input_name="y")
        if target != "binary":
            raise ValueError(f"Only binary classification is supported. The type of the target is {target}.")
        sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        kept = sample_weight > 0
        X, y, sample_weight = X[kept], y[kept], sample_weight[kept]
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("an SVM needs two classes; the samples of positive weight have one class only")
        if self.normalization == "standard":
            self._scaler = StandardScaler().fit(X, sample_weight=sample_weight)
        svm = LinearSVC(dual=False, class_weight=self._encoded_class_weight(), max_iter=self.max_iter)
        svm.C = self.C_ = self._choose_C(svm, self._normalized(X), labels, sample_weight)
        svm.fit(self._normalized(X), labels, sample_weight=sample_weight)
        self.coef_, self.intercept_, self.n_iter_ = svm.coef_[0], float(svm.intercept_[0]), int(svm.n_iter_)
        return self

    def _encoded_class_weight(self) -> Any:
        if not isinstance(self.class_weight, dict):
            return self.class_weight
        known = self.classes_.tolist()
        for label, weight in self.class_weight.items():
            if label not in known:
                raise ValueError(f"class_weight names {label!r}, but the labels are {known[0]!r} and {known[1]!r}")
            if not isinstance(weight, Real) or not 0 < weight < np.inf:
                raise ValueError(f"class_weight of {label!r} is {weight!r}; give a positive number")
        return {k: self.class_weight[label] for k, label in enumerate(self.classes_) if label in self.class_weight}

    def _normalized(self, X: np.ndarray) -> np.ndarray:
        if self.normalization == "standard":
            return self._scaler.transform(X)
        return normalize(X) if self.normalization == "unit" else X

    def _choose_C(self, svm: LinearSVC, X: np.ndarray, labels: np.ndarray, sample_weight: np.ndarray) -> float:
        if self.C != "cv":
            return float(self.C)
        from sklearn.model_selection import GridSearchCV

        grid = {"C": sorted(float(C) for C in self.C_grid)}
        search = GridSearchCV(clone(svm), grid, cv=self.cv, scoring=self.scoring, refit=False, error_score="raise")
        search.fit(X, labels, sample_weight=sample_weight)
        return search.best_params_["C"]

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Scores, positive for ``classes_[1]``.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._normalized(X) @ self.coef_ + self.intercept_

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Labels, ``classes_[1]`` where the score is positive."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int)]
