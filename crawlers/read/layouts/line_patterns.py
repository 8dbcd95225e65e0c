"""Line patterns as people write them, `{number}、{stem}（{answer}）`, compiled to find fields in a line; also, answers as letters.

A pattern is a line with names in place of the variable parts. The fixed text between names becomes small expressions of bounded length;
each is searched for once, so that the time is linear in the length of the line for any pattern.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from atomexam.records.checks import one_of
from atomexam.text.numerals import CIRCLED_NUMBERS, HANZI, STEMS
from atomexam.text.option_letters import CIRCLED_LETTERS, LETTERS
from atomexam.text.verdicts import VERDICT
from crawlers.read.vocabulary.labels import LETTERS as ANSWER_LETTERS
from crawlers.read.vocabulary.labels import flat
from crawlers.read.vocabulary.numbers import TYPE, number_of

ALPHABETS = (LETTERS, LETTERS.lower(), CIRCLED_NUMBERS, "123456789", HANZI, STEMS)
"""Ordered sequences of letters or symbols that label options."""
_BEFORE_OPTIONS = r"\s{0,40}+(?<![(\[【<])(?=[(\[【<]?\s?(?:[AaⒶⓐ①]\s?[.、:)\]】>]|[Ⓐⓐ⒜①]))"
"""The first option letter, which separates the options from a stem on the same line."""
_BLANKS = r"\s{0,40}+"
_NUMERAL = rf"[{HANZI}零〇百]{{1,5}}|[IVX]{{1,5}}"
_NUMBER = rf"\d{{1,6}}|[①-⑳㉑-㉟⑴-⒇⒈-⒛]|[{HANZI}零〇百]{{1,5}}"
_CLOSED = {
    "number": _NUMBER,
    "numeral": _NUMERAL,
    "letter": f"[{''.join(ALPHABETS)}{''.join(CIRCLED_LETTERS)}]",
    "first": r"\d{1,5}",
    "last": r"\d{1,5}",
}
"""Fields that take few forms, by name, with their expressions."""
_ANSWER = f"(?:{ANSWER_LETTERS}|{VERDICT}|[{CIRCLED_NUMBERS}]{{1,10}}|[1-9{STEMS}])"
_ANSWERS = r"[A-Ja-j√×对错TF](?:[\s,;、/|]{0,6}[A-Ja-j√×对错TF]){0,199}"
"""Answers to several questions."""
_ALONE = {"type": rf"[【\[(]?(?:{TYPE})[】\])]?"}
"""Fields that take few forms on a line without fixed text."""
_WHOLE = {"name": r"(?![A-Za-z])", "blank": r"(?![A-Za-z\d])"}
"""What must follow a letter without punctuation, by what follows in the pattern: `DNA` is not option D, and `12 mg` is not option 1."""
_OPEN = ("stem", "option", "right_option", "options", "explanation", "heading", "case", "type", "")
_LETTERED = ("option", "right_option")
NAMES = (*_CLOSED, "answer", *_OPEN)
_TOKEN = re.compile(r"(?P<sign>\{\{|\}\})|\{(?P<name>[^{}]{0,40})\}|(?P<brace>[{}])|(?P<blank>\s+)|(?P<other>.)")
_LETTER_BEFORE = re.compile(rf"(?<![A-Za-z])([A-Ja-j{CIRCLED_NUMBERS}{STEMS}{''.join(CIRCLED_LETTERS)}])[^\w{CIRCLED_NUMBERS}]{{0,4}}$")
BEGINS, ENDS = "([{<【〔「_", ")]}>】〕」_"
_PARTS = " ,;、。.|/"
"""Separators between entries on one line."""
_MOST_NAMES, _MOST_CHARS = 24, 400
_STOP = r"(?P<stop>[。.?!;,:]?)"
"""Optional punctuation after the last fixed text of a pattern."""


class Field(Struct, frozen=True):
    """The text that a field of a pattern matched in a line."""

    name: str
    start: int
    end: int
    letter: str = ""
    """The option's letter, if the pattern fixes it."""


