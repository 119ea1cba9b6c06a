"""Folders, tars and zips, also hostile ones."""

import bz2
import gzip
import io
import lzma
import os
import random
import stat
import tarfile
import zipfile

import pytest

from algos.datasets import archives, textfile
from algos.datasets.archives import open_archive
from algos.exceptions import InputError

FILES = {"set/b/2.txt": b"two", "set/a/10.txt": b"ten", "set/a/1.txt": b"one"}


def tar_bytes(files=FILES, folders=(), links=()):
    """Return a tar of files, empty folders and (name, target, type) links."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for name in folders:
            info = tarfile.TarInfo(name)
            info.type = tarfile.DIRTYPE
            tar.addfile(info)
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        for name, target, kind in links:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, target
            tar.addfile(info)
    return stream.getvalue()


def zip_bytes(files=FILES, folders=()):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in folders:
            packed.writestr(f"{name}/", b"")
        for name, content in files.items():
            packed.writestr(name, content)
    return stream.getvalue()


@pytest.fixture
def make(tmp_path):
    """Write bytes to a file and return its path."""

    def write(content, name="packed"):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


def read_all(path, **options):
    with open_archive(path, **options) as archive:
        return {name: archive.read(name) for name in archive.names}


def refusal(path, **options):
    """Return the sentence with which an archive is refused."""
    with pytest.raises(InputError) as caught:
        read_all(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress], ids=["plain", "gz", "bz2", "xz"])
def test_tar(make, pack):
    with open_archive(make(pack(tar_bytes(folders=["set/empty"])))) as archive:
        assert archive.names == ["set/a/1.txt", "set/a/10.txt", "set/b/2.txt"]
        assert archive.folders == {"set", "set/a", "set/b", "set/empty"}
        assert [archive.read(name) for name in archive.names] == [b"one", b"ten", b"two"]


def test_zip_and_folder_hold_the_same(make, tmp_path):
    for name, content in FILES.items():
        path = tmp_path / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "folder/set/empty").mkdir()
    for path in (make(zip_bytes(folders=["set/empty"])), tmp_path / "folder"):
        with open_archive(path) as archive:
            assert archive.names == sorted(FILES)
            assert archive.folders == {"set", "set/a", "set/b", "set/empty"}
            assert {name: archive.read(name) for name in archive.names} == FILES


def test_an_archive_within_an_archive(make):
    outer = make(zip_bytes({"x/inner.tar.gz": gzip.compress(tar_bytes())}))
    with open_archive(outer, inner="x/inner.tar.gz") as archive:
        assert archive.read("set/b/2.txt") == b"two"
    assert "holds no file 'inner.tar'; the nearest is 'x/inner.tar.gz'" in refusal(outer, inner="inner.tar")


@pytest.mark.parametrize(
    "name", ["../outside", "a/../../outside", "/etc/outside", "..\\outside", "C:\\outside", "C:/x"]
)
def test_names_that_lead_outside_are_refused(make, name):
    assert "would lie outside the archive" in refusal(make(tar_bytes({name: b"x"})))
    assert "would lie outside the archive" in refusal(make(zip_bytes({name: b"x"})))
    assert "would lie outside the archive" in refusal(make(tar_bytes({}, folders=[name])))


def test_dots_within_names_are_kept(make):
    with open_archive(make(tar_bytes({"./a..b/..c": b"x"}))) as archive:
        assert archive.names == ["a..b/..c"]


def test_links_and_devices_are_left_out(make, tmp_path):
    links = [("soft", "/etc/passwd", tarfile.SYMTYPE), ("hard", "set/a/1.txt", tarfile.LNKTYPE)]
    links += [("fifo", "", tarfile.FIFOTYPE), ("device", "", tarfile.CHRTYPE)]
    with open_archive(make(tar_bytes(links=links))) as archive:
        assert archive.left_out == ["soft", "hard", "fifo", "device"]
        assert archive.names == sorted(FILES)
    info = zipfile.ZipInfo("soft")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "links.zip", "w") as packed:
        packed.writestr(info, "/etc/passwd")
    with open_archive(tmp_path / "links.zip") as archive:
        assert (archive.names, archive.left_out) == ([], ["soft"])


def test_links_in_a_folder_are_left_out(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real/file").write_text("x")
    os.symlink("/etc/passwd", tmp_path / "real/link")
    os.symlink("/etc", tmp_path / "real/folder")
    with open_archive(tmp_path / "real") as archive:
        assert (archive.names, sorted(archive.left_out)) == (["file"], ["folder", "link"])


def test_a_bomb_is_refused_before_it_fills_the_disk(make, monkeypatch):
    monkeypatch.setattr(textfile, "RATIO_FREE_BYTES", 2**21)
    bomb = gzip.compress(tar_bytes({"zeros": bytes(2**23)}))
    assert "unpack to more than" in refusal(make(bomb))


def test_a_member_that_is_too_large_is_refused(make, monkeypatch):
    monkeypatch.setattr(archives, "MOST_MEMBER_BYTES", 1000)
    assert "'zeros' is larger than" in refusal(make(tar_bytes({"zeros": bytes(1001)})))
    assert "'zeros' is larger than" in refusal(make(zip_bytes({"zeros": bytes(1001)})))


def test_too_many_members(make, monkeypatch):
    monkeypatch.setattr(archives, "MOST_MEMBERS", 2)
    assert "more than 2 files" in refusal(make(tar_bytes()))


def test_what_is_no_archive(make, tmp_path):
    assert "no whole tar" in refusal(make(b"<html><body>404 not found</body></html>"))
    assert "no whole tar" in refusal(make(b""))
    assert "no such file" in refusal(tmp_path / "nothing")
    assert "packed by `compress`" in refusal(make(b"\x1f\x9d\x90abc"))


@pytest.mark.parametrize("pack", [tar_bytes, zip_bytes, lambda: gzip.compress(tar_bytes(), mtime=0)])
@pytest.mark.parametrize("seed", range(30))
def test_damaged_archives_are_read_or_refused(make, pack, seed):
    chance, content = random.Random(seed), bytearray(pack())
    for _ in range(3):
        content[chance.randrange(len(content))] = chance.randrange(256)
    content = content[: chance.randrange(len(content) // 2, len(content) + 1)]
    sentence = ""
    try:
        read_all(make(content))
    except InputError as error:
        sentence = str(error)
    assert "\n" not in sentence


def test_a_tar_cut_short_is_refused(make):
    content = tar_bytes({"a": b"x" * 5000, "b": b"y" * 5000})
    for n_bytes in (600, 3000, 7000, 9000):
        assert "fetch it again" in refusal(make(content[:n_bytes]))
