"""Collections of one folder a class: which files belong, and of which class each is."""

import posixpath
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from algos.datasets.archives import Archive
from algos.datasets.hints import listed, nearest
from algos.exceptions import InputError


@dataclass
class ClassFolders:
    """The files of a collection, ordered by class and name (code points).

    Attributes
    ----------
    names : list of str
        Names within the archive.
    classes : list of str
        The class of each: the name of its folder.
    notes : list of str
        What was left out.
    """

    names: list[str]
    classes: list[str]
    notes: list[str] = field(default_factory=list)


def class_folders(
    archive: Archive, suffixes: Collection[str], root: str | None = None, drop: Sequence[str] = ()
) -> ClassFolders:
    """List the files ``<root>/<class>/<file>``.

    Parameters
    ----------
    archive : Archive
        Where they lie.
    suffixes : collection of str
        Ends of the names that count, in lower case with their dot. Names are compared in lower case.
    root : str, optional
        Folder that holds the class folders; by default the deepest folder that all such files share.
    drop : sequence of str
        Class folders to leave out.

    Raises
    ------
    InputError
        When there is no such file, files lie in no class folder, or `root` or a folder of `drop` is not there.
    """
    wanted = [name for name in archive.names if _suffix(name) in suffixes and not _hidden(name)]
    if root is None:
        root = posixpath.commonpath([posixpath.dirname(name) for name in wanted] or [""])
    root = root.strip("/")
    if root and root not in archive.folders:
        raise InputError(f"{archive.path}: holds no folder {root!r}{nearest(root, sorted(archive.folders))}")
    below = {name: _below(name, root) for name in wanted}
    found = sorted((parts[0], name) for name, parts in below.items() if parts and len(parts) == 2)
    _check(archive, root, below, found)
    folders = {parts[0] for parts in (_below(name, root) for name in archive.folders) if parts and len(parts) == 1}
    for name in drop:
        if name not in folders:
            raise InputError(
                f"{archive.path}: `drop`: there is no class folder {name!r}{nearest(name, sorted(folders))}"
            )
    kept = [(label, name) for label, name in found if label not in set(drop)]
    filled = {label for label, _ in kept}
    empty = sorted(name for name in folders - filled - set(drop) if not _hidden(name))
    notes = [f"Class folders without such a file, left out: {listed(empty)}."] if empty else []
    notes += [f"Class folders left out as asked: {listed(drop)}."] if drop else []
    notes += _others(archive, root, {name for _, name in found})
    return ClassFolders([name for _, name in kept], [label for label, _ in kept], notes)


def _check(archive: Archive, root: str, below: dict[str, list[str] | None], found: Sequence) -> None:
    loose = [name for name, parts in below.items() if parts and len(parts) == 1]
    if loose:
        raise InputError(
            f"{archive.path}: {listed(loose, 3)} lie in no class folder under {root or 'the top'!r}; make one folder "
            "a class, or give the folder that holds them as `root`"
        )
    if not found:
        where = f" in folders of {root!r}" if root else " in class folders"
        raise InputError(f"{archive.path}: holds no file of the wanted kind{where}; see `root`")


def _others(archive: Archive, root: str, found: Collection[str]) -> list[str]:
    """Say which files under the root were not taken; a few are usual, many hint at a mistake."""
    inside = [name for name in archive.names if _below(name, root) and name not in found]
    notes = [f"Files left out, not of the wanted kind or not directly in a class folder: {listed(inside, 4)}."]
    notes = notes if inside else []
    if archive.left_out:
        notes.append(f"Links and special files, left out: {listed(archive.left_out, 4)}.")
    return notes


def _below(name: str, root: str) -> list[str] | None:
    """Return the parts of a name below the root, or None when it lies elsewhere."""
    if not root:
        return name.split("/")
    return name[len(root) + 1 :].split("/") if name.startswith(f"{root}/") else None


def _suffix(name: str) -> str:
    return posixpath.splitext(name)[1].lower()


def _hidden(name: str) -> bool:
    """Tell whether a file is a system's own, such as `.DS_Store`, `._photo.jpg` or what lies in `__MACOSX`."""
    return any(part.startswith(".") or part == "__MACOSX" for part in name.split("/"))
