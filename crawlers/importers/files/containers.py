"""Containers other than zip: recorded traffic (.har), mail (.eml), notebooks (.ipynb), .gz and .tar. Bytes in, the files in them out.

Nothing is written to disk, and nothing is fetched.
"""

import base64
import binascii
import email.errors
import gzip
import json
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email._policybase import Compat32
from email.message import Message
from io import BytesIO
from pathlib import PurePosixPath

from atomexam.text.refusal import Refusal
from crawlers.importers.files.zipped import MAX_PART_BYTES, MAX_RATIO, MAX_UNPACKED_BYTES

ContainedFiles = Iterator[tuple[str, bytes]]
_MOST_PARTS, _MOST_DEEP, _SMALL = 2000, 8, 1024 * 1024
_LONGEST_HEADER = 4096
_MOST_STATED = 300
_STATES = re.compile(
    r"""\s{0,9}(?:(?:answer|ans|da_?an|key|correct)\w{0,20}\s?=\s?(?P<quote>["'])(?P<value>[^"'\\]{1,200})(?P=quote)"""
    r"""|print\(\s{0,4}f?(?P<open>["'])[^"'\\:：]{0,20}(?:答案|answer)[^"'\\:：]{0,9}[:：]?\s{0,4}(?P<within>[^"'\\:：{]{1,200})?(?P=open)"""
    r"""(?:\s{0,4},\s{0,4}(?:(?P<other>["'])(?P<printed>[^"'\\]{1,200})(?P=other)|\w{1,40}))?\s{0,4}\))\s{0,9};?\s{0,9}(?:#.{0,99})?""",
    re.IGNORECASE,
)
"""A line of code that states an answer: `answer_3 = "B"`, `print("正确答案：", "B")`."""
_SUFFIXES = {
    "application/json": ".json",
    "text/json": ".json",
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/xml": ".xml",
    "application/xml": ".xml",
    "text/plain": ".txt",
    "text/csv": ".csv",
    "text/javascript": ".js",
    "application/javascript": ".js",
    "application/x-javascript": ".js",
}
"""Declared type of a part -> the suffix of such a file; other parts contain no questions."""


def parts_of(name: str, body: bytes) -> ContainedFiles:
    """Yield name and bytes of each file in a container.

    Raises:
        ValueError: it is not such a container, is damaged, or exceeds the size limits when unpacked.
    """
    suffix = PurePosixPath(name.lower()).suffix
    total = 0
    for number, (part, inner) in enumerate(CONTAINERS[suffix](name, body), 1):
        total += len(inner)
        if number > _MOST_PARTS or total > MAX_UNPACKED_BYTES:
            raise Refusal(f"{name}: more than {_MOST_PARTS} files or {MAX_UNPACKED_BYTES} bytes when unpacked; unpack it first")
        yield part, inner


def _traffic(name: str, body: bytes) -> ContainedFiles:
    """Yield the bodies of a server's recorded answers, each once."""
    try:
        entries = json.loads(body.decode("utf-8-sig"))["log"]["entries"]
        contents = [entry["response"]["content"] for entry in entries]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Refusal(f"{name}: not recorded traffic ({type(error).__name__}); expected log, entries, response, content") from None
    seen: set[bytes] = set()
    for number, content in enumerate(contents, 1):
        text = content.get("text") if isinstance(content, dict) else None
        if not isinstance(text, str) or not text.strip():
            continue
        inner = text.encode("utf-8", "replace")
        if content.get("encoding") == "base64":
            try:
                inner = base64.b64decode(text, validate=False)
            except (binascii.Error, ValueError):
                continue
        if inner not in seen:
            seen.add(inner)
            yield f"entry {number}{_suffix_of(str(content.get('mimeType', '')))}", inner


def _suffix_of(kind: str) -> str:
    kind = kind.partition(";")[0].strip().lower()
    return _SUFFIXES.get(kind, ".json" if kind.endswith("+json") else f".{kind.rpartition('/')[2] or 'unknown'}")


