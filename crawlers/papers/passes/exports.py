"""What question banks and learning platforms write around a question: field names, folds, scores. Numbered lines in and out."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from atomexam.text.numerals import value_of
from atomexam.text.verdicts import SURE_VERDICT
from crawlers.papers.passes.bare_numbers import BARE_NUMBER, bare_counts
from crawlers.papers.passes.english_fields import NAMES_ANSWER, fields_in_chinese
from crawlers.papers.passes.steps import Step
from crawlers.papers.passes.verdict_lines import OFFERS_VERDICT, verdicts_lettered
from crawlers.papers.signs.answer_marks import Numbered, flat, is_marked, parts_of, plain, trimmed
from crawlers.papers.signs.entries import listed_in
from crawlers.papers.signs.headings import is_heading
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import TYPE, are_consecutive, number_of, opens_question

_STEM_FIELD = re.compile(
    r"(?:\s{0,8}[-*+•]\s{1,3})?(?P<before>\s{0,8}(?:\d{1,5}\s?[、.]|第\s?\d{1,5}\s?题)?\s{0,3})[【\[]?(?:题干|题目|试题|题面)(?:内容)?[】\]]?\s?:\s{0,3}(?=\S)"
)
_OPTIONS_FIELD = re.compile(r"\s{0,8}[【\[]?(?:备选|候选)?选项(?:内容)?[】\]]?\s?:\s{0,3}(?=[(\[]?[A-Ja-j]\s?[.、:)\]]|$)")
_OPTION_FIELD = re.compile(r"(?:^|(?<=\s)|(?<=[;,]))[【\[]?(?:备选)?(?:选项|答案)\s?(?P<letter>[A-J])[】\]]?\s?[:、.]\s{0,3}")
_FIRST_OPTION = re.compile(r"\s{0,8}[【\[]?(?:备选)?(?:选项|答案)\s?[A-J][】\]]?\s?[:、.]")

_CHOOSE = re.compile(
    r"\s{0,9}(?:请?(?:从(?:下列|以下)选项中)?选择(?:一项|一个(?:正确)?(?:答案|选项)|一(?:项|个)或多(?:项|个)(?:答案)?)"
    r"|select one(?: or more)?|choose (?:one|all that apply))\s?[.:。]?\s{0,9}",
    re.IGNORECASE,
)
"""What a platform prints between a stem and its options."""
_MAY_CHOOSE = re.compile("选择|elect|hoose")
_EQUALS = re.compile(
    r"\s{0,9}(?:(?P<stem>题干|题目|试题|问题|question|stem)(?:内容)?\s?\d{0,4}|(?P<answer>(?:正确|参考|标准)?答案|answer)\s?\d{0,4}|(?:备选|候选)?选项\s?[A-J]?|[A-J]|(?:option|choice)\s?[A-J]"
    r"|(?:答案|试题)?解析|题型|难度|章节|explanation)\s?(?P<sign>=)\s{0,3}",
    re.IGNORECASE,
)
_SPACED = re.compile(
    r"\s{0,9}(?:(?P<stem>题干|题目|试题|问题|题面)|(?P<answer>(?:正确|参考|标准)?答案)|(?:备选|候选)?选项|(?:我|你|您|学生|考生)的?答案"
    r"|(?:答案|试题)?解析|题型|难度|章节|科目|来源|知识点)(?P<sign>\s{1,4})(?=\S)"
)
"""The same in the rows of a table, whose cells only blanks divide."""
_FEWEST_LINES = 2

_MINE = re.compile(r"(?:(?:我|你|您|学生|考生)的?答案\s?:.{0,400}?|(?:我|你|您|学生|考生)选择?[了的].{0,60}?)(?=(?:正确|参考|标准)答案)")
_MINE_BEHIND = re.compile(
    r"(?P<theirs>(?:正确|参考|标准)答案\s?:(?:(?!答案).){0,200}?)[\s,;]{0,9}"
    r"(?:我|你|您|学生|考生|学员)的?(?:答案|作答|选择|答题)\s?:.{0,400}?(?=(?:答案|试题)?(?:解析|详解)|得分|难度|知识点|正确率|$)"
)
"""The visitor's own answer after the correct one, with nothing between them if a page has them in adjacent elements."""
_WITH_OPTION = re.compile(r"(?P<mark>(?:正确|参考|标准)?答案\s?:)\s{0,3}(?P<letters>[A-J]{1,8})\s?:\s?\S.*$")
_FURTHER = re.compile(r"(?<!\w)\s{0,3}[A-J]\s?:\s?\S")
"""A second letter with the words of its option, `A:甲; C:丙`, which are compared with the options later."""
_MINE_ALONE = re.compile(r"\s{0,8}(?:我|你|您|学生|考生)的?答案\s?:\s{0,4}")
_THEIRS = re.compile(r"\s{0,8}(?:正确|参考|标准)答案")
_SCORE = re.compile(r"\s{0,8}(?:得分\s?:?\s?)?\d{1,3}(?:\.\d{1,2})?\s?分\s{0,4}")

