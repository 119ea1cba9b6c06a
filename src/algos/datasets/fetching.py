"""Bringing the files of a data set to the disk: mirrors first, then the official addresses."""

import errno
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from algos.datasets.reading import known_checksums, sha256_of
from algos.datasets.registry import folder_of, raw_paths
from algos.exceptions import InputError
from algos.files import atomic_write

MIRRORS_VARIABLE = "ALGOS_DATA_MIRRORS"
_RETRIES = 2
_TIMEOUT_SECONDS = 30
_SECONDS_BETWEEN_LINES = 5.0

_log = logging.getLogger(__name__)


def fetch(
    name: str,
    entry: Mapping[str, Any],
    directory: str | os.PathLike,
    mirrors: Sequence[str | os.PathLike] = (),
    progress: bool = False,
) -> list[Path]:
    """Bring the files of a data set to ``<directory>/<name>``.

    A file that lies there with a known checksum is left alone. Otherwise each mirror is asked in turn, first those of
    the environment variable ``ALGOS_DATA_MIRRORS`` (folders, separated like PATH), then `mirrors`, then the official
    addresses (three attempts each, with growing pauses). A file is put in its place whole and with the sha256 that the
    registry knows, or not at all. Where the registry knows no sha256 the log says so, with the one found.

    Parameters
    ----------
    name : str
        Name of the data set.
    entry : mapping
        From :func:`~algos.datasets.load_registry`. A user's own files (`path`) are used where they are.
    directory : path-like
        Folder of raw data.
    mirrors : sequence of path-like or str
        Folders, or addresses beginning with http, that hold ``<name>/<file>``.
    progress : bool, default False
        Whether to show how far a download is: a bar on a terminal, elsewhere a line in the log every few seconds.

    Returns
    -------
    list of pathlib.Path
        The files, in the order of the entry.

    Raises
    ------
    InputError
        When a file cannot be had: the sentence names the data set, what was tried, and how to mend it.
    """
    paths = raw_paths(name, entry, directory)
    name = folder_of(name, entry)
    places = [*filter(None, os.environ.get(MIRRORS_VARIABLE, "").split(os.pathsep)), *map(str, mirrors)]
    for file, path in zip(entry["files"], paths, strict=True):
        if "path" in file:
            if not path.exists():
                raise InputError(f"data set {name!r}: {path}: no such file or folder; correct `files` in its entry")
        elif not _is_there(file, path):
            _bring(name, file, path, places, progress)
    return paths


def _is_there(file: Mapping[str, Any], path: Path) -> bool:
    if not path.is_file():
        return False
    found, known = sha256_of(path), known_checksums(file)
    if found in known:
        return True
    if None in known:
        _log.warning("%s: kept; its checksum cannot be verified (sha256 %s)", path, found)
        return True
    _log.warning("%s: its sha256 is %s, which the registry does not know; it is fetched again", path, found)
    return False


def _bring(name: str, file: Mapping[str, Any], path: Path, places: Sequence[str], progress: bool) -> None:
    tried = []
    for place, expected in _candidates(name, file, places):
        try:
            with atomic_write(path) as temporary:
                reason = _copy(place, expected, temporary, progress)
                if reason:
                    raise _NotHereError
        except _NotHereError:
            tried.append(f"{place} ({reason})")
            _log.info("%s: %s: %s", name, place, reason)
            continue
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise InputError(f"data set {name!r}: no space left for {path}; make room and run again") from None
            raise InputError(f"data set {name!r}: {path} cannot be written ({error.strerror})") from None
        if expected is None:
            _log.warning("%s: from %s; its official checksum is unknown (sha256 %s)", path, place, sha256_of(path))
        else:
            _log.info("%s: from %s, sha256 verified", path, place)
        return
    files = " or ".join(dict.fromkeys(_in_mirror(name, source) for source in file["sources"]))
    archive = f"it is in the archive {file['archive']}, to be unpacked by hand; " if file.get("archive") else ""
    raise InputError(
        f"data set {name!r}: cannot get {path.name}; tried {'; '.join(tried) or 'nothing: no mirror, no address'}; "
        f"{archive}put it at {path}, or name a folder that holds {files} under `data.mirrors` or in {MIRRORS_VARIABLE}"
    )


class _NotHereError(Exception):
    """A place does not have the file, or has another one."""


def _candidates(name: str, file: Mapping[str, Any], places: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Yield (where, sha256) of each variant of a file, place by place."""
    for place in places:
        for source in file["sources"]:
            yield f"{place.rstrip('/')}/{_in_mirror(name, source)}", source["sha256"]
    for source in file["sources"]:
        for url in source["urls"]:
            yield url, source["sha256"]


def _in_mirror(name: str, source: Mapping[str, Any]) -> str:
    return f"{source['folder'] or name}/{source['file']}"


def _copy(place: str, expected: str | None, to: Path, progress: bool) -> str:
    """Copy or download to a temporary file and verify it; return why not, or ""."""
    if place.startswith(("http://", "https://")):
        return _download(place, expected, to, progress)
    try:
        shutil.copyfile(place, to)
    except (FileNotFoundError, NotADirectoryError):
        return "no such file"
    except IsADirectoryError:
        return "is a folder"
    except PermissionError:
        return "no permission to read it"
    found = sha256_of(to)
    return "" if expected in (None, found) else f"its sha256 is {found}, not {expected}"


class _LoggedProgress:
    """What pooch wants of a progress bar, as lines of the log with an estimate of the time left."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.total = 0

    @property
    def total(self) -> int:
        """Bytes to come; 0 where the server does not say. Pooch sets it as an attempt begins."""
        return self._total

    @total.setter
    def total(self, n_bytes: int) -> None:
        self._total = n_bytes
        self._done = 0
        self._start = self._last = time.monotonic()

    def update(self, n_bytes: int) -> None:
        """Count bytes that have arrived."""
        self._done += n_bytes
        now = time.monotonic()
        if now - self._last < _SECONDS_BETWEEN_LINES or not self._done:
            return
        self._last = now
        text = f"{self._done / 1e6:.1f} MB"
        if self._total:
            left = (now - self._start) * max(self._total - self._done, 0) / self._done
            text += f" of {self._total / 1e6:.1f} MB, about {left:.0f} s left"
        _log.info("%s: %s", self._url, text)

    def reset(self) -> None:
        """Begin to count anew: pooch fills its bar once more at the end."""
        self._done = 0

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def _download(url: str, expected: str | None, to: Path, progress: bool) -> str:
    import pooch
    import requests

    pooch.get_logger().setLevel(logging.WARNING)
    with tempfile.TemporaryDirectory(dir=to.parent, prefix=".download.") as folder:
        client = pooch.create(
            path=folder,
            base_url="",
            registry={"file": expected and f"sha256:{expected}"},
            urls={"file": url},
            retry_if_failed=_RETRIES,
        )
        bar = progress and (sys.stderr.isatty() or _LoggedProgress(url))
        downloader = pooch.HTTPDownloader(progressbar=bar, timeout=_TIMEOUT_SECONDS)
        try:
            os.replace(client.fetch("file", downloader=downloader), to)
        except requests.HTTPError as error:
            return f"the server answers {error.response.status_code} {error.response.reason}"
        except requests.Timeout:
            return f"no answer in {_TIMEOUT_SECONDS} s"
        except requests.ConnectionError:
            return "no connection"
        except requests.RequestException as error:
            return f"the download broke off: {type(error).__name__}"
        except ValueError:
            return f"another sha256 than {expected}: the official file has changed, or something else was sent"
    return ""
