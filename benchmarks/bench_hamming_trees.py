"""AdaBoost.MH with Hamming trees against LightGBM: time and memory a round, error, and time to an error.

Run by `make bench`. Each measurement is a process of its own, on one core, ours and LightGBM's in turn; times are CPU
seconds, and the ratio is taken pair by pair, since machines are noisy. Data sets that no mirror of ALGOS_DATA_MIRRORS
holds are left out, visibly.
"""

from pathlib import Path

from pairs import Data, alternate, fitted, lightgbm, measure, median, ratio, run, seconds_to

# Data set -> inner nodes and rounds. A Hamming tree of N inner nodes has N + 1 leaves, as LightGBM's trees get.
SHAPES = {
    "digits": (20, 500),
    "pendigits": (20, 300),
    "letter": (20, 200),
    "usps": (20, 60),
    "isolet": (20, 15),
    "mnist": (20, 8),
}
TARGET_ERROR = 0.0305  # LightGBM's best on letter with 21 leaves, learning rate 0.1


def ours(data: Data, n_inner_nodes: int, n_rounds: int) -> dict:
    """Rounds of AdaBoost.MH."""
    from algos.multiclass import AdaBoostMHClassifier

    return fitted(AdaBoostMHClassifier(n_inner_nodes=n_inner_nodes, n_estimators=n_rounds), data)


def rival(data: Data, n_inner_nodes: int, n_rounds: int) -> dict:
    """LightGBM, with trees of as many cuts."""
    return lightgbm(data, n_inner_nodes + 1, n_rounds)


def compare_rounds(names: list[str], raw: Path, repeats: int) -> None:
    """Print CPU time and memory a round, pair by pair."""
    print(f"CPU milliseconds a round, median of {repeats} pairs (ratio: LightGBM / ours, least to most)")
    print("| data set | N | ours | LightGBM | ratio | peak memory, ours | LightGBM |\n|---|---|---|---|---|---|---|")
    for name in names:
        n_inner_nodes, n_rounds = SHAPES[name]
        a, b = alternate(
            repeats,
            lambda: measure("ours", name, raw, n_inner_nodes, n_rounds),  # noqa: B023
            lambda: measure("lightgbm", name, raw, n_inner_nodes, n_rounds),  # noqa: B023
        )
        print(
            f"| {name} | {n_inner_nodes} | {median(a, 'ms_per_round'):.2f} | {median(b, 'ms_per_round'):.1f} "
            f"| {ratio([f['ms_per_round'] for f in b], [f['ms_per_round'] for f in a])} "
            f"| {median(a, 'peak_mib'):.0f} MiB | {median(b, 'peak_mib'):.0f} MiB |",
            flush=True,
        )


def letter_to_error(raw: Path) -> None:
    """Print letter's error at T = 2000 and the time to LightGBM's best error."""
    found = measure("ours", "letter", raw, 20, 2000)
    other = measure("lightgbm", "letter", raw, 20, 500)
    seconds = found["times"][-1] - found["times"][0]
    print(f"letter, N = 20, T = 2000: test error {100 * found['errors'][-1]:.2f} % in {seconds:.1f} CPU s")
    mine, theirs = seconds_to(found, TARGET_ERROR)[0], seconds_to(other, TARGET_ERROR)[0]
    least = 100 * min(other["errors"])
    if mine is None or theirs is None:
        print(f"letter, {100 * TARGET_ERROR:.2f} % is not reached; LightGBM's least error is {least:.2f} %")
        return
    print(
        f"letter, time to {100 * TARGET_ERROR:.2f} %: ours {mine:.2f} s, LightGBM {theirs:.2f} s "
        f"(ratio {theirs / mine:.1f}; its least error in 500 rounds is {least:.2f} %)"
    )


def digits_lines(raw: Path) -> None:
    """Print the digits lines of the original program's settings."""
    for n_inner_nodes in (8, 19):
        found = measure("ours", "digits", raw, n_inner_nodes, 1000)
        error, seconds = 100 * found["errors"][-1], found["times"][-1] - found["times"][0]
        print(f"digits, N = {n_inner_nodes}, T = 1000: test error {error:.2f} % in {seconds:.2f} CPU s")


def report(names: list[str], raw: Path, repeats: int) -> None:
    """Measure everything."""
    compare_rounds(names, raw, repeats)
    if "digits" in names:
        digits_lines(raw)
    if "letter" in names:
        letter_to_error(raw)


if __name__ == "__main__":
    run(__doc__, {"ours": ours, "lightgbm": rival}, list(SHAPES), report)