_FOLD = re.compile(r"<(?P<slash>/?)details[^<>]{0,100}>", re.I)
_SUMMARY, _TITLE = re.compile(r"</?summary[^<>]{0,100}>", re.I), re.compile(r"<summary[^<>]{0,100}>", re.I)
_FOLDED = re.compile(r"^\W{0,3}(?:点击|查看|显示|展开)|答案|解析|^\W{0,3}(?:answer|key|show|view|solution|details?)", re.I)
"""The title of a fold that contains an answer."""

_ORDINAL = re.compile(r"第(?P<number>[一二三四五六七八九十]{1,3})题")
_ORDINAL_ANSWER = re.compile(r"第(?P<number>[一二三四五六七八九十]{1,3})题(?=\s?[:、.]?\s{0,3}(?:答案\s?:?)?(?:选)?[A-J√×①-⑩对错正])")

_BY_NUMBER = re.compile(
    rf"\s{{0,9}}A(?:ns(?:wer)?)?\s?[.#]?\s?(?P<number>\d{{1,4}})\s?[.:、)]?\s{{0,4}}(?P<answer>[A-J]{{1,8}}|[a-j]{{1,8}}|{SURE_VERDICT})\s{{0,9}}"
)
"""`A01 c` in a list, if the questions begin with `Q01`."""
_OF_HOW_MANY = re.compile(r"\s{0,9}(?:第\s?)?(?P<number>\d{1,4})\s?/\s?(?P<all>\d{1,4})\s?(?:题\s?)?[.、:)\s]\s{0,4}(?=\S)")
_EMPHASISED_NUMBER = re.compile(
    r"\s{0,9}(?:#{1,6}\s{1,3}|[-+]\s{1,3})?(?:(?P<sign>[*_]{1,3}|`)\s?|<(?P<tag>b|strong|em|i|u)>)(?P<number>\d{1,4})"
    r"(?:\s?(?P=sign)|</(?P=tag)>)\s{0,4}[.、:)]?\s{0,4}(?=\S)"
)
"""A number that only its emphasis distinguishes from the stem: `**1** …`."""
_QUESTION_FIELD = re.compile(r"\s{0,9}Q(?:uestion)?\s?[.#]?\s?\d{1,4}\b")
_WEIGHT = r"(?:难度\s?:?\s?)?(?:较?[易难]|中等?|容易|困难|简单)|\d{1,3}(?:\.\d)?\s?分"
_TAG_BEHIND = re.compile(
    rf"\s{{0,4}}[(\[【]\s?(?:(?:{_WEIGHT})\s?[,;、/|\s]\s?){{1,2}}(?P<type>{TYPE})\s?[)\]】]\s{{0,4}}$"
    rf"|\s{{0,4}}[(\[【]\s?(?P<type2>{TYPE})(?:\s?[,;、/|\s]\s?(?:{_WEIGHT})){{1,2}}\s?[)\]】]\s{{0,4}}$"
)
"""A tag of type and difficulty or score after a stem: `（中；单选题）`."""
_LONGEST_TAG, _LONGEST_NAME = 40, 16
_REMARK = re.compile(
    r"[(\[【]\s?(?:难易?程?度|难度系数|分值|来源|出处|章节|知识点|考点|编号|题号|年份|标签|ID)\s?:\s?[^()\[\]【】]{1,24}[)\]】]\s{0,3}",
    re.IGNORECASE,
)
_NO_WORDS = re.compile(rf"(?>{TYPE}|(?:单选|多选|判断|填空|简答)题?|第|题|[^\u4e00-\u9fff]){{0,30}}+")
"""What may precede such a remark at the start of a question: its number and type."""


