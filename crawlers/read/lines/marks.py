"""Convert emphasis or ticks on options into an answer line below them. Lines in and out.

Only the complete paper shows whether marks indicate answers: they must be on some options but not all, in question after question. If the
paper also states answers in words, emphasis counts only if it is on no question that has such an answer. A tick always counts.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from atomexam.text.option_letters import LETTERS, are_in_turn
from crawlers.read.vocabulary.answers import EMPTY, TICKED
from crawlers.read.vocabulary.emphasis import LESS, MEANT, StandingOut, is_answer_sheet, standing_out, stated_in, visible_kinds
from crawlers.read.vocabulary.headings import heads, is_worded_as_question
from crawlers.read.vocabulary.labels import Numbered, flat, is_marked, parts_of
from crawlers.read.vocabulary.numbers import number_of

MAY_EMPHASISE = ("<", "**", "==")
_BULLET = r"^\s{0,12}(?:[-*+•]\s{1,3})?"
_OPTION = re.compile(rf"(?:{_BULLET}|(?<=\s)|(?<=[^\w\s]))[(\[]?(?P<letter>[A-J])\s?[.、:)\]]")
_OTHER_OPTIONS = (re.compile(rf"{_BULLET}(?P<letter>[A-J])\s{{1,4}}(?=\S)"), re.compile(rf"{_BULLET}[(\[]?(?P<letter>[a-j])\s?[.、:)\]]"))
"""Other forms of options: letters without signs, lower-case letters."""
_FEWEST_UNLETTERED, _SHARE_UNLETTERED, _ASKING = 4, 0.8, 0.6
"""For options without letters: minimum number of questions; share of them with equally many lines; share of them that must ask something.
"""
_WHOLE = 5  # minimum ratio of options fully covered by a colour to those partly covered
_RIGHT_KIND = re.compile(r"<(?:class|colour (?:green|#0[0-9a-f]?[8-f]))", re.IGNORECASE)
_BELOW = 3  # lines below the options to search for an answer


class _Option(Struct):
    """An option and the emphasis on all of its words."""

    line: int
    letter: str
    kinds: frozenset[str]
    partly: frozenset[str] = frozenset()
    """Emphasis on only its letter or some of its words."""


def answered(lines: list[str], marked: Sequence[str]) -> list[str]:
    """Return the lines of a container with the answers that emphasis shows; on an answer sheet, it shows choices, not answers."""
    if not marked or (any(map(is_answer_sheet, lines)) and not any(map(_RIGHT_KIND.search, marked))):
        return lines
    return with_marked_answers(lines, marked)


def with_marked_answers(lines: list[str], signed: Sequence[str]) -> list[str]:
    """Return the lines of a container with the answers that marks show; `signed` contains the same lines with tags, or is empty."""
    if len(signed) != len(lines) or lines == signed or not all(map(_shows, signed, lines)):
        return lines
    labelled = label_emphasis(list(enumerate(signed)))
    done: list[str] = []
    last = -1
    for index, text in labelled:
        done.append(text if index == last else lines[index])
        last = index
    return done


def _shows(signed: str, line: str) -> bool:
    """Return whether a tagged line shows the same text as the untagged one."""
    return signed == line or "".join(visible_kinds(signed)[0].replace(LESS, "<").split()) == "".join(line.split())


def label_emphasis(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with an answer line below each question whose correct options are emphasised."""
    visible = [visible_kinds(text) for _, text in lines]
    plain, kinds = [words for words, _ in visible], [kinds for _, kinds in visible]
    if not any(map(any, kinds)):
        return list(lines)
    forms = (_OPTION, *_OTHER_OPTIONS)
    runs = next(filter(None, (list(_runs(plain, kinds, form)) for form in forms)), []) or _unlettered_runs(plain, kinds)
    has_answer = [_says_answer(plain, run[-1].line + 1) for run in runs]
    stated = [run for run, is_answered in zip(runs, has_answer, strict=True) if is_answered]
    if len(stated) * 10 > len(runs):  # parts of a paper may give answers in other forms
        runs, has_answer = [run for run in runs if run not in stated], [False] * (len(runs) - len(stated))
    else:
        stated = []
    right = _right_of(runs)
    if right is None or any(right.kind in option.kinds | option.partly for run in stated for option in run):
        return list(lines)
    is_stated = stated_in(plain)
    bare = {option.line for run in runs for option in run}
    answers = {
        run[-1].line: letters
        for run, is_answered, marked in zip(runs, has_answer, right.marked, strict=True)
        if not is_answered
        and (letters := "".join(option.letter for option, is_right in zip(run, marked, strict=True) if is_right))
        and (len(letters) < len(run) or is_stated or right.kind.startswith(MEANT))  # bold on all options does not mark an answer
    }
    done: list[Numbered] = []
    for position, (index, text) in enumerate(lines):
        done.append((index, plain[position] if position in bare else text))
        if position in answers:
            done.append((index, f"答案：{answers[position]}"))
    return done


