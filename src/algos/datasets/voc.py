"""PASCAL VOC: photographs, and boxes around the objects in them.

Such a table holds images: :mod:`algos.features.patches` cuts windows out of them, whose features can be learnt from.
"""

import io
import math
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from algos.datasets.archives import Archive, open_archive
from algos.datasets.hints import listed, nearest, one_line
from algos.datasets.images import FORMATS, MOST_PIXELS, decode_image
from algos.datasets.table import Table, multi_label_table
from algos.datasets.textfile import Paths, as_paths
from algos.exceptions import InputError
from algos.problems import Problems

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

VOC_CLASSES = (
    "aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow",
    "diningtable", "dog", "horse", "motorbike", "person", "pottedplant", "sheep", "sofa", "train", "tvmonitor",
)  # fmt: skip

_SPLITS_FOLDER = "ImageSets/Main/"
_IMAGE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")
_MOST_XML_BYTES = 2**20
_END_OF_JPEG = b"\xff\xd9"


@dataclass(frozen=True)
class VOCObject:
    """One object of an image.

    Attributes
    ----------
    label : str
        Its class.
    box : tuple of float
        Left, top, right, bottom in pixels, counted from 0, right and bottom exclusive (the files count from 1,
        inclusive).
    difficult : bool
        Whether its annotators marked it as hard to recognise.
    """

    label: str
    box: tuple[float, float, float, float]
    difficult: bool = False


@dataclass(frozen=True)
class VOCImage:
    """One image: its name, split, size in pixels, usable objects, and all classes its annotation names.

    `labels` also has the classes of objects whose box cannot be used, so that an image is never taken to be without
    a class that it shows.
    """

    name: str
    split: str
    width: int
    height: int
    objects: tuple[VOCObject, ...]
    labels: frozenset[str]


