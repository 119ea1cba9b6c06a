"""Stop runs of the workflow at random moments, go on, and compare with a run that nothing stopped.

``python tests/kill_and_resume.py --times 21`` does so 21 times, one way after the other; tests do it a few times. The
moments and the ways follow from ``--seed``. Disk faults need root, for they mount a small disk; Slurm's need the
cluster of ``tests/slurm/up.sh``. What must hold each time:

- the same command again ends well (after ``--unlock`` where the run was killed without mercy), and its results are
  those of the run that nothing stopped, byte for byte;
- no fold that was finished is computed again;
- nothing half-written lies about.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from workflow_copy import TINY, WorkflowCopy, comparable, finished_folds

PATIENCE = 900.0  # seconds that a run may take to end, or a moment to come
DISK_MIB = 64
LOCKED = "cannot be locked"
LOCALLY = ("--cores", "2")
QUICK = ("--slurm-init-seconds-before-status-checks", "2", "--seconds-between-status-checks", "2")
# The test cluster keeps no accounting, and its jobs are over in seconds.
BY_SLURM = ("--profile", "profiles/slurm", "--slurm-status-command", "squeue", *QUICK)


class Stopped:
    """A run that is to be stopped."""

    def __init__(self, workflow: WorkflowCopy, arguments: tuple[str, ...] = LOCALLY) -> None:
        self.workflow = workflow
        signal.signal(
            signal.SIGINT, signal.default_int_handler
        )  # ignored here, as in the background, it were there, too
        self.log = workflow.folder / "stopped.log"
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                workflow.command(*arguments), cwd=workflow.folder, stdout=log, stderr=log, start_new_session=True
            )

    def group(self) -> list[int]:
        """All processes of the run, Snakemake's first."""
        members = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it ended meanwhile
            if int(fields[2]) == self.process.pid and fields[0] != "Z":
                members.append(int(stat.parent.name))
        return sorted(members, key=lambda pid: pid != self.process.pid)

    def jobs(self) -> list[int]:
        """Processes that compute folds."""
        found = []
        for pid in self.group()[1:]:
            try:
                command = Path(f"/proc/{pid}/cmdline").read_bytes()
            except OSError:
                continue
            if b"train_folds" in command:
                found.append(pid)
        return found

    def wait(self) -> int:
        """Snakemake's exit code."""
        return self.process.wait(timeout=PATIENCE)

    def end(self) -> None:
        """Kill what is left of it."""
        for pid in self.group():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def wait_for_all(self) -> None:
        """Wait until none of its processes is left."""
        _until(lambda: not self.group())


def _until(done: Callable[[], object]) -> None:
    give_up = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > give_up:
            raise TimeoutError(f"nothing came in {PATIENCE:.0f} s")
        time.sleep(0.05)


def kill_all(run: Stopped, rng: random.Random) -> None:
    """SIGKILL to every process of the run."""
    os.killpg(run.process.pid, signal.SIGKILL)
    run.wait()


def kill_snakemake(run: Stopped, rng: random.Random) -> None:
    """SIGKILL to Snakemake alone: its jobs go on, and write while the next run begins."""
    run.process.kill()
    run.wait()


def kill_job(run: Stopped, rng: random.Random) -> None:
    """SIGKILL to a job that computes folds, as the kernel does where memory runs out."""
    try:
        _until(lambda: run.jobs() or run.process.poll() is not None)
        os.kill(rng.choice(run.jobs()), signal.SIGKILL)
    except (IndexError, ProcessLookupError):
        pass  # all folds were computed; the run ends well
    run.wait()


def interrupt(run: Stopped, rng: random.Random) -> None:
    """Ctrl-C: it must end soon, say no stack trace, leave no process and no lock."""
    os.killpg(run.process.pid, signal.SIGINT)
    start = time.monotonic()
    run.wait()
    run.wait_for_all()
    took = time.monotonic() - start
    assert took < 30, f"Ctrl-C took {took:.0f} s"
    printed = run.log.read_text()  # a job that had not come to our code says KeyboardInterrupt with a stack trace
    assert printed.count("Traceback") <= printed.count("KeyboardInterrupt"), printed


def fill_disk(run: Stopped, rng: random.Random) -> None:
    """The disk of the results gets full; it is enlarged before the next run."""
    _mount(run.workflow.folder / "results", f"remount,size={max(4, _used_kib(run.workflow.folder / 'results'))}k")
    run.wait()
    _mount(run.workflow.folder / "results", f"remount,size={DISK_MIB}m")


def make_read_only(run: Stopped, rng: random.Random) -> None:
    """The results can no longer be written; before the next run they can."""
    _until(lambda: _remounted(run, "remount,ro") or run.process.poll() is not None)
    run.wait()
    _mount(run.workflow.folder / "results", "remount,rw")


def _remounted(run: Stopped, options: str) -> bool:
    try:
        _mount(run.workflow.folder / "results", options)
    except subprocess.CalledProcessError:
        return False  # a file is open for writing at the moment
    return True


def kill_slurmd(run: Stopped, rng: random.Random) -> None:
    """The daemon of Slurm's only node is killed, and started again after a while; the run goes on by itself."""
    subprocess.run(["pkill", "-KILL", "-x", "slurmd"], check=True)
    time.sleep(rng.uniform(1, 10))
    subprocess.run(["slurmd"], check=True)
    run.wait()


def cancel_job(run: Stopped, rng: random.Random) -> None:
    """A job is cancelled behind Snakemake's back; it is tried again."""
    _until(lambda: slurm_jobs() or run.process.poll() is not None)
    for job in slurm_jobs()[:1]:
        subprocess.run(["scancel", job], check=True)
    assert run.wait() == 0, run.log.read_text()


