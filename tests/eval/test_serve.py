"""The pages served on loopback: only to this machine, only the folder, and read again when they are written anew."""

import http.client
import os
import threading
from pathlib import Path

import pytest

from eval.report.__main__ import main
from eval.report.pages import write_scripts
from eval.report.serve import ReportServer, written
from tests.opened import Opened

POLICY = "default-src 'none'; script-src 'self'"
HEAD = f"<!DOCTYPE html>\n<html>\n<head>\n<meta http-equiv='Content-Security-Policy' content=\"{POLICY}\">\n</head>\n"
PAGE = HEAD + "<body><p>{}</p></body>\n</html>\n"
OUTSIDE = ["/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "//secret.txt", "/app/../../secret.txt", "/app/", "/none.html"]


@pytest.fixture
def server(tmp_path: Path):
    (tmp_path / "secret.txt").write_text("outside", encoding="utf-8")
    folder = tmp_path / "reports"
    folder.mkdir()
    write_scripts(folder)
    (folder / "index.html").write_text(PAGE.format("first"), encoding="utf-8")
    with ReportServer(folder, 0) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.05,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def ask(server: ReportServer, path: str, host: str = "127.0.0.1", method: str = "GET") -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.request(method, path, headers={"Host": host})
    answer = connection.getresponse()
    return answer.status, answer.read().decode("utf-8", "replace")


def test_the_server_hears_this_machine_alone(server: ReportServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert ask(server, "/index.html")[0] == 200
    assert ask(server, "/index.html", "evil.example")[0] == 403
    assert ask(server, "/index.html", "127.0.0.1.evil.example:80")[0] == 403


@pytest.mark.parametrize("path", OUTSIDE)
def test_only_files_of_the_folder_are_served(server: ReportServer, path: str) -> None:
    status, body = ask(server, path)
    assert status in (301, 404) and "outside" not in body and "text.js" not in body


def test_the_difference_beside_the_folder_is_served_too(server: ReportServer) -> None:
    assert ask(server, "/diff/index.html")[0] == 404
    (server.folder.parent / "diff/items").mkdir(parents=True)
    (server.folder.parent / "diff/index.html").write_text(PAGE.format("changes"), encoding="utf-8")
    (server.folder.parent / "diff/items/since.js").write_text("since", encoding="utf-8")
    assert ask(server, "/diff/items/since.js") == (200, "since")
    status, body = ask(server, "/diff/index.html")
    assert status == 200 and "changes" in body and "reload.js" not in body
    for path in ("/diff/../secret.txt", "/diff/..%2fsecret.txt", "/diff/%2e%2e/secret.txt", "/diff/items/../../secret.txt", "/diff/items/"):
        assert ask(server, path)[0] in (301, 404), path


def test_a_page_on_the_disk_stays_as_it_is(server: ReportServer) -> None:
    before = (server.folder / "index.html").read_bytes()
    assert "app/reload.js" in ask(server, "/index.html")[1] and b"reload.js" not in before
    assert (server.folder / "index.html").read_bytes() == before


def test_a_page_that_is_written_anew_is_read_again(browser, server: ReportServer) -> None:
    opened = Opened(browser, server.folder, "index.html")  # from the disk it stays
    opened.close()
    context = browser.new_context()
    page = context.new_page()
    with page.expect_response("**/app/written.js*"):
        page.goto(server.address + "#run=first")
    assert page.inner_text("p") == "first"
    (server.folder / "index.html").unlink()
    assert written(server.folder) == ""
    (server.folder / "index.html").write_text(PAGE.format("second"), encoding="utf-8")
    os.utime(server.folder / "index.html", ns=(1, 1))
    page.get_by_text("second").wait_for(timeout=15_000)
    assert page.url.endswith("#run=first")
    context.close()


@pytest.mark.slow
def test_what_cannot_be_served_names_the_next_step(server: ReportServer, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="make repro"):
        main(["--serve", "--folder", str(tmp_path)])
    with pytest.raises(ValueError, match="choose another with --port"):
        main(["--serve", "--folder", str(server.folder), "--port", str(server.server_port)])
