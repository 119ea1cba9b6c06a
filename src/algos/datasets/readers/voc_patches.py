"""One class of a VOC data set against the rest, as a table: windows of photographs described by HOG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from algos.datasets.hints import nearest
from algos.datasets.table import SAMPLE, Table
from algos.datasets.textfile import Paths
from algos.datasets.voc import VOC_CLASSES, VOCImages, load_voc
from algos.exceptions import InputError

if TYPE_CHECKING:
    from algos.features.hog import HOG
    from algos.features.patches import Shapes, Windows

#: Roles of rows that train where a method asks for them: jittered positives, and negatives to mine hard ones from.
JITTERED, CANDIDATE = "jittered", "candidate"
_ROLES = {"positive": SAMPLE, "negative": SAMPLE, "jittered": JITTERED, "hard_negative": CANDIDATE}


def load_voc_patches(
    path: Paths,
    *,
    positive: str,
    train_on: str | Sequence[str] = ("train",),
    test_on: str | Sequence[str] = ("val",),
    difficult: str = "exclude",
    on_error: str = "skip",
    classes: str | Sequence[str] = VOC_CLASSES,
    longer_side: int = 80,
    hog: Mapping[str, Any] | None = None,
    negatives_per_positive: float = 10,
    least_negatives: int = 1000,
    most_negatives: int | None = 4000,
    jittered: int = 2,
    candidates: int = 2000,
    seed: int = 0,
) -> Table:
    """Cut windows of a class and of images without it out of a VOC data set, and describe them by HOG.

    Sizes, aspect ratios and the size of all patches come from the boxes that train, so that the test part has no say.

    Parameters
    ----------
    path : path-like or sequence of path-like
        As for :func:`algos.datasets.load_voc`.
    positive : str
        The class.
    train_on, test_on : str or sequence of str, default "train" and "val"
        Lists of images whose windows the table's `split` calls "train" and "test"; none may be in both. VOC2007's own
        test set would be ``train_on=["train", "val"], test_on="test"``.
    difficult, on_error, classes
        As for :func:`algos.datasets.load_voc`. A class without positives in one of the two parts is named in the notes
        and can still be read, but neither trained nor tested there.
    longer_side : int, default 80
        Of the patches, in pixels; see :func:`algos.features.patch_size`.
    hog : mapping, optional
        Parameters of :class:`algos.features.HOG`.
    negatives_per_positive, least_negatives, most_negatives
        Random windows of images without the class in each part: so many a positive, within these bounds.
    jittered : int, default 2
        Windows near each positive, of the role "jittered".
    candidates : int, default 2000
        Further random windows in each part, of the role "candidate", from which hard negatives can be mined.
    seed : int, default 0
        Of all random windows.

    Returns
    -------
    Table
        `X` is float32, `y` "positive" or "negative", `groups` the image of each row, `roles` "sample", "jittered" or
        "candidate". Rows come by part, then positives, negatives, jittered, candidates.

    Raises
    ------
    InputError
        As :func:`algos.datasets.load_voc` and :func:`algos.features.class_windows`; when an option is out of its range
        (`check_options`), the class has no positive at all, or no image is left for negatives; at the first problem
        with ``on_error="raise"``.
    """
    chosen = choose_windows(**locals())
    from algos.features.patches import cut

    X, kept, problems = cut(chosen.images, chosen.windows, chosen.size, chosen.describe, on_error)
    windows, split, size = chosen.windows.take(kept), chosen.split[kept], chosen.size
    said = f"Patches of {size[0]} x {size[1]} pixels (height x width), {X.shape[1]} features."
    return Table(
        X=X,
        y=np.where(windows.label == 1, "positive", "negative"),
        feature_names=[f"hog_{j}" for j in range(X.shape[1])],
        label_names=["negative", "positive"],
        split=split,
        groups=windows.image,
        roles=np.array([_ROLES[kind] for kind in windows.kind.tolist()]),
        notes=[said, *_counts(windows, split), *chosen.notes, *problems],
    )


def check_options(
    *,
    positive: str,
    train_on: str | Sequence[str],
    test_on: str | Sequence[str],
    classes: str | Sequence[str],
    longer_side: int,
    hog: Mapping[str, Any] | None,
    least_negatives: int,
    most_negatives: int | None,
    **_: Any,
) -> None:
    """Refuse options of :func:`load_voc_patches` that no data could make good.

    Raises
    ------
    InputError
        One sentence that names the option.
    """
    parts = {"train_on": _listed(train_on), "test_on": _listed(test_on)}
    for name, splits in parts.items():
        if not splits:
            raise InputError(f"{name} is empty; name the lists of images, such as [train]")
    both = next((split for split in parts["train_on"] if split in parts["test_on"]), None)
    if both is not None:
        raise InputError(f"the list {both!r} is in train_on and in test_on: its images would train and test; keep one")
    known = _listed(classes)
    if positive not in known:
        raise InputError(f"positive: there is no class {positive!r}{nearest(positive, known)}")
    from algos.features.patches import check_longer_side

    describe = _described_by(hog)
    check_longer_side(longer_side, describe.cell, describe.cell * describe.block)
    if most_negatives is not None and least_negatives > most_negatives:
        raise InputError(
            f"least_negatives is {least_negatives}, more than most_negatives, {most_negatives}; correct one"
        )


def _described_by(hog: Mapping[str, Any] | None) -> "HOG":
    from algos.features.hog import HOG, options_of

    return HOG(**options_of(hog or {}))


@dataclass(frozen=True)
class ChosenWindows:
    """The windows of a class, before their images are cut.

    Attributes
    ----------
    images : VOCImages
    windows : Windows
    split : ndarray of str of shape (n_windows,)
        "train" or "test".
    size : tuple of int
        Height and width of the patches.
    describe : HOG
    notes : list of str
        What was found while reading.
    """

    images: VOCImages
    windows: "Windows"
    split: np.ndarray
    size: tuple[int, int]
    describe: "HOG"
    notes: list[str]


def choose_windows(
    path: Paths,
    positive: str,
    train_on: str | Sequence[str],
    test_on: str | Sequence[str],
    difficult: str,
    on_error: str,
    classes: str | Sequence[str],
    longer_side: int,
    hog: Mapping[str, Any] | None,
    negatives_per_positive: float,
    least_negatives: int,
    most_negatives: int | None,
    jittered: int,
    candidates: int,
    seed: int,
) -> ChosenWindows:
    """Choose all windows of a class; parameters as for :func:`load_voc_patches`, without defaults."""
    check_options(**locals())
    from algos.features.patches import Shapes, Windows, patch_size

    parts = {"train": _listed(train_on), "test": _listed(test_on)}
    splits = [*parts["train"], *parts["test"]]
    voc = load_voc(path, splits=splits, difficult=difficult, on_error=on_error, classes=classes)
    boxes = _boxes(voc.X, positive, parts)
    describe = _described_by(hog)
    numbers = {
        "negatives_per_positive": negatives_per_positive,
        "least_negatives": least_negatives,
        "most_negatives": most_negatives,
    }
    for part, names in parts.items():
        if not len(voc.X.images_without(positive, _present(voc.X, names))[0]):
            raise InputError(_no_negatives(part, names, positive, voc.notes))
    windows = [
        _windows(voc.X, positive, part, Shapes.of(boxes), numbers, jittered, candidates, seed)
        for part in parts.values()
    ]
    return ChosenWindows(
        images=voc.X,
        windows=Windows.join(windows),
        split=np.repeat(list(parts), [len(part) for part in windows]),
        size=patch_size(boxes, longer_side, multiple_of=describe.cell, least=describe.cell * describe.block),
        describe=describe,
        notes=voc.notes,
    )


def _no_negatives(part: str, splits: Sequence[str], label: str, notes: Sequence[str]) -> str:
    """Say that a part has no image to take negatives from, and what was found on the way."""
    problems = notes[1:]  # the first one tells how difficult objects are taken
    seen = f" ({len(problems)} problems, the first: {problems[0]})" if problems else ""
    lists = ", ".join(f"ImageSets/Main/{split}.txt" for split in splits)
    return (
        f"no image of the {part} part ({lists}) is readable and without {label!r}, so there are no negatives{seen}; "
        f"mend these lists or images, or name others in {part}_on"
    )


def _listed(splits: str | Sequence[str]) -> list[str]:
    return [splits] if isinstance(splits, str) else list(splits)


def _boxes(images: VOCImages, label: str, parts: Mapping[str, list[str]]) -> np.ndarray:
    """The boxes that sizes and shapes are taken from: those that train, or any where none trains."""
    for splits in (parts["train"], [split for part in parts.values() for split in part]):
        boxes = images.positives(label, _present(images, splits))[1]
        if len(boxes):
            return boxes
    raise InputError(f"class {label!r} has no positive at all; leave it out of this experiment")


def _present(images: VOCImages, splits: Sequence[str]) -> list[str]:
    """The splits of which an image could be read."""
    known = {image.split for image in images.images}
    return [split for split in splits if split in known]


def _windows(
    images: VOCImages,
    label: str,
    splits: Sequence[str],
    shapes: "Shapes",
    numbers: Mapping[str, Any],
    n_jittered: int,
    n_candidates: int,
    seed: int,
) -> "Windows":
    """All windows of one part."""
    from algos.features.patches import Windows, class_windows, jittered, random_windows

    splits = _present(images, splits)
    own, other = (
        int(word) for word in np.random.SeedSequence([seed, *f"{label}/{'+'.join(splits)}".encode()]).generate_state(2)
    )
    without = images.images_without(label, splits)
    if len(images.positives(label, splits)[0]):
        windows = class_windows(images, label, splits, shapes=shapes, seed=seed, **numbers)
    else:
        windows = random_windows(*without, numbers["least_negatives"], shapes, own)
    near = jittered(windows.take(windows.kind == "positive"), images.sizes(), n_jittered, seed=own)
    pool = random_windows(*without, n_candidates, shapes, other)
    return Windows.join([windows, near, replace(pool, kind=np.full_like(pool.kind, "hard_negative"))])


def _counts(windows: "Windows", split: np.ndarray) -> list[str]:
    """How many windows there are, and which part lacks the class."""
    notes = []
    for part in ("train", "test"):
        kinds = windows.kind[split == part]
        n_positives, n_negatives = (np.count_nonzero(kinds == kind) for kind in ("positive", "negative"))
        notes.append(f"{part}: {n_positives} positives, {n_negatives} negatives.")
    return notes
