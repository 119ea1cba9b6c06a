"""Opening what users and the network bring: compression by content, encodings, line by line.

What a file unpacks to is limited, since a few kilobytes can unpack to terabytes.
"""

import codecs
import io
import os
import subprocess
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from algos.datasets.hints import nearest, one_line
from algos.exceptions import InputError

_CHUNK = 2**20
_GZIP, _BZIP2, _XZ, _LZW, _ZIP = b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x1f\x9d", b"PK\x03\x04"
_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))

MOST_UNPACKED_BYTES = 16 * 2**30
# Text and pictures shrink tenfold, zeros a thousandfold; small files may do as they like.
MOST_RATIO, RATIO_FREE_BYTES = 200, 64 * 2**20

Paths = str | os.PathLike | Sequence[str | os.PathLike]


def as_paths(path: Paths) -> list[Path]:
    """Return one path, or several, as a list."""
    return [Path(path)] if isinstance(path, str | os.PathLike) else [Path(p) for p in path]


@contextmanager
def open_binary(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading, decompressed if its first bytes say gzip, bzip2, xz or compress (.Z).

    Raises
    ------
    InputError
        When the file is missing, not readable, a zip archive, damaged inside its compression, or unpacks to more than
        any data do.
    """
    path = Path(path)
    with errors_named(path), path.open("rb") as raw:
        yield decompressed(raw, path)


@contextmanager
def errors_named(path: Path) -> Iterator[None]:
    """Turn what opening, reading and unpacking a file raises into :class:`InputError`, with the file's name."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{path}: no such file{_neighbour(path)}") from None
    except (EOFError, zlib.error, _lzma_error()) as error:
        raise _damaged(path, error) from None
    except OSError as error:
        reason = one_line(error.strerror or error)
        raise InputError(f"{path}: cannot be read ({reason})") from None


def _damaged(path: Path, reason: object) -> InputError:
    return InputError(f"{path}: damaged or cut short inside its compression ({one_line(reason)}); fetch it again")


def _lzma_error() -> type[Exception]:
    import lzma

    return lzma.LZMAError


def _neighbour(path: Path) -> str:
    if not path.parent.is_dir():
        return f" (there is no folder {path.parent} either)"
    return nearest(path.name, sorted(p.name for p in path.parent.iterdir())) + " there"


def decompressed(raw: BinaryIO, path: Path) -> BinaryIO:
    """Return a stream of the unpacked content, chosen by the first bytes; `raw` itself when it is not packed.

    The stream raises :class:`InputError` when it unpacks to more than `MOST_UNPACKED_BYTES`, or, beyond
    `RATIO_FREE_BYTES`, to more than `MOST_RATIO` times its size.
    """
    start = raw.read(8)
    n_packed = raw.seek(0, io.SEEK_END)
    raw.seek(0)
    if start.startswith(_LZW):
        return io.BytesIO(_uncompress(raw, n_packed, path))
    if start.startswith(_ZIP):
        raise InputError(f"{path}: is a zip archive (or an .xlsx workbook); unpack it and name the file inside")
    unpacker = _unpacker(raw, start)
    return raw if unpacker is None else io.BufferedReader(_Limited(unpacker, n_packed, path), _CHUNK)


def _unpacker(raw: BinaryIO, start: bytes) -> BinaryIO | None:
    if start.startswith(_GZIP):
        import gzip

        return gzip.GzipFile(fileobj=raw)
    if start.startswith(_BZIP2):
        import bz2

        return bz2.BZ2File(raw)
    if start.startswith(_XZ):
        import lzma

        return lzma.LZMAFile(raw)
    return None


class _Limited(io.RawIOBase):
    """The stream of an unpacker that ends with an error when it gives more than data of so many packed bytes do."""

    def __init__(self, unpacker: BinaryIO, n_packed: int, path: Path) -> None:
        self._unpacker, self._n_packed, self._path = unpacker, n_packed, path
        self._n_bytes = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: bytearray) -> int:
        """Fill a buffer; return how many bytes there were."""
        content = self._unpacker.read(len(buffer))
        buffer[: len(content)] = content
        self._n_bytes += len(content)
        _refuse_bomb(self._n_bytes, self._n_packed, self._path)
        return len(content)

    def close(self) -> None:
        """Close the unpacker, not the packed file."""
        self._unpacker.close()
        super().close()


