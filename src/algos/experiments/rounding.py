"""One rounding for what readers see and for what is compared: two numbers that are printed alike are a tie.

Numbers are rounded half up, from the ten digits that the CSV files keep: 0.125 is 0.13 whatever its binary fraction is,
and tables made from CSV files are those made from the runs.
"""

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from algos.evaluation.metrics import METRICS


def fixed(value: float, decimals: int) -> str:
    """Return a number with so many decimals; what is zero after rounding has no sign."""
    number = Decimal(format(value, ".10g")).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return str(abs(number) if number.is_zero() else number)


def rounded(value: float, decimals: int) -> float:
    """Return the number that `fixed` prints."""
    return float(fixed(value, decimals))


def is_outside(value: float, printed: float, spread: float) -> bool:
    """Tell whether a number lies outside the bar of a printed one."""
    # The tolerance takes up the rounding of binary fractions only (2.3 - 2.1 against 0.2).
    return abs(value - printed) > spread + 1e-9


def decimals_of(metric: str, stds: Iterable[float | None]) -> int:
    """Return the digits that say something: a percentage has one where all error bars are 1 or more, else two.

    Other measures have three.
    """
    if not METRICS[metric].percent:
        return 3
    return 1 if all(std is not None and std >= 1 for std in stds) else 2


def full_decimals(metric: str) -> int:
    """Return the decimals of a single number, where no error bar says how many mean something."""
    return 2 if METRICS[metric].percent else 3


def print_decimals(metric: str, printed: Iterable[float | None]) -> int:
    """Return the decimals that a paper prints some numbers with, as far as six digits show them; at least ours."""
    least = 1 if METRICS[metric].percent else 3
    return max([least, *(len(f"{value:.6g}".partition(".")[2]) for value in printed if value is not None)])


def table_decimals(summary: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], int]:
    """Return (data set, measure) -> decimals that the table of results prints its means with."""
    stds: dict[tuple[str, str], list[float | None]] = {}
    for row in summary:
        stds.setdefault((row["dataset"], row["metric"]), []).append(row["std"])
    return {key: decimals_of(key[1], of_cell) for key, of_cell in stds.items()}
