"""Self-paced boost learning (SPBL) and MultiBoost: fully corrective boosting by column generation."""

import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets

from algos._validation import validate_training_data
from algos.multiclass._staged import StagedClassifier, StagedProbabilities
from algos.selfpaced.validation import training_and_validation
from algos.selfpaced.weak_learners import LogisticUnitLearner, StumpLearner, TreeLearner, all_outputs
from algos.selfpaced.weights import SCHEMES, FixedPace, SelfPace
from algos.selfpaced.weights_step import MarginObjective, solve_weights


class ColumnGenerationBooster(StagedProbabilities, StagedClassifier, metaclass=ABCMeta):
    """Scores ``F_r(x) = sum_j W_jr h_j(x)``, with W >= 0 solved anew each round. A subclass sets the samples' pace."""

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "nu": [Interval(Real, 0, None, closed="neither")],
        "base": [StrOptions({"logistic", "stump", "tree"})],
        "ridge": [Interval(Real, 0, None, closed="left")],
        "base_max_iter": [Interval(Integral, 1, None, closed="left")],
        "max_leaf_nodes": [Interval(Integral, 2, 2**31 - 1, closed="both")],
        "violation_tol": [Interval(Real, 0, None, closed="left"), None],
        "weights_tol": [Interval(Real, 0, None, closed="neither")],
        "weights_max_iter": [Interval(Integral, 1, None, closed="left")],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither"), None],
        "min_estimators": [Interval(Integral, 1, None, closed="left")],
        "stop_after": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_estimators: int = 300,
        nu: float = 1e-4,
        base: str = "logistic",
        ridge: float = 1e-6,
        base_max_iter: int = 10,
        max_leaf_nodes: int = 8,
        violation_tol: float | None = 0.01,
        weights_tol: float = 0.01,
        weights_max_iter: int = 50,
        validation_fraction: float | None = None,
        min_estimators: int = 1,
        stop_after: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.nu = nu
        self.base = base
        self.ridge = ridge
        self.base_max_iter = base_max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.violation_tol = violation_tol
        self.weights_tol = weights_tol
        self.weights_max_iter = weights_max_iter
        self.validation_fraction = validation_fraction
        self.min_estimators = min_estimators
        self.stop_after = stop_after
        self.random_state = random_state

    @property
    def _input_dtype(self) -> Any:
        return [np.float64, np.float32]

    @abstractmethod
    def _make_pace(self, labels: np.ndarray) -> SelfPace | FixedPace:
        """What gives the sample weights v."""

    def _make_learner(self, X: np.ndarray) -> Any:
        if self.base == "stump":
            return StumpLearner(X)
        if self.base == "tree":
            return TreeLearner(X, self.max_leaf_nodes, check_random_state(self.random_state))
        return LogisticUnitLearner(X, self.ridge * len(X), self.base_max_iter)

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        X_val: ArrayLike | None = None,
        y_val: ArrayLike | None = None,
        monitor: Callable[[int, "ColumnGenerationBooster"], Any] | None = None,
    ) -> "ColumnGenerationBooster":
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Class labels.
        X_val, y_val : array-like of shape (n_val, n_features) and (n_val,), optional
            Validation part; the model of the round of least error on it is the one that predicts.
        monitor : callable, optional
            Called as ``monitor(t, self)`` after each round t = 1, 2, ...; a true answer ends the fit.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated, or fewer than two classes.
        """
        self._validate_params()
        X, y = validate_training_data(self, X, y, dtype=self._input_dtype, order="C")
        check_classification_targets(y)
        labels = self._encode_labels(y)
        X, labels, X_val, labels_val = training_and_validation(self, X, labels, X_val, y_val)
        self._warn_of_idle_options(validated=X_val is not None, held_out=self.validation_fraction is not None)
        rounds = _Rounds(X_val, labels_val, self.min_estimators)
        self._boost(X, labels.astype(np.int32), rounds, monitor)
        self._keep(rounds)
        return self

    def _warn_of_idle_options(self, validated: bool, held_out: bool) -> None:
        if held_out and 1 < self.n_estimators <= self.min_estimators:
            warnings.warn(
                f"validation_fraction holds samples out to choose a round, and min_estimators={self.min_estimators} of "
                f"n_estimators={self.n_estimators} leaves no choice; lower it or set validation_fraction to None",
                stacklevel=3,
            )
        if self.stop_after is not None and not validated:
            warnings.warn(
                f"stop_after={self.stop_after} never ends a fit without a validation part; give X_val and y_val, or "
                "set validation_fraction",
                stacklevel=3,
            )

    def _boost(self, X: np.ndarray, labels: np.ndarray, rounds: "_Rounds", monitor: Any) -> None:
        """Algorithm 1."""
        nu = self.nu * len(X)
        learner, pace = self._make_learner(X), self._make_pace(labels)
        outputs = np.empty((0, len(X)), dtype=np.float32)
        W = np.empty((0, self.n_classes_), dtype=np.float32)
        least = -np.inf if self.violation_tol is None else nu * (1 + self.violation_tol)
        coefficients, complete = _first_coefficients(labels, pace.weights, self.n_classes_), False
        for t in range(1, self.n_estimators + 1):
            found = learner.fit(coefficients)  # (12), line 5
            if complete and found.score < least:
                break  # no weak classifier violates the dual constraint: W is optimal among all of them
            outputs = np.vstack([outputs, found.outputs])
            weight = pace.weights.astype(np.float32)
            learned = weight > 0
            loss = MarginObjective(
                outputs if learned.all() else outputs[:, learned], labels[learned], weight[learned], self.n_classes_
            )
            W = np.vstack([W, np.zeros((1, self.n_classes_), dtype=np.float32)])
            tol = self.weights_tol * max(1, found.score / nu)
            solution = solve_weights(loss, W, nu, tol, self.weights_max_iter)  # (9), line 6
            W = solution.W
            losses, derivatives = MarginObjective(outputs, labels, weight, self.n_classes_).losses(W)
            coefficients = -derivatives  # [r = y] sum_l U_il - U_ir, U of (11), line 7
            rounds.add(found, solution, pace.weights, pace.proportion)
            complete = pace.complete
            pace.update(losses)  # (8), lines 8 and 10 to 12
            stop = self.stop_after is not None and t > self.stop_after and rounds.worse_than_best()
            if stop or (monitor is not None and monitor(t, self)):
                break

    def _keep(self, rounds: "_Rounds") -> None:
        """Set what fitting found; weak classifiers that no round's W uses are dropped."""
        used = np.unique(np.concatenate([rows for rows, _ in rounds.path]))
        self.weak_classifiers_ = [rounds.found[j].classifier for j in used]
        self.weak_classes_ = self.classes_[[rounds.found[j].label for j in used]]
        self._path = [(np.searchsorted(used, rows), W) for rows, W in rounds.path]
        self.n_estimators_ = len(rounds.path)
        self.best_iteration_ = rounds.best()
        self.coef_ = np.zeros((len(used), self.n_classes_), dtype=np.float32)
        rows, W = self._path[self.best_iteration_ - 1]
        self.coef_[rows] = W
        self.violations_ = np.array([found.score for found in rounds.found])
        self.objectives_ = np.array([solution.objective for solution in rounds.solutions])
        self.residuals_ = np.array([solution.residual for solution in rounds.solutions])
        self.proportions_ = np.array(rounds.proportions)
        self.sample_weights_path_ = np.array(rounds.sample_weights)
        if rounds.errors:
            self.validation_curve_ = np.array(rounds.errors)

    def _scores(self, X: ArrayLike) -> np.ndarray:
        X = self._validate_X(X)
        used = np.flatnonzero(self.coef_.any(axis=1))
        return all_outputs([self.weak_classifiers_[j] for j in used], X) @ self.coef_[used]

    def _staged_scores(self, X: ArrayLike) -> Iterator[np.ndarray]:
        X = self._validate_X(X)
        outputs = all_outputs(self.weak_classifiers_, X)
        for rows, W in self._path:
            yield outputs[:, rows] @ W

    def _count_errors(self, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
        return np.array([np.sum(scores.argmax(axis=1) != labels) for scores in self._staged_scores(X)])

    def _feature_gains(self) -> np.ndarray:
        sizes = np.linalg.norm(self.coef_, axis=1)
        gains = np.zeros(self.n_features_in_)
        for size, classifier in zip(sizes, self.weak_classifiers_, strict=True):
            gains += size * classifier.importances(self.n_features_in_)
        return gains

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probabilities of the classes, the softmax of the scores.

        The expected loss is least where ``p_k / p_r = exp(F_k - F_r)`` for each pair of classes, which is the softmax.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return super().predict_proba(X)


def _first_coefficients(labels: np.ndarray, weights: np.ndarray, n_classes: int) -> np.ndarray:
    """Coefficients of (12) for U = v 1', with which algorithm 1 begins."""
    coefficients = np.repeat(-weights[:, None], n_classes, axis=1).astype(np.float32)
    coefficients[np.arange(len(labels)), labels] *= 1 - n_classes
    return coefficients


class _Rounds:
    """What the rounds found, and their errors on the validation part."""

    def __init__(self, X_val: np.ndarray | None, labels_val: np.ndarray | None, min_estimators: int) -> None:
        self._X_val, self._labels_val, self._min_estimators = X_val, labels_val, min_estimators
        self._outputs_val: list[np.ndarray] = []
        self.found: list[Any] = []
        self.path: list[tuple[np.ndarray, np.ndarray]] = []  # a round's rows of W that are not zero
        self.solutions: list[Any] = []
        self.sample_weights: list[np.ndarray] = []
        self.proportions: list[float] = []
        self.errors: list[float] = []

    def add(self, found: Any, solution: Any, sample_weight: np.ndarray, proportion: float) -> None:
        rows = np.flatnonzero(solution.W.any(axis=1))
        self.found.append(found)
        self.path.append((rows, solution.W[rows]))
        self.solutions.append(solution)
        self.sample_weights.append(sample_weight.astype(np.float16))
        self.proportions.append(proportion)
        if self._X_val is not None:
            self._outputs_val.append(found.classifier.outputs(self._X_val))
            scores = np.column_stack(self._outputs_val) @ solution.W
            self.errors.append(float(np.mean(scores.argmax(axis=1) != self._labels_val)))

    def best(self) -> int:
        """The round, from 1, of least validation error among those from the floor on; the last without validation."""
        if not self.errors:
            return len(self.path)
        first = min(self._min_estimators, len(self.errors)) - 1
        return first + int(np.argmin(self.errors[first:])) + 1

    def worse_than_best(self) -> bool:
        """Whether the last round's validation error is above that of a round before it."""
        return len(self.errors) > 1 and self.errors[-1] > min(self.errors[:-1])


class MultiBoostClassifier(ColumnGenerationBooster):
    """MultiBoost: fully corrective multi-class boosting with the logistic loss and the l2,1 norm.

    Each round adds the weak classifier that most violates the dual constraint and solves anew for all weights W >= 0:
    ``min sum_i sum_r log(1 + exp(-rho_ir)) + nu ||W||_(2,1)``, ``rho_ir = F_(y_i)(x_i) - F_r(x_i)``,
    ``F_r(x) = sum_j W_jr h_j(x)``. It is :class:`SPBLClassifier` with all sample weights fixed to 1.

    Parameters
    ----------
    n_estimators : int, default=300
        Boosting rounds T, at most.
    nu : float, default=1e-4
        Weight of the norm ``||W||_(2,1)``, **times the number of training samples**.
    base : {"logistic", "stump", "tree"}, default="logistic"
        Weak classifier: the logistic unit (13); a stump, found exactly; a classification tree, grown by the Gini index.
    ridge : float, default=1e-6
        Weight of ``1/2 |a|^2`` in the fit of a logistic unit, **times the number of training samples**.
    base_max_iter : int, default=10
        Steps of L-BFGS for the logistic units of a round, at most.
    max_leaf_nodes : int, default=8
        Leaves of a tree. Used by ``base="tree"`` alone.
    violation_tol : float or None, default=0.01
        epsilon / nu: boosting ends when the violation (12) of the new weak classifier is below ``nu + epsilon``.
        None: never.
    weights_tol : float, default=0.01
        W is solved until its optimality residual (see Notes) is at most this, times the round's violation over nu where
        that is above 1: it makes no sense to be exact while a much better weak classifier is to come.
    weights_max_iter : int, default=50
        Steps of a round's solution for W, at most.
    validation_fraction : float or None, default=None
        Part of each class that is held out to choose the iterate on, where `fit` is given no validation part.
    min_estimators : int, default=1
        Least number of rounds of the iterate that is chosen by validation. Early rounds have no weak classifier for
        some classes, and a small validation part can favour them by chance: the number of classes is a good floor. At
        `n_estimators` or more there is nothing to choose: the fit warns where `validation_fraction` held samples out.
    stop_after : int or None, default=None
        T_ES of algorithm 1: after that many rounds, boosting ends as soon as the validation error is above an earlier
        one. None: it goes on to the end. Without a validation part it does nothing, and the fit warns.
    random_state : int, RandomState instance or None, default=None
        Draws the held-out part, and settles ties in trees; nothing else is random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_classes_ : int
        Number of classes C.
    n_estimators_ : int
        Rounds that were run; the staged methods cover them all.
    best_iteration_ : int
        The round whose model predicts: that of least validation error, without validation the last.
    weak_classifiers_ : list
        Weak classifiers with a weight in any round; others are dropped.
    weak_classes_ : ndarray
        The class for which each was found.
    coef_ : ndarray of float32, shape (len(weak_classifiers_), n_classes)
        W of the round that predicts.
    violations_ : ndarray of shape (n_estimators_,)
        Value of (12) for each round's new weak classifier (with the ridge penalty taken off).
    objectives_, residuals_ : ndarray of shape (n_estimators_,)
        Value of (9) and optimality residual of each round's W.
    proportions_ : ndarray of shape (n_estimators_,)
        Proportion of selected samples of each round's weights.
    sample_weights_path_ : ndarray of float16, shape (n_estimators_, n_samples)
        Weights v with which each round's W was solved: which samples are in when. Of the training part alone, in its
        order, where `validation_fraction` holds some out.
    validation_curve_ : ndarray of shape (n_estimators_,)
        Error on the validation part after each round; only with one.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With ``G_jr = sum_i ([r = y_i] sum_l U_il - U_ir) h_j(x_i)``, W is optimal when ``||max(G_j, 0)|| <= nu`` for each
    row of zeros, and in another row j ``G_jr = nu W_jr / ||W_j||`` where ``W_jr > 0`` and ``G_jr <= 0`` where
    ``W_jr = 0``. The residual is the largest row norm of what is missing to that, over nu. Here nu is `nu` times the
    number of training samples.

    Products with matrices are in float32. `random_state` apart, everything is deterministic.

    References
    ----------
    .. [1] C. Shen, S. Paisitkriangkrai and A. van den Hengel. A direct approach to multi-class boosting and extensions.
       arXiv 1210.4601, 2012.
    .. [2] T. Pi et al. Self-paced boost learning for classification. IJCAI 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from algos.selfpaced import MultiBoostClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MultiBoostClassifier(n_estimators=10).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.99
    """

    def _make_pace(self, labels: np.ndarray) -> FixedPace:
        return FixedPace(labels)


class SPBLClassifier(ColumnGenerationBooster):
    """SPBL: boosting that learns from easy samples first and lets in harder ones round by round.

    Each round finds the weak classifier that most violates the dual constraint (12), solves for its and all others'
    weights W >= 0 (9), ``min sum_i v_i sum_r log(1 + exp(-rho_ir)) + nu ||W||_(2,1)``, and chooses the sample weights v
    anew from the losses (8), for a proportion of selected samples that grows.

    Parameters
    ----------
    n_estimators : int, default=300
        Boosting rounds T, at most.
    nu : float, default=1e-4
        Weight of the norm ``||W||_(2,1)``, **times the number of training samples**.
    weighting : {"mixture", "hard", "linear", "log", "none"}, default="mixture"
        How a loss l becomes a weight, given the threshold lambda at the wanted proportion. ``"mixture"`` (8): 1 up to
        ``zeta lambda / (zeta + lambda)``, 0 from lambda on, between them ``zeta / l - zeta / lambda``. ``"hard"``:
        1 below lambda. ``"linear"``: ``1 - l / lambda``. ``"log"``: logarithmic. ``"none"``: 1, which is MultiBoost.
    zeta_ratio : float, default=2
        zeta / lambda of mixture weighting: weights are 1 up to 2/3 of the threshold.
    pace : {"proportion", "per_class"}, default="proportion"
        ``"proportion"``: one threshold for all samples, as in the paper. ``"per_class"`` (**our extension**): a
        threshold for each class, so that classes whose samples are all hard yet are not shut out.
    pace_start, pace_factor, pace_end : float, default=0.6, 1.003, 1
        Proportion of samples selected in the first round, drawn at random in each class; what it is multiplied by a
        round; where it ends. An end of ``1 - noise`` keeps the noisy share out for good, where one knows it.
    base : {"logistic", "stump", "tree"}, default="logistic"
        Weak classifier: the logistic unit (13); a stump, found exactly; a classification tree, grown by the Gini index.
    ridge : float, default=1e-6
        Weight of ``1/2 |a|^2`` in the fit of a logistic unit, **times the number of training samples**.
    base_max_iter : int, default=10
        Steps of L-BFGS for the logistic units of a round, at most.
    max_leaf_nodes : int, default=8
        Leaves of a tree. Used by ``base="tree"`` alone.
    violation_tol : float or None, default=0.01
        epsilon / nu: boosting ends when the violation (12) of the new weak classifier is below ``nu + epsilon``,
        once the pace has ended.
        None: never.
    weights_tol : float, default=0.01
        W is solved until its optimality residual (see Notes) is at most this, times the round's violation over nu where
        that is above 1: it makes no sense to be exact while a much better weak classifier is to come.
    weights_max_iter : int, default=50
        Steps of a round's solution for W, at most.
    validation_fraction : float or None, default=None
        Part of each class that is held out to choose the iterate on, where `fit` is given no validation part.
    min_estimators : int, default=1
        Least number of rounds of the iterate that is chosen by validation. Early rounds have no weak classifier for
        some classes, and a small validation part can favour them by chance: the number of classes is a good floor. At
        `n_estimators` or more there is nothing to choose: the fit warns where `validation_fraction` held samples out.
    stop_after : int or None, default=None
        T_ES of algorithm 1: after that many rounds, boosting ends as soon as the validation error is above an earlier
        one. None: it goes on to the end. Without a validation part it does nothing, and the fit warns.
    random_state : int, RandomState instance or None, default=None
        Draws the first round's samples and the held-out part, and settles ties in trees; nothing else is random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_classes_ : int
        Number of classes C.
    n_estimators_ : int
        Rounds that were run; the staged methods cover them all.
    best_iteration_ : int
        The round whose model predicts: that of least validation error, without validation the last.
    weak_classifiers_ : list
        Weak classifiers with a weight in any round; others are dropped.
    weak_classes_ : ndarray
        The class for which each was found.
    coef_ : ndarray of float32, shape (len(weak_classifiers_), n_classes)
        W of the round that predicts.
    violations_ : ndarray of shape (n_estimators_,)
        Value of (12) for each round's new weak classifier (with the ridge penalty taken off).
    objectives_, residuals_ : ndarray of shape (n_estimators_,)
        Value of (9) and optimality residual of each round's W.
    proportions_ : ndarray of shape (n_estimators_,)
        Proportion of selected samples of each round's weights.
    sample_weights_path_ : ndarray of float16, shape (n_estimators_, n_samples)
        Weights v with which each round's W was solved: which samples are in when. Of the training part alone, in its
        order, where `validation_fraction` holds some out.
    validation_curve_ : ndarray of shape (n_estimators_,)
        Error on the validation part after each round; only with one.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With ``G_jr = sum_i ([r = y_i] sum_l U_il - U_ir) h_j(x_i)``, W is optimal when ``||max(G_j, 0)|| <= nu`` for each
    row of zeros, and in another row j ``G_jr = nu W_jr / ||W_j||`` where ``W_jr > 0`` and ``G_jr <= 0`` where
    ``W_jr = 0``. The residual is the largest row norm of what is missing to that, over nu. Here nu is `nu` times the
    number of training samples.

    Products with matrices are in float32. `random_state` apart, everything is deterministic.

    References
    ----------
    .. [1] T. Pi, X. Li, Z. Zhang, D. Meng, F. Wu, J. Xiao and Y. Zhuang. Self-paced boost learning for classification.
       IJCAI 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from algos.selfpaced import SPBLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SPBLClassifier(n_estimators=30, pace_factor=1.05, random_state=0).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.97
    """

    _parameter_constraints: ClassVar[dict] = {
        **ColumnGenerationBooster._parameter_constraints,
        "weighting": [StrOptions({*SCHEMES, "none"})],
        "zeta_ratio": [Interval(Real, 0, None, closed="neither")],
        "pace": [StrOptions({"proportion", "per_class"})],
        "pace_start": [Interval(Real, 0, 1, closed="right")],
        "pace_factor": [Interval(Real, 1, None, closed="left")],
        "pace_end": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        n_estimators: int = 300,
        nu: float = 1e-4,
        weighting: str = "mixture",
        zeta_ratio: float = 2.0,
        pace: str = "proportion",
        pace_start: float = 0.6,
        pace_factor: float = 1.003,
        pace_end: float = 1.0,
        base: str = "logistic",
        ridge: float = 1e-6,
        base_max_iter: int = 10,
        max_leaf_nodes: int = 8,
        violation_tol: float | None = 0.01,
        weights_tol: float = 0.01,
        weights_max_iter: int = 50,
        validation_fraction: float | None = None,
        min_estimators: int = 1,
        stop_after: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_estimators=n_estimators,
            nu=nu,
            base=base,
            ridge=ridge,
            base_max_iter=base_max_iter,
            max_leaf_nodes=max_leaf_nodes,
            violation_tol=violation_tol,
            weights_tol=weights_tol,
            weights_max_iter=weights_max_iter,
            validation_fraction=validation_fraction,
            min_estimators=min_estimators,
            stop_after=stop_after,
            random_state=random_state,
        )
        self.weighting = weighting
        self.zeta_ratio = zeta_ratio
        self.pace = pace
        self.pace_start = pace_start
        self.pace_factor = pace_factor
        self.pace_end = pace_end

    def _make_pace(self, labels: np.ndarray) -> SelfPace | FixedPace:
        if self.weighting == "none":
            return FixedPace(labels)
        return SelfPace(
            labels,
            start=self.pace_start,
            factor=self.pace_factor,
            end=self.pace_end,
            weighting=self.weighting,
            zeta_ratio=self.zeta_ratio,
            per_class=self.pace == "per_class",
            random_state=check_random_state(self.random_state),
        )