class _Policy(Compat32):
    """The default policy, without headers on which the library takes quadratic time."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        if sourcelines[0][:8].lower() == "content-" and sum(map(len, sourcelines)) > _LONGEST_HEADER:
            raise ValueError(f"a header of more than {_LONGEST_HEADER} characters")
        return super().header_source_parse(sourcelines)


def message_of(name: str, body: bytes) -> Message:
    """Return a mail, or a page saved as one.

    Raises:
        ValueError: it is not readable.
    """
    try:
        return message_from_bytes(body, policy=_Policy())
    except (email.errors.MessageError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise Refusal(f"{name}: not readable mail ({type(error).__name__}: {str(error)[:80]})") from None


def _mail(name: str, body: bytes) -> ContainedFiles:
    """Yield the pages, texts and files of a mail."""
    message = message_of(name, body)
    try:
        yield from _in_message(message, 0)
    except (email.errors.MessageError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise Refusal(f"{name}: not readable mail ({type(error).__name__})") from None


def _in_message(message: Message, depth: int) -> ContainedFiles:
    if message.is_multipart():
        inner = message.get_payload()
        for part in inner if isinstance(inner, list) and depth < _MOST_DEEP else ():
            if isinstance(part, Message):
                yield from _in_message(part, depth + 1)
        return
    payload = message.get_payload(decode=True)
    kind = message.get_content_type()
    suffix = PurePosixPath(message.get_filename() or "").suffix.lower() or _SUFFIXES.get(kind, "")
    if isinstance(payload, bytes) and payload.strip() and suffix:
        charset = message.get_content_charset()
        if charset and kind.startswith("text/"):
            payload = payload.decode(charset, "replace").encode()
        yield f"part{suffix}", payload


def _gzip(name: str, body: bytes) -> ContainedFiles:
    try:
        with gzip.open(BytesIO(body)) as file:
            inner = file.read(min(MAX_PART_BYTES, max(_SMALL, MAX_RATIO * len(body))) + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise Refusal(f"{name}: not a readable .gz ({error}); is it complete?") from None
    if len(inner) > min(MAX_PART_BYTES, max(_SMALL, MAX_RATIO * len(body))):
        raise Refusal(f"{name}: grows from {len(body)} to more than {len(inner) - 1} bytes; that is not a document")
    plain = PurePosixPath(name).stem
    if name.lower().endswith(".tgz") or plain.lower().endswith(".tar"):
        yield from _tar(name, inner)
    else:
        yield plain, inner


def _tar(name: str, body: bytes) -> ContainedFiles:
    try:
        with tarfile.open(fileobj=BytesIO(body), mode="r:") as files:
            for member in files:
                if member.isfile() and member.size <= MAX_PART_BYTES and (file := files.extractfile(member)):
                    steps = [step for step in member.name.split("/") if step not in ("", ".", "..")]
                    if steps and not any(step.startswith(".") for step in steps):
                        yield "".join(sign for sign in "/".join(steps) if sign.isprintable()) or "file", file.read(member.size)
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise Refusal(f"{name}: not a readable .tar ({error}); is it complete?") from None


def _notebook(name: str, body: bytes) -> ContainedFiles:
    """Yield the texts of a Jupyter notebook as one file, and its code as another.

    A cell of code that only states an answer, `print("答案：", "B")`, belongs to the text; outputs are left out.
    """
    try:
        document = json.loads(body.decode("utf-8-sig"))
        cells = [(str(cell["cell_type"]), cell["source"]) for cell in document["cells"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Refusal(f"{name}: not a notebook ({type(error).__name__}); expected cells with cell_type and source") from None
    texts: dict[str, list[str]] = {"markdown": [], "code": []}
    for kind, source in cells:
        text = "".join(map(str, source)) if isinstance(source, list) else str(source)
        if kind == "code" and (answer := _answer_in(text)):
            texts["markdown"].append(f"答案：{answer}")
        elif kind in texts and text.strip():
            texts[kind].append(text)
    for kind, suffix in (("markdown", ".md"), ("code", ".py")):
        if texts[kind]:
            yield f"{kind}{suffix}", "\n\n".join(texts[kind]).encode("utf-8", "replace")


def _answer_in(code: str) -> str:
    """Return the answer that a cell of code assigns or prints; empty if it does anything else."""
    lines = [line for line in code.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    parts = [_STATES.fullmatch(line) for line in lines if len(line) <= _MOST_STATED]
    if len(parts) < len(lines) or None in parts:
        return ""
    values = {part["value"] or part["printed"] or part["within"] for part in parts if part} - {None}
    return values.pop() if len(values) == 1 else ""


CONTAINERS: dict[str, Callable[[str, bytes], ContainedFiles]] = {
    ".har": _traffic,
    ".eml": _mail,
    ".gz": _gzip,
    ".tgz": _gzip,
    ".tar": _tar,
    ".ipynb": _notebook,
}
