"""Files of a run: the same bytes for the same content, whole or not there, and nothing computed twice."""

import io
import itertools
import json
import os
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest

from algos.evaluation.splits import Fold
from algos.exceptions import InputError
from algos.experiments import records
from algos.experiments.records import (
    Cost,
    Predictions,
    Progress,
    Unfinished,
    duration,
    fingerprint,
    read_split,
    write_predictions,
    write_record,
    write_splits,
)


def predictions(score=0.25):
    return Predictions(
        rows=np.array([3, 5]),
        label=np.array(["b", "a"]),
        predicted=np.array(["b", "b"]),
        classes=["a", "b", "c"],
        scores=np.array([[score, 0.5, np.nan], [0.1, 0.2, np.nan]]),
    )


def test_predictions_file_has_the_stated_columns(tmp_path):
    write_predictions(predictions(), tmp_path / "p.parquet")
    table = pq.read_table(tmp_path / "p.parquet")
    assert table.column_names == ["row", "label", "predicted", "score:a", "score:b", "score:c"]
    assert str(table.schema.field("row").type) == "int32"
    assert table["label"].to_pylist() == ["b", "a"]
    assert table["predicted"].to_pylist() == ["b", "b"]
    assert table["score:b"].to_pylist() == [0.5, 0.2]


def test_same_content_gives_the_same_bytes(tmp_path):
    for name in "12":
        write_predictions(predictions(), tmp_path / f"{name}.parquet")
    write_record({"b": {"y": 1, "x": 0.1}, "a": [1, None]}, tmp_path / "1.json")
    write_record({"a": [1, None], "b": {"x": 0.1, "y": 1}}, tmp_path / "2.json")
    for suffix in ("parquet", "json"):
        assert (tmp_path / f"1.{suffix}").read_bytes() == (tmp_path / f"2.{suffix}").read_bytes()
    assert json.loads((tmp_path / "1.json").read_text()) == {"a": [1, None], "b": {"x": 0.1, "y": 1}}


