"""Writing files so that a half-written one is never taken for a whole one; what a folder holds."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_write(path: str | os.PathLike) -> Iterator[Path]:
    """Give a temporary path in the folder of `path`; move it to `path` when the block ends without an error.

    Parameters
    ----------
    path : path-like
        The file to make or replace. Its folder is made when it is missing.

    Yields
    ------
    pathlib.Path
        An empty temporary file beside `path`, to be written by the caller. It is removed when the block raises.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=f".part{path.suffix}", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes files private; give them the permissions that open() would have given.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def link_or_copy(file: str | os.PathLike, target: str | os.PathLike) -> None:
    """Make `target`, or replace it by, a link to a file; a copy where the disk knows no links."""
    with atomic_write(target) as temporary:
        temporary.unlink()
        try:
            os.link(file, temporary)
        except OSError:
            shutil.copyfile(file, temporary)


def listing(folders: Iterable[str | os.PathLike]) -> str:
    """Return a hash of the names, sizes and times of change of all files in some folders.

    Parameters
    ----------
    folders : iterable of path-like
    """
    digest = hashlib.sha256()
    for folder in map(Path, folders):
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            about = path.stat()
            digest.update(f"{path.relative_to(folder)}\0{about.st_size}\0{about.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:20]