class _Form(Struct, frozen=True):
    """A pattern split at its open fields, with one more expression than fields."""

    signs: list[re.Pattern[str] | None]
    open: list[tuple[str, str]]
    """Name of each open field, and its letter if the pattern fixes one."""


class LinePattern(Struct, frozen=True):
    """A compiled pattern."""

    text: str
    names: tuple[str, ...]
    weight: int
    """Number of fixed characters, numbers and letters; if two patterns match, the one with the greater weight wins."""
    in_blank: bool
    """Whether its answer is in brackets within the stem."""
    strict: "_Form"
    loose: "_Form | None"
    """The form for answers in words."""
    onward: "_Form | None" = None
    """The form for a stem that continues after its bracketed answer."""

    @property
    def is_open(self) -> bool:
        """Return whether every line matches the pattern."""
        return not self.weight

    def fields(self, line: str, worded: bool = True) -> list[Field] | None:
        """Return the fields of a flat line in order; None if it does not match.

        Args:
            worded: whether answers may be words, not only letters and verdicts.
        """
        forms = (self.strict, self.onward, self.loose if worded else None)
        return next((fields for form in forms if form and (fields := _fields(form, line)) is not None), None)

    def entries(self, line: str) -> Iterator[list[Field]]:
        """Yield the fields of each entry on a flat line of entries; nothing if the line contains anything else."""
        if self.strict.open or (expression := self.strict.signs[0]) is None:
            if fields := self.fields(line, worded=False):
                yield fields
            return
        matches = list(expression.finditer(line))
        starts, ends = [*(match.start() for match in matches), len(line)], [0, *(match.end() for match in matches)]
        if not any(line[end:start].strip(_PARTS) for end, start in zip(ends, starts, strict=True)):
            yield from map(_named, matches)


def compiled(pattern: str, where: str) -> LinePattern:
    """Return a compiled pattern.

    Args:
        where: the file and the key that contain it.

    Raises:
        ValueError: the pattern is empty, or has an unknown name, an unmatched brace or two names with nothing between them.
    """
    pattern = pattern.strip()
    if not pattern or len(pattern) > _MOST_CHARS:
        raise ValueError(
            f"{where}: pattern {pattern[:40]!r}: expected a line of 1 to {_MOST_CHARS} characters with a name or a fixed character"
        )
    tokens: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(flat(pattern)):
        if match["brace"]:
            raise ValueError(f"{where}: pattern {pattern!r}: an unmatched brace; expected a name in braces, or {{{{ for a literal brace")
        kind = str(match.lastgroup)
        if kind == "name":
            one_of(match["name"], NAMES, "name in braces", f"{where}: pattern {pattern!r}")
        tokens.append((kind, match["name"] if kind == "name" else match[0][0]))
    names = tuple(value for kind, value in tokens if kind == "name")
    alone = {} if any(kind in ("sign", "other") or value in _CLOSED for kind, value in tokens) else _ALONE
    few = _CLOSED | alone
    if len(names) > _MOST_NAMES:
        raise ValueError(f"{where}: pattern {pattern!r}: {len(names)} names; expected at most {_MOST_NAMES}")
    if again := next((name for name in ("number", "numeral", "first", "last") if names.count(name) > 1), None):
        raise ValueError(f"{where}: pattern {pattern!r}: {{{again}}} twice; use {{}} for text to ignore")
    strict, loose = _form(tokens, few | {"answer": _ANSWERS if "last" in names else _ANSWER}), _form(tokens, few)
    if strict is None:
        raise ValueError(f"{where}: pattern {pattern!r}: expected a character or a space between two names")
    weight = sum(2 * (kind in ("sign", "other")) + (kind == "name" and value in few) for kind, value in tokens)
    in_blank = _is_in_blank(tokens)
    onward = _form([*tokens, ("name", "stem")], _CLOSED | {"answer": _ANSWER}) if in_blank and tokens[-1][0] != "name" else None
    return LinePattern(pattern, names, weight, in_blank, strict, loose if "answer" in names and "last" not in names else None, onward)


