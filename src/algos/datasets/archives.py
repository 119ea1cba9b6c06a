"""Reading files out of a folder, a tar or a zip, none of which is trusted.

Nothing is ever unpacked to a place that a member's name chooses: a member is read into memory, whole, on demand. What
could reach outside (absolute names, ``..``) is refused; links, devices and sparse members are left out and named; sizes
are limited, since a few kilobytes can claim to hold terabytes.
"""

import io
import os
import shutil
import stat
import tarfile
import tempfile
import weakref
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

from algos.datasets.hints import nearest, one_line
from algos.datasets.textfile import decompressed, errors_named
from algos.exceptions import InputError

MOST_MEMBERS = 2_000_000
MOST_MEMBER_BYTES = 512 * 2**20
_ZIP, _LZW = b"PK", b"\x1f\x9d"


class Archive:
    """The files of a folder, tar or zip, to be read one by one; made by :func:`open_archive`.

    Attributes
    ----------
    path : pathlib.Path
        The folder or file.
    names : list of str
        Names of the regular files, relative, with ``/``, sorted by code points: the same order on every machine.
    folders : set of str
        Names of the folders, also of those without a file.
    left_out : list of str
        Names of links, devices and sparse members, which are not read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folders: set[str] = set()
        self.left_out: list[str] = []
        self._members: dict[str, object] = {}
        self._index()
        self.names = sorted(self._members)

    def read(self, name: str) -> bytes:
        """Return the content of one file.

        Raises
        ------
        InputError
            When there is no such file, it is too large to be what it should be, or it is damaged.
        """
        if name not in self._members:
            raise InputError(f"{self.path}: holds no file {name!r}{nearest(name, self.names)}")
        content = self._read(self._members[name], MOST_MEMBER_BYTES + 1)
        if len(content) > MOST_MEMBER_BYTES:
            raise InputError(f"{self.path}: {name!r} is larger than {MOST_MEMBER_BYTES / 2**20:.0f} MiB; leave it out")
        return content

    def close(self) -> None:
        """Close the file; also done when the archive is no longer used."""

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _index(self) -> None:
        raise NotImplementedError

    def _read(self, member: object, most: int) -> bytes:
        raise NotImplementedError

    def _add(self, name: str, member: object) -> None:
        name = self._safe(name)
        self._members[name] = member
        self._add_folder(name.rpartition("/")[0])

    def _add_folder(self, name: str) -> None:
        while name and name not in self.folders:
            self.folders.add(name)
            name = name.rpartition("/")[0]
        if len(self._members) + len(self.folders) + len(self.left_out) > MOST_MEMBERS:
            raise InputError(f"{self.path}: holds more than {MOST_MEMBERS} files; split it")

    def _safe(self, name: str) -> str:
        """Return a member's name without ``.`` parts; refuse one that leads out of the archive."""
        parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
        if name.startswith(("/", "\\")) or ".." in parts or ":" in (parts or [""])[0][1:2] or "\0" in name:
            raise InputError(
                f"{self.path}: the member {name!r} would lie outside the archive: it is not to be trusted; "
                "fetch it from its official address"
            )
        return "/".join(parts)


class _Folder(Archive):
    def _index(self) -> None:
        for directory, folders, files in os.walk(self.path):
            here = Path(directory)
            for name in folders:
                inside = (here / name).relative_to(self.path).as_posix()
                if (here / name).is_symlink():
                    self.left_out.append(inside)
                else:
                    self._add_folder(inside)
            for name in files:
                file = here / name
                if stat.S_ISREG(file.lstat().st_mode):
                    # as_posix: on Unix a file's name may hold a backslash; it leads nowhere here.
                    self._members[file.relative_to(self.path).as_posix()] = file
                else:
                    self.left_out.append(file.relative_to(self.path).as_posix())

    def _read(self, member: object, most: int) -> bytes:
        try:
            with Path(member).open("rb") as stream:
                return stream.read(most)
        except OSError as error:
            raise InputError(f"{member}: cannot be read ({one_line(error.strerror or error)})") from None


class _Stream(Archive):
    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self._stream = stream
        self.close = weakref.finalize(self, stream.close)
        super().__init__(path)


