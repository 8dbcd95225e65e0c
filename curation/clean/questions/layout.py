"""Layout that a file repeats around its questions: frames around stems, recurring edges, fillers in unused options."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from atomexam.records.item import QuestionItem
from atomexam.text.option_letters import LETTERS, filler_word, letters_in
from curation.clean.wording.exam_text import TYPE

_FEWEST, _SHARE, _ALL, _VARIANTS, _FEW, _ROUNDS, _SAMPLE = 5, 0.8, 0.95, 6, 4, 6, 1000
"""Minimum number of stems; minimum share with the same frame, or with one of a few variants; maximum number of variants."""
_MANY = 10
"""Minimum number of stems that have brackets of the same kind."""
_LEAST_LEFT = 4
"""Minimum number of letters and digits that must be left in a stem."""
_KIND = rf"(?:{TYPE}|[单多]选|判断|填空|简答|案例(?:分析)?题?|[AB][1-4](?:型题?)?)"
_TYPE = re.compile(TYPE)
_NUMBER_AND_TYPE = re.compile(
    rf"\s*+(?:\d{{1,4}}\s*+[、.．:：)）]\s*+|第\s?\d{{1,4}}\s?题(?!\s?[|｜])\s*+[、.．:：]?\s*+|[(（\[【]\s?{_KIND}\s?[)）\]】]\s*+)*+"
)
"""Text for number and type, which is handled by other rules."""
_BRACKETED = r"[(（\[【〔](?=[^()（）\[\]【】〔〕\n]{0,30}[^\s_A-J√×对错TF()（）\[\]【】〔〕])[^()（）\[\]【】〔〕\n]{1,30}[)）\]】〕]"
_NO_SIGN = r"，。？！；：:（）()“‘《「【〔\[%％‰℃°+×÷=/／"
"""Characters that never follow a row number: sentence punctuation, opening brackets, units and operators."""
_HEADS = (
    re.compile(r"(?P<line>[^\n]{1,40})\n\s*+(?=\S)"),
    re.compile(rf"{_BRACKETED}\s*+(?=\S)"),
    re.compile(rf"(?P<kind>{_KIND})[ \t\u3000]+(?=\S)"),
    re.compile(r"(?=[^\s\d，。？！；:：]{0,8}\d)(?P<count>[^\s，。？！；（）():：]{1,14})(?:[:：](?=\S)|[ \t\u3000]+(?=\S))"),
    re.compile(
        r"(?P<counter>(?:question|item|no\.?|q|题号|题目|编号|序号)\s?\d{1,5}(?:\s?(?:of|/|／|\|)\s?\d{1,5}(?!\w))?)\s*+[:：.|]?\s*+(?=\S)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?P<number>(?:[^\s\d，。？！；：:（）()]{{1,8}}\d{{1,9}}|\d{{1,9}}(?![.．]\d))题?[ \t]*+[^\w\s{_NO_SIGN}]{{1,3}}+)\s*+(?=\S)"
    ),
    re.compile(r"(?=\S{0,11}[^\sA-Za-z])(?P<token>[^\s，。？！；（）()]{1,12})[ \t\u3000]++(?=\S)"),
    re.compile(r"(?P<said>[^\n。？！?（(]{1,8}[:：][^\n。？！?（(]{0,20}[。！])\s*+(?=\S)"),
    re.compile(r"(?P<name>[^\s，。？！；：:（）()\d]{1,8})[:：]\s*+(?=\S)"),
    re.compile(r"(?P<sign>[^\w\s(（\[【〔{《〈「『<“\"'‘`±+=≥≤…—]{1,3}+)(?:\s++|(?<![-.~<>])|(?=\D))(?=\S)"),
)
_TAILS = (
    re.compile(r"(?<=\S)[ \t\u3000]{0,9}\n\s{0,9}(?P<line>[^\n]{1,40})\Z"),
    re.compile(rf"{_BRACKETED}\s{{0,9}}[。.]?\Z"),
    re.compile(r"(?:(?<=[ \t\u3000])#[^\s#]{1,20}[ \t\u3000]{0,9}){1,8}\Z"),
    re.compile(r"(?<=[ \t\u3000])[*＊★☆][^\s]{0,8}\Z"),
    re.compile(r"(?P<sign>[&@#|~$*^]{1,6}+(?:(?<=[^\w\s]{2})[\u4e00-\u9fff]{1,4})?[:：]?)\Z"),
)
_ORIGIN = re.compile(
    r"真题|原题|教材|课本|讲义|题库|自编|改编|原创|模拟|押题|易错|高频|必[考做]|精选|试卷|联考|统考|招聘|执业|难度|版|第0[章节单回讲页套卷题]|[Pp]\.?\s?0|0页"
    r"|0年|[IiＩ][DdＤ]\W{0,2}0|[A-Za-z]{1,4}-?0{1,2}\Z|\A\W*[易中难]\W*\Z|\A\W*(?:容易|较易|中等|较难|困难|一般|简单)\W*\Z"
)
"""Typical bracketed remarks on the origin or difficulty of a question; numbers are replaced by 0."""
_HALF = 0.5
"""Minimum share of stems that begin, or end, with such a remark."""
_SENTENCE = re.compile(
    r"[，；？?]|患者|病人|[男女]性?，|岁|[_＿]{2}|[(（]\s*[)）]|单位|保留|提示|已知|其中|[是为有于的]\s*$|包括$|属于$|哪|什么|如何"
)
_MAY_FRAME = re.compile(
    rf"\d|[:：#*＊★☆|/·]|-{{2}}|第.{{1,4}}题|{_KIND}|收藏|纠错|笔记|选项|选择|答案|提交|分享|反馈|必[答做]|题[目号型干面]|试题|问题|真题|分值|难度|[序编]号|章节|知识点"
)
"""Typical contents of a frame without brackets."""
_LABEL = re.compile(r"(?P<label>[^:：]{1,10})[:：].*", re.DOTALL)
_CLOSED = re.compile(r"[(（\[【〔].*[)）\]】〕][。.]?", re.DOTALL)
_LABELS = re.compile(r"难易?程?度|难易|分值|分数|来源|出处|[出命供]题|章节|知识点|考点|题型|题号|编号|科目|标签|年份|必答|等级")
"""Labels with facts about a question, in brackets or on lines of their own."""
_COUNT, _HAN_COUNT = re.compile(r"\d+(?:\.\d+)?"), re.compile(r"(?<=第)[一二三四五六七八九十百]{1,4}")
_WORDS = re.compile(r"\w")


class Frame(Struct, frozen=True):
    """The frame around the stems of a file, outermost layer first: index of a pattern, and the matched text without numbers."""

    heads: tuple[tuple[int, frozenset[str]], ...] = ()
    tails: tuple[tuple[int, frozenset[str]], ...] = ()


NO_FRAME = Frame()


def frame_of(stems: Sequence[str]) -> Frame:
    """Return the frame shared by nearly all stems of a file. Their order does not matter."""
    if len(stems) < _FEWEST:
        return NO_FRAME
    some = sorted(stems)[:: max(1, len(stems) // _SAMPLE)]
    heads, some = _layers_of(some, _HEADS, _head)
    tails, _ = _layers_of(some, _TAILS, _tail)
    return Frame(heads, tails) if heads or tails else NO_FRAME


def without_frame(stem: str, frame: Frame) -> tuple[str, str]:
    """Return a stem without its file's frame, and the removed text."""
    removed: list[str] = []
    for patterns, layers, cut in ((_HEADS, frame.heads, _head), (_TAILS, frame.tails, _tail)):
        for index, words in layers:
            parts = cut(stem, patterns[index])
            if parts and _mask(parts[1]) in words:
                stem, words_of_frame = parts
                removed.append(words_of_frame)
    return stem, " ".join(removed)


