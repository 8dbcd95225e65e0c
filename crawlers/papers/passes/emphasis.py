"""Options distinguished by colour or bold type -> a line with the answer. Lines in, lines out; for a page, its HTML with signs in it.

Which of a paper's colours marks answers is known only from the complete paper: it is on some options and not on all, question after
question. If the paper also states its answers in words, colour is ignored.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from atomexam.text.numerals import CIRCLED_NUMBERS
from atomexam.text.option_letters import CIRCLED_AS_LETTERS, LETTERS, are_in_turn
from crawlers.papers.passes.marked_statements import verdicts_of_marked
from crawlers.papers.passes.standing_out import STRUCK, StandingOut, standing_out
from crawlers.papers.sections.signals import is_worded_as_question
from crawlers.papers.signs.answer_marks import Numbered, flat, is_marked, parts_of
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of

_FIRST_SIGN, _END = 0xE100, "\ue0ff"
_MAX_KINDS, _MAX_OPEN = 200, 20
LESS = "\ue0fe"
"""Stands for `<` in words between tags."""
_SIGNS = re.compile(f"[{_END}-{chr(_FIRST_SIGN + _MAX_KINDS)}]")
MAY_EMPHASISE = ("<", "**", "==", _SIGNS)
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]{0,15})(?P<rest>(?:\s[^<>]{0,600})?)/?>")
_FACES = {
    **dict.fromkeys(("b", "strong"), "bold"),
    **dict.fromkeys(("u", "ins"), "underlined"),
    **dict.fromkeys(("em", "i"), "slanted"),
    **dict.fromkeys(("s", "del", "strike"), STRUCK),
    "mark": "mark",
}
_CARRIERS = {*_FACES, "font", "span", "a", "label", "li", "div", "p", "td", "dd"}
_RAISED = {"sup", "sub"}
_COLOUR = re.compile(
    r"(?:\bcolor\s*=\s*[\"']?|(?<![\w-])(?:background(?:-color)?|color)\s*:\s*)(?P<colour>#[0-9a-fA-F]{3,8}|rgba?\([\d\s,.%]{5,40}\)|[a-zA-Z]{3,20})"
)
_HEAVY = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.I)
RIGHT_CLASS = (
    r"(?:(?:is|option|opt|answer|ans|item)[-_])?(?:correct|right|true|ok)(?:[-_](?:answer|option|ans|item))?"
    r"|(?:std|standard|key)[-_]?(?:answer|ans)|zhengque"
)
"""Class names that pages use for a correct option."""
_CLASS = re.compile(rf"\bclass\s*+=\s*+[\"']?[^\"'<>]{{0,200}}?(?<![\w-])(?P<name>{RIGHT_CLASS})(?![\w-])", re.I)
_SHEET = re.compile(r"<style[^<>]{0,200}>(?P<rules>[^<]{0,200000}+)", re.I)
_RULE = re.compile(r"\.(?P<name>[\w-]{1,40})\s{0,9}\{(?P<said>[^{}]{0,500})\}")
_CLASSES = re.compile(r"\bclass\s{0,3}=\s{0,3}[\"']?(?P<names>[^\"'<>]{1,200})", re.I)
_NO_RIGHT_CLASS = re.compile(r"select|chosen|choose|active|current|user|mine|check|wrong|error|incorrect|hover|focus|disabled", re.I)
"""Classes for what a visitor did, or for wrong options."""
_LINED = re.compile(r"text-decoration(?:-line)?\s{0,3}:\s{0,3}(?:[a-z]{1,9}\s{1,3})?(?P<line>underline|line-through)", re.I)
_RIGHT_CLASS = re.compile(r"\bdata-(?:is-?)?(?:correct|right|answer|ok|key)\s*=\s*[\"']?(?:true|1)\b", re.I)
_PLAIN_COLOURS = re.compile(
    r"black|inherit|initial|none|unset|transparent|url|linear|repeating"
    r"|gr[ae]y|white|#0{3,8}|#([0-9a-f])\1{2}|#([0-9a-f]{2})\2{2}|rgba?\(\s*(\d+)\s*,\s*\3\s*,\s*\3\b.*",
    re.I,
)
_NAMED = re.compile(
    r"<(?:(?P<end>/[a-zA-Z0-9]{0,15})|(?P<kind>(?:class|colour) [^<>]{1,60}|bold|underlined|mark|slanted|struck)"
    r"|(?P<name>font|span|b|strong|u|em|mark|i|s|del|strike)(?P<rest>(?:\s[^<>]{0,600})?))\s?>"
)
_MARKDOWN = re.compile(r"\*\*(?=\S)|(?<=\S)\*\*|==(?=\S)|(?<=\S)==")
_OPTION = re.compile(r"(?:^\s{0,12}(?:[-*+•]\s{1,3})?|(?<=\s)|(?<=[^\w\s]))[(\[]?(?P<letter>[A-J])\s?[.、:)\]]")
_SMALL_OPTION = re.compile(r"^\s{0,12}(?:[-*+•]\s{1,3})?[(\[]?(?P<letter>[a-j])\s?[.、:)\]]")
_RINGED_OPTION = re.compile(rf"(?:^\s{{0,12}}(?:[-*+•]\s{{1,3}})?|(?<=\s))(?P<letter>[{CIRCLED_NUMBERS[:10]}])\s?[.、]?")
"""Options of papers that have none with capital letters, where they are lists within stems."""
_BARE_OPTION = re.compile(r"^\s{0,12}(?:[-*+•]\s{1,3})?(?P<letter>[A-J])\s{1,4}(?=\S)")
"""Options of papers whose letters have no signs."""
_WORD = re.compile(r"\w")
_ANSWER_SHEET = re.compile(r"的答卷|(?:[做作答]题|作答)记录|我的作答|(?:^|\s)(?:总?得分|成绩)\s?:\s?\d")
_FEWEST_UNLETTERED, _SHARE_UNLETTERED, _ASKING = 4, 0.8, 0.6
"""Questions with lines below them that may be options without letters, the share that must have as many, and that must ask something."""
_WHOLE = 5  # ratio of options fully covered by a colour to those in which it ends
_STATED = re.compile(
    r"(?:加粗|粗体|黑体|粗字|划线|标红|标黄|标色|高亮|着色|[红蓝绿黄]色|[红蓝绿黄]字|斜体)[^。;；\n]{0,8}(?:[是为即]|表示|代表)[^。;；\n]{0,6}(?:答案|正确)"
)
"""What says that emphasis marks the answers: `加粗的选项为正确答案`."""
MEANT = ("colour", "class", "mark")
"""Marks that are used for answers, if all options of a question have them, too; all may be bold for emphasis."""
_LONGEST_NOTE = 80
_BELOW = 3  # lines below the options in which an answer may be


class _EmphasizedOption(Struct):
    """One option and the emphasis of all its words."""

    line: int
    letter: str
    kinds: frozenset[str]
    partly: frozenset[str] = frozenset()
    """The emphasis of only its letter or some of its words."""
    lettered: frozenset[str] = frozenset()
    """The emphasis of its letter alone."""


def label_emphasis(lines: Sequence[Numbered], by_letter: bool = False) -> list[Numbered]:
    """Return the lines, with the answer of each question whose correct options are emphasised below them.

    Args:
        by_letter: only the letters of the options may be emphasised. In a page, that may be what a visitor chose.
    """
    visible_lines = [visible_kinds(text) for _, text in lines]
    plain, kinds = [words for words, _ in visible_lines], [kinds for _, kinds in visible_lines]
    if verdicts := verdicts_of_marked(plain, kinds):
        answered = {position: f"答案：{verdict}" for position, verdict in verdicts.items()}
        return [
            (index, shown)
            for position, (index, text) in enumerate(lines)
            for shown in ([plain[position], answered[position]] if position in answered else [text])
        ]
    forms = (_OPTION, _BARE_OPTION, _SMALL_OPTION, _RINGED_OPTION)
    runs = next(filter(None, (list(_runs(plain, kinds, form)) for form in forms)), []) or _unlettered_runs(plain, kinds)
    has_answer = [_says_answer(plain, run[-1].line + 1) for run in runs]
    if sum(has_answer) * 10 > len(runs):
        return list(lines)
    right = _right_of(runs)
    if right is None and by_letter:
        runs = [[structs.replace(option, kinds=option.lettered, partly=frozenset()) for option in run] for run in runs]
        right = _right_of(runs)
        if right and any(sum(marked) > 1 for marked in right.marked):  # letters here and there
            right = None
    if right is None:
        return list(lines)
    is_stated = stated_in(plain)
    bare = {option.line for run in runs for option in run}
    answers = {
        run[-1].line: letters
        for run, is_answered, marked in zip(runs, has_answer, right.marked, strict=True)
        if not is_answered
        and (letters := "".join(option.letter for option, is_right in zip(run, marked, strict=True) if is_right))
        and (len(letters) < len(run) or is_stated or right.kind.startswith(MEANT))  # if all are bold, it is only emphasis
    }
    done: list[Numbered] = []
    for position, (index, text) in enumerate(lines):
        done.append((index, plain[position] if position in bare else text))
        if position in answers:
            done.append((index, f"答案：{answers[position]}"))
    return done


def stated_in(lines: Sequence[str]) -> bool:
    """Return whether a line says that emphasis marks the answers."""
    return any(_STATED.search(line) for line in lines if len(line) < _LONGEST_NOTE)


def _right_of(runs: Sequence[Sequence[_EmphasizedOption]]) -> StandingOut | None:
    """Return which options stand out by emphasis of all their words."""
    marks = [[option.kinds for option in run] for run in runs]
    unfit = {kind for options in marks for kinds in options for kind in kinds if not _is_of_whole(kind, runs)}
    return standing_out(marks, unfit)


def is_answer_sheet(line: str) -> bool:
    """Return whether a line is above what one person answered: what stands out there was chosen, right or wrong."""
    return _ANSWER_SHEET.search(flat(line)) is not None and not letter_of(flat(line))


def with_signs(html: str) -> tuple[str, dict[str, str]]:
    """Return a page with a sign before and after the words that each tag emphasises, and the meaning of each sign."""
    if _SIGNS.search(html):
        return html, {}
    signs: dict[str, str] = {}
    styles = styled_classes(html)
    done: list[str] = []
    open_tags: list[tuple[str, bool]] = []
    end = raised = 0
    for tag in _TAG.finditer(html):
        name = tag["name"].lower()
        raised += (-1 if tag["close"] else 1) if name in _RAISED else 0
        if name not in _CARRIERS or raised > 0:
            continue
        if tag["close"]:
            if open_tags and open_tags[-1][0] == name and open_tags.pop()[1]:
                done += [html[end : tag.start()], _END]
                end = tag.start()
            continue
        kind = face_of(name, tag["rest"], styles)
        if kind and kind not in signs and len(signs) < _MAX_KINDS:
            signs[kind] = chr(_FIRST_SIGN + len(signs))
        open_tags.append((name, kind in signs))
        if kind in signs:
            done += [html[end : tag.end()], signs[kind]]
            end = tag.end()
    return "".join([*done, html[end:]]), {sign: kind for kind, sign in signs.items()}


def label_marked_lines(lines: Sequence[str], signed: Sequence[str], signs: dict[str, str]) -> list[str]:
    """Return the lines of a page, with the answers that its signs show; `signed` are the same lines with signs in them."""
    named = [_SIGNS.sub(lambda sign: f"<{signs[sign[0]]}>" if sign[0] in signs else "</>", line.replace("<", LESS)) for line in signed]
    bare = [re.sub(r"[ \t\r\f\v]+", " ", _SIGNS.sub("", line)).strip(" ") for line in signed]
    filled = [index for index, line in enumerate(bare) if line]
    if [bare[index] for index in filled] != list(lines):
        return list(lines)
    labelled = label_emphasis([(index, named[at]) for index, at in enumerate(filled)])
    if len(labelled) == len(filled):
        return list(lines)
    done: list[str] = []
    last = -1
    for index, text in labelled:
        done.append(text if index == last else lines[index])
        last = index
    return done


def styled_classes(html: str) -> dict[str, str]:
    """Return what a page's own style sheets define for each class that may mark correct options."""
    rules = [rule for sheet in _SHEET.finditer(html) for rule in _RULE.finditer(sheet["rules"])]
    return {rule["name"]: rule["said"] for rule in rules if not _NO_RIGHT_CLASS.search(rule["name"])}


