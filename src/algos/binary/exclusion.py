"""Two-pass exclusion of samples that a classifier cannot learn (Kobetski & Sullivan 2013, section 4)."""

from collections.abc import Callable, Iterable, Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.metrics import get_scorer
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, has_fit_parameter, validate_data

from algos._validation import validate_training_data
from algos.binary.logitboost import LogitBoost
from algos.binary.losses import BoundedLogisticLoss
from algos.exceptions import InputError


def difficulty(scores: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """How hard samples are after training (18): ``max(H) - H(x)`` for positives, ``H(x) - min(H)`` for negatives.

    Parameters
    ----------
    scores, signs : ndarray of shape (n_samples,)
        H of the training samples; labels -1 and +1.

    Returns
    -------
    ndarray of shape (n_samples,)
        Not negative.
    """
    return np.where(signs > 0, scores.max() - scores, scores - scores.min())


def hardest(difficulty: np.ndarray, candidates: np.ndarray, fraction: float) -> np.ndarray:
    """Indices of the hardest `fraction` of the `candidates` (bool), the hardest first; at least one is left.

    Of equally hard samples the first ones are taken.
    """
    rows = np.flatnonzero(candidates)
    count = min(int(fraction * len(rows) + 0.5), max(len(rows) - 1, 0))
    return rows[np.argsort(-difficulty[rows], kind="stable")[:count]]


def fit_with_outliers(
    estimator: Any,
    X: np.ndarray,
    y: np.ndarray,
    signs: np.ndarray,
    sample_weight: np.ndarray,
    outliers: np.ndarray,
    loss: BoundedLogisticLoss,
    **fit_params: Any,
) -> Any:
    """Fit an estimator with `outliers` (bool) under the exclusion loss and all other samples under its own.

    Boosters of :mod:`algos.binary` take both and weigh outliers by (17) in every round. Other estimators do not train
    in rounds; they are fitted without the outliers first, then again with the outliers' sample weights multiplied by
    their exclusion weight at the margins of that fit, over its peak: 1 at the boundary, about 0 far from it.
    """
    if has_fit_parameter(estimator, "outliers"):
        return estimator.fit(X, y, sample_weight=sample_weight, outliers=outliers, outlier_loss=loss, **fit_params)
    without = clone(estimator).fit(X, y, sample_weight=np.where(outliers, 0.0, sample_weight))
    margins = signs * without.decision_function(X)
    exclusion = loss.weight(margins) / loss.weight(np.zeros(1))
    return estimator.fit(X, y, sample_weight=np.where(outliers, exclusion, 1.0) * sample_weight, **fit_params)


def _estimator_has(method: str) -> Any:
    def check(self: "TwoPassExclusion") -> bool:
        getattr(self.estimator_ if hasattr(self, "estimator_") else self._base_estimator, method)
        return True

    return check


class _OfLabels01(ClassifierMixin, BaseEstimator):
    """A fitted classifier of two classes as scorers see it: its labels are 0 and 1."""

    def __init__(self, model: Any) -> None:
        self.model = model

    @property
    def classes_(self) -> np.ndarray:
        return np.array([0, 1])

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        return self.model.decision_function(X)

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.searchsorted(self.model.classes_, self.model.predict(X))

    @available_if(lambda self: hasattr(self.model, "predict_proba"))
    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict_proba(X)


class TwoPassExclusion(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Train, put the hardest samples under a loss that hardly counts them, and train again from scratch.

    The first pass trains on everything. The part `fraction` of the positives with the lowest scores are the outliers.
    In the second pass they get the bounded logistic loss ``1/(1 + exp(eta v))``, whose weight
    ``eta s(-eta v) s(eta v)`` (s the sigmoid) is near 0 but close to the boundary; all other samples keep the loss of
    the estimator.

    Parameters
    ----------
    estimator : estimator or None, default=None
        A booster of :mod:`algos.binary` (None: ``LogitBoost()``), or any classifier of two classes with
        ``decision_function`` and a ``fit`` that takes ``sample_weight``, such as :class:`LinearSVM` or
        :class:`sklearn.svm.LinearSVC`.
    fraction : float or "cv", default=0.1
        Part delta of the positives to exclude, in [0, 1). ``"cv"`` takes the best of `fractions` by cross-validation.
        With 0 the model is the first pass.
    eta : float, default=100.0
        Steepness of the exclusion loss. The paper takes a large value, which ignores outliers but at the boundary.
    exclude : {"positives", "both", "negatives"}, default="positives"
        Whose hardest ones are excluded; ``"both"`` takes `fraction` of each class.
    choose : {"hardest", "random"}, default="hardest"
        Which of them: ``"random"`` excludes as many at random. It is no method but a control: what it changes comes of
        fewer samples and another balance of the classes, not of which samples they are.
    peak : float or None, default=1.0
        Weight of an outlier on the boundary, as a multiple of what an inlier of the booster weighs there at first: (17)
        times ``4 peak/eta``. None is (17) as printed, ``eta/4``; since every margin is 0 at first, outliers then choose
        the first stump.
    fractions : sequence of float, default=(0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
        Tried by ``fraction="cv"``; of equal scores the smallest wins.
    cv : int, splitter or iterable of splits, default=3
        As in scikit-learn; stratified and not shuffled when a number.
    scoring : str or callable, default="average_precision"
        Score of ``fraction="cv"``. Labels are 0 and 1 there, 1 for ``classes_[1]``.
    random_state : int, RandomState instance or None, default=None
        Of ``choose="random"``; nothing else is random.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Labels; the second one is the positive one.
    excluded_ : ndarray of shape (n_excluded,)
        Row numbers of the training samples excluded, the hardest first (with ``choose="random"`` in the order drawn);
        with ``exclude="both"`` positives before negatives.
    difficulty_ : ndarray of shape (n_samples,)
        (18) of all training samples.
    fraction_ : float
        The fraction of the model.
    cv_scores_ : ndarray of shape (n_fractions, n_splits)
        Scores of ``fraction="cv"``, in the order of `fractions`; only with it.
    first_pass_, estimator_ : estimators
        After the first and after the second pass; the same one if nothing is excluded.
    n_estimators_ : int
        Rounds of ``estimator_``, if it has any.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Samples of weight 0 are not counted as positives or negatives, nor excluded, nor scored by ``fraction="cv"``. All
    others count as one each, whatever they weigh: a fraction of the samples is excluded, and a sample of weight 2 is
    not two of them. Of equally hard samples the first ones are excluded. A class keeps one sample at least.

    Boosters weigh outliers anew in every round; regression stumps take their label as response. RobustBoost's ds and dt
    are found without them. Estimators without rounds are fitted twice in the second pass: without the outliers, then
    with sample weights ``w_excl(v)/w_excl(0)`` for them at the margins v of that fit. For an SVM that is a factor of C.

    References
    ----------
    .. [1] M. Kobetski and J. Sullivan. Improved boosting performance by exclusion of ambiguous positive examples.
       ICPRAM 2013, (16) to (18).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from algos.binary import AdaBoost, TwoPassExclusion
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = TwoPassExclusion(AdaBoost(n_estimators=30), fraction=0.05).fit(X[::2], y[::2])
    >>> len(model.excluded_), round(model.score(X[1::2], y[1::2]), 2)
    (9, 0.95)
    """

    #: What `fit_path` takes values of.
    path_parameter = "fraction"

    _parameter_constraints: ClassVar[dict] = {
        "estimator": [HasMethods(["fit", "decision_function"]), None],
        "fraction": [Interval(Real, 0, 1, closed="left"), StrOptions({"cv"})],
        "eta": [Interval(Real, 0, None, closed="neither")],
        "exclude": [StrOptions({"positives", "both", "negatives"})],
        "choose": [StrOptions({"hardest", "random"})],
        "peak": [Interval(Real, 0, None, closed="neither"), None],
        "fractions": ["array-like"],
        "cv": ["cv_object"],
        "scoring": [str, callable],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        fraction: float | str = 0.1,
        eta: float = 100.0,
        exclude: str = "positives",
        choose: str = "hardest",
        peak: float | None = 1.0,
        fractions: Any = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5),
        cv: Any = 3,
        scoring: Any = "average_precision",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.fraction = fraction
        self.eta = eta
        self.exclude = exclude
        self.choose = choose
        self.peak = peak
        self.fractions = fractions
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @property
    def _base_estimator(self) -> Any:
        return LogitBoost() if self.estimator is None else self.estimator

    @property
    def n_estimators(self) -> int:
        """The estimator's largest number of rounds, if it has rounds."""
        return self._base_estimator.n_estimators

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        monitor: Callable[[int, Any], Any] | None = None,
    ) -> "TwoPassExclusion":
        """Fit both passes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Labels of two classes; the second one in sorted order is the positive one.
        sample_weight : array-like of shape (n_samples,), optional
            Passed on; samples of weight 0 are left out.
        monitor : callable, optional
            Passed on to a booster's last pass.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated, an estimator that takes no sample weights, or a
            `monitor` for one that takes none.
        """
        X, y, labels, sample_weight = self._checked(X, y, sample_weight)
        if monitor is not None and not has_fit_parameter(self._base_estimator, "monitor"):
            raise InputError(f"{type(self._base_estimator).__name__} has no rounds to monitor; leave out `monitor`")
        self.fraction_ = self._choose_fraction(X, y, labels, sample_weight) if self.fraction == "cv" else self.fraction
        self._fit_passes(X, y, np.where(labels == 1, 1.0, -1.0), sample_weight, monitor)
        return self

    def fit_path(
        self, X: ArrayLike, y: ArrayLike, fractions: Iterable[float], sample_weight: ArrayLike | None = None
    ) -> Iterator["TwoPassExclusion"]:
        """Yield a fitted model for each of several fractions; one first pass serves them all.

        Parameters
        ----------
        X, y, sample_weight
            As for :meth:`fit`.
        fractions : iterable of float
            Values of `fraction`.

        Returns
        -------
        iterator of TwoPassExclusion
            What ``clone(self).set_params(fraction=fraction).fit(X, y)`` gives.

        Raises
        ------
        ValueError
            As :meth:`fit`.
        """
        first_pass = None
        for fraction in fractions:
            if isinstance(fraction, str):
                raise InputError(f"a path is of numbers, not {fraction!r}; fraction='cv' is chosen inside fit")
            model = clone(self).set_params(fraction=fraction)
            data = model._checked(X, y, sample_weight)
            model.fraction_ = fraction
            model._fit_passes(data[0], data[1], np.where(data[2] == 1, 1.0, -1.0), data[3], first_pass=first_pass)
            first_pass = model.first_pass_
            yield model

    def _checked(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Set the classes; return X, y, labels 0 and 1, and sample weights."""
        self._validate_params()
        if isinstance(self.estimator, type):
            raise InputError(f"estimator is the class {self.estimator.__name__}; give one, {self.estimator.__name__}()")
        if not has_fit_parameter(self._base_estimator, "sample_weight"):
            raise InputError(
                f"two-pass exclusion weighs samples, but {type(self._base_estimator).__name__}.fit takes no "
                "sample_weight; use a booster of algos.binary or an estimator that does"
            )
        X, y = validate_training_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        target = type_of_target(y, input_name="y")
        if target != "binary":
            raise ValueError(f"Only binary classification is supported. The type of the target is {target}.")
        sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        self.classes_, labels = np.unique(y, return_inverse=True)
        weighed = np.unique(y[sample_weight > 0])
        if len(weighed) < 2:
            which = f"one class only, {weighed[0]}" if len(weighed) else "no sample"
            raise ValueError(f"exclusion needs two classes; of positive weight y has {which}")
        return X, y, labels, sample_weight

    def _fit_passes(
        self,
        X: np.ndarray,
        y: np.ndarray,
        signs: np.ndarray,
        sample_weight: np.ndarray,
        monitor: Any = None,
        first_pass: Any = None,
    ) -> None:
        fit_params = {} if monitor is None else {"monitor": monitor}
        if first_pass is None:
            # What excludes nothing has one pass, the last.
            of_first = {} if self._n_excluded(signs, sample_weight) else fit_params
            first_pass = clone(self._base_estimator).fit(X, y, sample_weight=sample_weight, **of_first)
        self.first_pass_ = first_pass
        self.difficulty_ = difficulty(first_pass.decision_function(X), signs)
        self.excluded_, self.estimator_ = self._second_pass(
            first_pass, self.difficulty_, self.fraction_, X, y, signs, sample_weight, **fit_params
        )

    def _sides(self) -> tuple[int, ...]:
        return {"positives": (1,), "negatives": (-1,), "both": (1, -1)}[self.exclude]

    def _excluded(
        self, difficulty: np.ndarray, fraction: float, signs: np.ndarray, sample_weight: np.ndarray
    ) -> np.ndarray:
        """Rows that a fraction excludes."""
        if self.choose == "random":
            difficulty = check_random_state(self.random_state).permutation(len(signs))
        candidates = [(signs == side) & (sample_weight > 0) for side in self._sides()]
        return np.concatenate([hardest(difficulty, of_side, fraction) for of_side in candidates])

    def _n_excluded(self, signs: np.ndarray, sample_weight: np.ndarray) -> int:
        return len(self._excluded(np.zeros(len(signs)), self.fraction_, signs, sample_weight))

    def _second_pass(
        self,
        first_pass: Any,
        difficulty: np.ndarray,
        fraction: float,
        X: np.ndarray,
        y: np.ndarray,
        signs: np.ndarray,
        sample_weight: np.ndarray,
        **fit_params: Any,
    ) -> tuple[np.ndarray, Any]:
        """Rows excluded and the estimator trained with them as outliers."""
        excluded = self._excluded(difficulty, fraction, signs, sample_weight)
        if not len(excluded):
            return excluded, first_pass
        outliers = np.zeros(len(X), dtype=bool)
        outliers[excluded] = True
        loss = BoundedLogisticLoss(self.eta, self.peak)
        base = clone(self._base_estimator)
        second = fit_with_outliers(base, X, y, signs, sample_weight, outliers, loss, **fit_params)
        return excluded, second

    def _choose_fraction(self, X: np.ndarray, y: np.ndarray, labels: np.ndarray, sample_weight: np.ndarray) -> float:
        """The fraction of the best mean score; the first pass of a split serves all fractions."""
        fractions = np.asarray(self.fractions, dtype=float)
        if fractions.ndim != 1 or not len(fractions) or not ((fractions >= 0) & (fractions < 1)).all():
            raise InputError(f"fractions must be a list of numbers in [0, 1), not {self.fractions}")
        scorer = get_scorer(self.scoring)
        columns = []
        for train, test in self._splits(labels, sample_weight > 0):
            signs = np.where(labels == 1, 1.0, -1.0)[train]
            # Labels as they were given: an estimator's parameters, such as weights of classes, may name them.
            data = X[train], y[train], signs, sample_weight[train]
            first = clone(self._base_estimator).fit(X[train], y[train], sample_weight=sample_weight[train])
            hardness = difficulty(first.decision_function(X[train]), signs)
            models = (self._second_pass(first, hardness, fraction, *data)[1] for fraction in fractions)
            columns.append([scorer(_OfLabels01(model), X[test], labels[test]) for model in models])
        self.cv_scores_ = np.array(columns, dtype=float).T
        if not np.isfinite(self.cv_scores_).all():
            raise InputError("scoring gave a score that is no finite number, so no fraction can be chosen by it")
        best = self.cv_scores_.mean(axis=1)
        return float(fractions[best == best.max()].min())

    def _splits(self, labels: np.ndarray, counted: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Splits of the rows that are `counted`; ready-made ones are of all rows."""
        from sklearn.model_selection import check_cv

        rows = np.flatnonzero(counted)
        least = np.bincount(labels[rows]).min()
        if isinstance(self.cv, int) and least < self.cv:
            raise InputError(
                f"fraction='cv' with {self.cv} folds needs as many samples of either class; "
                f"the smaller class has {least}"
            )
        splitter = check_cv(self.cv, labels[rows], classifier=True)
        if isinstance(self.cv, int) or hasattr(self.cv, "split") or self.cv is None:
            splits = [(rows[train], rows[test]) for train, test in splitter.split(rows[:, None], labels[rows])]
        else:
            every = np.arange(len(labels))
            splits = [tuple(every[part][counted[part]] for part in split) for split in splitter.split()]
        if not splits:
            raise InputError("cv has no splits; a generator gives its splits once: make a list of them")
        return splits

    @property
    def n_estimators_(self) -> int:
        """Rounds of the second pass."""
        check_is_fitted(self)
        return self.estimator_.n_estimators_

    def _validated(self, X: ArrayLike) -> np.ndarray:
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False)

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Scores of the second pass, shape (n_samples,); positive for ``classes_[1]``."""
        X = self._validated(X)
        return self.estimator_.decision_function(X)

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Labels by the second pass, shape (n_samples,)."""
        X = self._validated(X)
        return self.estimator_.predict(X)

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probabilities by the second pass, shape (n_samples, 2)."""
        X = self._validated(X)
        return self.estimator_.predict_proba(X)

    @available_if(_estimator_has("staged_decision_function"))
    def staged_decision_function(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Scores after each round of the second pass."""
        X = self._validated(X)
        yield from self.estimator_.staged_decision_function(X)

    @available_if(_estimator_has("staged_predict"))
    def staged_predict(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Labels after each round of the second pass."""
        X = self._validated(X)
        yield from self.estimator_.staged_predict(X)

    @available_if(_estimator_has("staged_predict_proba"))
    def staged_predict_proba(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Probabilities after each round of the second pass."""
        X = self._validated(X)
        yield from self.estimator_.staged_predict_proba(X)

    @available_if(_estimator_has("staged_error"))
    def staged_error(self, X: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Error rate after each round of the second pass, shape (n_estimators_,)."""
        X = self._validated(X)
        return self.estimator_.staged_error(X, y)