def type_in(words: str) -> str | None:
    """Return the question type that a frame names."""
    match = _TYPE.search(words)
    return match[0] if match else None


Cut = Callable[[str, re.Pattern[str]], tuple[str, str] | None]


def _layers_of(stems: list[str], patterns: Sequence[re.Pattern[str]], cut: Cut) -> tuple[tuple[tuple[int, frozenset[str]], ...], list[str]]:
    """Return the layers that can be removed from the stems one after another, and the remaining stems."""
    layers: list[tuple[int, frozenset[str]]] = []
    for _ in range(_ROUNDS):
        for index, pattern in enumerate(patterns):
            cuts = [cut(stem, pattern) for stem in stems]
            masks = [_mask(each[1]) for each in cuts if each]
            if "number" in pattern.groupindex and len({each[1] for each in cuts if each}) < _ALL * len(masks):
                continue  # real numbers of rows would be distinct
            if "line" in pattern.groupindex and _tells(masks, {each[1] for each in cuts if each}):
                continue
            words = _recurring(masks, len(stems))
            if not words and "line" not in pattern.groupindex:
                words = _of_origin(masks, len(stems)) or (_in_brackets(masks, len(stems)) if cut is _head else frozenset())
            if words:
                layers.append((index, words))
                stems = [each[0] if each and _mask(each[1]) in words else stem for each, stem in zip(cuts, stems, strict=True)]
                break
        else:
            break
    return tuple(layers), stems