def face_of(name: str, rest: str, styles: dict[str, str] | None = None) -> str:
    """Return how a tag emphasises its words; nothing if it does not.

    Args:
        rest: the tag's attributes as written in it.
        styles: as returned by `styled_classes`.
    """
    if styles and (classes := _CLASSES.search(rest)):
        rest = " ".join([rest, *(styles[each] for each in classes["names"].split() if each in styles)])
    if rest:
        if named_class := _CLASS.search(rest) or _RIGHT_CLASS.search(rest):
            return f"class {named_class.groupdict().get('name', 'told')}"
        for colour in _COLOUR.finditer(rest):
            if not _PLAIN_COLOURS.fullmatch(colour["colour"]):
                return f"colour {re.sub(r'[<>]', '', colour['colour']).lower().replace(' ', '')}"
        if _HEAVY.search(rest):
            return "bold"
        if line := _LINED.search(rest):
            return "underlined" if line["line"].lower() == "underline" else STRUCK
    return _FACES.get(name, "")


def visible_kinds(text: str) -> tuple[str, list[frozenset[str]]]:
    """Return a line without emphasis signs, and the emphasis of each sign."""
    if "<" not in text and "**" not in text and "==" not in text:
        return text, [frozenset()] * len(text)
    marks: list[tuple[int, int, re.Match[str] | None]] = [(tag.start(), tag.end(), tag) for tag in _NAMED.finditer(text)]
    marks += [(mark.start(), mark.end(), None) for mark in _MARKDOWN.finditer(text)]
    words, kinds, active, end = "", [], [], 0  # type: str, list[frozenset[str]], list[str], int
    for start, stop, tag in sorted(marks, key=lambda mark: mark[0]):
        if start < end:
            continue
        words += text[end:start]
        kinds += [frozenset(active)] * (start - end)
        end = stop
        if tag is None:
            sign = text[start:stop]
            active = [kind for kind in active if kind != sign] if sign in active else [*active, sign]
        elif tag["end"] is not None:
            active = active[:-1]
        else:
            active = [*active[-_MAX_OPEN:], tag["kind"] or face_of((tag["name"] or "").lower(), tag["rest"] or "")]
    return words + text[end:], kinds + [frozenset(active)] * (len(text) - end)