def _is_in_blank(tokens: Sequence[tuple[str, str]]) -> bool:
    """Return whether a pattern's answer is in brackets next to its stem."""
    bare = [token for token in tokens if token[0] != "blank"]
    at = bare.index(("name", "answer")) if ("name", "answer") in bare else 0
    around = bare[at - 2 : at - 1] + bare[at + 2 : at + 3] if at > 1 else []
    return at > 1 and _is_enclosed(bare, at) and ("name", "stem") in around


def _is_enclosed(bare: Sequence[tuple[str, str]], at: int) -> bool:
    return (
        0 < at < len(bare) - 1
        and bare[at - 1][1] in BEGINS
        and bare[at + 1][1] in ENDS
        and "name" not in (bare[at - 1][0], bare[at + 1][0])
    )


def _form(tokens: Sequence[tuple[str, str]], closed: dict[str, str]) -> _Form | None:
    """Return a pattern split at its open fields; None if two of them are adjacent."""
    signs: list[str] = [""]
    open_: list[tuple[str, str]] = []
    fixed, counts = "", Counter[str]()
    for at, (kind, value) in enumerate(tokens):
        if kind == "blank":
            around = [tokens[side] for side in (at - 1, at + 1) if 0 <= side < len(tokens)]
            is_needed = len(around) == 2 and all(kind == "name" and value not in _CLOSED for kind, value in around)
            signs[-1] += r"\s{1,40}+" if is_needed else _BLANKS
            fixed += " "
        elif kind != "name":
            signs[-1] += re.escape(value)
            fixed += value
        elif value in closed:
            counts[value] += 1
            optional = "?" if value == "answer" and _is_enclosed(tokens, at) else ""
            whole = _WHOLE.get(next((after for after, _ in tokens[at + 1 : at + 2]), ""), "") if value == "letter" else ""
            signs[-1] += f"{_BLANKS}(?P<{value}{counts[value]}>{closed[value]}){whole}{optional}{_BLANKS}"
            fixed = ""
        else:
            if value == "options" and open_ and not fixed.strip():
                signs[-1] = _BEFORE_OPTIONS
            if open_ and not signs[-1]:
                return None
            letter = _LETTER_BEFORE.search(fixed) if value in _LETTERED else None
            open_.append((value, letter[1] if letter else ""))
            signs.append("")
            fixed = ""
    last = f"(?:{signs[-1]})\\s{{0,40}}+{_STOP}\\s{{0,40}}+\\Z" if signs[-1] and open_ else signs[-1]
    return _Form([re.compile(sign) if sign else None for sign in [*signs[:-1], last]], open_)


def _named(match: re.Match[str]) -> list[Field]:
    return [Field(name.rstrip("0123456789"), *match.span(name)) for name in match.re.groupindex if name != "stop" and match[name]]


def _fields(form: _Form, line: str) -> list[Field] | None:
    """Return the fields of a line. A stem extends as far as possible; every other open field ends as early as possible."""
    first, *between = form.signs
    if not form.open:
        whole = first.fullmatch(line) if first else None
        return _named(whole) if whole else None
    head = first.match(line) if first else None
    if first and head is None:
        return None
    start, end = head.end() if head else 0, len(line)
    last = between.pop()
    tail = last.search(line, start) if last else None
    if last and tail is None:
        return None
    end = tail.start() if tail else end
    least = [*[1] * (len(form.open) - 1), int(form.open[-1][0] != "")]  # an unused text at the end may be empty
    search = _backward if form.open[0][0] == "stem" else _forward
    middle = search([*zip(between, least[:-1], least[1:], strict=True)], line, start, end)
    if middle is None:
        return None
    found = [*([head] if head else []), *middle, *([tail] if tail else [])]
    starts, ends = [start, *(match.end() for match in middle)], [*(match.start() for match in middle), end]
    fields = [_stripped(line, *opened, low, high) for opened, low, high in zip(form.open, starts, ends, strict=True)]
    if any(field.name and field.start == field.end for field in fields):
        return None
    return sorted([*fields, *(field for match in found for field in _named(match))], key=lambda field: field.start)


_Between = tuple[re.Pattern[str] | None, int, int]
"""The expression between two fields, and the minimum lengths of the texts before and after it."""


