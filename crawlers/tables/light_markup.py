"""Texts in Markdown, Org or LaTeX -> HTML pages, as far as questions need it: headings, nested lists, tables, emphasis.

The reader of questions in pages then reads them as well.
"""

import html
import re
from collections.abc import Iterator

from atomexam.text.option_letters import LETTERS
from crawlers.tables.latex import expanded, with_listed_questions
from crawlers.tables.latex_exams import COMMENT, of_exam_class

MARKDOWN, ORG, LATEX = (".md", ".markdown"), (".org",), (".tex",)
LIGHT = (*MARKDOWN, *ORG, *LATEX)
_HEADING = re.compile(r"(?P<signs>#{1,6}|\*{1,6})\s{1,9}(?P<words>\S.*?)\s{0,9}#{0,6}$")
_ENTRY = re.compile(r"(?P<indent>[ \t]{0,40})(?:[-+*•]|(?P<number>\d{1,5})[.)])[ \t]{1,9}(?P<words>\S.*)$")
_LETTERED = re.compile(r"(?P<indent>[ \t]{0,40})(?P<words>[(（]?[A-JＡ-Ｊ][.．、:：)）]\s{0,3}\S.*)$")
_TAGS = {"ol": "ol", "ul": "ul", "letter": "ul"}
"""Kinds of lists -> their tags in a page."""
_LABEL = re.compile(
    r"[\s>*_【\[]{0,12}(?:(?:正确|参考|标准)?答案|解析|详解|正解|(?:correct\s)?answer|explanation|analysis|key)[】\]*_]{0,4}\s?[:：】]",
    re.I,
)
_BOX = re.compile(r"\[(?P<ticked>[ xX√])\]\s{1,3}")
_ROW = re.compile(r"\s{0,9}\|(?P<cells>.{1,20000})\|\s{0,9}$")
_FRAMES = ("```", ":END:", ":PROPERTIES:")
_HORIZONTAL = re.compile(r"[-*_=\s]{3,200}")
_RULE = re.compile(r"[\s|:+-]{3,2000}")
_CELL_END = re.compile(r"(?<!\\)\|")
_PROPERTY = re.compile(r"\s{0,9}:(?P<name>[A-Za-z_\u4e00-\u9fff]{1,20}):(?P<value>.*)$")
_ORG_TAGS = re.compile(r"\s{1,99}(?::[\w@#%]{1,40}){1,9}:\s{0,9}$")
"""Tags after an Org heading, for searching: `:single:easy:`."""
_ORG_STATE = re.compile(r"(?:(?:TODO|DONE|NEXT|WAIT|DOING|CANCELLED)\s{1,9})?(?:\[#[A-Z]\]\s{1,9})?(?=\S)")
"""Keywords before the words of an Org heading: a state such as TODO, and a priority."""
_KEYWORD = re.compile(r"\s{0,9}(?:#\+\w{1,40}[:\s]|#\s|%)")
_EMPHASIS = (
    (re.compile(r"(?:\*\*|__)(?=\S)(?P<words>[^*_\n]{1,300}?)(?<=\S)(?:\*\*|__)"), "strong"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])(?P<words>[^*\n]{1,300}?)(?<=\S)\*(?![\w*])"), "em"),
    (re.compile(r"~~(?=\S)(?P<words>[^~\n]{1,300}?)(?<=\S)~~"), "del"),
    (re.compile(r"==(?=\S)(?P<words>[^=\n]{1,300}?)(?<=\S)=="), "mark"),
    (re.compile(r"`(?P<words>[^`\n]{1,300})`"), "code"),
)
_ORG_EMPHASIS = ((re.compile(r"(?<![\w*])\*(?=\S)(?P<words>[^*\n]{1,300}?)(?<=\S)\*(?![\w*])"), "strong"),)
_TAG = re.compile(
    r"&lt;(?P<tag>/?(?:br|b|strong|u|em|i|mark|sup|sub|font|span|p)(?:\s[^<>&]{0,200}(?:&quot;[^<>&]{0,200}&quot;)?)?\s?/?)&gt;", re.I
)
_COMMAND = re.compile(r"\\(?P<name>[A-Za-z]{1,30})\*?(?:\[[^\[\]\n]{0,60}\])?(?P<brace>\{)?")
_QUESTIONS = {"question", "titledquestion", "problem", "qitem"}
_CHOICES = {"choice": False, "correctchoice": True, "wrongchoice": False, "goodanswer": True, "bonne": True, "mauvaise": False}
_LETTERED_LIST = re.compile(
    r"\\begin\{(?P<name>(?:onepar)?choices|tasks|xuanxiang|options)\}(?:\[[^\[\]\n]{0,200}\])?(?:\(\d\))?(?!\s{0,9}\\[a-zA-Z]*[cC]hoice)"
)
_ITEM = re.compile(r"\\(?:item|task)(?![A-Za-z])(?:\[[^\[\]\n]{0,60}\])?(?!\s{0,9}[A-J]\s?[.．、:：)）])")
"""Lists whose entries LaTeX prints with letters, and an entry without its own."""
_ENVIRONMENT = re.compile(r"\\begin\{(?:question|problem|exercise|xiti|timu)\}(?:\[[^\[\]\n]{0,200}\])?")
_NUMBERED = re.compile(r"### \s{0,9}(?:第\s?)?\d{1,4}\s?[题.．、)）]")
_PAREN, _FILL_IN = (
    re.compile(r"\\paren\b\s?(?:\[(?P<letters>[^\[\]\n]{0,40})\])?(?:\{\})?"),
    re.compile(r"\\fillin\b\s?(?:\[(?P<words>[^\[\]\n]{0,200})\])?(?:\[[^\[\]\n]{0,20}\])?"),
)
"""The blank of exam-zh, with its answer."""
_GAP = re.compile(
    r"\\(?:underline|uline)\s?\{(?:[\s~]|\\q?quad(?![A-Za-z])|\\hspace\*?\{[^{}\n]{0,20}\}|\\(?=\s)){1,20}\}"
    r"|\\rule\s?(?:\[[^\[\]\n]{0,20}\])?\{[^{}\n]{0,20}\}\{[^{}\n]{0,20}\}"
)
"""A line to write on: `\\underline{\\hspace{2cm}}`."""
_BREAK, _WIDE = re.compile(r"\\(?:par|newline|linebreak)(?![A-Za-z])\s?"), re.compile(r"\s?\\q?quad(?![A-Za-z])\s?")
_OWN_NUMBER = re.compile(r"^[ \t]{0,9}(?P<number>\d{1,4})[.)][ \t]{1,9}(?=\S)", re.MULTILINE)
"""A number that LaTeX prints as it is, and Markdown would count anew."""
_ESCAPED = re.compile(r"\\(?P<sign>[%&_#$])")
_DEEPEST = 20
"""Indentation of nested lists."""
_SECTIONS = {"section", "subsection", "chapter", "title"}
_BEGINS, _ENDS = (re.compile(rf"\\{end}\{{(?:enumerate|itemize|tasks)\}}") for end in ("begin", "end"))
_LIST_FORM = re.compile(r"(?P<begin>\\begin\{(?:enumerate|itemize|tasks)\})\s?\[[^\]\n]{0,100}\]")
"""The form of a list's numbers or letters: `[label=\\Alph*.]`."""