def _without_requests(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines without those that only ask to choose an option."""
    return [line for line in lines if not _MAY_CHOOSE.search(line[1], 0, 12) or not _CHOOSE.fullmatch(flat(line[1]))]


def _without_remarks(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return lines without remarks in brackets, at the start or the end of a question, on its difficulty or origin: `（难度：易）`."""
    cuts = [_remark_in(text) if ":" in text or "：" in text else None for _, text in lines]
    if sum(map(bool, cuts)) <= _FEWEST_LINES:
        yield from lines
        return
    for (index, text), cut in zip(lines, cuts, strict=True):
        yield index, f"{text[: cut[0]]}{text[cut[1] :]}" if cut else text


def _remark_in(text: str) -> tuple[int, int] | None:
    """Return where the remarks of a line begin and end."""
    line = flat(text)
    remarks = list(_REMARK.finditer(line))
    if not remarks or not (_NO_WORDS.fullmatch(line, 0, remarks[0].start()) or not line[remarks[-1].end() :].strip()):
        return None
    beside = all(not line[one.end() : other.start()].strip() for one, other in pairwise(remarks))
    return (remarks[0].start(), remarks[-1].end()) if beside else None


def _with_colons(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return lines of names and values, `题干=…`, `选项A=…`, or `题目 …`, with the usual sign between them."""
    matches = [_EQUALS.match(flat(text)) if "=" in text or "＝" in text else None for _, text in lines]
    if not any(matches):
        matches = [_SPACED.match(flat(text)) if " " in text[:_LONGEST_NAME] or "\t" in text[:_LONGEST_NAME] else None for _, text in lines]
    if min(sum(bool(match and match[kind]) for match in matches) for kind in ("stem", "answer")) <= _FEWEST_LINES - any(
        match and match.re is _EQUALS for match in matches
    ):
        yield from lines
        return
    for (index, text), match in zip(lines, matches, strict=True):
        yield index, f"{text[: match.start('sign')]}：{text[match.end('sign') :]}" if match else text


def _unfolded(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return the content of `<details>` as an answer followed by its explanation."""
    if not any("<" in text and "<details" in text.lower() for _, text in lines):
        yield from lines
        return
    inside, fold_lines, title_open = False, 0, False  # lines of the fold so far; whether its title continues
    for index, text in lines:
        pieces, position = [], 0
        text, title_open, title = _without_title(text, title_open)
        pieces += [title] if title else []
        for fold in [*_FOLD.finditer(text), None]:
            words = _SUMMARY.sub("", text[position : fold.start() if fold else len(text)]).strip()
            if inside and words and fold_lines == 0:
                pieces.append(words if is_marked(words) else f"答案：{words}")
                fold_lines = 1
            elif inside and words and fold_lines == 1:
                pieces.append(words if is_marked(words) else f"解析：{words}")
                fold_lines = 2
            elif words:
                pieces.append(words)
            if fold:
                inside, fold_lines, position = not fold["slash"], 0, fold.end()
        yield from ((index, piece) for piece in pieces or [""])


def _without_title(text: str, goes_on: bool) -> tuple[str, bool, str]:
    """Return a line without what the title of a fold states there, whether the title continues below, and its words if they are a
    question's.
    """
    start = 0 if goes_on else match.start() if (match := _TITLE.search(text)) else -1
    if start < 0:
        return text, False, ""
    end = text.lower().find("</summary>")
    words = _SUMMARY.sub("", text[start : end if end >= 0 else len(text)]).strip()
    title = "" if _FOLDED.search(words) and len(words) <= _LONGEST_TAG else words
    return text[:start] + (text[end + len("</summary>") :] if end >= 0 else ""), end < 0, title


def _official_answers(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return answers without the visitor's own, the words of their options, and their score."""
    answered = mine_below = False
    for index, text in lines:
        line = flat(text)
        says_answer = "答案" in line
        mine_below = (mine_below and not _THEIRS.match(line) and not opens_question(line.strip())) or (
            says_answer and _MINE_ALONE.fullmatch(line) is not None
        )
        if mine_below:  # the visitor's own, over several lines
            continue
        if answered and _SCORE.fullmatch(line):
            continue
        if says_answer:
            mine = _MINE.search(line)
            text = text[: mine.start()] + text[mine.end() :] if mine else text
            mine = _MINE_BEHIND.search(flat(text))
            text = f"{text[: mine.end('theirs')]} {text[mine.end() :]}".rstrip() if mine else text
            with_option = _WITH_OPTION.search(flat(text))
            if with_option and not _FURTHER.search(flat(text), with_option.end("letters") + 1):
                text = text[: with_option.end("letters")]
            answered = True
        elif answered and opens_question(line.strip()):
            answered = False
        yield index, text


def _fields(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return lines without the names of fields, `题干：` `选项：`; `选项A：甲` becomes `A. 甲`."""
    flats = [flat(text) for _, text in lines]
    stems = sum("题" in line and _STEM_FIELD.match(line) is not None for line in flats)
    options = sum("选项" in line and _OPTIONS_FIELD.match(line) is not None for line in flats)
    letters = sum(("选项" in line or "答案" in line) and _FIRST_OPTION.match(line) is not None for line in flats)
    if max(options, letters) < 2 and stems < 2:
        yield from lines
        return
    explained = False
    for index, text in lines:
        line = flat(text)
        if stems > 1 and (stem := _STEM_FIELD.match(line)):
            text, explained = text[stem.start("before") : stem.end("before")] + text[stem.end() :], False
        elif options > 1 and (field := _OPTIONS_FIELD.match(line)):
            text = text[field.end() :]
        if letters > 1 and not explained:
            text = _lettered(text)
        explained = any(kind == "explanation" for kind, _ in parts_of(trimmed(text))) or (explained and bool(text.strip()))
        yield index, text


def _lettered(text: str) -> str:
    done, index = "", 0
    for field in _OPTION_FIELD.finditer(flat(text)):
        done += f"{text[index : field.start()]}{field['letter']}. "
        index = field.end()
    return done + text[index:]


def _ordinals(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return 第三题 as 第3题 if several lines begin with such numbers."""
    opened = [
        "第" in text and _ORDINAL.match(trimmed(text)) is not None and not is_heading(flat(trimmed(text)[3:]).strip(" :"))
        for _, text in lines
    ]
    if sum(opened) < 2 or any(_has_own_numbers(plain(text)) for _, text in lines):
        yield from lines
        return
    for (index, text), opens in zip(lines, opened, strict=True):
        text = _ORDINAL.sub(_in_digits, trimmed(text), count=1) if opens else text
        yield index, _answers_in_digits(text)


def _by_number(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return an answer list, `A01 c`, with plain numbers if they are consecutive and as many questions begin with `Q01`."""
    matches = [_BY_NUMBER.fullmatch(flat(text)) if "A" in text else None for _, text in lines]
    numbers = [int(match["number"]) for match in matches if match]
    question_count = sum(_QUESTION_FIELD.match(flat(text)) is not None for _, text in lines) if len(numbers) >= _FEWEST_LINES else 0
    if not 0 < len(numbers) == question_count or not are_consecutive(numbers):
        yield from lines
        return
    for (index, text), match in zip(lines, matches, strict=True):
        yield index, f"{match['number']}. {match['answer']}" if match else text


def _counted(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return lines that begin with their index among all questions, `3/20 …`, or an emphasised one, `**3** …`, with only the number, if
    these are consecutive.
    """
    for form, signs in ((_OF_HOW_MANY, "/／"), (_EMPHASISED_NUMBER, "*_`<")):
        matches = [form.match(flat(text)) if any(sign in text for sign in signs) else None for _, text in lines]
        numbers = [int(match["number"]) for match in matches if match]
        wholes = {match["all"] for match in matches if match and "all" in form.groupindex}
        if len(numbers) > _FEWEST_LINES and are_consecutive(numbers) and len(wholes) <= 1:
            lines = [
                (index, f"{match['number']}. {text[match.end() :]}" if match else text)
                for (index, text), match in zip(lines, matches, strict=True)
            ]
    yield from lines


def _has_own_numbers(line: str) -> bool:
    """Return whether a line is the first question of a case: what 第一题 begins is then the case."""
    number = number_of(line)
    return bool(number and number.value == 1 and number.style in ("point", "paren", "bracket") and not listed_in(line).entries)


def _answers_in_digits(text: str) -> str:
    done, index = "", 0
    for match in _ORDINAL_ANSWER.finditer(flat(text)):
        done += text[index : match.start()] + _in_digits(match)
        index = match.end()
    return done + text[index:]


def _in_digits(match: re.Match[str]) -> str:
    value = value_of(match["number"])
    return f"第{value}题" if value else match[0]


def _tags_first(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return the type that follows a stem, `（中；单选题）`, as a tag after the question's number."""
    tags = {position: tag for position, (_, text) in enumerate(lines) if (tag := _tag_behind(flat(text)))}
    if not tags:
        yield from lines
        return
    done = list(lines)
    opened = -1  # the line of the last number, above which only words of its stem have come
    for position, (index, text) in enumerate(lines):
        line = flat(text)
        if opens_question(line.strip()):
            opened = position
        elif letter_of(line.strip()) or is_marked(trimmed(text)):
            opened = -1
        tag = tags.get(position)
        if tag is None or opened < 0:
            continue
        done[position] = (index, text[: tag.start()])
        first, words = done[opened]
        start = len(words) - len(words.lstrip())
        number = number_of(flat(words)[start:])
        if number is not None:
            at = start + number.end
            done[opened] = (first, f"{words[:at]}【{tag['type'] or tag['type2']}】{words[at:]}")
    yield from done


def _tag_behind(line: str) -> re.Match[str] | None:
    return _TAG_BEHIND.search(line, max(0, len(line) - _LONGEST_TAG)) if line.rstrip()[-1:] in (")", "]", "】") else None


FIELD_STEPS = (
    Step(_without_requests, ["选择", "elect", "hoose"]),
    Step(_without_remarks, [_REMARK]),
    Step(_with_colons, ["=", re.compile(r"(?:题干|题目|试题|问题|题面)\s")]),
    Step(fields_in_chinese, NAMES_ANSWER),
    Step(_unfolded, ["<"]),
    Step(_official_answers, [*"我你您生员分", re.compile(r"答案\s?:\s{0,3}[A-J]{1,8}\s?:")]),
    Step(_fields, ["题干", "题目", "题面", "试题", "选项", re.compile(r"答案\s?[A-J][】\]]?\s?[:、.]")]),
    Step(verdicts_lettered, [OFFERS_VERDICT]),
    Step(_ordinals, [_ORDINAL]),
    Step(_by_number, ["Q"]),
    Step(_counted, "/*_`>"),
    Step(bare_counts, [re.compile(rf"\n(?:{BARE_NUMBER.pattern})")]),
    Step(_tags_first, [re.compile(rf"[(\[【]\s?(?:{_WEIGHT}|{TYPE})\s?[,;、/|\s]")]),
)