def test_a_number_that_json_cannot_hold_leaves_no_file(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        write_record({"a": float("nan")}, tmp_path / "r.json")
    assert list(tmp_path.iterdir()) == []


def test_splits_come_back_as_written(tmp_path):
    folds = [
        Fold("r0f1", train=np.array([0, 3]), test=np.array([1, 2])),
        Fold("r0f0", train=np.array([1, 2, 3]), test=np.array([0])),
    ]
    write_splits(folds, tmp_path / "s.parquet")
    table = pq.read_table(tmp_path / "s.parquet")
    assert table["fold"].to_pylist() == ["r0f1"] * 4 + ["r0f0"] * 4
    assert table["row"].to_pylist() == [0, 1, 2, 3] * 2
    for fold in folds:
        read = read_split(tmp_path / "s.parquet", fold.name)
        np.testing.assert_array_equal(read.train, fold.train)
        np.testing.assert_array_equal(read.test, fold.test)
        assert read.validation is None
        assert read.noisy is None
    with pytest.raises(InputError, match="has no fold 'other'"):
        read_split(tmp_path / "s.parquet", "other")


def test_validation_rows_and_wrong_labels_are_in_the_file_of_splits(tmp_path):
    y = np.array(["a", "b", "a", "b", "a", "b"])
    fold = Fold("s0", np.array([0, 1, 4]), np.array([2]), np.array([3, 5]), np.array([1, 4]), np.array(["a", "b"]))
    write_splits([fold], tmp_path / "s.parquet")
    table = pq.read_table(tmp_path / "s.parquet")
    assert table["role"].to_pylist() == ["train", "train", "test", "validation", "train", "validation"]
    assert table["given"].to_pylist() == [None, "a", None, None, "b", None]
    read = read_split(tmp_path / "s.parquet", "s0")
    np.testing.assert_array_equal(read.validation, [3, 5])
    assert read.given(y).tolist() == ["a", "a", "b"]
    assert read.is_noisy().tolist() == [False, True, True]
    assert y.tolist() == ["a", "b", "a", "b", "a", "b"]


def test_fingerprint_depends_on_settings_and_contents_only(tmp_path):
    for name, text in (("a", "1"), ("b", "2")):
        (tmp_path / name).write_text(text)
    files = [tmp_path / "a", tmp_path / "b"]
    first = fingerprint({"x": 1, "y": 2}, files)
    assert fingerprint({"y": 2, "x": 1}, files[::-1]) == first
    assert fingerprint({"x": 1, "y": 3}, files) != first
    (tmp_path / "b").write_text("3")
    assert fingerprint({"x": 1, "y": 2}, files) != first


def outputs(tmp_path, *folds):
    return [tmp_path / "out" / f"{fold}.{suffix}" for fold in folds for suffix in ("json", "parquet")]


def test_finished_folds_are_found_again_and_published_together(tmp_path):
    first = Unfinished(tmp_path / "kept", "key")
    first.keep("f0", {"n": 0}, predictions())
    assert first.has("f0")
    assert not first.has("f1")
    again = Unfinished(tmp_path / "kept", "key")
    assert again.has("f0")
    again.keep("f1", {"n": 1}, predictions())
    again.publish(outputs(tmp_path, "f0", "f1"))
    assert all(path.is_file() for path in outputs(tmp_path, "f0", "f1"))
    assert json.loads((tmp_path / "out/f1.json").read_text()) == {"n": 1}
    assert again.has("f0")
    assert (tmp_path / "out/f0.json").samefile(tmp_path / "kept/key/f0.json")
    again.publish(outputs(tmp_path, "f0", "f1"))
    assert (tmp_path / "out/f0.json").samefile(tmp_path / "kept/key/f0.json")


def test_a_disk_without_links_gets_copies(tmp_path, monkeypatch):
    def no_links(*paths):
        raise OSError("not here")

    monkeypatch.setattr(os, "link", no_links)
    kept = Unfinished(tmp_path / "kept", "key")
    kept.keep("f0", {"n": 0}, predictions())
    kept.publish(outputs(tmp_path, "f0"))
    assert json.loads((tmp_path / "out/f0.json").read_text()) == {"n": 0}
    assert not (tmp_path / "out/f0.json").samefile(tmp_path / "kept/key/f0.json")


def test_another_jobs_folds_stay(tmp_path):
    mine, other = Unfinished(tmp_path / "kept", "key"), Unfinished(tmp_path / "kept", "key")
    other.keep("f9", {}, predictions())
    mine.keep("f0", {}, predictions())
    mine.publish(outputs(tmp_path, "f0"))
    assert other.has("f9")


def test_folds_of_other_settings_are_not_taken(tmp_path):
    Unfinished(tmp_path / "kept", "old").keep("f0", {}, predictions())
    assert not Unfinished(tmp_path / "kept", "new").has("f0")
    assert not (tmp_path / "kept" / "old").exists()


def test_a_kill_while_publishing_loses_nothing(tmp_path, monkeypatch):
    kept = Unfinished(tmp_path / "kept", "key")
    for fold in ("f0", "f1"):
        kept.keep(fold, {"fold": fold}, predictions())
    link, linked = records.link_or_copy, []

    def killed_at_the_third(source, target):
        if len(linked) == 2:
            raise KeyboardInterrupt
        linked.append(source)
        link(source, target)

    monkeypatch.setattr(records, "link_or_copy", killed_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        kept.publish(outputs(tmp_path, "f0", "f1"))
    assert Unfinished(tmp_path / "kept", "key").has("f0")
    assert not (tmp_path / "out/f1.json").exists()


def test_predictions_of_many_labels_are_lists_with_the_labels_names(tmp_path):
    import pyarrow.parquet as pq

    labels, scores = np.array([[0, 1, 1], [1, 0, 0]], np.int8), np.array([[0.5, -1, 2], [0, 3, -0.25]])
    path = tmp_path / "s0.parquet"
    write_predictions(Predictions(np.array([4, 7]), labels, labels[::-1], ["a", "b<", "c"], scores), path)
    table = pq.read_table(path)
    assert table["row"].to_pylist() == [4, 7]
    assert table["label"].to_pylist() == labels.tolist()
    assert table["predicted"].to_pylist() == labels[::-1].tolist()
    assert table["score"].to_pylist() == scores.tolist()
    assert json.loads(table.schema.metadata[b"labels"]) == ["a", "b<", "c"]


def test_cost_counts_cpu_time_by_part_and_memory_by_fold():
    cost = Cost()
    np.ones(30_000_000).sum()
    cost.part_done("selection")
    cost.part_done("fit")
    total = cost.total()
    assert set(total) == {"selection_cpu_seconds", "fit_cpu_seconds", "rounds", "wall_seconds", "peak_memory_mib"}
    assert total["rounds"] == []
    assert total["selection_cpu_seconds"] > total["fit_cpu_seconds"] >= 0
    later = Cost().total()
    assert later["peak_memory_mib"] <= total["peak_memory_mib"]
    assert total["peak_memory_mib"] > 200


def test_cost_keeps_the_times_of_some_rounds_among_them_the_first_and_the_last():
    cost = Cost()
    cost.part_done("selection")
    for n_done in range(1, 5001):
        cost.round_done(n_done)
    rounds, seconds = zip(*cost.total()["rounds"], strict=True)
    assert rounds[0] == 1
    assert rounds[-1] == 5000
    assert 100 <= len(rounds) <= Cost.N_TIMED
    assert all(a < b for a, b in itertools.pairwise(rounds))
    assert 0 <= seconds[0] <= seconds[-1]
    assert list(seconds) == sorted(seconds)


def test_progress_tells_time_left_but_not_too_often(monkeypatch):
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(records.time, "monotonic", lambda: clock.now)
    stream = io.StringIO()
    progress = Progress("selection", every=15, stream=stream)
    for done in range(1, 5):
        clock.now += 10
        progress(done, 8, f"fit {done}")
    assert stream.getvalue().splitlines() == [
        "selection: 2 of 8 after 20 s, about 1 min 0 s left (fit 2)",
        "selection: 4 of 8 after 40 s, about 40 s left (fit 4)",
    ]


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (61, "1 min 1 s"), (3660, "1 h 1 min")])
def test_durations_read_well(seconds, text):
    assert duration(seconds) == text
