"""Prepare a reply for parsing: remove its reasoning, and unify mark-up, character width and script."""

import re
import unicodedata
from functools import cache, lru_cache
from itertools import pairwise

from opencc import OpenCC

_NAMES = r"(?:seed:)?(?:think|thinking|thought|reasoning|思考)"
_TAG = re.compile(rf"[<\[◁](?P<close>/?){_NAMES}[>\]▷]|<\|(?P<end>begin|end)_of_thought\|>", re.IGNORECASE)
_SECTION = re.compile(r"\A\s*#{1,4}\s*(?:Thinking|Thoughts|思考(?:过程)?)\s*\n", re.IGNORECASE)  # HuatuoGPT-o1 uses these headings
_SECTION_END = re.compile(r"\n#{1,4}\s*(?:Final Response|Final Answer|Answer|最终(?:回答|回复|答案))[ \t]*:?(?:\n|$)", re.IGNORECASE)
_CHANNELS = re.compile(r"\A\s*<\|channel\|>analysis\b")  # gpt-oss
_FINAL_CHANNEL = re.compile(r"<\|channel\|>final\s*<\|message\|>")

_CONTROL = re.compile(r"<\|[\w ]{1,30}\|>|</?s>|</answer>|\[/?INST\]", re.IGNORECASE)
_HTML = re.compile(r"</?(?:b|i|u|em|strong|p|br|h[1-6]|span|div|font|li|ul|ol)(?:\s[^<>]{0,60})?/?>")
_STRUCK = re.compile(r"~~(?=\S)[^~\n]{1,80}~~")
_SIGNS = str.maketrans(
    dict.fromkeys("✅✔✓☑", "√")
    | dict.fromkeys("❌✗✘✖❎", "×")
    | {chr(ord("①") + number): f" {number + 1}. " for number in range(20)}  # NFKC would join the number to the next character
)
_ESCAPES = re.compile(r"\\(?:(?:text\w*|math\w+)(?:{([^{}]{0,80})})?|[()\[\]]|(?=[{}%]))")
_MARKS = re.compile(r"[*_`#$\U0001F300-\U0001FAFF\u2600-\u27bf\ufe0f\u200b-\u200f\u2060\ufeff]+")
_POWER = re.compile("(?<=[0-9])(?=⁻?[⁰¹²³⁴-⁹])")
_DEGREE = re.compile("° ?[Cc](?![A-Za-z])")
_ODD_BLANK = re.compile(r"[^\S\n ]")
_BLANKS = re.compile(r" {2,}")
_GAP_IN_WORD = re.compile(r" (?<=[\u4e00-\u9fff] )(?=[\u4e00-\u9fff])")
_WIDE = [*zip("，：；！？（）∶", ",:;!?():", strict=True)]
_TRADITIONAL = "確錯選項為對應題該這說無關誤實證條內結論雖覺憶識徵現專"
_IN_TRADITIONAL = re.compile(f"[{_TRADITIONAL}]")
_SIMPLE = "".join(
    f"{chr(ord(first) + 1)}-{chr(ord(last) - 1)}" for first, last in pairwise("\u4dff" + "".join(sorted(_TRADITIONAL)) + "\ua000")
)
_PLAIN = re.compile(rf"[A-Za-z0-9{_SIMPLE},.:;!?()\[\]\"'/+&= \n、。“”\-]*")


def split_reasoning(reply: str) -> tuple[str, bool]:
    """Return a reply without its reasoning, and whether the reply was cut off within the reasoning.

    Text before an unfinished reasoning block is part of the reply and is kept.
    """
    if "<" not in reply and "[" not in reply and "#" not in reply and "◁" not in reply:
        return reply, False
    if _CHANNELS.match(reply):
        final = _FINAL_CHANNEL.search(reply)
        return (reply[final.end() :], False) if final else ("", True)
    if section := _SECTION.match(reply):
        end = _SECTION_END.search(reply, section.end() - 1)
        return (reply[end.end() :], False) if end else ("", True)
    answer_parts: list[str] = []
    position, open_tags = 0, 0
    for tag in _TAG.finditer(reply):
        if tag["close"] or tag["end"] == "end":
            answer_parts = answer_parts if open_tags else []  # some chat templates open the block in the prompt
            open_tags, position = 0, tag.end()
        elif not open_tags:
            answer_parts.append(reply[position : tag.start()])
            open_tags = 1
    return ("".join(answer_parts), True) if open_tags else ("".join(answer_parts) + reply[position:], False)


@lru_cache(maxsize=8)
def folded(text: str) -> str:
    """Return text in one character width and one script, without mark-up, emoji, struck-out text, or spaces inside Chinese words.

    Check marks become √ and crosses ×; runs of spaces or empty lines are collapsed to one. Tildes are kept, because A~D is a range.
    """
    if not text.isascii():
        for wide, narrow in _WIDE:
            text = text.replace(wide, narrow)
    plain = _PLAIN.fullmatch(text)
    if not plain:
        text = unicodedata.normalize("NFKC", text if text.isascii() else _POWER.sub("^", text).translate(_SIGNS))
        text = _DEGREE.sub("℃", text) if "°" in text else text  # NFKC makes it °C, and C is an option
    if "<" in text or "[" in text:
        text = _CONTROL.sub("\n", text)
    if not plain:
        if "</" in text:
            text = _HTML.sub("", text)
        if "~~" in text:
            text = _STRUCK.sub("", text)
        if "\\" in text:
            text = _ESCAPES.sub(r"\1", text.replace("\\boxed", "答案:"))
        text = _ODD_BLANK.sub(" ", _MARKS.sub("", text))
        if _IN_TRADITIONAL.search(text):
            text = _converter().convert(text)
    return settled(text)


def settled(text: str) -> str:
    """Collapse repeated spaces and empty lines, and remove spaces within Chinese words."""
    if "  " in text:
        text = _BLANKS.sub(" ", text)
    if "\n" in text:
        text = text.replace(" \n", "\n").replace("\n ", "\n")
        while "\n\n\n" in text:
            text = text.replace("\n\n\n", "\n\n")
    return (_GAP_IN_WORD.sub("", text) if " " in text else text).strip()


def simplified(text: str) -> str:
    """Return text in simplified characters. Checking for traditional characters takes a tenth of the time of a conversion, so the check
    comes first."""
    return _converter().convert(text) if _changed().search(text) else text


@cache
def _changed() -> re.Pattern:
    """Return a pattern that matches each character that the conversion changes."""
    every = "".join(map(chr, range(0x3400, 0xA000)))
    return re.compile("[" + "".join(old for old, new in zip(every, _converter().convert(every), strict=True) if old != new) + "]")


@cache
def _converter() -> OpenCC:
    return OpenCC("t2s")
