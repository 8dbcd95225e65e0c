"""Variants of writing by a scan or a typist, normalised: spaces within numbers, letters alone on lines, arrows.

Numbered lines in, numbered lines out. Words are unchanged; only spaces, line breaks and signs change.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import SURE_VERDICT, VERDICT
from crawlers.papers.signs.answer_marks import LETTERS as LETTERS_OF_ANSWER
from crawlers.papers.signs.answer_marks import Numbered, flat, parts_of, plain, trimmed
from crawlers.papers.signs.headings import is_heading
from crawlers.papers.signs.letters import letter_of

_CJK = "\u4e00-\u9fff"
_DIGITS, _FEWEST_TITLES = re.compile(r"\d+"), 3
_SPACED = re.compile(rf" (?<=[{_CJK}] )(?=[{_CJK}])")  # the blank first, which is found sooner
_TOUCHING = re.compile(rf"(?<=[{_CJK}])(?=[{_CJK}])")
_MANY_SPACED = 20  # minimum of spaces between characters made by a scan
_INNER = re.compile(rf"(?<=[{_CJK}，、。；：？（）“”])[ ](?=[{_CJK}，、。；：？（）“”])")
_NUMBER_AT_START = re.compile(r"(?P<digits>\d(?: \d){1,3}) ?(?=[、.．])")
_NUMBER_WITHIN = re.compile(r"(?<=[A-J√×] )\d \d(?= ?[、．] ?[A-J√×])")
_RUN_OF_NUMBERS = re.compile(
    r"(?<![\d ])(?P<first>\d(?: \d){0,2})(?P<dash> ?[—–~～-]{1,2} ?)(?P<last>\d(?: \d){0,2})(?= ?[:：、]? ?[A-J√×])"
)
_SHORT, _LONG = 40, 6
"""Maximum length of a line that may be a heading, or letters and an arrow; length from which on a line is not just a letter or number."""
_RECURS = 16  # characters of an answer, or an option as short
_TABBED = re.compile(r"\s{0,8}\d{1,4}\t\s{0,4}[^\s\d][^\t]{5,}$")
_TABBED_DIGIT = re.compile(r"\s{0,8}\d{1,4}\t(?=\d)[^\t]{6,}$")
_FEWEST_TABBED = 3

_LETTER_ALONE = re.compile(r"[(\[]?[A-Ja-j]\s?[.、)\]:]|【[A-J]】")
_OPENS = re.compile(r"[(\[]?[A-Ja-j]\s?[.、)\]:]|(?:参考|正确|标准)?答案|[【\[]|解析|\d{1,4}\s?[、.]\s?$")
_NUMERAL_ALONE = re.compile(r"第?[一二三四五六七八九十]{1,3}(?:、|\.|大题|部分)")
_COMMAS = re.compile(
    r"(?:^|(?<=[\s。?)]))A\s?[、.,](?:[^A-J\n]|[A-J](?![、.,])){1,200}[、,]\s?B\s?[、.,](?:[^A-J\n]|[A-J](?![、.,])){1,200}[、,]\s?C\s?[、.,]"
)
_COMMA = re.compile(r"[、,]\s?(?=[B-J]\s?[、.,])")
_SMALL = re.compile(r"a(?=[\u4e00-\u9fff]).{1,200}?\sb(?=[\u4e00-\u9fff]).{1,200}?\sc(?=[\u4e00-\u9fff])")
_SMALL_TIGHT = re.compile(
    r"a(?=[\u4e00-\u9fff])[^a-z]{1,200}b(?=[\u4e00-\u9fff])[^a-z]{1,200}c(?=[\u4e00-\u9fff])[^a-z]{1,200}(?:d(?=[\u4e00-\u9fff])[^a-z]{1,200})?$"
)
_SMALL_LETTER = re.compile(r"(?:^|(?<=\s))(?P<letter>[a-h])(?=[\u4e00-\u9fff])")
_NUMBER_ALONE = re.compile(r"(\d{1,4})\s?[、.]?")
_TAGGED = re.compile(
    r"[【\[(](?:单选|多选|判断|填空|简答|名词解释|论述|不定项)题?[】\])]\s?(?:[(]\s?\d{1,2}(?:\.\d)?\s?分\s?[)])?\s{0,3}[^\s(]"
)
_DOUBLED = re.compile(r"(?:^|(?<=\s))(?P<letter>[A-J])\s{1,3}(?P=letter)(?=\S)")
_BLANK_BEHIND = re.compile(r"(?:^|(?<=[\s)]))(?P<letter>[A-J])\s{1,3}(?=\S)")
_RANGE_OF_ONE = re.compile(r"[【\[]\s?(\d{1,5})\s?[】\]]")
_ANSWER = re.compile(
    rf"(?:[👉👈→➜➡☞☛⇒▶✅➔➤★☆]\ufe0f?|=>|->)\s{{0,3}}(?:正确答案|答案|选)?\s?:?\s?(?P<answer>[A-Ja-j]{{1,6}}|{SURE_VERDICT})\s?[。.!]?"
    r"|选\s?:\s?(?P<chosen>[A-J]{1,6})[。.!]?|√\s?(?P<ticked>[A-Ja-j]{1,6})"
    rf"|[\[【(]\s?(?:参考|正确|标准)?答案\s{{1,4}}(?P<bracketed>[A-J]{{1,8}}|{SURE_VERDICT})\s?[\]】)]"
)
_POINTER = re.compile(
    r"\s{0,12}(?:[👉→➜➡☞☛⇒▶➔➤►▸»★☆◆●▲■※✦]\ufe0f?|[=-]>|>>)\s{0,4}"
    r"(?=(?P<open>[\[【(])?\s?(?:(?:参考|正确|标准|本题)?(?:的)?(?:答案|选项)|正解|(?:答案|试题)?(?:解析|详解)|答)\s?(?(open)[\]】)]|[:是为选]))"
)
"""A sign that points to the name of a field: `→ 答案：B`."""
_ANSWER_OPENS = frozenset("[【(👉👈→➜➡☞☛⇒▶✅➔➤★☆=-选√")
_OPENS_SIGNS, _WITHIN_SIGNS = _ANSWER_OPENS | frozenset("►▸»◆●▲■※✦>*a"), re.compile("[〔【选答👉→➜➡☞☛⇒▶➔➤]")
"""What a line begins with or contains if it has signs that are not the usual ones, but for two letters of options."""
_ARROW = re.compile("[👉→➜➡☞☛⇒▶➔➤]")
_ANSWER_BEHIND = re.compile(
    r"(?<=[^\d\sA-J])\s{0,4}(?:[👉→➜➡☞☛⇒▶➔➤]\ufe0f?)\s{0,3}(?P<words>(?:正确答案|答案|选)?\s?:?\s?(?:[A-J]{1,6}|√|×))\s?$"
)
_KEY_TITLE = re.compile(
    r"[【\[(#*\-\s]{0,12}(?:附[录件]?\s{0,9}\d?\s{0,9}[:、.]\s{0,9})?(?P<words>(?:(?:参\s{0,9}考|标\s{0,9}准|正\s{0,9}确|试\s{0,9}题)\s{0,9})?答\s{0,9}案(?:\s{0,9}(?:要\s{0,9}点|解\s{0,9}析))?)"
    r"(?=[】\])#*\-\s]{0,12}(?:$|:)|\s{0,3}[及与和])"
)
_GROUP_ANSWER = re.compile(
    r"[【\[(]\s?第?\s?(?P<first>\d{1,5})\s{0,2}-\s{0,2}(?P<last>\d{1,5})\s?题?\s?的?(?:参考|正确|标准)?答案\s?[】\])]\s?:?\s{0,3}(?=[A-J√×对错])"
)
_NAMED_INSIDE = re.compile(
    r"【\s?(?P<name>(?:参考|正确|标准|本题)?答案|(?:答案|试题)?解析|详解)\s?[:：]\s?(?P<words>[^【】\n]{1,2000})】(?:\s{0,9}[。；;]\s{0,9}$)?"
)
"""A field whose brackets are around its name and its words: `【答案：B】`."""
_ANSWER_INSIDE = re.compile(
    rf"[(（\[]\s?(?:参考|正确|标准|本题)?答案\s?[:：]\s?(?P<words>{LETTERS_OF_ANSWER}|{VERDICT})\s?[)）\]](?=\s{{0,9}}[。；;]?\s{{0,9}}$)"
)
"""The same in other brackets, at the end of a line: `（答案：B）`."""
_BRACKETS = frozenset("(（[【")
_BLANK_ALONE = re.compile(r"[(\[【]\s{0,12}[)\]】]\s?[。.?]?")
_LIGHT_BRACKETS = re.compile(
    r"〔\s?(?:(?P<letter>[A-J])|(?P<words>[A-J]{2,10}|[√×对错]|(?:参考|正确|标准)?答案[^〔〕\n]{0,24}|(?:答案|试题)?(?:解析|详解|分析)|难度[^〔〕\n]{0,12}))\s?〕"
)
_OPTION_NAMED = re.compile(r"^\s{0,8}[\[【(（]?\s?选项\s?(?P<letter>[A-J])\s?[\]】)）:：.．、]\s{0,4}(?=\S)")
_TICK_BEFORE = re.compile(r"[√*★]\s{0,3}(?P<option>[A-J]\s?[.、)](?:(?!\s[A-J]\s?[.、)]).){1,400})$")


def usual_spelling(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines in their usual form."""
    spaced = _is_spaced([text for _, text in lines])
    dotted = _with_dots(lines)
    known: dict[str, list[str]] = {}  # of the short lines, many of which recur
    mended: list[Numbered] = []
    for line in dotted:
        index, text = line
        if (pieces := known.get(text)) is None:
            pieces = _mended(text, spaced)
            if len(text) <= _RECURS:
                known[text] = pieces
        if len(pieces) == 1 and pieces[0] == text:
            mended.append(line)
        else:
            mended += [(index, piece) for piece in pieces]
    return _with_blanks(list(_joined(mended)))