def _runs(texts: Sequence[str], kinds: Sequence[Sequence[frozenset[str]]], form: re.Pattern[str]) -> Iterator[list[_EmphasizedOption]]:
    """Yield the options of each question that has its A, B, … below one another or on one line."""
    run: list[_EmphasizedOption] = []
    for index, text in enumerate(texts):
        line = flat(text)
        options = list(form.finditer(line))
        own = [
            _EmphasizedOption(
                index,
                option["letter"],
                *_common(line, kinds[index], option, later.start() if later else len(line)),
                _of_letter(line, kinds[index], option),
            )
            for option, later in zip(options, [*options[1:], None], strict=False)
        ]
        if own:
            if line[: options[0].start()].strip():
                yield from _whole(run)
                run = []
            for option in own:
                if _capital(option) == "A" and run:
                    yield from _whole(run)
                    run = []
                run.append(option)
        elif run and line.strip():
            yield from _whole(run)
            run = []
    yield from _whole(run)


def _unlettered_runs(texts: Sequence[str], kinds: Sequence[Sequence[frozenset[str]]]) -> list[list[_EmphasizedOption]]:
    """Return the lines below each numbered question, if these are as many for nearly all: options without letters."""
    if not any(map(any, kinds)):
        return []
    runs: list[list[_EmphasizedOption]] = []
    asking = 0
    for index, text in enumerate(texts):
        line = flat(text)
        number = number_of(line.strip())
        if number and number.value == len(runs) + 1:
            asking += is_worded_as_question(line)
            runs.append([])
        elif runs and line.strip() and len(runs[-1]) < len(LETTERS) and not is_marked(line.strip()):
            marked = [kinds[index][at] for at, sign in enumerate(line) if _WORD.match(sign)]
            common = frozenset.intersection(*marked) if marked else frozenset()
            runs[-1].append(_EmphasizedOption(index, LETTERS[len(runs[-1])], common, frozenset().union(*marked) - common))
    usual, times = Counter(map(len, runs)).most_common(1)[0] if runs else (0, 0)
    is_form = len(runs) >= _FEWEST_UNLETTERED and usual > 2 and times >= _SHARE_UNLETTERED * len(runs)
    return [run for run in runs if len(run) == usual] if is_form and asking >= _ASKING * len(runs) else []


