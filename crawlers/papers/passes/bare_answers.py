"""Answers without a usual label below the options that they name, `【B】…`, `老师：选B。…`, `（主持人公布答案：B、乙）` -> labelled lines.

Numbered lines in and out. The complete text decides: nearly all runs of lettered options must have such a line below them.
"""

import re
from collections import Counter
from collections.abc import Sequence

from atomexam.text.option_letters import LETTERS
from crawlers.papers.sections.signals import is_worded_as_question
from crawlers.papers.signs.answer_marks import WHOLE_ANSWER, Numbered, flat, parts_of
from crawlers.papers.signs.entries import is_title, listed_in, may_say_answer
from crawlers.papers.signs.headings import heads
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import opens_question
from crawlers.papers.signs.options import options_in

_FEWEST, _SHARE, _SHORT = 3, 0.8, 14
_ANSWER_LINE = r"(?P<letters>[A-J]{1,8})"
_REST = r"(?:[。.,;!]\s{0,9}(?P<rest>.*))?\s{0,9}$"
_BEHIND_A = re.compile(rf"A\s?:\s?{_ANSWER_LINE}{_REST}")
"""`A: B`, an answer in English, which is not an option."""
_FORMS = (
    re.compile(
        rf"[【\[(]?(?:正确|参考|标准)?答案[】\])]?\s?:?\s?{_ANSWER_LINE}(?:[。.;,]\s{{0,9}}|\s{{1,9}})(?![A-J](?:[\s,.;。、]|$))(?!\W{{0,3}}(?:答案|试题)?解析)"
        r"(?!.{1,400}[\s;,、]{1,3}[B-J][\s.、:)])"  # several letters, each with its words
        r"(?P<rest>[\u4e00-\u9fff“《\d].{5,})$"
    ),
    re.compile(rf"[【\[(]{_ANSWER_LINE}[】\])]\s{{0,9}}(?P<rest>.*)$"),
    re.compile(rf"{_ANSWER_LINE}[。.]?\s{{0,9}}$"),
    re.compile(
        rf"(?:[^\s:]{{1,8}}:\s?)?(?:(?:正确|参考)?(?:答案|选项)|正解)\s?[是为选]{{1,2}}\s?:?\s?[“\"【(]?{_ANSWER_LINE}[”\"】)]?(?:项|选项)?{_REST}"
    ),
    re.compile(rf"(?:[^\s:]{{1,8}}:\s?)?(?:答案|应|故|本题|所以|因此){{0,2}}选择?\s?:?\s?{_ANSWER_LINE}(?:项|选项)?{_REST}"),
    _BEHIND_A,
    re.compile(rf"(?:>{{1,3}}|=>|->|→|=|#|◆|●|☞|\*)\s{{0,3}}{_ANSWER_LINE}(?:\s{{1,9}}(?P<rest>\S.*))?\s{{0,9}}$"),
)
_LABEL = re.compile(r"[【\[]?(?:正确|参考|标准)?答案[】\]]?\s?:?")
_ALONE = re.compile(r"[A-J](?:[\s,、]{0,2}[A-J]){0,7}[。.]?")
_INLINE = re.compile(r"\s{0,9}[(\[]?A\s?[.、:)\]].{1,2000}[\s)]B\s?[.、:)\]]")
_SOME = re.compile("[A-JＡ-Ｊ√×对错]")
_SENTENCE = re.compile(r".{6,}[。!.]$")
_BULLET = re.compile(r"[-*+•]\s{1,4}(?=[(\[]?[A-J]\s?[.、:)\]])")
_ANNOUNCED = re.compile(
    r"[(\[【]?\s?(?P<who>[^\s:,。()\[\]【】]{1,12})答案[)\]】]?\s?(?:[为是]\s?:?|:)?\s?"
    r"(?P<answer>[^()\[\]【】]{1,200}(?:[(\[【][^()\[\]【】]{0,60}[)\]】][^()\[\]【】]{0,100}){0,3})[)\]】]?[。.]?$"
)
_WHO = re.compile("公布|揭晓|宣布|揭示|官方|权威|主持|老师|教师|讲师|评委|裁判|考官|专家|出题|命题|系统")
_NOT_WHO = re.compile("[我你您他她]|选手|学生|考生|同学|学员|用户|[战小]?队|错")
"""Speakers who state the correct answer, and speakers who guess it."""
_REPEATED = re.compile(r"(?P<letter>[A-J])\s?[.、:,)]?\s{0,3}")
_BETWEEN = re.compile(r"[\s,、;；。.]{1,4}(?=[A-J])|[。.;；]?\s{0,9}$")
_MOST_LINES = 40
_AROUND_TITLE = "【】[]()!…。: "
_DIGITS = re.compile(r"\d+")
_OPENING = re.compile(r"[(\[]?[A-Ja-j]\s?[.、:,)\]]{0,2}\s{0,3}")
_LETTER_AND_WORDS = re.compile(r"(?P<letters>[A-J])\s?[.、:,)]?\s{0,3}(?P<words>.+)")