def _refuse_bomb(n_bytes: int, n_packed: int, path: Path) -> None:
    if n_bytes > min(MOST_UNPACKED_BYTES, max(RATIO_FREE_BYTES, MOST_RATIO * n_packed)):
        raise InputError(
            f"{path}: {n_packed} bytes unpack to more than {n_bytes >> 20} MiB, as no data do; unpack it by hand if "
            "you trust it"
        )


def _uncompress(raw: BinaryIO, n_packed: int, path: Path) -> bytes:
    # Python has no decoder for the LZW of `compress`; gzip, which every Unix has, does.
    os.lseek(raw.fileno(), 0, os.SEEK_SET)
    try:
        gzip = subprocess.Popen(["gzip", "-dc"], stdin=raw, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except FileNotFoundError:
        raise InputError(f"{path}: is packed by `compress` (.Z), and no gzip is here to unpack it") from None
    with gzip:
        try:
            content = bytearray()
            while chunk := gzip.stdout.read(_CHUNK):
                content += chunk
                _refuse_bomb(len(content), n_packed, path)
            complaint = gzip.stderr.read()
        except BaseException:
            gzip.kill()
            raise
    if gzip.returncode != 0:
        raise _damaged(path, complaint.decode(errors="replace"))
    return bytes(content)


def read_bytes(path: Path) -> bytes:
    """Return the whole (decompressed) content of a file; errors as in :func:`open_binary`."""
    with open_binary(path) as stream:
        return stream.read()


def text_lines(path: Path, encoding: str | None = None) -> Iterator[str]:
    """Yield the lines of a text file with their line ends.

    Parameters
    ----------
    path : path-like
        Plain or compressed.
    encoding : str, optional
        A codec of Python. Without it: what the byte-order mark says (UTF-8 or UTF-16), else UTF-8. Nothing is
        guessed: a guess turns names into other names without a word.

    Raises
    ------
    InputError
        When a byte does not fit the encoding, a NUL is found, or the encoding is unknown; with the line's number.
    """
    with open_binary(path) as stream:
        buffered = io.BufferedReader(stream)
        codec = encoding or _codec_by_mark(buffered.peek(4))
        try:
            text = io.TextIOWrapper(buffered, encoding=_known_codec(codec, path), newline="")
            for number, line in enumerate(text, start=1):
                if "\0" in line:
                    raise InputError(
                        f"{path}, line {number}: holds a NUL byte: this is no text, or UTF-16 without its mark; "
                        "save it as UTF-8 or give its `encoding`"
                    )
                yield line
        except UnicodeError:
            raise InputError(
                f"{path}, line {_first_bad_line(path, codec)}: is not {codec} text; "
                "save the file as UTF-8 or give its `encoding`, for example latin-1"
            ) from None


def _codec_by_mark(start: bytes) -> str:
    return next((codec for mark, codec in _BYTE_ORDER_MARKS if start.startswith(mark)), "utf-8")


def _known_codec(codec: str, path: Path) -> str:
    try:
        info = codecs.lookup(codec)
    except LookupError:
        raise InputError(f"{path}: there is no encoding {codec!r}; try utf-8, latin-1 or utf-16") from None
    return "utf-8-sig" if info.name == "utf-8" else codec


def _first_bad_line(path: Path, codec: str) -> str:
    """Find the line that cannot be decoded (the decoder works in blocks and only knows the block)."""
    if codec.startswith("utf-16"):
        return "(unknown)"
    with open_binary(path) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode(codec)
            except UnicodeError:
                return str(number)
    return "(the last)"
