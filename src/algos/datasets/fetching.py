"""Bringing the files of a data set to the disk: mirrors first, then the official addresses."""

import errno
import logging
import os
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from algos.datasets.reading import known_checksums, sha256_of
from algos.datasets.registry import folder_of, raw_paths
from algos.exceptions import InputError
from algos.files import atomic_write

if TYPE_CHECKING:
    import requests

MIRRORS_VARIABLE = "ALGOS_DATA_MIRRORS"
_RETRIES = 2
_TIMEOUT_SECONDS = 30
# So many bytes a second must come, over each window.
_LEAST_SPEED, _SLOW_SECONDS = 1000, 60
_CHUNK = 2**12
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
    addresses (three attempts each, with growing pauses; one that sends less than a kilobyte a second for a minute is
    given up). A file is put in its place whole and with the sha256 that the
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
    """Lines of the log in place of a bar, with an estimate of the time left; `total` is 0 where it is not known."""

    def __init__(self, url: str, total: int) -> None:
        self._url, self._total, self._done = url, total, 0
        self._start = self._last = time.monotonic()

    def update(self, n_bytes: int) -> None:
        """Count bytes that have arrived."""
        self._done += n_bytes
        now = time.monotonic()
        if now - self._last < _SECONDS_BETWEEN_LINES:
            return
        self._last = now
        text = f"{self._done / 1e6:.1f} MB"
        if self._total:
            left = (now - self._start) * max(self._total - self._done, 0) / self._done
            text += f" of {self._total / 1e6:.1f} MB, about {left:.0f} s left"
        _log.info("%s: %s", self._url, text)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def _progress(url: str, total: int) -> Any:
    if not sys.stderr.isatty():
        return _LoggedProgress(url, total)
    import tqdm

    return tqdm.tqdm(total=total or None, ncols=79, unit="B", unit_scale=True)


class _TooSlowError(Exception):
    """Less than the least speed over a whole window."""


class _Watch:
    """Ends a download that is too slow, whatever it is that comes slowly: time-outs only end one without any byte.

    A thread looks at the number of bytes once a window, and shuts the connections when there were too few.
    """

    def __init__(self) -> None:
        self.n_bytes, self.too_slow = 0, False
        self._sockets: list[socket.socket] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "_Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        for connection in self._sockets:
            connection.close()

    def add(self, connection: socket.socket) -> None:
        """Shut this connection too, should it come to that."""
        if self.too_slow:
            raise _TooSlowError
        self._sockets.append(connection.dup())  # TLS takes the original away

    def _run(self) -> None:
        before = 0
        while not self._over.wait(_SLOW_SECONDS):
            if self.n_bytes - before < _LEAST_SPEED * _SLOW_SECONDS:
                self.too_slow = True
                for connection in self._sockets:
                    with suppress(OSError):
                        connection.shutdown(socket.SHUT_RDWR)
                return
            before = self.n_bytes


def _session(watch: _Watch) -> "requests.Session":
    """Return a session whose connections are watched."""
    import requests
    from requests.adapters import HTTPAdapter

    class Adapter(HTTPAdapter):
        def get_connection_with_tls_context(self, *args: Any, **options: Any) -> Any:
            pool = super().get_connection_with_tls_context(*args, **options)

            class Connection(pool.ConnectionCls):
                def _new_conn(self) -> socket.socket:
                    connection = super()._new_conn()
                    watch.add(connection)
                    return connection

            pool.ConnectionCls = Connection
            return pool

    session = requests.Session()
    session.mount("http://", Adapter())
    session.mount("https://", Adapter())
    return session


def _receive(url: str, to: str, progress: bool) -> None:
    """Write what an address sends to a file, as it is sent."""
    import requests

    with _Watch() as watch, _session(watch) as session:
        try:
            # As it is: a server may unpack to anything, and some call an archive's own compression a transport's.
            asked = {"stream": True, "timeout": _TIMEOUT_SECONDS, "headers": {"Accept-Encoding": "identity"}}
            with session.get(url, **asked) as response, open(to, "wb") as file:
                response.raise_for_status()
                response.raw.headers.discard("content-encoding")
                length = response.headers.get("content-length", "")
                bar = _progress(url, int(length) if length.isdecimal() else 0) if progress else None
                for chunk in response.iter_content(_CHUNK):
                    file.write(chunk)
                    watch.n_bytes += len(chunk)
                    if bar is not None:
                        bar.update(len(chunk))
                if bar is not None:
                    bar.close()
            if not watch.n_bytes:
                raise requests.exceptions.ChunkedEncodingError("nothing was sent")
        except requests.RequestException:
            if not watch.too_slow:
                raise
        if watch.too_slow:
            raise _TooSlowError


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
        try:
            os.replace(client.fetch("file", downloader=lambda url, path, _: _receive(url, path, progress)), to)
        except _TooSlowError:
            return f"less than {_LEAST_SPEED} bytes a second came over {_SLOW_SECONDS} s"
        except requests.HTTPError as error:
            return f"the server answers {error.response.status_code} {error.response.reason}"
        except requests.Timeout:
            return f"no answer in {_TIMEOUT_SECONDS} s"
        except requests.ConnectionError:
            return "no connection"
        except requests.exceptions.InvalidSchema:
            return "the server sends on to what is no http address"
        except requests.RequestException as error:
            return f"the download broke off: {type(error).__name__}"
        except ValueError:
            return f"another sha256 than {expected}: the official file has changed, or something else was sent"
    return ""
