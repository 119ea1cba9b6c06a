"""Dense SIFT, dictionary, pooling and principal components on the image sets that a mirror holds.

Run by `make bench`. CPU seconds of one process on one core, each step once; memory is the process's peak so far. Data
sets that no mirror of ALGOS_DATA_MIRRORS holds are left out, visibly.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from algos.datasets import fetch, load_registry, read_dataset
from algos.evaluation.splits import three_parts
from algos.exceptions import InputError
from algos.experiments.records import peak_memory_mib, reset_peak_memory
from algos.features import PrincipalComponents, SpatialPyramid, StoredDescriptors, store_descriptors

REGISTRY = Path(__file__).parent.parent / "config" / "datasets.yaml"
NAMES = ("corel5k_images_standin", "caltech101_20_standin")


def timed(step: str, n_images: int, since_reset: bool, work: Callable[[], Any]) -> Any:
    """Do one step and print what it took."""
    start = time.process_time()
    found = work()
    seconds = time.process_time() - start
    per_1000 = f"{1000 * seconds / n_images:.2f}" if n_images else "-"
    print(f"| {step} | {seconds:.1f} | {per_1000} | {peak_memory_mib(since_reset):.0f} |", flush=True)
    return found


def report(name: str, folder: Path) -> None:
    """Measure one data set."""
    entry = load_registry(REGISTRY)[name]
    fetch(name, entry, folder)
    since_reset = reset_peak_memory()
    print(f"\n{name}\n| step | CPU s | CPU s for 1000 images | peak memory, MiB |\n|---|---|---|---|")
    table = timed("list and decode once", entry["n_samples"], since_reset, lambda: read_dataset(name, entry, folder))
    n, path = table.n_samples, folder / f"{name}.arrow"
    timed("decode, dense SIFT, store", n, since_reset, lambda: store_descriptors(table.X, path))
    stored = StoredDescriptors(path)
    (train, _, _), _ = three_parts(table.y)
    pyramid = SpatialPyramid()
    timed("dictionary, training part", 0, since_reset, lambda: pyramid.fit(stored[train]))
    X = timed("pool, all images", n, since_reset, lambda: pyramid.transform(stored))
    components = PrincipalComponents()
    timed("PCA, training part", 0, since_reset, lambda: components.fit(X[train]))
    Z = timed("project, all images", n, since_reset, lambda: components.transform(X))
    n_patches = np.mean([len(described.values) for described in stored[:: max(1, n // 500)]])
    print(
        f"{n} images, {n_patches:.0f} patches an image, {X.shape[1]} features, {Z.shape[1]} components; "
        f"descriptors on disk {path.stat().st_size / 2**20:.0f} MiB"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--repeats", type=int, default=1, help="not used: each step is long")
    for name in parser.parse_args().datasets:
        with tempfile.TemporaryDirectory() as folder:
            try:
                with threadpool_limits(1):  # CPU time of threads that wait for each other is no one's work
                    report(name, Path(folder))
            except InputError as error:
                print(f"{name}: left out ({error})")
