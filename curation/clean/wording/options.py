"""Clean options: remove letters and surrounding characters, sort by letter, split options joined on one line or into the stem."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from atomexam.records.item import QuestionItem
from atomexam.text.normalize import RULES, CleanText, is_plain, normalize_with, rule_of_signs, run_rules
from atomexam.text.option_letters import LETTERS, are_fillers, are_in_turn, fills_field
from curation.clean.wording.noise import ADDRESS, ADVERT, LEAKED_ANSWER, MISREADINGS, MORE

LETTER = re.compile(r"^[（(【\[]?\s*([A-Ja-j])\s*(?:[）)】\]](?:\s*[、.．:：])?|[、.．:：，,。])\s*")
LETTER_BEFORE_CHINESE = re.compile(r"^([A-J])\s*[.、]\s*(?=[\u4e00-\u9fff“（《‘\d])")
_SIGN = r"\s*+(?:[.．。、]{2}|[;；·|~—–:：､丶﹒》>-])|\s++"
_OTHER_MARK = re.compile(rf"^\s*+(?:(?:选项\s*+)?([A-JＡ-Ｊ])({_SIGN})|([Ⓐ-Ⓙ])(\s*+[.．、:：]?))\s*+(?=\S)")
_BLANK_MARK = re.compile(r"^\s*+([A-JＡ-Ｊ])(\s++)()()(?=\S)")
_LEAST_WITHOUT_A = 3
"""Minimum number of options whose ascending letters show that the first is missing; with two, the letters may be initials of names."""
_LEAST_GLUED, _NAME_CHARS = 3, 3
"""Minimum number of options with a letter directly before the text, A感觉 and B知觉; length of a common prefix of names, as in 维生素A and
维生素C."""
_KINDS = "型级类组期区带线波点段群族链系"
"""Nouns that a letter may qualify: A型血, B型血."""
_GLUED_LETTER = re.compile(r"^\s*+([A-JＡ-Ｊ])(?=[\u4e00-\u9fff]|\d{2})")
_BARE_LETTER = re.compile(r"^([A-J])\s*(?=[\u4e00-\u9fff])")
_AROUND = r"\*{1,3}|_{1,3}|`+|~~|==|<\w{1,6}>|"
"""Optional markup for emphasis around a letter."""
_LED = re.compile(
    rf"\s*+(?:[-*+•·>]\s++|[&@^|~#;；]{{1,3}}+\s*+)?(?P<open>{_AROUND})(?:选项\s*+)?[（(【\[]?\s*+(?P<letter>[A-JＡ-Ｊ])(?![A-Za-z])"
    rf"(?P<sign>\s*+(?:[）)】\]]\s*+[.．、:：，,。]?|[.．、:：，,。])?+)(?P<close>{_AROUND.replace('<', '</')})(?(open)[.．、:：]?)"
    r"(?P<other>(?<![.．、:：，,。）)】\]])[;；·|~—–､丶﹒》>-](?!\d))?\s*+(?=\S)"
)
"""A letter at the beginning of an option, with or without punctuation."""
_LEADS = ("&", "@", "^", "|")
"""Characters that a source may put before the letter of an option."""
_STILL_LED = re.compile(r"\W*([A-J])(?![A-Za-z])\W*")


def with_plain_letters(raw: Sequence[str]) -> Sequence[str]:
    """Write `A 甲`, `A-甲`, `选项A：甲` and `Ⓐ甲` as A.甲 if all options are marked; in A 型, B 型 the letter is the content."""
    if led := _led_in_turn(raw):
        return led
    marks = [mark for option in raw if (mark := _OTHER_MARK.match(option))]
    if len(raw) < 2 or len(marks) < len(raw):
        return _without_glue(raw)
    if len({mark[2] and mark[2].strip() for mark in marks}) > 1:  # the minus in `C -1` belongs to the number
        blank = [mark for option in raw if (mark := _BLANK_MARK.match(option))]
        marks = blank if len(blank) == len(raw) else marks
    letters = [unicodedata.normalize("NFKC", mark[1] or mark[3]) for mark in marks]
    bodies = [option[mark.end() :].strip() for mark, option in zip(marks, raw, strict=True)]
    alike = len({(mark[2] or mark[4] or "").strip() for mark in marks}) == 1
    if not alike or len(set(bodies)) == 1 or letters != sorted(set(letters)) or (letters[0] != "A" and len(raw) < _LEAST_WITHOUT_A):
        return raw
    return [f"{letter}.{body}" for letter, body in zip(letters, bodies, strict=True)]


def _led_in_turn(raw: Sequence[str]) -> list[str] | None:
    """Return options that begin with consecutive letters from A, at least one of them with punctuation, in the form A.甲; None if the
    letters may be words.

    Each may have different punctuation, or none: `A.甲`, `B 乙`, `C丙`; all may have the same emphasis: `**A.** 甲`.
    """
    marks = [mark for option in raw if (mark := _LED.match(option))]
    letters = [unicodedata.normalize("NFKC", mark["letter"]) for mark in marks]
    signed = any(mark["sign"].strip() or mark["open"] for mark in marks)
    if len(raw) < 2 or len(marks) < len(raw) or not signed or not are_in_turn(letters):
        return None
    if any(bool(mark["open"]) != bool(mark["close"]) for mark in marks):
        return None
    if len(raw) >= _LEAST_GLUED and sum(bool(mark["sign"].strip() or mark["open"]) for mark in marks) == 1 and _are_named_alike(raw, marks):
        return None
    bodies = [option[mark.end() :].strip() for option, mark in zip(raw, marks, strict=True)]
    return _led_in_turn(bodies) or [f"{letter}.{body}" for letter, body in zip(letters, bodies, strict=True)]


def _are_named_alike(raw: Sequence[str], marks: Sequence[re.Match[str]]) -> bool:
    """Return whether all options but one have the same text after their letters, as names do: `B点`, `C点`."""
    bodies = Counter(option[mark.end() :].strip() for option, mark in zip(raw, marks, strict=True))
    return bodies.most_common(1)[0][1] >= len(raw) - 1


def keep_letters(texts: Sequence[str]) -> bool:
    """Return whether options still begin with their letters, with or without punctuation: A甲, B乙, C丙, but not A型, B型, C型."""
    marks = [mark for text in texts if (mark := _STILL_LED.match(text))]
    if len(texts) < _LEAST_GLUED or len(marks) < len(texts) or not are_in_turn([mark[1] for mark in marks]):
        return False
    bodies = [text[mark.end() :].strip() for text, mark in zip(texts, marks, strict=True)]
    return all(bodies) and Counter(body[0] for body in bodies).most_common(1)[0][1] * 2 < len(bodies)


def _without_glue(raw: Sequence[str]) -> Sequence[str]:
    """Write `A甲` as A.甲 if all options from A on look like this; A型血 and B型血, with the same text after the letter, are names."""
    marks = [mark for option in raw if (mark := _GLUED_LETTER.match(option))]
    letters = [unicodedata.normalize("NFKC", mark[1]) for mark in marks]
    if len(raw) < _LEAST_GLUED or len(marks) < len(raw) or not are_in_turn(letters):
        return raw
    bodies = [option[mark.end() :].strip() for mark, option in zip(marks, raw, strict=True)]
    one_beginning = len({body[:_NAME_CHARS] for body in bodies}) == 1 and bodies[0][0] not in _KINDS
    most_alike = Counter(body if body[0].isdigit() else body[0] for body in bodies).most_common(1)[0][1]
    if len(set(bodies)) == 1 or (most_alike * 2 >= len(bodies) and not one_beginning):
        return raw
    return [f"{letter}.{body}" for letter, body in zip(letters, bodies, strict=True)]


def order_by_letter(texts: list[str], names: dict[str, None]) -> list[str]:
    """Put B, C and D at their own positions if A is missing, because an answer refers to letters, not positions."""
    letters = [letter[1].upper() if (letter := LETTER.match(text)) else "" for text in texts]
    wanted = [LETTERS.find(letter) if letter else -1 for letter in letters]
    if len(texts) < 2 or wanted == list(range(len(texts))) or min(wanted) < 0:
        return texts
    if sorted(set(wanted)) != wanted:
        return _against_their_letters(texts, wanted, names)
    placed = [""] * (wanted[-1] + 1)
    for index, text in zip(wanted, texts, strict=True):
        placed[index] = text
    names["option_place"] = None
    return placed


def _against_their_letters(texts: list[str], wanted: list[int], names: dict[str, None]) -> list[str]:
    """Read A, B, C, E, E as a misprint of D; leave one option empty in A, A, B, C, D, where the answer C is ambiguous."""
    misplaced = [index for index, letter in enumerate(wanted) if letter != index]
    if wanted[0] != 0 or len(texts) <= 2:
        return texts  # initials of names: C.罗杰斯, A.马斯洛
    names["option_place"] = None
    misprint = len(misplaced) == 1 and wanted.count(wanted[misplaced[0]]) > 1
    if wanted[-1] == 0:
        texts[0] = ""  # a final A starts the options of another question: no letter can be trusted
    for index in misplaced:
        texts[index] = LETTER.sub("", texts[index], count=1)
    if not misprint:
        texts[misplaced[0]] = ""
    return texts


def without_letters(texts: list[str], names: dict[str, None]) -> list[str]:
    lettered = sum(_own_letter(LETTER, text, index) for index, text in enumerate(texts)) * 2 > len(texts)
    for index, text in enumerate(texts):
        for pattern in (LETTER, _BARE_LETTER) if lettered else (LETTER_BEFORE_CHINESE,):
            if _own_letter(pattern, text, index):
                text = pattern.sub("", text, count=1)
                again = _own_letter(LETTER_BEFORE_CHINESE, text, index)
                texts[index] = LETTER_BEFORE_CHINESE.sub("", text) if again else text
                names["option_letter"] = None
                break
    return texts


def _own_letter(pattern: re.Pattern[str], text: str, index: int) -> bool:
    letter = pattern.match(text)
    return letter is not None and index < len(LETTERS) and letter[1].upper() == LETTERS[index]


_EDGE = re.compile(
    r"^[、，；：。,;:?？)）]\s*|^[.．](?!\d)\s*|(?<![\s；;，,、])\s*[；;，,、]+$|(?<=[\u4e00-\u9fff])[-—]+$|(?<=^[A-Za-z])\.$|(?<=[\u4e00-\u9fff][A-Z])\.$|(?<=[\u4e00-\u9fff])[（(]$"
)
_ONE = re.compile(r"^[-—](?=[般种些次组]|个人|定的)")
_TORN_NUMBER = re.compile(r"^([-−+]?\d+)\. +(\d+[%％]?)$")
_PLAIN_LETTER = re.compile("[A-J][.、](?: (?=[\u4e00-\u9fff]))?")
_BEHIND = r"(?:(?<=[^\sA-Za-z.、])|(?<=[和或与及非][A-J]\.))"  # E. in J.E.某 is a name's initial
_NEXT = {letter: re.compile(rf"{_BEHIND}\s*{letter}\s*[.．](?=\s*[\u4e00-\u9fff])") for letter in LETTERS}
_RUNS_ON = re.compile(r"[^\s]\s*[A-J]\s*[.．]\s*[\u4e00-\u9fff]")
_CACHED_CHARS = 64
_FORM_OPTIONS = 4
_EXPLANATION_BEHIND = re.compile(r"(?<=\S)\s*【[^】【]{0,4}(?:解析|精析|评析|分析|详解|点评|考点)】.*$", re.S)
_WORD = re.compile(r"\w")
_FEWEST = 2


def _without_full_stop(text: str) -> str:
    return text[:-1] if text.endswith("。") and text.count("。") == 1 else text


_LETTER_RULES = tuple(rule for rule in RULES if rule.name != "letters_in_words")  # A.blood is option A, not a word
_ADDRESS = re.compile(rf"(?:https?://|www\.){ADDRESS}$")
OPTION_RULES = (
    ADVERT,
    MORE,
    LEAKED_ANSWER,
    rule_of_signs("leaked_explanation", lambda text: _EXPLANATION_BEHIND.sub("", text), ("[析解评点]】",)),
    rule_of_signs(
        "option_edges", lambda text: _without_full_stop(_EDGE.sub("", text)), ("^[、，；：。,;:?？.．)）]", "[；;，,、。.—（(-]$")
    ),
    rule_of_signs("torn_number", lambda text: _TORN_NUMBER.sub(r"\1.\2", text), (r"\. ",)),
    *MISREADINGS,
    rule_of_signs("dash_for_one", lambda text: _ONE.sub("一", text), ("^[-—]",)),
)


class Options(NamedTuple):
    """Options in order; empty ones are kept, so that the letters stay correct."""

    texts: list[str]
    rules: tuple[str, ...]


def clean_options(raw: Sequence[str]) -> Options:
    """Return options without their letters and surrounding characters; drop unused fields of a form.

    Unused are marks such as a dash, alone or after options in words, and empty options after the fourth; earlier ones may be pictures.
    """
    names: dict[str, None] = {}
    read = [_regular(option) if len(option) <= _CACHED_CHARS else None for option in raw]
    regular = [option for option in read if option]
    if len(regular) == len(raw) and "".join([option.letter for option in regular]) == LETTERS[: len(raw)]:
        texts = [option.text for option in regular]
        for rules in dict.fromkeys([option.rules for option in regular]):
            names.update(dict.fromkeys(rules))
    else:
        texts = _irregular(raw, names)
    if texts and ("." in texts[-1] or "．" in texts[-1]) and _RUNS_ON.search(texts[-1]):
        texts = [_noted(_without_edges(text), names) for text in _split_last(texts, names)]
    if not any(texts) and all(addresses := [_ADDRESS.search(option.strip()) for option in raw]):
        texts = [address[0] for address in addresses if address]  # these URLs are options, not adverts
    if are_fillers(texts):
        texts = []
    used = len(texts)
    while used > _FEWEST and (fills_field(texts[used - 1], texts[: used - 1]) or (used > _FORM_OPTIONS and not texts[used - 1])):
        used -= 1
    if used < len(texts) and (all(map(_WORD.search, texts[:used])) or not any(texts[used:])):
        names |= {"unused_option": None} if any(texts[used:]) else {}
        texts = texts[:used]
    return Options(texts, tuple(names))


class _RegularOption(Struct, frozen=True):
    """An option with its letter, cleaned independently of the others."""

    letter: str
    text: str
    rules: tuple[str, ...]


@lru_cache(maxsize=1 << 17)
def _regular(option: str) -> _RegularOption | None:
    plain = _PLAIN_LETTER.match(option)
    if plain and is_plain(body := option[plain.end() :]):
        spaced = plain.end() > len("A.")
        if not any(rule.needs(body) for rule in OPTION_RULES) and not LETTER_BEFORE_CHINESE.match(body):
            return _RegularOption(option[0], body, ("spaces", "option_letter") if spaced else ("option_letter",))
        text = option[:2] + body
        rules: tuple[str, ...] = ("spaces",) if spaced else ()
    else:
        text, rules = _normal(option)
    letter = LETTER.match(text)
    body = text[letter.end() :] if letter else ""
    if not letter or LETTER_BEFORE_CHINESE.match(body) or body.startswith(_LEADS):
        return None
    without_edges = _without_edges(body)
    return _RegularOption(letter[1].upper(), without_edges.text, (*rules, "option_letter", *without_edges.rules))


def _irregular(raw: Sequence[str], names: dict[str, None]) -> list[str]:
    texts = order_by_letter([_noted(_with_letter(option), names) for option in with_plain_letters(raw)], names)
    return [_noted(_without_edges(text), names) for text in without_letters(texts, names)]


def _noted(cleaned: CleanText, names: dict[str, None]) -> str:
    names.update(dict.fromkeys(cleaned.rules))
    return cleaned.text


def _with_letter(option: str) -> CleanText:
    return _short_with_letter(option) if len(option) <= _CACHED_CHARS else _normal(option)


def _normal(option: str) -> CleanText:
    text, rules = run_rules(option, _LETTER_RULES)
    return CleanText(text.replace("\n", " "), rules)


_short_with_letter = lru_cache(maxsize=1 << 16)(_normal)


def _without_edges(text: str) -> CleanText:
    return _short_without_edges(text) if len(text) <= _CACHED_CHARS else normalize_with(text, OPTION_RULES)


@lru_cache(maxsize=1 << 16)
def _short_without_edges(text: str) -> CleanText:
    return normalize_with(text, OPTION_RULES)


def _split_last(texts: list[str], names: dict[str, None]) -> list[str]:
    """Split the last of four options if it contains two: 维果茨基E.弗洛伊德."""
    while 1 < len(texts) < len(LETTERS) and (mark := _NEXT[LETTERS[len(texts)]].search(texts[-1])):
        texts = [*texts[:-1], texts[-1][: mark.start()], texts[-1][mark.end() :]]
        names["option_split"] = None
    return texts


_SENTENCE_BEHIND = re.compile(r"(?:[A-J]\s?[.．、])?\s{0,2}[^\s，。；]{1,14}\s{1,3}[^。\n]{12,120}。")
_LEAST_SHORT, _SHORT_CHARS = 4, 16


def runs_into_next(texts: Sequence[str]) -> bool:
    """Return whether an option also contains the letter and text of the next option, or of one that would follow the last."""
    if not _RUNS_ON.search("\n".join(texts)):
        return False
    return any(
        _NEXT[letter].search(text)
        for index, text in enumerate(texts)
        for letter in (*LETTERS[index + 1 : index + 2], *LETTERS[len(texts) :])
    )


def holds_more(options: Sequence[str]) -> bool:
    """Return whether an option contains another: on its own line with a letter or, in the last of several short options, after a blank."""
    marks = [mark for option in options if "\n" in option for mark in _NEXT_LINE.finditer(option)]
    if any(mark[2].strip() or mark[1] not in LETTERS[: len(options)] for mark in marks):  # otherwise perhaps a word: `腹部⏎B 超检查`
        return True
    *others, last = options if len(options) >= _LEAST_SHORT else ["", ""]
    return _SENTENCE_BEHIND.fullmatch(last) is not None and all(len(one) <= _SHORT_CHARS and "。" not in one for one in others)


_MARK = re.compile(r"(?:^|(?<=[\s>。？?）)]))[（(]?([A-JＡ-Ｊ])(?:[）)]\s*[.．、:：]?|\s*[.．、:：])")
_MARK_WITHIN = re.compile(r"(?:[^\s>]|\A\s*+>)[\s>]+[（(]?[B-JＢ-Ｊ][）)]?\s*[.．、:：]")
_FIRST_MARK = re.compile(r"\s*(?:[（(][AＡ][）)]|[AＡ]\s*([.．、:：]))")
_BRACKET_WITHIN = re.compile(r"\S[（(][E-JＥ-Ｊ][）)]\S")
_BRACKETED = "[（(]([A-JＡ-Ｊ])[）)]"
_MARK_IN_STEM = re.compile(r"(?:^|(?<=[\s）)。？?]))([B-JＢ-Ｊ])\s*[.．、]")
_LETTERS_ALONE = re.compile(r"[^\u4e00-\u9fff]{0,6}(?:答案)?[^\u4e00-\u9fff]*[A-Ja-jＡ-Ｊ][^\u4e00-\u9fff]{0,12}")
_FEWEST_BEHIND_STEM = 3
_FEWEST_GLUED = 4  # one of two options may contain 维生素C、
_LONGEST_IN_STEM = 40
_MOST_RUN_TOGETHER = 4
_LONGEST_CHARS = 2_000


def split_options(item: QuestionItem) -> QuestionItem:
    """Return an item with its options separated; the item itself if they already are, or if it is uncertain where one ends."""
    options = item.options_raw
    if options and (texts := _without_separator(options) or _stacked(options)):
        item, options = replace(item, options_raw=texts), texts
    if options and (stem := _without_own_options((item.stem_raw or "").rstrip(), options)):
        item = replace(item, stem_raw=stem)
    if options:
        if len(options) < _MOST_RUN_TOGETHER or _MARK_WITHIN.search(options[-1]) or _BRACKET_WITHIN.search(options[-1]):
            if texts := _apart(options) or _glued(options):
                return replace(item, options_raw=texts)
            return _with_options_of_stem(item, options)
        return item
    stem = item.stem_raw or ""
    if item.shared_options_raw or len(stem) > _LONGEST_CHARS or not _LETTERS_ALONE.fullmatch(item.answer_raw or ""):
        return item
    marks = _marks(stem)
    if len(marks) < _FEWEST_BEHIND_STEM or not marks[0].start():
        return item
    return replace(item, stem_raw=stem[: marks[0].start()].rstrip(), options_raw=_texts_of_marks(stem, marks))


_SEPARATOR = re.compile(r"(?<=\S)\s*(?:[&@^|]{1,4}|[#$*]{2,4}|\^\*\^)$")
_BETWEEN = r"[。；;，,|]?\s*+"
_NEXT_LINE = re.compile(r"\n[^\S\n]*+(?=([A-J])([\s.．、:：)）]))")


def _without_separator(options: Sequence[str]) -> list[str] | None:
    """Return options without a separator that ends all of them but the last."""
    ends = [match[0].strip() if (match := _SEPARATOR.search(option)) else "" for option in options]
    if len(ends) < 2 or not ends[0] or ends[-1] or len(set(ends)) > 2 or not all(ends[:-1]):
        return None
    return [_SEPARATOR.sub("", option) for option in options]


def _stacked(options: Sequence[str]) -> list[str] | None:
    """Split an option that contains the next one on a separate line, with its letter and punctuation: `变态反应⏎E.病毒感染`.

    This is safe if no other option changes its position, that is, if the others have the remaining letters or the split option is the last.
    """
    is_led = all(map(LETTER.match, options))
    texts: list[str] = []
    for place, option in enumerate(options, 1):
        for mark in _NEXT_LINE.finditer(option) if is_led or place == len(options) else ():
            if mark[2].strip() and mark[1] == LETTERS[len(texts) + 1 : len(texts) + 2]:
                texts.append(option[: mark.start()])
                option = f"{mark[1]}.{option[mark.end() + 1 :].lstrip(' .．、:：)）')}"
                break
        texts.append(option)
    if len(texts) == len(options) or (is_led and not are_in_turn(led[1].upper() for led in map(LETTER.match, texts) if led)):
        return None
    return texts if is_led else [LETTER.sub("", text) for text in texts]


def _without_own_options(stem: str, options: Sequence[str]) -> str | None:
    """Return a stem without the options that it repeats at its end, each with its letter; None if it repeats none."""
    bodies = [LETTER.sub("", option).strip() for option in options]
    while bodies and not bodies[-1]:
        bodies.pop()
    if len(bodies) < 2 or not stem.rstrip("。；;，, ").endswith(bodies[-1].rstrip("。；;，, ")):
        return None
    blanks = r"\s{0,3}"  # bounded, as a stem may have thousands
    marked = rf"[（(【\[&]?{blanks}%s{blanks}[.．、:：,，)）\]】]?{blanks}"
    lines = (marked % letter + re.escape(body) for letter, body in zip(LETTERS, bodies, strict=False))
    found = re.search(rf"{_BETWEEN.join(lines)}{_BETWEEN}\Z", stem)
    return (stem[: found.start()].rstrip() or None) if found else None


def _apart(options: Sequence[str]) -> list[str] | None:
    text = "\n".join(options)
    marks = _marks(text) if len(text) <= _LONGEST_CHARS else []
    return _texts_of_marks(text, marks) if len(marks) > len(options) and _each_begins(options, marks) else None


def _each_begins(options: Sequence[str], marks: Sequence[re.Match[str]]) -> bool:
    """Return whether each option begins with one of the marks and is on lines of its own."""
    ends = accumulate((len(option) + 1 for option in options[:-1]), initial=0)
    return {mark.start() for mark in marks}.issuperset(ends)


def _glued(options: Sequence[str]) -> list[str] | None:
    """Split 感觉B、知觉C、记忆 if each letter has the separator of the first and occurs once, so that B is unambiguous."""
    text = "\n".join(options)
    first = _FIRST_MARK.match(text) if len(text) <= _LONGEST_CHARS else None
    if not first:
        return None
    marks = list(re.finditer(rf"(?<!-)([A-JＡ-Ｊ])\s*{re.escape(first[1])}" if first[1] else _BRACKETED, text))
    letters = "".join(unicodedata.normalize("NFKC", mark[1]) for mark in marks)
    fewest = max(_FEWEST_BEHIND_STEM if len(options) == 1 else _FEWEST_GLUED, len(options) + 1)
    if len(letters) < fewest or not are_in_turn(letters):
        return None
    texts = _texts_of_marks(text, marks)
    apart = all(len(part) > len(mark[0]) for part, mark in zip(texts, marks, strict=True))
    return texts if apart and _each_begins(options, marks) else None


def _with_options_of_stem(item: QuestionItem, options: Sequence[str]) -> QuestionItem:
    """Restore the last options if a two-column page left them after the stem, as when A and B are separate but C and D are not."""
    stem = (item.stem_raw or "").rstrip()
    own = [_MARK.match(option) for option in options]
    if len(stem) > _LONGEST_CHARS or len(options) < 2 or [mark and mark[1] for mark in own] != list(LETTERS[: len(options)]):
        return item
    marks = list(_MARK_IN_STEM.finditer(stem))
    letters = [unicodedata.normalize("NFKC", mark[1]) for mark in marks]
    if not letters or letters != list(LETTERS[len(options) : len(options) + len(letters)]) or len(options) + len(letters) < _FEWEST_GLUED:
        return item
    texts = _texts_of_marks(stem, marks)
    if any(not len(mark[0]) < len(part) <= _LONGEST_IN_STEM for part, mark in zip(texts, marks, strict=True)):
        return item
    return replace(item, stem_raw=stem[: marks[0].start()].rstrip(), options_raw=[*options, *texts])


def _marks(text: str) -> list[re.Match[str]]:
    """Return the marks A, B, C, … of a text, in order from A."""
    marks: list[re.Match[str]] = []
    for mark in _MARK.finditer(text):
        if len(marks) < len(LETTERS) and unicodedata.normalize("NFKC", mark[1]) == LETTERS[len(marks)]:
            marks.append(mark)
    return marks


def _texts_of_marks(text: str, marks: Sequence[re.Match[str]]) -> list[str]:
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [text[mark.start() : end].strip() for mark, end in zip(marks, ends, strict=True)]