def _right_of(runs: Sequence[Sequence[_Option]]) -> StandingOut | None:
    """Return which options stand out because all their words are emphasised."""
    marks = [[option.kinds for option in run] for run in runs]
    unfit = {kind for options in marks for kinds in options for kind in kinds if not _is_of_whole(kind, runs)}
    return standing_out(marks, unfit)


def _is_of_whole(kind: str, runs: Sequence[Sequence[_Option]]) -> bool:
    """Return whether a kind of emphasis covers whole options; if it often ends within them, it does not mark answers."""
    whole = sum(kind in option.kinds for run in runs for option in run)
    return sum(kind in option.partly for run in runs for option in run) * _WHOLE <= whole


def _runs(texts: Sequence[str], kinds: Sequence[Sequence[frozenset[str]]], form: re.Pattern[str]) -> Iterator[list[_Option]]:
    """Yield the options of each question with letters A, B, … below one another or on one line."""
    run: list[_Option] = []
    for index, text in enumerate(texts):
        line = flat(text)
        options = list(form.finditer(line))
        if (run and line.strip() and not options) or (options and line[: options[0].start()].strip()):
            yield from _whole(run)
            run = []
        for option, later in zip(options, [*options[1:], None], strict=False):
            if option["letter"] in "Aa" and run:
                yield from _whole(run)
                run = []
            marked = [kinds[index][at] for at in range(option.end(), later.start() if later else len(line)) if line[at].isalnum()]
            common = frozenset.intersection(*marked) if marked else frozenset()
            run.append(_Option(index, option["letter"].upper(), common, kinds[index][option.start("letter")].union(*marked) - common))
    yield from _whole(run)


def _whole(run: list[_Option]) -> list[list[_Option]]:
    return [run] if len(run) > 1 and are_in_turn([option.letter for option in run]) else []


def _unlettered_runs(texts: Sequence[str], kinds: Sequence[Sequence[frozenset[str]]]) -> list[list[_Option]]:
    """Return the lines below each numbered question as unlettered options, if nearly all have the same number of such lines."""
    runs: list[list[_Option]] = []
    asking = 0
    for index, text in enumerate(texts):
        line = flat(text)
        number = number_of(line.strip())
        if number and number.value == len(runs) + 1:
            asking += is_worded_as_question(line)
            runs.append([])
        elif runs and line.strip() and len(runs[-1]) < len(LETTERS) and not is_marked(line.strip()):
            marked = [kinds[index][at] for at, sign in enumerate(line) if sign.isalnum()]
            common = frozenset.intersection(*marked) if marked else frozenset()
            runs[-1].append(_Option(index, LETTERS[len(runs[-1])], common, frozenset().union(*marked) - common))
    usual, times = Counter(map(len, runs)).most_common(1)[0] if runs else (0, 0)
    is_form = len(runs) >= _FEWEST_UNLETTERED and usual > 2 and times >= _SHARE_UNLETTERED * len(runs)
    return [run for run in runs if len(run) == usual] if is_form and asking >= _ASKING * len(runs) else []


def _says_answer(texts: Sequence[str], index: int) -> bool:
    """Return whether an answer in words is below the options."""
    below = [text for text in texts[index : index + 2 * _BELOW] if text.strip()][:_BELOW]
    for text in below:
        if _OPTION.match(flat(text)) or _OTHER_OPTIONS[0].match(flat(text)):
            return False
        if any(kind == "answer" and words for kind, words in parts_of(text)):
            return True
    return False


_BOXES = str.maketrans({**dict.fromkeys(TICKED, "■"), **dict.fromkeys(EMPTY, "□")})
_TASK = re.compile(r"^\s{0,12}(?:[-*+]\s{1,3})?\[(?P<tick>[xX√ ]?)\]\s{0,3}(?=[(\[]?[A-Ja-j]\s?[.、:：．)）])")
"""The checkbox in a task list: `- [x] A. 甲`."""
_SIGN = r"[■√★☆✦⭐]|(?<!\*)\*(?!\*)"
_TICKABLE = re.compile(
    rf"(?:^\s{{0,12}}|(?<=\s)|(?=[■□]))(?P<sign>{_SIGN}|□)?(?P<apart>\s{{0,3}})"
    r"(?P<option>[(\[]?(?P<letter>[A-Ja-j])\s?(?:[.、:)\]]|(?<=[■□] [A-J])(?=\s)))"
)
"""Start of an option, with the tick or box before its letter."""
_BEHIND = re.compile(rf"\s{{0,6}}(?:\(\s?(?:正确答案|正确选项|答案|√)\s?\)|{_SIGN}|□)\s{{0,40}}$")
"""The tick or box after an option's words."""
TICKS = (*"★☆✦⭐*√", *flat(TICKED + EMPTY), "(正确", "(答案", "( 正确", "( 答案", "[x]", "[X]")
_STATED = ("(正确答案", "(正确选项")
_FILLED = re.compile(r"[(\[]\s{0,6}(?P<letters>[A-J]{1,8})\s{0,6}[)\]]")
_TAIL, _MOST_ROWS = 60, 10