def _forward(signs: Sequence[_Between], line: str, start: int, end: int) -> list[re.Match[str]] | None:
    found = []
    for sign, before, _ in signs:
        match = sign.search(line, min(_word(line, start, end) + before, end), end) if sign else None
        if match is None:
            return None
        found.append(match)
        start = match.end()
    return found


def _backward(signs: Sequence[_Between], line: str, start: int, end: int) -> list[re.Match[str]] | None:
    found: list[re.Match[str]] = []
    for sign, before, behind in reversed(signs):
        matches = list(sign.finditer(line, min(_word(line, start, end) + before, end), max(start, end - behind))) if sign else []
        if not matches:
            return None
        found.insert(0, matches[-1])
        end = matches[-1].start()
    return found


def _word(line: str, start: int, end: int) -> int:
    """Return the index of the first non-space character from `start` on."""
    return min(end, start + len(line[start:end]) - len(line[start:end].lstrip()))


def _stripped(line: str, name: str, letter: str, start: int, end: int) -> Field:
    text = line[start:end]
    low = start + len(text) - len(text.lstrip())
    return Field(name, min(low, end), max(low, start + len(text.rstrip())) if text.strip() else low, letter)


_NO_WORDS = re.compile(r"[\W_]")
_SEPARATORS = re.compile(r"[\s,、;./|+&和及与()\[\]]")
Options = Sequence[tuple[str, str, bool]]
"""For each option: its letter, its text, and whether it is marked as right."""


def bare_answer(answer: str) -> str:
    """Return an answer in upper case, without the separators between its letters."""
    return _SEPARATORS.sub("", flat(answer)).upper()


def number_in(text: str) -> int | None:
    """Return the value of a number written in any form that papers use."""
    number = number_of(f"{flat(text)}、")
    return number.value if number else None


def letters_of(signs: Sequence[str]) -> tuple[str, str]:
    """Return a letter for each option (none if their labels are out of order) and the alphabet of the labels."""
    bare = [plain(sign) for sign in signs]
    if not any(bare):
        return LETTERS[: len(bare)], LETTERS
    alphabet = next((one for one in ALPHABETS if bare[0] and one.startswith(bare[0])), "")
    whole = "".join(bare)
    right = alphabet.startswith(whole) and all(bare)
    return (LETTERS[: len(bare)] if right else ""), alphabet


def plain(letter: str) -> str:
    """Return a circled letter as a plain half-width one."""
    return CIRCLED_LETTERS.get(letter, flat(letter))


def _named_with_words(answer: str, options: Options, alphabet: str) -> str:
    """Return the letters of an answer that repeats the text of each option, `A、甲；C、丙`; empty if it contains anything else."""
    texts = {sign: _NO_WORDS.sub("", flat(text)).upper() for sign, (_, text, _) in zip(alphabet.upper(), options, strict=False)}
    rest, named = _NO_WORDS.sub("", flat(answer)).upper(), ""
    while rest:
        sign = plain(rest[0]).upper()
        if not texts.get(sign) or not rest.startswith(texts[sign], 1):
            return ""
        named, rest = named + LETTERS[alphabet.upper().index(sign)], rest[1 + len(texts[sign]) :]
    return named


def in_letters(answer: str, options: Options) -> str:
    """Return an answer as letters if it names options by their text or by other labels, `②④`; otherwise, return it unchanged."""
    _, alphabet = letters_of([letter for letter, _, _ in options])
    signs = bare_answer(answer)
    if options and alphabet not in ("", LETTERS, LETTERS.lower()) and signs and set(signs) <= set(alphabet):
        return "".join(LETTERS[alphabet.index(sign)] for sign in signs)
    if signs and alphabet in ("", LETTERS) and set(signs) <= {*LETTERS[: len(options)]}:
        return answer
    if named := _named_with_words(answer, options, alphabet or LETTERS):
        return named
    same = [at for at, (_, text, _) in enumerate(options) if bare_answer(text) == signs]
    return LETTERS[same[0]] if len(same) == 1 and same[0] < len(LETTERS) else answer
