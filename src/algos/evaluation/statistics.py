"""Error bars and comparisons of methods over data sets."""

import numpy as np
from numpy.typing import ArrayLike


def binomial_std(error: float, n: int) -> float:
    """Standard deviation ``sqrt(error (1 - error) / n)`` of an error rate measured on `n` test samples.

    Raises
    ------
    ValueError
        When `error` is not in [0, 1] or `n` is not positive.
    """
    if not 0 <= error <= 1:
        raise ValueError(f"an error rate lies in [0, 1], not at {error}")
    if n < 1:
        raise ValueError(f"the number of test samples must be positive, not {n}")
    return float(np.sqrt(error * (1 - error) / n))


def _as_error_matrix(errors: ArrayLike, least_methods: int) -> np.ndarray:
    errors = np.asarray(errors, dtype=float)
    if errors.ndim != 2 or errors.shape[0] < 1 or errors.shape[1] < least_methods or not np.isfinite(errors).all():
        raise ValueError(f"errors must be a finite matrix of data sets x at least {least_methods} methods")
    return errors


def average_ranks(errors: ArrayLike) -> np.ndarray:
    """Mean rank of each method over the data sets, 1 = least error; ties share their mean rank.

    Parameters
    ----------
    errors : array-like of shape (n_datasets, n_methods)

    Returns
    -------
    ndarray of shape (n_methods,)
    """
    from scipy.stats import rankdata

    return rankdata(_as_error_matrix(errors, 1), axis=1).mean(axis=0)


def friedman_test(errors: ArrayLike) -> tuple[float, float]:
    """Friedman's test of equal ranks (SciPy): statistic and p value.

    Parameters
    ----------
    errors : array-like of shape (n_datasets, n_methods)
        At least three methods and two data sets.
    """
    from scipy.stats import friedmanchisquare

    errors = _as_error_matrix(errors, 3)
    if len(errors) < 2:
        raise ValueError("Friedman's test needs at least two data sets")
    if (errors == errors[:, :1]).all():
        return 0.0, 1.0  # every method ties on every data set: nothing to tell apart
    statistic, p_value = friedmanchisquare(*errors.T)
    return float(statistic), float(p_value)


def critical_difference(n_methods: int, n_datasets: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference of average ranks (Demsar 2006): ``q_alpha sqrt(k (k + 1) / (6 N))``.

    Two methods whose average ranks differ by more are told apart at level `alpha`. ``q_alpha`` is the quantile of the
    studentised range with infinite degrees of freedom, divided by sqrt(2).
    """
    from scipy.stats import studentized_range

    if n_methods < 2 or n_datasets < 1:
        raise ValueError("a critical difference needs at least two methods and one data set")
    q = studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def corrected_resampled_t_test(differences: ArrayLike, n_train: float, n_test: float) -> float:
    """Two-sided p value of the mean of paired differences over splits of the same data (Nadeau and Bengio 2003).

    Splits share most of their training rows, so their results depend on each other; the variance of the mean is taken
    as ``s^2 (1/n + n_test/n_train)`` in place of ``s^2 / n``.

    Parameters
    ----------
    differences : array-like of shape (n_splits,)
        At least two.
    n_train, n_test : float
        Rows of the two parts, on average.

    Differences without any spread cannot be tested: their p value is given as 1.

    Raises
    ------
    ValueError
        For fewer than two differences.
    """
    from scipy.stats import t

    differences = np.asarray(differences, dtype=float)
    n = len(differences)
    if n < 2:
        raise ValueError(f"a test over splits needs at least two, not {n}")
    spread = differences.std(ddof=1) * np.sqrt(1 / n + n_test / n_train)
    mean = differences.mean()
    # Equal differences can differ by the rounding of binary fractions: no spread, and nothing to test by.
    if spread <= 1e-9 * max(abs(differences).max(), 1e-300):
        return 1.0
    return float(2 * t.sf(abs(mean) / spread, n - 1))


def signed_rank_p_value(differences: np.ndarray) -> float:
    """Two-sided p-value of the Wilcoxon signed-rank test; exact up to 14 non-zero differences, ties or not.

    Parameters
    ----------
    differences : (n,) ndarray
        Paired differences. Zeros are left out (Wilcoxon's treatment); with at most one other the answer is 1.
    """
    from scipy.stats import PermutationMethod, wilcoxon

    differences = differences[differences != 0]
    if len(differences) < 2:
        return 1.0  # a single one is as likely to be positive as negative
    # The exact null distribution by all sign patterns: tables of it hold only without ties.
    method = PermutationMethod(n_resamples=np.inf) if len(differences) <= 14 else "asymptotic"
    return float(wilcoxon(differences, method=method).pvalue)
