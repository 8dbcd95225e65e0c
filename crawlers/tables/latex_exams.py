r"""Questions of the LaTeX class `exam`: choices with the letters that it prints, their key, parts, and solutions. Text in, text out.

`\choice 甲 \CorrectChoice 乙` become `\item A. 甲`, `\item B. 乙` and `答案：B`; what is in a `solution` becomes one line, `解析：…`; each
`\part` becomes a question with the text of the question around it.
"""

import re
from collections.abc import Iterator

from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import SURE_VERDICT

COMMENT = re.compile(r"(?<!\\)%.*")
_CHOICES = re.compile(
    r"\\begin\{(?P<name>(?:onepar)?(?:choices|checkboxes))\}(?:\[[^\[\]\n]{0,200}\])?(?:\(\d\))?(?=\s{0,99}\\[a-zA-Z]{0,9}[cC]hoice)"
)
_CHOICE = re.compile(r"\\(?P<name>choice|[cC]orrect[cC]hoice|[wW]rong[cC]hoice)(?![A-Za-z])(?:\[[^\[\]\n]{0,60}\])?")
_SOLUTION = re.compile(r"\\begin\{(?P<name>solution(?:or[a-z]{3,12})?)\}(?:\s{0,3}[\[(][^\[\]()\n]{0,60}[\])])?")
_LABELLED = re.compile(r"\s{0,9}[【\[(（]?(?:(?:正确|参考|标准|本题)?答案|正解|答|解析|详解|分析|解)[】\])）]?\s?[:：]|\s{0,9}【")
_KEY = re.compile(rf"\s{{0,9}}(?:[A-J](?:[\s,，、]{{0,2}}[A-J]){{0,9}}|{SURE_VERDICT})\s{{0,3}}[.。]?\s{{0,9}}")
_PARTED = re.compile(
    r"\\(?P<edge>begin|end)\{(?:sub){0,2}parts\}"
    r"|\\(?P<item>(?:bonus)?question|titledquestion\{[^{}\n]{0,200}\}|(?:bonus)?(?:sub){0,2}part)(?![A-Za-z])(?:\[[^\[\]\n]{0,60}\])?"
)


def of_exam_class(text: str) -> str:
    """Return a paper of the class `exam` in the commands of other papers; a text without its commands is unchanged."""
    text = "".join(_with_solutions(text))
    return "".join(_with_parts("".join(_with_choices(text))))


def _environments(text: str, begins: re.Pattern[str]) -> Iterator[tuple[str, str | None]]:
    """Yield the texts between environments, each with what is in the one behind it; the last with None."""
    index = 0
    for begin in begins.finditer(text):
        if begin.start() < index:
            continue
        close = f"\\end{{{begin['name']}}}"
        end = text.find(close, begin.end())
        if end < 0:
            break
        yield text[index : begin.start()], text[begin.end() : end]
        index = end + len(close)
    yield text[index:], None


def _with_solutions(text: str) -> Iterator[str]:
    """Yield a text whose solutions are lines that state what they are: the key alone, or an explanation."""
    for before, solution in _environments(text, _SOLUTION):
        yield before
        if solution is not None and solution.strip():
            label = "" if _LABELLED.match(solution) else "答案：" if _KEY.fullmatch(solution) else "解析："
            yield f"\n{label}{_on_one_line(solution) if label else solution.strip()}\n"


def _with_choices(text: str) -> Iterator[str]:
    """Yield a text whose choices have the letters that LaTeX prints, and below them the letters of the correct ones."""
    for before, choices in _environments(text, _CHOICES):
        yield before
        commands = list(_CHOICE.finditer(choices or ""))
        if choices is None:
            continue
        if len(commands) > len(LETTERS):  # without letters they are no options, and the question is rejected
            yield choices
            continue
        ends = [*(command.start() for command in commands[1:]), len(choices)]
        for letter, command, end in zip(LETTERS, commands, ends, strict=False):
            yield f"\n{letter}. {_on_one_line(choices[command.end() : end])}"
        right = "".join(letter for letter, command in zip(LETTERS, commands, strict=False) if command["name"].lower() == "correctchoice")
        yield f"\n答案：{right}\n" if right else "\n"


def _with_parts(text: str) -> Iterator[str]:
    """Yield a text whose parts are questions that begin with the words above the parts."""
    around: list[str] = []
    opened, index = "", 0  # the question or part that is open, whose words are not yet written
    for command in _PARTED.finditer(text):
        if "part" in (command["item"] or "") and not around:
            continue  # a part of a book
        words = text[index : command.start()]
        index = command.end()
        if command["edge"] == "begin":
            around.append(words.strip() if opened else "")
            yield "" if opened else words
            opened = ""
            continue
        yield opened + words
        opened = ""
        if command["edge"]:
            around = around[:-1]
        else:
            above = " ".join(each for each in around if each) if "part" in command["item"] else ""
            opened = f"\\question {_on_one_line(above)} " if above else "\\question "
    yield opened + text[index:]


def _on_one_line(words: str) -> str:
    """Return words without line ends: between Chinese ones they are nothing, elsewhere a blank."""
    done = ""
    for line in filter(None, map(str.strip, words.split("\n"))):
        done += " " * (done[-1:].isascii() and line[0].isascii() and bool(done)) + line
    return done