def label_bare_answers(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines, with labels on such answers and their explanations."""
    firsts = sum(text.lstrip(" \t-*+•")[:1] in ("A", "Ａ", "(", "（", "[") for _, text in lines)
    lines = _without_titles(lines) if firsts >= _FEWEST else lines
    if announced := _announced(lines) if firsts >= _FEWEST else []:
        return announced
    labelled = sum("答案" in text and len(text) <= _SHORT and _SOME.search(text) is not None for _, text in lines)
    if firsts < _FEWEST or 2 * labelled > firsts:
        return list(lines)
    flats = [flat(text).strip() for _, text in lines]
    ends = _ends(flats)
    if len(ends) < _FEWEST:
        return list(lines)
    below = [index for end in ends if (index := next((at for at in range(end + 1, len(flats)) if flats[at]), None)) is not None]
    return (
        _labelled(lines, flats, below)
        or _repeated(lines, flats, ends)
        or _joined(lines, flats, below)
        or _explained(lines, flats, below)
        or list(lines)
    )


def _without_titles(lines: Sequence[Numbered]) -> Sequence[Numbered]:
    """Return lines without a title that is directly above the answer of each question, `揭晓答案`, `第3题答案`."""
    short = Counter(text for _, text in lines if len(text) <= _SHORT or len(text.strip()) <= _SHORT)  # answers are but a few
    if sum(count for text, count in short.items() if _is_title(flat(text).strip())) < _FEWEST:
        return lines
    flats = [flat(text).strip() for _, text in lines]
    filled = [at for at, line in enumerate(flats) if line]
    titles: dict[str, list[tuple[int, int]]] = {}
    for above, at, below in zip(filled, filled[1:], filled[2:], strict=False):
        if len(flats[at]) <= _SHORT and _is_title(flats[at]) and _states(flats[below]):
            titles.setdefault(_DIGITS.sub("", flats[at].strip(_AROUND_TITLE)), []).append((at, above))
    if not any(len(same) >= _FEWEST for same in titles.values()):
        return lines
    ends = {*_ends(flats)}
    gone = {
        at for same in titles.values() if len(same) >= _FEWEST and 2 * sum(above in ends for _, above in same) > len(same) for at, _ in same
    }
    return [line for at, line in enumerate(lines) if at not in gone]


def _is_title(line: str) -> bool:
    return may_say_answer(line) and is_title(line.strip(_AROUND_TITLE))


def _states(line: str) -> bool:
    """Return whether a flat line states the answer of one question."""
    if WHOLE_ANSWER.fullmatch(line) or any(form.match(line) for form in _FORMS):
        return True
    parts = parts_of(line)
    return bool(parts) and parts[0][0] == "answer" and bool(parts[0][1]) and not listed_in(parts[0][1]).entries


def _ends(flats: Sequence[str]) -> list[int]:
    """Return the places of the last lines of runs of options, one per line or all on one."""
    ends: list[int] = []
    letters = last = 0
    for index, line in enumerate(flats):
        if not line:
            continue
        letter = letter_of(line)
        if letters < len(LETTERS) and letter == LETTERS[letters] and not (letters and _BEHIND_A.match(line)):
            letters, last = letters + 1, index
            if letters == 1 and _INLINE.match(line):
                ends.append(index)
                letters = 0
            continue
        if letters > 1:
            ends.append(last)
        letters = 0
        if letter == "A":
            letters, last = 1, index
    return [*ends, last] if letters > 1 else ends


def _labelled(lines: Sequence[Numbered], flats: Sequence[str], below: Sequence[int]) -> list[Numbered]:
    """Return the lines with the answers of one form; none if too few have it."""
    for form in _FORMS:
        matches = {position: match for position in below if (match := form.match(flats[position]))}
        rests = [match["rest"] or "" for match in matches.values()] if "rest" in form.groupindex else []
        rests_ask = 2 * sum(opens_question(rest) or is_worded_as_question(rest) for rest in rests) > len(matches)  # the answer comes first
        if len(matches) < max(_FEWEST, _SHARE * len(below)) or rests_ask:
            continue
        done: list[Numbered] = []
        for position, (index, text) in enumerate(lines):
            if match := matches.get(position):
                done.append((index, f"答案：{match['letters']}"))
                start = match.start("rest") if "rest" in form.groupindex and match["rest"] else -1
                done += [(index, f"解析：{text.strip()[start:]}")] if start >= 0 and match["rest"].strip() else []
            else:
                done.append((index, text))
        return done
    return []


def _repeated(lines: Sequence[Numbered], flats: Sequence[str], ends: Sequence[int]) -> list[Numbered]:
    """Return the lines with a label on those below options that repeat some of them, `B 松弛训练、C 果敢训练`; none if too few do."""
    done, found = list(lines), 0
    for end in ends:
        below = next((at for at in range(end + 1, len(flats)) if flats[at]), None)
        if below is not None and flats[below][0] in LETTERS:
            start = next((at for at in range(end, max(-1, end - _MOST_LINES), -1) if letter_of(flats[at]) == "A"), end)
            if letters := _repeated_letters(flats[below], options_in("\n".join(flats[start : end + 1]))):
                done[below] = (lines[below][0], f"答案：{letters}")
                found += 1
    return done if found >= max(_FEWEST, len(ends) / 2) else []


def _repeated_letters(line: str, options: Sequence[str]) -> str:
    """Return the letters of the options that a flat line repeats, each in turn with its words, and nothing else; else nothing."""
    words = [_OPENING.sub("", option.strip(), count=1).rstrip("。.;；") for option in options]
    letters, at = "", 0
    while at < len(line):
        opening = _REPEATED.match(line, at)
        index = LETTERS.index(opening["letter"]) if opening else len(words)
        if opening is None or index >= len(words) or opening["letter"] in letters or not words[index]:
            return ""
        if not line.startswith(words[index], opening.end()):
            return ""
        letters += opening["letter"]
        behind = _BETWEEN.match(line, opening.end() + len(words[index]))
        if behind is None:
            return ""
        at = behind.end()
    return letters


def _announced(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with announced answers, below options or in brackets after them; none if too few are announced."""
    named = [index for index, (_, text) in enumerate(lines) if text.rfind("答案") > 0]  # whose it is stands before the word
    announcements = {index: match for index in named if (match := _announcement_in(_without_bullet(lines[index][1])))}
    if len(announcements) < _FEWEST:
        return []
    flats = [_without_bullet(text) for _, text in lines]
    answers: dict[int, str] = {}
    ends = _ends(flats)
    for end in ends:
        index = end if end in announcements else next((at for at in range(end + 1, len(flats)) if flats[at]), end)
        start = next((at for at in range(end, -1, -1) if letter_of(flats[at]) == "A"), end)
        above = [*flats[start:end], flats[end][: announcements[end].start()] if end in announcements else flats[end]]
        if index in announcements and (letters := _letters_of(announcements[index]["answer"].strip(), options_in("\n".join(above)))):
            answers[index] = letters
    if len(answers) < max(_FEWEST, _SHARE * len(ends)):
        return []
    answers |= {
        index: match["answer"] for index, match in announcements.items() if not match.start() and WHOLE_ANSWER.fullmatch(match["answer"])
    }
    done: list[Numbered] = []
    for position, (index, text) in enumerate(lines):
        if position not in answers:
            done.append((index, text))
            continue
        match = announcements.get(position)
        before = text.rstrip()[: len(flat(text).rstrip()) - len(match[0])].rstrip() if match and match.start() else ""
        done += [*([(index, before)] if before else []), (index, f"答案：{answers[position]}")]
    return done


def _without_bullet(text: str) -> str:
    return _BULLET.sub("", flat(text).strip(), count=1)


def _announcement_in(line: str) -> re.Match[str] | None:
    """Return who states which answer on a separate line, or in brackets at the end of one."""
    start = max(line.rfind(sign, 0, line.rfind("答案")) for sign in "([【")
    match = _ANNOUNCED.match(line) or (_ANNOUNCED.match(line, start) if start > 0 else None)
    return match if match and _WHO.search(match["who"]) and not _NOT_WHO.search(match["who"]) else None


def _letters_of(answer: str, options: Sequence[str]) -> str:
    """Return the letters that an announcement names: alone, with the words of their option, or only by its words."""
    if _ALONE.fullmatch(answer):
        return answer.rstrip("。.")
    bare = [_OPENING.sub("", option.strip(), count=1) for option in options]
    named = _LETTER_AND_WORDS.fullmatch(answer)
    if named and LETTERS.index(named["letters"]) < len(bare) and bare[LETTERS.index(named["letters"])] == named["words"]:
        return named["letters"]
    return LETTERS[bare.index(answer)] if bare.count(answer) == 1 else ""


def _joined(lines: Sequence[Numbered], flats: Sequence[str], below: Sequence[int]) -> list[Numbered]:
    """Return the lines with a separate label joined to the letters on the next line with words; none if too few have one."""
    values_at = {
        index: value_at
        for index in below
        if _LABEL.fullmatch(flats[index]) and (value_at := next((at for at in range(index + 1, len(flats)) if flats[at]), None)) is not None
    }
    if len(values_at) < max(_FEWEST, _SHARE * len(below)) or not all(_ALONE.fullmatch(flats[value_at]) for value_at in values_at.values()):
        return []
    done = list(lines)
    for index, value_at in values_at.items():
        done[index] = (lines[index][0], f"答案：{flats[value_at]}")
        done[value_at] = (lines[value_at][0], "")
    return done


def _explained(lines: Sequence[Numbered], flats: Sequence[str], below: Sequence[int]) -> list[Numbered]:
    """Return the lines with a label before the sentence that is between the options of nearly every numbered question and the next
    question.
    """
    is_question = [opens_question(line) for line in flats]
    if sum(is_question) < max(_FEWEST, _SHARE * len(below)):
        return []
    sentences = [
        index
        for index in below
        if not is_question[index] and _SENTENCE.match(flats[index]) and not letter_of(flats[index]) and not heads(flats[index])
    ]
    is_labelled = any("答案" in flats[index] or "解析" in flats[index][:6] for index in below)
    if is_labelled or len(sentences) < max(_FEWEST, _SHARE * len(below)):
        return []
    done = list(lines)
    for index in sentences:
        done[index] = (lines[index][0], f"解析：{lines[index][1].strip()}")
    return done
