"""The fetch: mirrors in order, checksums, broken downloads. All servers are on this machine."""

import gzip
import hashlib
import logging
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pooch.core
import pytest

from algos.datasets import fetch
from algos.exceptions import InputError

GOOD, EVIL = b"a,class\n1,x\n2,y\n", b"a,class\n1,y\n2,x\n"


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def entry(*sources, name="toy.csv"):
    """Return a spelt-out entry of one file."""
    full = [{"folder": None, "file": name, "urls": [], "sha256": sha256(GOOD), **source} for source in sources]
    return {"files": [{"name": name, "part": None, "role": None, "sources": full or [{}]}]}


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    monkeypatch.delenv("ALGOS_DATA_MIRRORS", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    pauses = []
    monkeypatch.setattr(pooch.core.time, "sleep", pauses.append)
    return pauses


@pytest.fixture
def mirror(tmp_path):
    """Make a mirror folder that holds a file."""

    def make(content, name="toy.csv", folder="m1", dataset="toy"):
        path = tmp_path / folder / dataset / name
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        return tmp_path / folder

    return make


@pytest.fixture
def server():
    """Serve what `answers` says: path -> list of (status, content, claimed length); the last answer is repeated."""
    answers, asked = {}, []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            plan = answers.get(self.path, [(404, b"", 0)])
            status, content, length = plan.pop(0) if len(plan) > 1 else plan[0]
            self.send_response(status)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args):
            """Stay silent."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    http.url, http.answers, http.asked = f"http://127.0.0.1:{http.server_port}", answers, asked
    yield http
    http.shutdown()
    http.server_close()
    thread.join()


def files_in(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_from_a_mirror(tmp_path, mirror, caplog):
    caplog.set_level(logging.INFO)
    raw = tmp_path / "raw"
    assert fetch("toy", entry({}), raw, [mirror(GOOD)]) == [raw / "toy" / "toy.csv"]
    assert (raw / "toy" / "toy.csv").read_bytes() == GOOD
    assert files_in(raw) == ["toy/toy.csv"]
    assert "sha256 verified" in caplog.text


def test_a_mirror_with_another_file_is_passed_over(tmp_path, mirror, caplog):
    caplog.set_level(logging.INFO)
    raw = tmp_path / "raw"
    fetch("toy", entry({}), raw, [mirror(EVIL), tmp_path / "gone", mirror(GOOD, folder="m2")])
    assert (raw / "toy" / "toy.csv").read_bytes() == GOOD
    assert f"its sha256 is {sha256(EVIL)}" in caplog.text


def test_mirrors_of_the_environment_come_first(tmp_path, mirror, monkeypatch):
    one, two = mirror(b"one"), mirror(b"two", folder="m2")
    sources = entry({"sha256": None})
    monkeypatch.setenv("ALGOS_DATA_MIRRORS", f"{tmp_path / 'gone'}:{two}")
    fetch("toy", sources, tmp_path / "raw", [one])
    assert (tmp_path / "raw" / "toy" / "toy.csv").read_bytes() == b"two"


def test_a_folder_of_another_name(tmp_path, mirror):
    fetch("toy", entry({"folder": "other"}), tmp_path / "raw", [mirror(GOOD, dataset="other")])
    assert files_in(tmp_path / "raw") == ["toy/toy.csv"]


def test_what_is_there_is_left_alone(tmp_path):
    path = tmp_path / "toy" / "toy.csv"
    path.parent.mkdir()
    path.write_bytes(GOOD)
    before = path.stat().st_mtime_ns
    fetch("toy", entry({}), tmp_path)
    assert path.stat().st_mtime_ns == before


def test_what_is_there_with_another_checksum_is_replaced(tmp_path, mirror):
    path = tmp_path / "raw" / "toy" / "toy.csv"
    path.parent.mkdir(parents=True)
    path.write_bytes(GOOD[:-3])
    with pytest.raises(InputError, match="cannot get toy"):
        fetch("toy", entry({}), tmp_path / "raw")
    assert path.read_bytes() == GOOD[:-3]
    fetch("toy", entry({}), tmp_path / "raw", [mirror(GOOD)])
    assert path.read_bytes() == GOOD


def test_unknown_checksum_is_logged(tmp_path, mirror, caplog):
    fetch("toy", entry({"sha256": None}), tmp_path / "raw", [mirror(EVIL)])
    assert f"official checksum is unknown (sha256 {sha256(EVIL)})" in caplog.text
    caplog.clear()
    fetch("toy", entry({}, {"sha256": None}), tmp_path / "raw")
    assert "kept; its checksum cannot be verified" in caplog.text


def test_variants_of_a_file(tmp_path, mirror):
    variants = entry({"file": "toy.gz"}, {"file": "toy.Z", "sha256": sha256(EVIL)})
    fetch("toy", variants, tmp_path / "raw", [mirror(EVIL, "toy.Z")])
    assert files_in(tmp_path / "raw") == ["toy/toy.csv"]


def test_download(tmp_path, server):
    server.answers["/toy.csv"] = [(200, GOOD, len(GOOD))]
    fetch("toy", entry({"urls": [f"{server.url}/gone", f"{server.url}/toy.csv"]}), tmp_path)
    assert (tmp_path / "toy" / "toy.csv").read_bytes() == GOOD
    assert files_in(tmp_path) == ["toy/toy.csv"]


def test_progress_is_logged(tmp_path, server, caplog, monkeypatch):
    monkeypatch.setattr("algos.datasets.fetching._SECONDS_BETWEEN_LINES", 0.0)
    caplog.set_level(logging.INFO)
    content = GOOD * 200_000
    server.answers["/toy.csv"] = [(200, content, len(content))]
    wanted = entry({"urls": [f"{server.url}/toy.csv"], "sha256": sha256(content)})
    fetch("toy", wanted, tmp_path, progress=True)
    lines = [record.message for record in caplog.records if " left" in record.message]
    assert len(lines) > 2
    assert f"of {len(content) / 1e6:.1f} MB, about " in lines[0]


def test_mirror_by_http(tmp_path, server):
    server.answers["/data/toy/toy.csv"] = [(200, GOOD, len(GOOD))]
    fetch("toy", entry({}), tmp_path, [f"{server.url}/data/"])
    assert (tmp_path / "toy" / "toy.csv").read_bytes() == GOOD


def test_a_download_is_tried_again(tmp_path, server, surroundings):
    server.answers["/toy.csv"] = [(503, b"", 0), (200, GOOD[:5], len(GOOD)), (200, GOOD, len(GOOD))]
    fetch("toy", entry({"urls": [f"{server.url}/toy.csv"]}), tmp_path)
    assert (tmp_path / "toy" / "toy.csv").read_bytes() == GOOD
    assert surroundings == [1, 2]


@pytest.mark.parametrize("digest", [sha256(GOOD), None])
def test_a_partial_download_is_never_taken_for_whole(tmp_path, server, digest):
    server.answers["/toy.csv"] = [(200, GOOD[:5], len(GOOD))]
    with pytest.raises(InputError, match=r"toy.csv \(.*(broke off|no connection)"):
        fetch("toy", entry({"urls": [f"{server.url}/toy.csv"], "sha256": digest}), tmp_path)
    assert files_in(tmp_path) == []
    assert len(server.asked) == 3


def test_another_content_is_refused(tmp_path, server):
    server.answers["/toy.csv"] = [(200, EVIL, len(EVIL))]
    with pytest.raises(InputError, match=f"another sha256 than {sha256(GOOD)}"):
        fetch("toy", entry({"urls": [f"{server.url}/toy.csv"]}), tmp_path)
    assert files_in(tmp_path) == []


def test_no_mirror_and_no_network(tmp_path):
    sources = entry({"urls": ["http://127.0.0.1:9/toy.csv"]})
    with pytest.raises(InputError) as caught:
        fetch("toy", sources, tmp_path / "raw", [tmp_path / "mirror"])
    assert str(caught.value) == (
        f"data set 'toy': cannot get toy.csv; tried {tmp_path}/mirror/toy/toy.csv (no such file); "
        f"http://127.0.0.1:9/toy.csv (no connection); put it at {tmp_path}/raw/toy/toy.csv, or name a folder that "
        "holds toy/toy.csv under `data.mirrors` or in ALGOS_DATA_MIRRORS"
    )


def test_server_answers_are_named(tmp_path, server):
    with pytest.raises(InputError, match=r"the server answers 404 Not Found"):
        fetch("toy", entry({"urls": [f"{server.url}/toy.csv"]}), tmp_path)


def test_a_folder_that_cannot_be_written(tmp_path, mirror):
    (tmp_path / "raw").write_text("a file, not a folder")
    with pytest.raises(InputError, match=r"cannot be written"):
        fetch("toy", entry({}), tmp_path / "raw", [mirror(GOOD)])


def test_a_users_own_file_stays_where_it_is(tmp_path):
    mine = tmp_path / "mine.csv"
    own = {"files": [{"path": str(mine), "part": None, "role": None, "sha256": None}]}
    with pytest.raises(InputError, match=r"data set 'mine': .*mine.csv: no such file"):
        fetch("mine", own, tmp_path / "raw")
    mine.write_bytes(GOOD)
    assert fetch("mine", own, tmp_path / "raw") == [mine]
    assert not (tmp_path / "raw").exists()


# --- servers that mean no good ---------------------------------------------------------------------------------------
@pytest.fixture
def sender():
    """Answer each connection with a function that gets the socket, after the request was read; give the address."""
    listener = socket.create_server(("127.0.0.1", 0))
    threads, over = [], threading.Event()

    def serve(answer):
        def run():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection, suppress(OSError):
                    connection.recv(65536)
                    answer(connection, over)

        threads.append(threading.Thread(target=run, daemon=True))
        threads[-1].start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}/toy.csv"

    yield serve
    over.set()
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    for thread in threads:
        thread.join()


def reason(url, tmp_path, **changes):
    """Return why a file could not be had from an address, in the sentence for the user."""
    with pytest.raises(InputError) as caught:
        fetch("toy", entry({"urls": [url], **changes}), tmp_path)
    assert "\n" not in str(caught.value)
    assert files_in(tmp_path) == []
    return str(caught.value).partition(f"tried {url} (")[2].partition(");")[0]


@pytest.mark.parametrize("status", [404, 403, 410, 500, 502, 503])
def test_each_error_of_a_server_is_named(tmp_path, server, status):
    server.answers["/toy.csv"] = [(status, b"<html>sorry</html>", 18)]
    assert reason(f"{server.url}/toy.csv", tmp_path, sha256=None).startswith(f"the server answers {status} ")


def drip(start):
    def answer(connection, over):
        connection.sendall(start)
        while not over.wait(0.02):
            connection.sendall(b"1")

    return answer


@pytest.mark.parametrize(
    "start",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-Slow: ",
        b"",
    ],
    ids=["body", "body without length", "length of a chunk", "header", "first line"],
)
def test_a_server_that_only_drips_is_given_up(tmp_path, sender, monkeypatch, start):
    monkeypatch.setattr("algos.datasets.fetching._SLOW_SECONDS", 0.3)
    begin = time.monotonic()
    assert reason(sender(drip(start)), tmp_path) == "less than 1000 bytes a second came over 0.3 s"
    assert time.monotonic() - begin < 3


def test_a_slow_server_that_is_fast_enough_is_waited_for(tmp_path, sender, monkeypatch):
    monkeypatch.setattr("algos.datasets.fetching._SLOW_SECONDS", 0.2)
    content = GOOD * 4000

    def answer(connection, over):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content))
        for at in range(0, len(content), 4000):
            connection.sendall(content[at : at + 4000])
            over.wait(0.05)

    fetch("toy", entry({"urls": [sender(answer)], "sha256": sha256(content)}), tmp_path)
    assert (tmp_path / "toy" / "toy.csv").read_bytes() == content


@pytest.mark.parametrize("target", ["file:///etc/hostname", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x", "data:,x"])
def test_a_redirect_that_is_no_http_is_refused(tmp_path, sender, target):
    head = f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
    url = sender(lambda connection, _: connection.sendall(head))
    assert reason(url, tmp_path, sha256=None) == "the server sends on to what is no http address"


def test_redirects_without_end_are_refused(tmp_path, sender):
    head = b"HTTP/1.1 302 Found\r\nLocation: /toy.csv\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    url = sender(lambda connection, _: connection.sendall(head))
    assert reason(url, tmp_path, sha256=None) == "the download broke off: TooManyRedirects"


def test_what_is_sent_packed_is_kept_packed(tmp_path, sender):
    """Neither is a bomb unpacked on the way, nor an archive whose compression the server takes for a transport's."""
    packed = gzip.compress(bytes(2**24), mtime=0)
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    url = sender(lambda connection, _: connection.sendall(head + packed))
    fetch("toy", entry({"urls": [url], "sha256": sha256(packed)}), tmp_path)
    assert (tmp_path / "toy" / "toy.csv").read_bytes() == packed


@pytest.mark.parametrize("content", [b"", b"HTTP/1.1 200 OK", b"\x16\x03\x01\x02\x00\x01", b"HTTP/9.9 x\r\n\r\n"])
def test_what_is_no_answer_is_no_connection(tmp_path, sender, content):
    url = sender(lambda connection, _: connection.sendall(content))
    assert reason(url, tmp_path, sha256=None) in ("no connection", "the download broke off: ChunkedEncodingError")