def _tells(masks: list[str], lines: set[str]) -> bool:
    """Return whether lines whose label is not in `_LABELS` differ, and are thus part of the question, such as options."""
    label, times = Counter(masks).most_common(1)[0] if masks else ("", 0)
    own = {line for line in lines if _mask(line) == label and line.strip("()[]【】〔〕 ") != label}
    return not _LABELS.search(label) and len(own) > max(_FEW, times * _HALF) and all(_LABEL.match(line) for line in own)


def _recurring(masks: list[str], count: int) -> frozenset[str]:
    """Return the text, in one or a few variants, that nearly all of `count` stems have; an empty set if too few have it."""
    counts = Counter(masks)
    usual, times = counts.most_common(1)[0] if counts else ("", 0)
    if times >= max(_FEWEST, _SHARE * count):
        return frozenset({usual})
    labels = {mask for mask, each in counts.items() if _LABELS.fullmatch(mask) and each > max(1, count // 10)}
    if labels:
        return frozenset(labels)
    several = {mask for mask, each in counts.items() if each > 1 or len(counts) <= _FEW}
    covered = sum(counts[mask] for mask in several)
    return (
        frozenset(several)
        if len(several) <= _VARIANTS and covered >= 2 * len(several) and covered >= max(_FEWEST, _ALL * count)
        else frozenset()
    )


def _of_origin(masks: list[str], count: int) -> frozenset[str]:
    """Return the bracketed words that name an origin or recur, if half of all stems have brackets and most of these name an origin."""
    closed = [mask for mask in masks if _CLOSED.fullmatch(mask)]
    named = {mask for mask in closed if _ORIGIN.search(mask)}
    counts = Counter(closed)
    several = {mask for mask in closed if counts[mask] > 1}
    is_most = 2 * sum(mask in named for mask in closed) >= len(closed)
    return frozenset(named | several) if is_most and len(closed) >= max(_FEWEST, _HALF * count) else frozenset()


def _in_brackets(masks: list[str], count: int) -> frozenset[str]:
    """Return the bracketed texts before nearly all stems, if the brackets are of one kind and the texts recur; content would vary."""
    closed = [mask for mask in masks if _CLOSED.fullmatch(mask)]
    is_one_kind = len({mask[0] for mask in closed}) == 1
    recur = len({*closed}) * 2 <= len(closed)
    return frozenset(closed) if is_one_kind and recur and len(closed) >= max(_MANY, _ALL * count) else frozenset()


def _head(stem: str, pattern: re.Pattern[str]) -> tuple[str, str] | None:
    prefix = _NUMBER_AND_TYPE.match(stem)
    start = prefix.end() if prefix else 0
    match = pattern.match(stem, start)
    return _parted(stem[:start] + stem[match.end() :], match) if match else None


def _tail(stem: str, pattern: re.Pattern[str]) -> tuple[str, str] | None:
    match = pattern.search(stem.rstrip(), max(0, len(stem) - 200))
    return _parted(stem[: match.start()].rstrip(), match) if match else None


def _parted(rest: str, match: re.Match[str]) -> tuple[str, str] | None:
    """Return the rest and the frame, if the rest may be a stem and the frame is not part of a sentence."""
    frame_words = match[0].strip()
    is_part = _SENTENCE.search(frame_words) is not None and "said" not in match.re.groupindex
    if "sign" not in match.re.groupindex and not _CLOSED.fullmatch(frame_words) and not _MAY_FRAME.search(frame_words):
        return None
    if is_part or sum(1 for _ in _WORDS.finditer(rest)) < _LEAST_LEFT:
        return None
    return rest, frame_words


def _mask(words: str) -> str:
    """Return a text without its variable parts: numbers and the values of labels."""
    text = _HAN_COUNT.sub("0", _COUNT.sub("0", unicodedata.normalize("NFKC", words).strip()))
    bare = text.strip("()[]【】〔〕 ")
    label = _LABEL.fullmatch(bare)
    if label and not re.search(r"[。!]", bare):
        text = label["label"].strip()
    return " ".join("类型" if re.fullmatch(_KIND, word) else word for word in re.split(r"[\s|·]+", text))


_FEWEST_QUESTIONS, _RECURS, _SAMPLED_QUESTIONS = 4, 0.25, 200
"""Minimum number and share of questions with the same edge for it not to be chance; number of questions sampled per page."""
_ROWS = re.compile(r"[\n\t]")
_LABEL_AT_EDGE = re.compile(r"[\W_]{0,4}(?P<said>[^\W\d_]{1,8})[\W_]?\s?:")
_ROW = re.compile(r"[\W_]{0,4}(?P<said>[^\W\d_]{1,8})(?:[\W_]?\s?[:。,]|[\W_]{0,2}$)")
"""The beginning of another line, or the complete line: `选`, `错误。……`."""
_TAG = r"[(\[{<【〔「『`](?P<said>[^()\[\]{}<>【】〔〕「」『』`]{0,13}\w[^()\[\]{}<>【】〔〕「」『』`]{0,13})[)\]}>】〕」』`]"
_FIRST = (
    re.compile(rf"[\W_]{{0,2}}?{_TAG}"),
    re.compile(r"(?P<said>[^\s(]{1,8}(?<![,、。;:]))\s+(?=[\u4e00-\u9fff《“(])"),
    re.compile(r"(?P<said>[^\w\s(\[【《<“\"'‘±+\-.…—_①-⑳]+)(?!\s?\d)"),
)
_LAST = (
    re.compile(rf"{_TAG}[\W_]{{0,2}}$"),
    re.compile(r"(?<=[\u4e00-\u9fff)?。_])\s+(?P<said>[^\s)]{1,8})$"),
    re.compile(r"(?P<said>[^\w\s)\]】》>”\"'’。.?:;!,、…—_％%°+\-↑↓①-⑳]+)$"),
    re.compile(r"(?:(?<=[\u4e00-\u9fff。?_])|(?<=[(\[]\s[)\]])|(?<=[(\[][)\]]))\s?(?P<said>[A-Ja-j]{1,5})$"),
)
_LABELLED, _BRACKETS = len(_FIRST) + len(_LAST), 3
"""Pattern index used for labels; maximum number of brackets and punctuation marks around an edge."""
_LETTERS = re.compile(r"(?<![A-Za-z])[A-Ja-j]{1,5}(?![A-Za-z])")
_SIGNS = re.compile(r"[^\w\s]+")
_NUMBER = re.compile(r"[\d.、:()]+")
_DIGITS = re.compile(r"\d+")

Edge = tuple[int, str]
"""Index of a pattern, and the matched text with digits and letters masked."""


class PageEdges(NamedTuple):
    """The edges that recur in the questions of a page."""

    stems: frozenset[Edge] = frozenset()
    options: frozenset[Edge] = frozenset()

    def are_left(self, raw_stem: str, stem: str, options: Iterable[str]) -> bool:
        """Return whether a cleaned question still has one of the edges.

        Args:
            raw_stem: the raw stem without its number and frame.
        """
        if self.stems and any(_is_left(edge, stem) for edge in self.stems.intersection(_edges_of(raw_stem))):
            return True
        return bool(self.options) and any(not self.options.isdisjoint(_edges_of(option)) for option in options)


NO_EDGES = PageEdges()


def edges_of_page(questions: Sequence[tuple[str, Sequence[str]]]) -> PageEdges:
    """Return the edges that recur on a page.

    Args:
        questions: stem (without number and frame) and options (without letters) of each question.
    """
    if len(questions) < _FEWEST_QUESTIONS:
        return NO_EDGES
    some = questions[:: max(1, len(questions) // _SAMPLED_QUESTIONS)]
    return PageEdges(
        _recurring_edges([{*_edges_of(stem)} for stem, _ in some]),
        _recurring_edges([{edge for option in options for edge in _edges_of(option)} for _, options in some]),
    )


def _recurring_edges(edges: Sequence[set[Edge]]) -> frozenset[Edge]:
    times = Counter(edge for own in edges for edge in own)
    enough = max(_FEWEST_QUESTIONS, _RECURS * len(edges))
    return frozenset(edge for edge, count in times.items() if count >= enough)


def _edges_of(text: str) -> Iterator[Edge]:
    rows = [row.strip() for row in _ROWS.split(unicodedata.normalize("NFKC", text)) if row.strip()] or [""]
    labels = Counter(match["said"] for at, row in enumerate(rows) if (match := (_ROW if at else _LABEL_AT_EDGE).match(row)))
    if max(labels.values(), default=0) == 1:  # repeated labels are the speakers of a conversation
        yield from ((_LABELLED, label) for label in labels)
    for at, pattern in enumerate(_FIRST):
        if (match := pattern.match(rows[0])) and not _NUMBER.fullmatch(match["said"]):
            yield at, _masked(match["said"])
    for at, pattern in enumerate(_LAST, len(_FIRST)):
        if match := pattern.search(rows[-1]):
            yield at, _masked(match["said"])


def _is_left(edge: Edge, text: str) -> bool:
    """Return whether a cleaned text still has an edge of the raw text."""
    kind, said = edge
    words = "".join(_masked(unicodedata.normalize("NFKC", text)).split())
    if _SIGNS.fullmatch(said):  # a rule may have removed some of them
        return any(words.startswith(said[at:]) or words.endswith(said[: at + 1]) for at in range(len(said)))
    near = len(said) + _BRACKETS
    return said in (words if kind == _LABELLED else words[:near] if kind < len(_FIRST) else words[-near:])


def _masked(said: str) -> str:
    return _DIGITS.sub("0", _LETTERS.sub("A", said.strip()))


_LETTER = re.compile(r"\s*[A-JＡ-Ｊ]\s?[.．、:：)）]\s*")
_LETTERS_ONLY = re.compile(r"[A-Ja-j,，、;；\s]+")
_LEAST_REAL, _LEAST_ROWS = 2, 2
_SURE, _LIKELY = 0.05, 0.5
"""Maximum probability that so many options are incorrect by chance, for a word to be certainly, or probably, a filler."""


class UnusedOptions(NamedTuple):
    """The text that fills unused options in one file."""

    sure: frozenset[str]
    unsure: frozenset[str]
    """Text that is always last and never correct, but in so few questions that it may be a real option."""


NONE_UNUSED = UnusedOptions(frozenset(), frozenset())


def unused_options(items: Iterable[QuestionItem]) -> UnusedOptions:
    """Return the text that fills unused options in a file where all questions have the same number of options, fillers included."""
    rows = [(options, item.answer_raw or "") for item in items if len(options := _bare(item.options_raw or ())) > _LEAST_REAL]
    width = max((len(options) for options, _ in rows), default=0)
    last, several, real = Counter[str](), set[str](), set[str]()
    for options, answer in (row for row in rows if any(map(filler_word, row[0]))):
        used = _used(options)
        unused = [word for word in options[used:] if word]
        real |= {word for word in options[:used] if filler_word(word)} | {word for word in unused if word == answer.strip()}
        if _LETTERS_ONLY.fullmatch(answer):
            real |= {options[at] for letter in letters_in(answer) if used <= (at := LETTERS.index(letter)) < len(options)}
        real |= set(unused) if used < _LEAST_REAL or len(options) < width else set()
        several |= {word for word, times in Counter(unused).items() if times > 1}
        last.update(set(unused))
    never_right = {
        word: 0.0 if word in several else (1 - 1 / width) ** times
        for word, times in last.items()
        if times >= _LEAST_ROWS and word not in real
    }
    sure = frozenset(word for word, chance in never_right.items() if chance < _SURE)
    return UnusedOptions(sure, frozenset(word for word, chance in never_right.items() if chance < _LIKELY) - sure)


def without_unused(options: Sequence[str], words: frozenset[str]) -> list[str]:
    """Return options without the fillers at the end."""
    used = len(options)
    while used > _LEAST_REAL and _bare(options[used - 1 : used])[0] in words:
        used -= 1
    return list(options[:used])


def _used(options: Sequence[str]) -> int:
    """Return the number of options that remain without those at the end that may be unused."""
    return next((at + 1 for at in range(len(options) - 1, -1, -1) if options[at] and not filler_word(options[at])), 0)


def _bare(options: Iterable[str]) -> list[str]:
    return [option[match.end() :].strip() if (match := _LETTER.match(option)) else option.strip() for option in options]