def page_of(name: str, text: str) -> str:
    """Return a text of light markup as a page."""
    lower = name.lower()
    if lower.endswith(LATEX):
        text = "\n".join(_of_latex(text))
    lines = text.lstrip("\ufeff").replace("\r\n", "\n").split("\n")
    return "\n".join(["<html><body>", *_blocks(lines, lower.endswith(ORG)), "</body></html>"])


def _blocks(lines: list[str], is_org: bool) -> Iterator[str]:
    open_lists: list[tuple[int, str]] = []  # the indentation and kind of each list
    in_table = was_blank = False
    for line in lines:
        bare = line.strip()
        row = _ROW.match(line)
        if in_table and not row:
            yield "</table>"
            in_table = False
        if not bare or _HORIZONTAL.fullmatch(bare) or bare.startswith(_FRAMES) or (is_org and _KEYWORD.match(line)):
            was_blank = True
            continue
        heading = None if is_org and not line.startswith("*") else _HEADING.match(line)
        entry = None if heading and (is_org or line.startswith("#")) else _ENTRY.match(line) or _LETTERED.match(line)
        if entry:
            yield from _entry(entry, open_lists, is_org)
        elif open_lists and not heading and not row and _goes_on(line, open_lists[-1][0], was_blank):
            yield f"<br>{_inline(bare, is_org)}"
        else:
            yield from _closed(open_lists, -1 if heading or row else _depth(line) - 1)
            if row:
                if not in_table:
                    yield "<table>"
                in_table = True
                if not _RULE.fullmatch(bare):
                    cells = [cell.strip().replace("\\|", "|") for cell in _CELL_END.split(row["cells"])]
                    yield f"<tr>{''.join(f'<td>{_inline(cell, is_org)}</td>' for cell in cells)}</tr>"
            elif heading:
                level = min(6, len(heading["signs"]))
                words = _ORG_STATE.sub("", _ORG_TAGS.sub("", heading["words"]), count=1) if is_org else heading["words"]
                yield f"<h{level}>{_inline(words, is_org)}</h{level}>"
            elif property_line := _PROPERTY.match(line):
                yield f"<p>{html.escape(property_line['name'])}: {_inline(property_line['value'].strip(), is_org)}</p>"
            else:
                yield f"<p>{_inline(bare.lstrip('> '), is_org)}</p>"
        was_blank = False
    if in_table:
        yield "</table>"
    yield from _closed(open_lists, -1)


def _goes_on(line: str, indent: int, was_blank: bool) -> bool:
    """Return whether a line continues the entry above: it is indented more, or directly below, and is not a field of a question."""
    return (_depth(line) > indent + 1 or not was_blank) and not _LABEL.match(line) and not _PROPERTY.match(line)


