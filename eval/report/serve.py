"""Serve the pages on this machine only, and reload them in the browser when stage `report` has rewritten them.

python -m eval.report --serve [--port 8800] [--folder reports]

The pages also open from disk, without reloading.
"""

import sys
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from atomexam.runtime.stage import command, parser_of

LOOPBACK = "127.0.0.1"
_NAMES = (LOOPBACK, "localhost")
_RELOAD = b'<script src="app/reload.js" defer></script>\n</head>'
_DIFFERENCE = "/diff/"
"""URL path of the default output of `eval.diff --html`, the folder `diff` next to the pages' folder."""
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}


class ReportServer(ThreadingHTTPServer):
    """Serves one folder of pages, and the diff next to it."""

    daemon_threads = True

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder.resolve()
        super().__init__((LOOPBACK, port), _PageHandler)

    @property
    def address(self) -> str:
        """URL of the report."""
        return f"http://{LOOPBACK}:{self.server_port}/index.html"


class _PageHandler(SimpleHTTPRequestHandler):
    server: ReportServer

    def __init__(self, request: Any, client: Any, server: ReportServer) -> None:
        super().__init__(request, client, server, directory=str(server.folder))

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if self.headers.get("Host", "").partition(":")[0] not in _NAMES:  # another host name that resolves to this machine (DNS rebinding)
            self.send_error(HTTPStatus.FORBIDDEN)
        elif path == "/":
            self.send_response(HTTPStatus.FOUND)
            self.send_header("Location", "/index.html")
            self.end_headers()
        elif path == "/app/written.js":
            self._send(b'AtomExam.written("%s");\n' % written(self.server.folder).encode(), "text/javascript")
        elif not path.startswith(_DIFFERENCE) and path.endswith(".html") and (page := Path(self.translate_path(path))).is_file():
            self._send(page.read_bytes().replace(b"</head>", _RELOAD, 1), "text/html; charset=utf-8")
        else:
            super().do_GET()

    def translate_path(self, path: str) -> str:
        folder = self.server.folder
        is_diff = path.startswith(_DIFFERENCE)
        self.directory = str(folder.parent / _DIFFERENCE.strip("/") if is_diff else folder)
        return super().translate_path(path.removeprefix(_DIFFERENCE[:-1]) if is_diff else path)

    def do_HEAD(self) -> None:
        self.send_error(HTTPStatus.METHOD_NOT_ALLOWED)

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        del path
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, *args: Any) -> None:
        del args


def written(folder: Path) -> str:
    """Return the modification time of the report, which is written last; "" if it does not exist."""
    try:
        return str((folder / "index.html").stat().st_mtime_ns)
    except FileNotFoundError:  # the stage is running
        return ""


def main(argv: list[str] | None = None) -> None:
    parser = parser_of(__doc__, prog=f"{command()} --serve")
    parser.add_argument("--port", type=int, default=8800, help="default: 8800; 0: any free port")
    parser.add_argument("--folder", type=Path, default=Path("reports"), metavar="PATH", help="default: reports")
    args = parser.parse_args(argv)
    if not (args.folder / "index.html").is_file():
        raise FileNotFoundError(f"{args.folder}/index.html: no such file; `make repro` builds it")
    try:
        server = ReportServer(args.folder, args.port)
    except OSError as error:
        raise ValueError(f"port {args.port} of {LOOPBACK}: {error.strerror}; choose another with --port, or 0 for any") from None
    with server:
        sys.stderr.write(f"{server.address}, on this machine only; Ctrl-C stops it\n")
        sys.stderr.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