def _with_blanks(lines: list[Numbered]) -> list[Numbered]:
    """Return the lines, each blank that is alone below the words of a question put behind them: the line was full.

    A line that recurs but for its number is a running title.
    """
    alone = {at for at, (_, text) in enumerate(lines) if text.lstrip()[:1] in _BRACKETS and _BLANK_ALONE.fullmatch(plain(text))}
    if not alone:
        return lines
    forms = Counter(_DIGITS.sub("0", plain(text)) for _, text in lines)
    done: list[Numbered] = []
    for at, (index, text) in enumerate(lines):
        above = done[-1][1] if done and at in alone else ""
        recurs = forms[_DIGITS.sub("0", plain(above))] >= _FEWEST_TITLES if above else False
        if above.strip() and not recurs and not letter_of(above.strip()) and [kind for kind, _ in parts_of(above)] == ["text"]:
            done[-1] = (done[-1][0], f"{above.rstrip()}{text.strip()}")
        else:
            done.append((index, text))
    return done


def _with_dots(lines: Sequence[Numbered]) -> Sequence[Numbered]:
    """Return lines with a dot for a tab between number and words, if the words begin with a digit, too: `57⇥2017年`."""
    if sum([_TABBED.match(text) is not None for _, text in lines if "\t" in text]) < _FEWEST_TABBED:
        return lines
    return [(index, text.replace("\t", ".", 1) if _TABBED_DIGIT.match(text) else text) for index, text in lines]