class VOCImages(Sequence):
    """Images with boxes around objects, decoded one by one as they are asked for; made by :func:`load_voc`.

    Attributes
    ----------
    images : list of VOCImage
        What is known of each image.
    label_names : list of str
        Classes.
    difficult : {"exclude", "include"}
        Whether objects marked difficult are positives.
    shape : tuple of int
        (n_images,): images have no columns yet.

    Notes
    -----
    ``images[3]`` are the pixels of the fourth image, ``images[rows]``, with a slice, an array of positions or a mask,
    is another collection that reads nothing.
    """

    def __init__(self, images: Sequence[VOCImage], label_names: Sequence[str], difficult: str, files: "_Files") -> None:
        self.images, self.label_names, self.difficult = list(images), list(label_names), difficult
        self._files = files

    @property
    def shape(self) -> tuple[int]:
        """(n_images,)."""
        return (len(self.images),)

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, which: Any) -> "np.ndarray | VOCImages":
        if isinstance(which, int | np.integer):
            return self.read_image(self.images[which].name)
        rows = np.arange(len(self.images))[which]
        return VOCImages([self.images[row] for row in rows], self.label_names, self.difficult, self._files)

    def positives(self, label: str, splits: Sequence[str] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the boxes of a class.

        Parameters
        ----------
        label : str
            Class.
        splits : sequence of str, optional
            Only images of these splits.

        Returns
        -------
        names : ndarray of str of shape (n_boxes,)
            Image of each box.
        boxes : ndarray of float64 of shape (n_boxes, 4)
            Left, top, right, bottom, as in :class:`VOCObject`.

        Raises
        ------
        InputError
            When there is no such class or split.
        """
        found = [
            (image.name, thing.box)
            for image in self._of(label, splits)
            for thing in image.objects
            if thing.label == label and (self.difficult == "include" or not thing.difficult)
        ]
        return np.array([name for name, _ in found], dtype=str), np.array([b for _, b in found]).reshape(-1, 4)

    def images_without(self, label: str, splits: Sequence[str] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the images whose annotation does not name a class, not even for a difficult object.

        Parameters
        ----------
        label, splits
            As for :meth:`positives`.

        Returns
        -------
        names : ndarray of str of shape (n_images,)
        sizes : ndarray of int of shape (n_images, 2)
            Width and height in pixels.

        Raises
        ------
        InputError
            When there is no such class or split.
        """
        found = [image for image in self._of(label, splits) if label not in image.labels]
        sizes = np.array([(image.width, image.height) for image in found], dtype=int).reshape(-1, 2)
        return np.array([image.name for image in found], dtype=str), sizes

    def read_image(self, name: str) -> np.ndarray:
        """Return the pixels of an image.

        Parameters
        ----------
        name : str
            As in `images`.

        Returns
        -------
        ndarray of uint8 of shape (height, width, 3)
            Red, green, blue; an image without colours has three equal channels.

        Raises
        ------
        InputError
            When the image is missing or damaged.
        """
        return _decoded(self._files, name)

    def sizes(self) -> dict[str, tuple[int, int]]:
        """Return image -> width and height in pixels."""
        return {image.name: (image.width, image.height) for image in self.images}

    def _of(self, label: str, splits: Sequence[str] | None) -> list[VOCImage]:
        if label not in self.label_names:
            raise InputError(f"there is no class {label!r}{nearest(label, self.label_names)}")
        known = {image.split for image in self.images}
        wanted = known if splits is None else {splits} if isinstance(splits, str) else set(splits)
        if not wanted <= known:
            raise InputError(
                f"no images of the split {min(wanted - known)!r} were loaded, only {listed(sorted(known))}"
            )
        return [image for image in self.images if image.split in wanted]


def load_voc(
    path: Paths,
    *,
    splits: str | Sequence[str] = ("train", "val"),
    difficult: str = "exclude",
    on_error: str = "skip",
    classes: str | Sequence[str] = VOC_CLASSES,
) -> Table:
    """Read the annotations of a data set in the layout ``VOCdevkit/VOC2007``.

    Parameters
    ----------
    path : path-like or sequence of path-like
        Tars as they are distributed (trainval, test), packed or not, or unpacked folders. Nothing is unpacked to the
        disk: members are read one by one.
    splits : str or sequence of str, default ("train", "val")
        Lists of images in ``ImageSets/Main``: "train", "val", "trainval", "test". Which of them trains and which tests
        is for the experiment to say.
    difficult : {"exclude", "include"}, default "exclude"
        What objects marked difficult are: with "exclude" no positives, as in the challenge, with "include" positives
        like all others. Either way an image that shows one is no image without the class.
    on_error : {"skip", "raise"}, default "skip"
        What happens to a missing or damaged image or annotation (left out), a box that reaches beyond its image
        (clipped; left out when nothing of it is inside), a box without area (left out: its right edge must be beyond
        its left one and its lower edge below its upper one), a class that is not among `classes` (left out), an
        annotation with another size than its image (the image's counts), and a class without positives in a split:
        each is named in the table's notes, or raised.
    classes : str or sequence of str, default the twenty of VOC2007
        Classes to read.

    Returns
    -------
    Table
        `X` is a :class:`VOCImages` of shape (n_images,), sorted by split, in the order asked for, and name; `Y` says
        of which classes an image has positives; `split` is None.

    Raises
    ------
    InputError
        When this is no such data set, it has no such split, an image is in two of the splits, no image is usable, or
        at the first problem with ``on_error="raise"``.

    References
    ----------
    M. Everingham et al., The PASCAL Visual Object Classes Challenge 2007, development kit, sections 5 and 6.
    """
    if difficult not in ("exclude", "include"):
        raise InputError(f"difficult is {difficult!r}; give 'exclude' or 'include'")
    problems = Problems(on_error)
    files = _Files(as_paths(path))
    names = files.images_of([splits] if isinstance(splits, str) else splits)
    classes = [classes] if isinstance(classes, str) else classes
    images = []
    for name, split in names.items():
        try:
            images.append(_read_image(files, name, split, classes, problems))
        except _UnusableError as error:
            problems.add(f"image {name!r} ({split}): {error}", "it is left out")
    if not images:
        raise InputError(f"{files}: none of its {len(names)} images is usable; the first: {problems.sentences[0]}")
    collection = VOCImages(images, classes, difficult, files)
    _check_positives(collection, problems)
    rule = {
        "exclude": "Objects marked difficult are no positives, and images with them no negatives.",
        "include": "Objects marked difficult are positives like all others.",
    }
    Y = np.zeros((len(images), len(classes)), dtype=np.int8)
    row_of = {image.name: row for row, image in enumerate(images)}
    for column, label in enumerate(classes):
        Y[[row_of[name] for name in collection.positives(label)[0]], column] = 1
    return multi_label_table(collection, Y, [], classes, str(files), notes=[rule[difficult], *problems.sentences])


class _UnusableError(Exception):
    """An image or annotation cannot be used; the reason."""


class _Files:
    """The files below ``VOC2007/`` of several archives, as one."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._places: dict[str, tuple[Archive, str]] = {}
        for path in paths:
            archive = open_archive(path)
            root = _root(archive)
            for name in archive.names:
                if name.startswith(root):
                    self._places.setdefault(name[len(root) :], (archive, name))

    def __str__(self) -> str:
        return " + ".join(path.name for path in self._paths)

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def read(self, name: str) -> bytes:
        if name not in self._places:
            raise InputError(f"{self}: there is no {name}")
        archive, member = self._places[name]
        return archive.read(member)

    def images_of(self, splits: Iterable[str]) -> dict[str, str]:
        """Return the names of the images of some splits, and the split of each."""
        found: dict[str, str] = {}
        for split in splits:
            for name in sorted(self._listed(split)):
                if found.setdefault(name, split) != split:
                    raise InputError(
                        f"{self}: image {name!r} is in the splits {found[name]!r} and {split!r}; ask for one"
                    )
        if not found:
            raise InputError(f"{self}: the splits {listed(splits)} have no image")
        return found

    def _listed(self, split: str) -> set[str]:
        file = f"{_SPLITS_FOLDER}{split}.txt"
        if file not in self:
            known = [n[len(_SPLITS_FOLDER) : -4] for n in self._places if n.startswith(_SPLITS_FOLDER) and "_" not in n]
            raise InputError(f"{self}: there is no split {split!r}, only {listed(sorted(known))}; is a tar missing?")
        names = {line.split()[0] for line in self.read(file).decode("utf-8", "replace").splitlines() if line.strip()}
        wrong = sorted(name for name in names if not _IMAGE_NAME.fullmatch(name))
        if wrong:
            raise InputError(f"{self}: {file} lists {wrong[0]!r}, which cannot name an image")
        return names


def _root(archive: Archive) -> str:
    """Return the folder, with its slash, in which ``ImageSets/Main`` lies."""
    ends = {name.rpartition("/")[0] + "/" for name in archive.names}
    roots = sorted(folder[: -len(_SPLITS_FOLDER)] for folder in ends if f"/{folder}".endswith(f"/{_SPLITS_FOLDER}"))
    if len(roots) == 1:
        return roots[0]
    if not roots:
        raise InputError(f"{archive.path}: has no folder {_SPLITS_FOLDER} with lists of images, as VOC data have")
    raise InputError(f"{archive.path}: holds several data sets ({listed(roots)}); give the folder of one")


def _read_image(files: _Files, name: str, split: str, classes: Sequence[str], problems: Problems) -> VOCImage:
    width, height = _size(files, name)
    root = _parsed(files, f"Annotations/{name}.xml")
    where = f"image {name!r} ({split}), Annotations/{name}.xml"
    said = tuple(_number(root.find("size"), key) for key in ("width", "height"))
    if said != (width, height):
        told = "{:g} x {:g} pixels".format(*said) if all(map(math.isfinite, said)) else "no size"
        problems.add(f"{where} says {told}, the image has {width} x {height}", "the image's size counts")
    objects, labels = [], set()
    for element in root.iter("object"):
        label = (element.findtext("name") or "").strip()
        if label not in classes:
            problems.add(f"{where}: unknown class {label!r}{nearest(label, classes)}", "the object is left out")
            continue
        labels.add(label)
        try:
            box, clipped = _inside(_box(element), width, height)
        except _UnusableError as error:
            problems.add(f"{where}: a box of {label!r} {error}", "it is left out")
            continue
        if clipped:
            problems.add(
                f"{where}: a box of {label!r} reaches outside the image of {width} x {height}", "it is clipped"
            )
        objects.append(VOCObject(label, box, (element.findtext("difficult") or "0").strip() == "1"))
    return VOCImage(name, split, width, height, tuple(objects), frozenset(labels))


def _parsed(files: _Files, name: str) -> "Element":
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        content = files.read(name)
    except InputError as error:
        raise _UnusableError(str(error)) from None
    if len(content) > _MOST_XML_BYTES:
        raise _UnusableError(f"{name} is larger than {_MOST_XML_BYTES // 2**20} MiB")
    try:
        return fromstring(content, forbid_dtd=True)
    except DefusedXmlException:
        raise _UnusableError(f"{name} declares a document type or entities, as no annotation needs to") from None
    except (ParseError, ValueError, LookupError) as error:  # the latter two: of encodings
        raise _UnusableError(f"{name} is no whole XML ({one_line(error)})") from None


def _number(element: "Element | None", key: str) -> float:
    text = "" if element is None else element.findtext(key) or ""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _box(element: "Element") -> tuple[float, float, float, float]:
    """Return left, top, right, bottom from 0, right and bottom exclusive."""
    left, top, right, bottom = (_number(element.find("bndbox"), key) for key in ("xmin", "ymin", "xmax", "ymax"))
    if not all(map(math.isfinite, (left, top, right, bottom))):
        raise _UnusableError("is not given by four numbers")
    if right <= left or bottom <= top:
        raise _UnusableError(f"has no area ({left:g} to {right:g}, {top:g} to {bottom:g})")
    return left - 1, top - 1, right, bottom


def _inside(
    box: tuple[float, float, float, float], width: int, height: int
) -> tuple[tuple[float, float, float, float], bool]:
    """Return a box clipped to its image, and whether that changed it."""
    inside = max(box[0], 0.0), max(box[1], 0.0), min(box[2], float(width)), min(box[3], float(height))
    if inside[2] - inside[0] < 1 or inside[3] - inside[1] < 1:
        raise _UnusableError(f"lies outside the image of {width} x {height}")
    return inside, inside != box


def _size(files: _Files, name: str) -> tuple[int, int]:
    """Return width and height of an image; one that seems cut short is decoded to be sure."""
    import PIL.Image

    try:
        content = files.read(_jpeg(name))
        if content.rstrip(b"\0").endswith(_END_OF_JPEG):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of doubtful metadata, and of sizes that are refused below
                with PIL.Image.open(io.BytesIO(content), formats=FORMATS) as image:
                    if image.width * image.height <= MOST_PIXELS:
                        return image.size
    except InputError as error:
        raise _UnusableError(str(error)) from None
    except Exception:  # on a damaged header Pillow raises whatever it happens to trip over; decoding says what it is
        pass
    try:
        return _decoded(files, name).shape[1::-1]
    except InputError as error:
        raise _UnusableError(str(error)) from None


def _decoded(files: _Files, name: str) -> np.ndarray:
    return decode_image(files.read(_jpeg(name)), f"{files}: {_jpeg(name)}", "rgb")


def _jpeg(name: str) -> str:
    return f"JPEGImages/{name}.jpg"


def _check_positives(images: VOCImages, problems: Problems) -> None:
    for split in dict.fromkeys(image.split for image in images.images):
        for label in images.label_names:
            if len(images.positives(label, [split])[0]) == 0:
                problems.add(f"split {split!r}: there is no positive of class {label!r}", "it cannot be used for it")