class _Tar(_Stream):
    """Members are read by their place in the file, so that reading one costs nothing for the others."""

    def _index(self) -> None:
        try:
            with tarfile.open(fileobj=self._stream, mode="r:") as tar:
                for member in tar:
                    self._take(member)
                    tar.members = []  # it would keep them all
        except (tarfile.TarError, EOFError, OverflowError, UnicodeError) as error:
            raise InputError(f"{self.path}: is no whole tar archive ({one_line(error)}); fetch it again") from None

    def _take(self, member: tarfile.TarInfo) -> None:
        if member.isdir():
            self._add_folder(self._safe(member.name))
        elif member.isreg() and not member.issparse():
            self._add(member.name, (member.offset_data, member.size))
        else:
            self.left_out.append(member.name)

    def _read(self, member: object, most: int) -> bytes:
        offset, size = member
        self._stream.seek(offset)
        content = self._stream.read(min(size, most))
        if len(content) < min(size, most):
            raise InputError(f"{self.path}: is cut short; fetch it again")
        return content


class _Zip(_Stream):
    def _index(self) -> None:
        try:
            self._zip = zipfile.ZipFile(self._stream)
        except (zipfile.BadZipFile, NotImplementedError, UnicodeError, ValueError, OSError) as error:
            raise InputError(f"{self.path}: is no whole zip archive ({one_line(error)}); fetch it again") from None
        for member in self._zip.infolist():
            kind = stat.S_IFMT(member.external_attr >> 16)
            if member.is_dir():
                self._add_folder(self._safe(member.filename))
            elif kind in (0, stat.S_IFREG):
                self._add(member.filename, member)
            else:
                self.left_out.append(member.filename)

    def _read(self, member: object, most: int) -> bytes:
        try:
            with self._zip.open(member) as stream:
                return stream.read(most)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
            # RuntimeError: a password is wanted.
            reason = one_line(error) or "damaged"
            raise InputError(f"{self.path}: {member.filename!r} cannot be read ({reason}); fetch it again") from None


def open_archive(path: str | os.PathLike, inner: str | None = None) -> Archive:
    """Open a folder, a tar (plain, or packed by gzip, bzip2 or xz) or a zip; content decides, not the name.

    A packed tar is unpacked once, to an unnamed temporary file, which is gone when the archive is closed.

    Parameters
    ----------
    path : path-like
        Folder or file.
    inner : str, optional
        Name of a tar or zip inside the archive that is meant, for archives of archives.

    Returns
    -------
    Archive
        Use it in a ``with`` statement, or let it close itself when it is no longer used.

    Raises
    ------
    InputError
        When the path is not there, is none of these, is damaged, holds a name that leads outside (absolute, ``..``)
        or unpacks to more than any data do (:func:`~algos.datasets.textfile.decompressed`).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pathlib.Path(folder, "b.txt").write_text("two"), pathlib.Path(folder, "a.txt").write_text("one")
    ...     with open_archive(folder) as archive:
    ...         archive.names, archive.read("a.txt")
    (3, 3)
    (['a.txt', 'b.txt'], b'one')
    """
    path = Path(path)
    if path.is_dir():
        archive = _Folder(path)
    else:
        with errors_named(path):
            archive = _opened(path, path.open("rb"))
    if inner is None:
        return archive
    with archive:
        content = archive.read(inner)
    return _opened(path / inner, io.BytesIO(content))


def _opened(path: Path, stream: BinaryIO) -> Archive:
    """Open a zip or tar by its content; `path` is its name in messages. The archive closes the stream."""
    try:
        start = stream.read(len(_LZW))
        stream.seek(0)
        if start == _ZIP:
            return _Zip(path, stream)
        if start == _LZW:
            raise InputError(f"{path}: is packed by `compress` (.Z); unpack it first")
        with errors_named(path):
            unpacked = decompressed(stream, path)
            if unpacked is not stream:
                packed, stream = stream, tempfile.TemporaryFile()  # noqa: SIM115, the archive closes it
                with packed, unpacked:
                    shutil.copyfileobj(unpacked, stream)
                stream.seek(0)
        return _Tar(path, stream)
    except BaseException:
        stream.close()
        raise
