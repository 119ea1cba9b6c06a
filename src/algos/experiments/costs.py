"""What the finished folds of a run have cost, and what a job on a cluster should ask for.

``python -m algos.experiments.costs [results]`` prints a line a method: folds, core-hours, the longest fold, the largest
memory, and ``resources`` for a config.
"""

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algos.exceptions import InputError

SLACK = 1.5  # other nodes are slower, and other folds larger, than those that were measured
MEMORY_STEP = 500  # MiB; so much more a job has, too, for what Snakemake and the libraries hold


@dataclass(frozen=True)
class MethodCost:
    """What the folds of a method have cost.

    Attributes
    ----------
    experiment, method : str
    n_folds : int
    cpu_hours : float
    longest_minutes : float
        Wall time of the longest fold.
    peak_mib : float
        Largest resident memory of a fold.
    """

    experiment: str
    method: str
    n_folds: int
    cpu_hours: float
    longest_minutes: float
    peak_mib: float

    def resources(self, folds_per_job: int) -> dict[str, int]:
        """What a job of so many folds should ask for: ``mem_mb`` and ``runtime_minutes``."""
        return {
            "mem_mb": MEMORY_STEP * (1 + math.ceil(SLACK * self.peak_mib / MEMORY_STEP)),
            "runtime_minutes": 5 + math.ceil(SLACK * self.longest_minutes * folds_per_job),
        }


def method_costs(records: Iterable[Mapping[str, Any]]) -> list[MethodCost]:
    """Sum the costs of run records by experiment and method, in the order of the records."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for record in records:
        groups.setdefault((record["experiment"], record["method"]), []).append(record["cost"])
    return [
        MethodCost(
            *names,
            len(costs),
            math.fsum(seconds for cost in costs for part, seconds in cost.items() if part.endswith("_cpu_seconds"))
            / 3600,
            max(cost["wall_seconds"] for cost in costs) / 60,
            max(cost["peak_memory_mib"] for cost in costs),
        )
        for names, costs in groups.items()
    ]


def read_costs(results: Path) -> list[MethodCost]:
    """Read the costs of all finished folds in a folder of results.

    Raises
    ------
    InputError
        When it holds no record.
    """
    paths = sorted((results / "runs").glob("*/*/*/*.json"))
    if not paths:
        raise InputError(f"{results} holds no finished fold; name the folder 'results' of a run")
    return method_costs(json.loads(path.read_bytes()) for path in paths)


def layout(costs: Sequence[MethodCost]) -> str:
    """The costs as a table, experiments with their sums."""
    lines = [
        f"{'experiment, method':<50} {'folds':>6} {'core-h':>7} {'longest':>9} {'memory':>8}  resources of one fold"
    ]
    for experiment in dict.fromkeys(cost.experiment for cost in costs):
        group = [cost for cost in costs if cost.experiment == experiment]
        total = math.fsum(cost.cpu_hours for cost in group)
        lines.append(f"{experiment:<50} {sum(cost.n_folds for cost in group):>6} {total:>7.2f}")
        for cost in group:
            asked = ", ".join(f"{name}: {value}" for name, value in cost.resources(1).items())
            lines.append(
                f"  {cost.method:<48} {cost.n_folds:>6} {cost.cpu_hours:>7.2f} {cost.longest_minutes:>5.1f} min "
                f"{cost.peak_mib:>4.0f} MiB  {{{asked}}}"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    try:
        print(layout(read_costs(Path(sys.argv[1] if len(sys.argv) > 1 else "results"))))
    except InputError as mistake:
        sys.exit(f"Error: {mistake}")