def disturb_slurm(run: Stopped, rng: random.Random) -> None:
    """A job is cancelled, and the daemon killed."""
    _until(lambda: slurm_jobs() or run.process.poll() is not None)
    for job in slurm_jobs()[:1]:
        subprocess.run(["scancel", job], check=True)
    kill_slurmd(run, rng)


def slurm_jobs() -> list[str]:
    """Numbers of running jobs."""
    queue = ["squeue", "--noheader", "--states", "running", "--format", "%i"]
    return subprocess.run(queue, check=True, capture_output=True, text=True).stdout.split()


def slurm_is_up() -> bool:
    """Whether a cluster without accounting, as of ``tests/slurm/up.sh``, takes jobs."""
    state = Path("/etc/slurm/slurm.conf")
    if not state.is_file() or "tests/slurm/up.sh" not in state.read_text(encoding="utf-8"):
        return False
    found = subprocess.run(["sinfo", "--noheader", "-o", "%T"], capture_output=True, text=True, timeout=30, check=False)
    return found.stdout.strip() in ("idle", "mixed", "allocated")


ON_SLURM = (kill_slurmd, cancel_job, disturb_slurm)
ON_ANY_DISK = (kill_all, kill_snakemake, kill_job, interrupt)
ON_A_DISK_OF_ITS_OWN = (fill_disk, make_read_only)


def _mount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", options, str(folder)], check=True, capture_output=True)


def _used_kib(folder: Path) -> int:
    space = os.statvfs(folder)
    return (space.f_blocks - space.f_bfree) * space.f_frsize // 1024


@contextmanager
def own_disk(folder: Path) -> Iterator[None]:
    """A small disk for a folder's results. Needs root."""
    results = folder / "results"
    results.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "tmpfs", str(results)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(results)], check=True)


def ways() -> tuple[Callable, ...]:
    """The ways to stop a run that this user may try."""
    return ON_ANY_DISK + (ON_A_DISK_OF_ITS_OWN if os.geteuid() == 0 else ()) + (ON_SLURM if slurm_is_up() else ())


def stop_and_resume(
    fresh: WorkflowCopy, whole: dict[str, str], seconds: float, way: Callable, seed: int, folder: Path
) -> str:
    """Stop a run once in one way, go on, and check all that must hold. Return what happened, in a few words."""
    rng = random.Random(seed)
    workflow = fresh.twin(folder)
    moment = rng.uniform(0.1, 0.95) * seconds
    if way in ON_A_DISK_OF_ITS_OWN:
        with own_disk(folder):
            return _stop_and_resume(workflow, whole, moment, way, rng)
    return _stop_and_resume(workflow, whole, moment, way, rng)


def _stop_and_resume(
    workflow: WorkflowCopy, whole: dict[str, str], moment: float, way: Callable, rng: random.Random
) -> str:
    run = Stopped(workflow, BY_SLURM if way in ON_SLURM else LOCALLY)
    try:
        try:
            run.process.wait(timeout=moment)
        except subprocess.TimeoutExpired:
            way(run, rng)
        before = finished_folds(workflow.folder)
        unlocked = _resume(workflow, way)
        run.wait_for_all()
    finally:
        run.end()
    after = finished_folds(workflow.folder)
    again = [fold for fold, cost in before.items() if after[fold] != cost]
    assert not again, f"computed again: {again}"
    found = comparable(workflow.folder)
    different = sorted(name for name in found.keys() | whole.keys() if found.get(name) != whole.get(name))
    assert not different, f"not as in a run that nothing stopped: {different}"
    return f"after {moment:.0f} s, {len(before)} folds finished" + (", unlocked" if unlocked else "")


def _resume(workflow: WorkflowCopy, way: Callable) -> bool:
    """Run the same command again; tell whether the folder had to be unlocked."""
    done = workflow.snakemake(*LOCALLY)
    unlocked = LOCKED in done.stdout
    if unlocked:
        assert way in (kill_all, kill_snakemake), "only a run that was killed without mercy may leave a lock"
        assert workflow.snakemake("--unlock").returncode == 0
        done = workflow.snakemake(*LOCALLY)
    assert done.returncode == 0, done.stdout
    return unlocked


def reference(folder: Path) -> tuple[WorkflowCopy, dict[str, str], float]:
    """A workflow that has not run, and the results and the duration of a run that nothing stops."""
    fresh = WorkflowCopy.make(folder / "fresh", TINY)
    undisturbed = fresh.twin(folder / "whole")
    start = time.monotonic()
    undisturbed.run()
    return fresh, comparable(undisturbed.folder), time.monotonic() - start


def main() -> None:
    """Stop as many runs as asked, and print a line for each and a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=21)
    parser.add_argument("--seed", type=int, default=1, help="of the first; the others follow")
    arguments = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        fresh, whole, seconds = reference(Path(folder))
        print(f"undisturbed: {seconds:.0f} s, {len(whole)} files compared", flush=True)
        for seed in range(arguments.seed, arguments.seed + arguments.times):
            way = ways()[seed % len(ways())]
            try:
                outcome = stop_and_resume(fresh, whole, seconds, way, seed, Path(folder) / f"stopped{seed}")
                counts[way.__name__, "as undisturbed"] += 1
            except AssertionError as error:
                outcome = f"FAILED: {error}"
                counts[way.__name__, "FAILED"] += 1
            print(f"seed {seed}, {way.__name__}: {outcome}", flush=True)
    for (way, outcome), count in sorted(counts.items()):
        print(f"{way}: {count} {outcome}")
    sys.exit(any(outcome == "FAILED" for _, outcome in counts))


if __name__ == "__main__":
    main()