class _Row(Struct):
    """A line of options without ticks and boxes."""

    index: int
    text: str
    letters: str = ""
    ticked: str = ""
    boxed: bool = False
    told: bool = False
    """Whether words mark one of its options as correct; if so, marks on all options count too."""


def label_ticks(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Yield the lines, with ticks removed from options and the ticked letters in an answer line below, unless all have ticks."""
    position = 0
    are_tasks = any((box := _TASK.match(text)) and not box["tick"].strip() for _, text in lines if "[" in text)  # then all may be correct
    while position < len(lines):
        run = _ticked_run(lines, position)
        letters, ticked = "".join(row.letters for row in run), "".join(row.ticked for row in run)
        is_answer = 0 < len(ticked) < len(letters) + (are_tasks or any(row.told for row in run)) and _ends(lines, position + len(run))
        if is_answer or (run and all(row.boxed for row in run) and ticked in ("", letters)):  # identical boxes are bullets
            yield from ((row.index, row.text) for row in run)
        else:
            yield from lines[position : position + max(1, len(run))]
        if is_answer:
            yield run[-1].index, f"答案：{''.join(sorted(ticked))}"
            filled = _FILLED.findall(flat(lines[position - 1][1])) if position else []
            yield from [(run[-1].index, f"答案：{filled[-1]}")] if filled and set(filled[-1]) <= set(letters) else []
        position += max(1, len(run))


def _ticked_run(lines: Sequence[Numbered], start: int) -> list[_Row]:
    """Return the lines from an index on that consist of options A, B, …, one or several per line."""
    run: list[_Row] = []
    letters = ""
    for index, text in lines[start : start + _MOST_ROWS]:
        row = _row(index, text)
        if not row.letters or set(letters) & set(row.letters):
            break
        letters += row.letters
        run.append(row)
    return run if len(letters) > 1 and are_in_turn(sorted(letters)) else []


def _row(index: int, text: str) -> _Row:
    """Return the options of a line, and which have a tick before their letter or after their words.

    A sign between two options belongs to the nearer one; exactly in the middle, it belongs to the second if the line begins with a sign.
    """
    text = _TASK.sub(lambda box: "■ " if box["tick"].strip() else "□ ", text)
    line, row = flat(text.translate(_BOXES)), _Row(index, "")
    options = list(_TICKABLE.finditer(line))
    if not options or line[: options[0].start()].strip():
        return _Row(index, text)
    starts = [options[0].start("option")]
    for option in options[1:]:
        above = len(line[: option.start("sign")]) - len(line[: option.start("sign")].rstrip()) if option["sign"] else 0
        is_own = above > len(option["apart"]) or (above == len(option["apart"]) and options[0]["sign"])
        starts.append(option.start("sign") if option["sign"] and is_own else option.start("option"))
    for option, start, stop in zip(options, starts, [*starts[1:], len(line)], strict=True):
        before = option["sign"] if option is options[0] or start == option.start("sign") else None
        behind = _BEHIND.search(line, max(option.end(), stop - _TAIL), stop)
        said = behind[0].strip() if behind else ""
        sign = said if before in (None, "", "□") and said else before or ""  # `○ D. 丁（正确答案）` has both
        row.told |= "(" in said
        row.letters += option["letter"].upper()
        row.ticked += option["letter"].upper() if sign not in ("", "□") else ""
        row.boxed |= sign in ("■", "□") or before == "*"
        dot = "" if line[option.end() - 1] in ".、:)]" else "."  # in `□ A 甲` no sign follows the letter
        words = text[option.start("option") : option.end()] + dot + text[option.end() : behind.start() if behind else stop]
        row.text += f"{words.rstrip()}  " if stop < len(line) else words
    return row


def _ends(lines: Sequence[Numbered], index: int) -> bool:
    """Return whether the options end above a line: if words below continue the last one, a tick is not reliable."""
    line = flat(lines[index][1]).strip() if index < len(lines) else ""
    number = number_of(line)
    return not line or (number is not None and number.style != "tight") or heads(line) or (is_marked(line) and not line.startswith(_STATED))