def _depth(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def _entry(entry: re.Match[str], open_lists: list[tuple[int, str]], is_org: bool) -> Iterator[str]:
    indent, words = len(entry["indent"].expandtabs(4)), entry["words"]
    kind = "letter" if entry.re is _LETTERED else "ol" if entry["number"] else "ul"
    if kind == "letter" and open_lists and open_lists[-1][1] in ("letter", "ol"):  # options below a number that are not indented more
        indent = open_lists[-1][0] + (open_lists[-1][1] == "ol")
    box = _BOX.match(words)
    ticked = ' class="correct"' if box and box["ticked"] != " " else ""
    yield from _closed(open_lists, indent)
    if not open_lists or open_lists[-1][0] < indent:
        yield f"<{_TAGS[kind]}>"
        open_lists.append((indent, kind))
    else:
        yield "</li>"
    yield f"<li{ticked}>{_inline(words[box.end() :] if box else words, is_org)}"


def _closed(open_lists: list[tuple[int, str]], indent: int) -> Iterator[str]:
    """Yield the ends of the lists that are indented more than a position."""
    while open_lists and open_lists[-1][0] > indent:
        yield f"</li></{_TAGS[open_lists.pop()[1]]}>"


def _inline(words: str, is_org: bool) -> str:
    done = _TAG.sub(lambda tag: f"<{html.unescape(tag['tag'])}>", html.escape(words))
    for pattern, tag in _ORG_EMPHASIS if is_org else _EMPHASIS:
        done = pattern.sub(rf"<{tag}>\g<words></{tag}>", done)
    return done


def _of_latex(text: str) -> Iterator[str]:
    r"""Yield the questions of a LaTeX paper as lines of Markdown: `\question` begins one, `\choice` and `\CorrectChoice` its options."""
    depth = number = 0
    text = of_exam_class(expanded(_GAP.sub("____", COMMENT.sub("", text))))
    text = _WIDE.sub("\u3000\u3000", _BREAK.sub("\n", with_listed_questions(text)))
    text = _OWN_NUMBER.sub(r"### \g<number>. ", _ENVIRONMENT.sub(r"\\question ", "".join(_with_letters(text))))
    text = _PAREN.sub(lambda gap: f"（{(gap['letters'] or '').strip()}）", text)
    text = _FILL_IN.sub(lambda gap: f"（ ）\n答案：{gap['words']}\n" if gap["words"] else "（ ）", text)
    for line in text.split("\n"):
        words = _LIST_FORM.sub(r"\g<begin>", line.strip())
        depth += len(_BEGINS.findall(words))
        for piece in _latex_pieces(words, depth) if words else [""]:
            asks = piece.startswith("### ")
            number += asks
            yield f"### {number}. {piece[4:].lstrip()}" if asks and not _NUMBERED.match(piece) else piece
        depth -= len(_ENDS.findall(words))


def _with_letters(text: str) -> Iterator[str]:
    """Yield a text with the letters that LaTeX prints before the entries of a list of choices."""
    index = 0
    for begin in _LETTERED_LIST.finditer(text):
        if begin.start() < index:
            continue
        end = text.find(f"\\end{{{begin['name']}}}", begin.end())
        if end < 0:
            break
        yield text[index : begin.end()]
        for number, part in enumerate(_ITEM.split(text[begin.end() : end])):
            yield f"\\item {LETTERS[number - 1]}. {part}" if 0 < number <= len(LETTERS) else part
        index = end
    yield text[index:]


def _latex_pieces(words: str, depth: int) -> Iterator[str]:
    """Yield the lines that the commands of one line begin.

    Args:
        depth: number of lists around the line.
    """
    line, end = "", 0
    for command in _COMMAND.finditer(words):
        if command.start() < end:
            continue  # within the arguments of an environment: `[label=\Alph*.]`
        name = command["name"]
        line += words[end : command.start()]
        end = command.end()
        if name.lower() in _CHOICES:
            yield from [line] if line.strip() else []
            line = f"- [{'x' if _CHOICES[name.lower()] else ' '}] "
        elif name.lower() in _QUESTIONS:
            yield from [line] if line.strip() else []
            line = "### "
        elif name in _SECTIONS:
            line = "## "
        elif name in ("begin", "end", "documentclass", "usepackage"):
            end = len(words) if name in ("documentclass", "usepackage") else _after_arguments(words, end)
        elif name in ("item", "task"):
            yield from [line] if line.strip() else []
            line = "  " * (min(depth, _DEEPEST) - 1) + "- "
    line += words[end:]
    line = line if line[:1] in "#- " else "  " * min(depth, _DEEPEST) + line
    line = line.replace("{", "").replace("}", "").replace("\\\\", "").replace("~", " ")
    line = _ESCAPED.sub(r"\g<sign>", line)
    yield from [line] if line.strip() else []


def _after_arguments(words: str, index: int) -> int:
    """Return where the arguments of an environment end: `{enumerate}[A.]`, `{tasks}(4)`."""
    end = words.find("}", index) + 1 or len(words)
    closing = {"[": "]", "(": ")"}.get(words[end : end + 1])
    return words.find(closing, end) + 1 or end if closing else end
