"""Align the texts of items with the lines that they came from: which characters of the lines are claimed, each at most once.

Items follow their source, so each text is searched a short way after the previous one. A text that the reader changed inside is aligned
piece by piece. The time is linear in the text: every search has a limit.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from crawlers.coverage.characters import counted, folded, folded_lines

FREE, IN_ITEM, REJECTED = 0, 1, 2
"""Marks of a character; a rejected question has REJECTED, or a higher number for each further reason."""
_SEEDS = (12, 6, 3)
_SHORT_SEED = 3
_AHEAD = 600
_TRIES = 32
_GAP = 200
_MOST_MISSES = 500
"""Consecutive characters that begin nothing in the source, after which the rest of a text is abandoned; this bounds the time for hostile
text.
"""
_ANCHOR = 12
_LEAST_ANCHOR = 5
_MOST_POSITIONS = 64
_FINGERPRINTS, _CHUNK = 1 << 22, 1 << 20
MARKUP = re.compile(
    r"</?(?:font|span|strong|div|table|tbody|thead|img|sub|sup|code|em|br|hr|tr|td|th|ul|ol|li|h[1-6]|[bipuas])(?:\s[^<>]{0,300})?/?>", re.I
)
_NUMBER = re.compile(r"(?:第\d{1,5}题)?[\W\d_]*")


def words_of(text: str) -> str:
    """Return the folded characters of a text without its HTML tags."""
    return folded(MARKUP.sub(_blank, text) if "<" in text else text)


def words_of_each(texts: Sequence[str]) -> list[str]:
    """Return the same of many texts."""
    return folded_lines([MARKUP.sub(_blank, text) if "<" in text else text for text in texts])


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def anchors_of(whole: str, texts: Sequence[str]) -> list[int]:
    """Return where each text begins in the full text, so that their order is kept; -1 if a text's position is uncertain.

    A text is identified by its first words, or by its last ones if the reader changed the first. Of several possible positions, those are
    chosen that leave most texts in order: the longest increasing run.
    """
    keys = [_keys_of(text) for text in texts]
    positions: dict[str, list[int]] = {key: [] for some in keys for key, _ in some}
    for length in {len(key) for key in positions}:
        for position in _likely_positions(whole, [key for key in positions if len(key) == length]):
            hits = positions.get(whole[position : position + length])
            if hits is not None and len(hits) < _MOST_POSITIONS:
                hits.append(position)
    tails: list[tuple[int, int]] = []  # the last position of the best run of each length, and its node
    nodes: list[tuple[int, int, int]] = []  # text, position, node before
    for number, some in enumerate(keys):
        some = sorted(some, key=lambda one: len(positions[one[0]]) >= _MOST_POSITIONS)  # a stretch with all its positions first
        key, offset = next(((key, offset) for key, offset in some if positions[key]), ("", 0))
        candidates = [(position, offset) for position in positions.get(key, ())]
        is_frequent = len(candidates) >= _MOST_POSITIONS
        for length in (len(texts[number]), _ANCHOR + 4):  # the full text, or its number and first words
            opening = texts[number][:length]
            if sure := [(position, offset) for position, offset in candidates if whole.startswith(opening, max(0, position - offset))]:
                candidates = sure
                break
        else:
            candidates = [] if is_frequent else candidates
        for position, offset in reversed(candidates):
            at = bisect_left(tails, (position, -1))
            nodes.append((number, _start_of(whole, texts[number], position, offset), tails[at - 1][1] if at else -1))
            tails[at : at + 1] = [(position, len(nodes) - 1)]
    anchors = [-1] * len(texts)
    node = tails[-1][1] if tails else -1
    while node >= 0:
        number, anchors[number], node = nodes[node][0], nodes[node][1], nodes[node][2]
    return anchors


def _likely_positions(whole: str, keys: Sequence[str]) -> Iterator[int]:
    """Yield, ascending, where one of some keys of the same length may begin: its first two, its middle and its last character fit."""
    length = len(keys[0])
    is_seen = np.zeros(_FINGERPRINTS, dtype=bool)
    is_seen[_fingerprints(_codes_of("".join(keys)).reshape(-1, length))] = True
    for start in range(0, len(whole) - length + 1, _CHUNK):
        windows = np.lib.stride_tricks.sliding_window_view(_codes_of(whole[start : start + _CHUNK + length - 1]), length)
        yield from (np.flatnonzero(is_seen[_fingerprints(windows)]) + start).tolist()


def _codes_of(text: str) -> "np.ndarray[Any, np.dtype[np.uint32]]":
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _fingerprints(windows: "np.ndarray[Any, np.dtype[np.uint32]]") -> "np.ndarray[Any, np.dtype[np.uint32]]":
    """Return a number for each window of characters, mixed from four of them."""
    mixed = np.zeros(len(windows), dtype=np.uint32)
    for column in (0, 1, windows.shape[1] // 2, -1):
        mixed = mixed * np.uint32(0x9E3779B1) + windows[:, column]  # a prime near the golden ratio of 2**32; overflow is meant
    return mixed >> np.uint32(32 - _FINGERPRINTS.bit_length() + 1)


def _start_of(whole: str, text: str, position: int, offset: int) -> int:
    """Return where a text begins, given the position of a known stretch: earlier than its length says if a page header interrupts it."""
    start = max(0, position - offset)
    if whole.startswith(text[:_ANCHOR], start):
        return start
    before = whole.rfind(text[: _ANCHOR + 4], max(0, start - _GAP), start)
    return before if before >= 0 else start


def _keys_of(text: str) -> list[tuple[str, int]]:
    """Return stretches that identify a text, each with its offset in the text."""
    number = _NUMBER.match(text)
    start = number.end() if number else 0
    if len(text) - start < _LEAST_ANCHOR:
        return [(text, 0)] if len(text) >= _LEAST_ANCHOR else []
    first = text[start : start + _ANCHOR]
    return [(first, start), *([(text[-_ANCHOR:], len(text) - _ANCHOR)] if len(text) > start + _ANCHOR else [])]


class MarkedLines:
    """Lines as one run of counted characters, without HTML tags, with a mark for each character."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.markup = sum(counted(tag) for line in lines if "<" in line for tag in MARKUP.findall(line))
        pieces = words_of_each(lines)
        self.starts, total = array("L"), 0
        for piece in pieces:
            self.starts.append(total)
            total += len(piece)
        self.text = "".join(pieces)
        self.marks = bytearray(total)
        self._words = dict(zip(lines, pieces, strict=True))

    def words_of(self, text: str) -> str:
        """Return the folded characters of a text, which most often is a line."""
        return self._words.get(text) or words_of(text)

    def line_of(self, position: int) -> int:
        """Return the line that contains a character."""
        return bisect_right(self.starts, position) - 1

    def bounds(self, line: int) -> tuple[int, int]:
        """Return where the characters of a line begin and end."""
        return self.starts[line], self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)

    def claim(self, start: int, end: int, mark: int) -> None:
        """Mark the unmarked characters of a stretch."""
        if self.is_free(start, end):
            self.marks[start:end] = bytes([mark]) * (end - start)
            return
        for position in range(start, end):
            if self.marks[position] == FREE:
                self.marks[position] = mark

    def is_free(self, start: int, end: int) -> bool:
        """Return whether no character of a stretch is claimed."""
        return self.marks.count(FREE, start, end) == end - start

    def find_free(self, text: str, start: int, end: int) -> int:
        """Return the first unclaimed position of a text within bounds, -1 if there is none."""
        position = start
        for _ in range(_TRIES):
            position = self.text.find(text, position, end)
            if position < 0 or self.is_free(position, position + len(text)):
                return position
            position = max(position + 1, self.marks.find(FREE, position))
        return -1

    def claim_pieces(self, text: str, start: int, end: int, mark: int) -> tuple[int, int] | None:
        """Claim a folded text within bounds, whole or in pieces; return the bounds of what was claimed, None if nothing was."""
        if not text:
            return None
        pieces = self._pieces(text, start, end, _SEEDS)
        for low, high in pieces:
            self.claim(low, high, mark)
        return (pieces[0][0], pieces[-1][1]) if pieces else None

    def _pieces(self, text: str, start: int, end: int, seeds: Sequence[int]) -> list[tuple[int, int]]:
        """Return the position of a text within bounds, or of its pieces in order: long ones first, shorter ones between them."""
        position = self.find_free(text, start, end) if text else -1
        if position >= 0:
            return [(position, position + len(text))]
        if not text or not seeds or (seeds[0] <= _SHORT_SEED < len(text) and end - start > _GAP):
            return []
        pieces: list[tuple[int, int]] = []
        seed, rest = seeds[0], seeds[1:]
        offset, read, before, misses = 0, 0, start, 0
        while offset + seed <= len(text) and misses < _MOST_MISSES:
            position = self.find_free(text[offset : offset + seed], before, end)
            if position < 0:
                offset, misses = offset + 1, misses + 1
                continue
            misses = 0
            left, right = self._widened(text, offset, position, read, before, end)
            pieces += self._pieces(text[read : offset - left], max(before, position - left - _GAP), position - left, rest)
            pieces.append((position - left, position + right))
            offset, read, before = offset + right, offset + right, position + right
        tail = text[read:]
        return pieces + self._pieces(tail, before, min(end, before + 2 * len(tail) + _GAP) if pieces else end, rest)

    def _widened(self, text: str, offset: int, position: int, read: int, before: int, end: int) -> tuple[int, int]:
        """Return how far a match extends to the left and to the right."""
        left, right = 0, 0
        while offset - left > read and position - left > before and self._same(text, offset - left - 1, position - left - 1):
            left += 1
        while offset + right < len(text) and position + right < end and self._same(text, offset + right, position + right):
            right += 1
        return left, right

    def _same(self, text: str, offset: int, position: int) -> bool:
        return text[offset] == self.text[position] and self.marks[position] == FREE

    def claim_near(self, text: str, start: int, end: int, mark: int) -> tuple[int, int] | None:
        """Claim a folded text after `start`: near it, or in full anywhere before `end`."""
        near = min(end, start + _AHEAD + 4 * len(text))
        position = self.find_free(text, start, near) if text else -1
        if position >= 0:
            self.marks[position : position + len(text)] = bytes([mark]) * len(text)
            return position, position + len(text)
        if (claimed := self.claim_pieces(text, start, near, mark)) or len(text) < _SEEDS[0]:
            return claimed
        position = self.find_free(text, max(start, near - len(text)), end)
        if position < 0:
            return None
        self.claim(position, position + len(text), mark)
        return position, position + len(text)

    def free_runs(self) -> Iterator[tuple[int, int, int]]:
        """Yield line, start and end of each stretch of unmarked characters within one line."""
        starts, line, last = self.starts, 0, len(self.starts) - 1
        for match in re.finditer(rb"\x00+", bytes(self.marks)):
            start, stop = match.span()
            while start < stop:
                while line < last and starts[line + 1] <= start:
                    line += 1
                end = min(stop, starts[line + 1]) if line < last else stop
                yield line, start, end
                start = end

    def original(self, line: int, start: int, end: int) -> str:
        """Return a stretch of a line unchanged, including white space, but with tags blanked: those are counted once, as markup."""
        whole, low, high = self.lines[line], *self.bounds(line)
        whole = MARKUP.sub(_blank, whole) if "<" in whole else whole
        if (start, end) == (low, high):
            return whole
        if len(whole) == high - low:  # all of its characters count
            return whole[start - low : end - low]
        positions = [position for position, sign in enumerate(whole) if folded(sign)]
        return whole[positions[start - low] : positions[end - low - 1] + 1]