def _whole(run: list[_EmphasizedOption]) -> list[list[_EmphasizedOption]]:
    return [run] if len(run) > 1 and are_in_turn([*map(_capital, run)]) else []


def _capital(option: _EmphasizedOption) -> str:
    return option.letter.translate(CIRCLED_AS_LETTERS).upper()


def _common(line: str, kinds: Sequence[frozenset[str]], option: re.Match[str], stop: int) -> tuple[frozenset[str], frozenset[str]]:
    """Return the emphasis of all words of an option, and that of its letter or some of them."""
    marked = [kinds[at] for at in range(option.end(), stop) if _WORD.match(line[at])]
    common = frozenset.intersection(*marked) if marked else frozenset()
    return common, kinds[option.start("letter")].union(*marked) - common


def _of_letter(line: str, kinds: Sequence[frozenset[str]], option: re.Match[str]) -> frozenset[str]:
    """Return the emphasis of a letter that ends before the words behind it."""
    first = next((kinds[at] for at in range(option.end(), len(line)) if _WORD.match(line[at])), frozenset())
    return kinds[option.start("letter")] - first


def _is_of_whole(kind: str, runs: Sequence[Sequence[_EmphasizedOption]]) -> bool:
    """Return whether a kind is on complete options; one that ends within many of them is unrelated to which are correct."""
    whole = sum(kind in option.kinds for run in runs for option in run)
    return sum(kind in option.partly for run in runs for option in run) * _WHOLE <= whole


def _says_answer(texts: Sequence[str], index: int) -> bool:
    """Return whether an answer in words is below the options."""
    below = [text for text in texts[index : index + 2 * _BELOW] if text.strip()][:_BELOW]
    for text in below:
        if _OPTION.match(flat(text)) or _BARE_OPTION.match(flat(text)):
            return False
        if any(kind == "answer" and words for kind, words in parts_of(text)):
            return True
    return False