def _is_spaced(lines: Sequence[str]) -> bool:
    """Return whether a scan has put spaces between most characters."""
    blanks = sum(len(_SPACED.findall(trimmed(text))) for text in lines if " " in text)
    return blanks >= _MANY_SPACED and blanks * 2 > sum(len(_TOUCHING.findall(trimmed(text))) for text in lines)


_BLANK_WITHIN = re.compile(rf" (?<=[{_CJK}、] )(?=[{_CJK}、])")


def _mended(text: str, spaced: bool) -> list[str]:
    bare = text.strip()
    if not bare:
        return [text]
    if spaced:
        bare = _INNER.sub("", bare)
    if bare[0].isdigit() or spaced:
        bare = _NUMBER_AT_START.sub(lambda m: m["digits"].replace(" ", ""), bare, count=1) if _NUMBER_AT_START.match(bare) else bare
        bare = _NUMBER_WITHIN.sub(lambda m: m[0].replace(" ", ""), bare) if spaced else bare
        bare = _RUN_OF_NUMBERS.sub(lambda m: m["first"].replace(" ", "") + m["dash"] + m["last"].replace(" ", ""), bare)
    if " " in bare and len(bare) < _SHORT and _BLANK_WITHIN.search(bare) and not is_heading(flat(bare)):
        closed = _BLANK_WITHIN.sub("", bare)
        bare = closed if is_heading(flat(closed)) else bare
    return _signs(text if bare == text.strip() else bare)


