"""A Hugging Face Hub on loopback: the part of its API that sending and loading a dataset needs."""

import base64
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

TOKEN = "hf_loopback"


class Hub(ThreadingHTTPServer):
    """Datasets by name; each has its commits, last one first, and its tags."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.commits: dict[str, list[tuple[str, dict[str, bytes]]]] = {}
        self.tags: dict[str, dict[str, str]] = {}
        self.private: dict[str, bool] = {}
        self.refused = 0
        """Requests without the right key."""


@contextmanager
def running() -> Iterator[Hub]:
    hub = Hub()
    Thread(target=hub.serve_forever, daemon=True).start()
    try:
        yield hub
    finally:
        hub.shutdown()
        hub.server_close()


def blob_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = unquote(urlsplit(self.path).path)
        if path == "/api/validate-yaml":
            self._json({"errors": [], "warnings": []})
        elif self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self.server.refused += 1
            self._json({"error": "no key"}, 401)
        elif path == "/api/repos/create":
            self._create(json.loads(body))
        else:
            owner, short, action, revision = path.removeprefix("/api/datasets/").split("/")
            getattr(self, f"_{action.replace('-', '_')}")(f"{owner}/{short}", revision, body)

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        if path.startswith("/datasets/"):
            owner, short, _, revision, file = path.removeprefix("/datasets/").split("/", 4)
            commit, files = self._at(f"{owner}/{short}", revision)
            if file in files:
                self._send(files[file], "application/octet-stream", 200, {"ETag": f'"{blob_id(files[file])}"', "X-Repo-Commit": commit})
            else:
                self._send(b"", "text/plain", 404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit})
            return
        owner, short, *rest = path.removeprefix("/api/datasets/").split("/")
        name = f"{owner}/{short}"
        if not path.startswith("/api/datasets/") or name not in self.server.commits:
            self._send(b"{}", "application/json", 404, {"X-Error-Code": "RepoNotFound"})
        elif rest == ["refs"]:
            tags = [{"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": commit} for tag, commit in self.server.tags[name].items()]
            self._json({"branches": [], "converts": [], "tags": tags})
        elif rest[:1] == ["tree"]:
            inside = "/".join(rest[2:])
            files = {file: content for file, content in self._at(name, rest[1])[1].items() if file.startswith(inside)}
            self._json([_entry(file, content) for file, content in files.items()])
        else:
            commit, files = self._at(name, rest[1] if rest else "main")
            siblings = [{"rfilename": file} for file in files]
            self._json({"id": name, "sha": commit, "private": self.server.private[name], "siblings": siblings, "tags": []})

    do_HEAD = do_GET

    def _create(self, asked: dict[str, Any]) -> None:
        name = f"{asked['organization']}/{asked['name']}"
        known = name in self.server.commits
        self.server.commits.setdefault(name, [("0" * 40, {".gitattributes": b""})])
        self.server.tags.setdefault(name, {})
        self.server.private.setdefault(name, asked.get("private") or asked.get("visibility") == "private")
        self._json({"url": f"{self.server.url}/datasets/{name}", "name": name}, 409 if known else 200)

    def _preupload(self, name: str, revision: str, body: bytes) -> None:
        files = [{"path": file["path"], "uploadMode": "regular", "shouldIgnore": False} for file in json.loads(body)["files"]]
        self._json({"files": files})

    def _commit(self, name: str, revision: str, body: bytes) -> None:
        files = dict(self._at(name, "main")[1])
        for line in map(json.loads, body.splitlines()):
            if line["key"] == "file":
                files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
            elif line["key"] == "deletedFile":
                del files[line["value"]["path"]]
        commit = hashlib.sha1(repr(sorted(files.items())).encode()).hexdigest()
        self.server.commits[name].insert(0, (commit, files))
        self._json({"success": True, "commitOid": commit, "commitUrl": f"{self.server.url}/datasets/{name}/commit/{commit}"})

    def _tag(self, name: str, revision: str, body: bytes) -> None:
        self.server.tags[name][json.loads(body)["tag"]] = revision
        self._json({})

    def _paths_info(self, name: str, revision: str, body: bytes) -> None:
        files = self._at(name, revision)[1]
        self._json([_entry(path, files[path]) for path in json.loads(body)["paths"] if path in files])

    def _at(self, name: str, revision: str) -> tuple[str, dict[str, bytes]]:
        commits = self.server.commits[name]
        wanted = self.server.tags[name].get(revision, revision)
        return next((one for one in commits if one[0] == wanted), commits[0])

    def _json(self, value: Any, status: int = 200) -> None:
        self._send(json.dumps(value).encode(), "application/json", status, {})

    def _send(self, body: bytes, kind: str, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in ({"Content-Type": kind, "Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def _entry(path: str, content: bytes) -> dict[str, Any]:
    return {"type": "file", "path": path, "size": len(content), "oid": blob_id(content)}