def _signs(text: str) -> list[str]:
    """Return a line with the usual signs of options and answers."""
    line = flat(text)
    if not (line.lstrip()[:1] in _OPENS_SIGNS or _WITHIN_SIGNS.search(text) or ("A" in line and "B" in line)):
        return [text]
    if pointer := _POINTER.match(line):
        text = text[pointer.end() :]
    text = (
        _LIGHT_BRACKETS.sub(lambda said: f"[{said['letter']}]" if said["letter"] else f"【{said['words']}】", text)
        if "〔" in text
        else text
    )
    text = _NAMED_INSIDE.sub(r"【\g<name>】\g<words>", text) if "【" in text else text
    text = _ANSWER_INSIDE.sub(r"【答案】\g<words>", text) if "答案" in text else text
    text = _OPTION_NAMED.sub(r"\g<letter>. ", text, count=1) if "选项" in text else text
    text = _with_signs(text) if "A" in text and "B" in text else text
    line = flat(text)
    if "答" in line and "案" in line:
        text = _answers_named(text, line)
        line = flat(text)
    bare = line.strip()
    if len(bare) < _SHORT and bare[:1] in _ANSWER_OPENS and (match := _ANSWER.fullmatch(bare)):
        return [f"答案：{next(words for words in match.groups() if words)}"]
    if "A" in line and _COMMAS.search(line):
        cuts = list(_COMMA.finditer(line))
        for cut in reversed(cuts):
            text = f"{text[: cut.start()]}　{text[cut.end() :]}"
    elif bare.startswith("a") and _SMALL_TIGHT.match(bare):
        text = re.sub("[a-d](?=[\u4e00-\u9fff])", lambda m: f"　{m[0]}.", text).strip()
    elif bare.startswith("a") and _SMALL.match(bare):
        text = _SMALL_LETTER.sub(lambda m: m["letter"] + ".", text.strip())
    elif bare[:1] in "√*★" and (tick := _TICK_BEFORE.match(bare)):
        text = f"{text.strip()[tick.start('option') :]} √"
    if (
        len(line) == len(text)
        and (arrow := _ARROW.search(line))
        and (behind := _ANSWER_BEHIND.search(line, max(0, len(line) - _SHORT)))
        and arrow.start() >= behind.start()
    ):
        at = behind.start()
        return [text[:at], f"答案：{behind['words'].removeprefix('正确').removeprefix('答案').lstrip(' :选')}"]
    return [text]


def _answers_named(text: str, line: str) -> str:
    """Return a line whose title of answers, `参 考 答 案`, has no spaces; the range in `【4-6答案】BDA` is moved before its letters."""
    if (title := _KEY_TITLE.match(line)) and " " in title["words"]:
        return text[: title.start("words")] + title["words"].replace(" ", "") + text[title.end("words") :]
    if group := _GROUP_ANSWER.match(line.strip()):
        return f"{group['first']}-{group['last']} {text.strip()[group.end() :]}"
    return text


def _with_signs(text: str) -> str:
    """Return a line of options whose words begin with their own letters, `A A型 B B型`, with signs after the letters."""
    line = flat(text)
    if len({match["letter"] for match in _DOUBLED.finditer(line)}) < 2:
        return text
    ends: list[int] = []
    for match in _BLANK_BEHIND.finditer(line):
        if match["letter"] == LETTERS[len(ends)]:
            ends.append(match.start() + 1)
            if len(ends) == len(LETTERS):
                break
    done = "".join(f"{text[start:end]}. " for start, end in zip([0, *ends], ends, strict=False))
    return done + text[ends[-1] :].lstrip() if len(ends) > 2 else text


def _joined(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return a letter that is alone on its line, and a numeral, joined with the line below."""
    position = 0
    flats = [*(plain(text) for _, text in lines), ""]
    while position < len(lines):
        index, text = lines[position]
        bare, next_line = flats[position], flats[position + 1]
        if not bare or (len(bare) >= _LONG and bare[0] not in "【["):
            yield lines[position]
            position += 1
            continue
        below = lines[position + 1][1] if position + 1 < len(lines) else ""
        option = len(bare) < _LONG and _LETTER_ALONE.fullmatch(bare) and next_line and not _OPENS.match(next_line)
        heading = len(bare) < _LONG and _NUMERAL_ALONE.fullmatch(bare) and is_heading(next_line) and not _NUMERAL_ALONE.match(next_line)
        if bare[:1] in ("【", "[") and (one := _RANGE_OF_ONE.fullmatch(bare)) and re.match(rf"0?{one[1]}\s?[、.]", next_line):
            yield index, ""
            position += 1
        elif len(bare) < _LONG and (alone := _NUMBER_ALONE.fullmatch(bare)) and _TAGGED.match(next_line):
            yield index, f"{alone[1]}. {below.strip()}"
            position += 2
        elif option or heading:
            yield index, f"{text.strip()}{'' if heading else ' '}{below.strip()}"
            position += 2
        else:
            yield lines[position]
            position += 1
