"""What stands between questions: the heading above them, the case or the options that several of them share. From lines to values."""

import re

from msgspec import Struct

from crawlers.paper_lines import IMAGE, flat, letter_of, options_in

_NUMERAL = "[一二三四五六七八九十]+"
_KIND = (
    r"(?:选择|判断|是非|填空|简答|问答|论述|分析|计算|改错|辨析|解答|材料|应用|案例|单选|多选|不定项|[A-EKX]\d?型|配伍)\S{0,3}题"
    "|名词解释|案例|部分"
)
_HEADING = re.compile(rf"(?:第{_NUMERAL}(?:部分|单元|大题|节)|[(]{_NUMERAL}[)]|{_NUMERAL}\s*[、.,:])[^。?!]{{0,20}}?(?:{_KIND})")
_BARE_HEADING = re.compile(
    r"[【\[]?(?:(?:单项|多项|不定项)?选择题|单选题?|多选题?|判断(?:说明|改错|辨析)?题|是非题|填空题|简答题|问答题|论述题|(?:案例|材料)?分析题|名词解释题?"
    r"|\[?[A-EKX]\d?(?:[/、,]?A\d)?\]?\s*型(?:选择)?题?|配伍选择题)[】\]]?\s*(?:[(:].*)?$"
)
_CASE_HEADING = re.compile(rf"(?P<heading>[【\[(]?(?:案例|病例|病案|材料)\s*(?:[(]?(?:{_NUMERAL}|\d+)[)]?)[】\])]?)\s*(?P<rest>[:、.].*)?$")
_RANGE = r"(?:\(?第?\s*(?P<first>\d{1,3})\s*题?\s*-+\s*(?P<last>\d{1,3})\s*小?题?)"
_COUNT = r"(?:(?:以下|下列|下面)?\s*(?P<count>[一二两三四五六七八九十]|\d{1,2})?\s*个?道?小?题)"
_SHARED = re.compile(
    rf"[(【\[]?\s*(?:{_RANGE}|{_COUNT})?\s*(?:均|是)?\s*(?:共用|共享)(?:同一|一个|以下|下列)?"
    r"(?:(?P<case>题干|病例|案例|材料|资料)|(?P<options>备选答案|备选项|选项|答案))"
    r"\s*[)】\]]?\s*[:。]?\s*(?P<rest>.*)$"
)
_READ_CASE = re.compile(
    r"[(【\[]?\s*请?(?:根据|结合|依据|阅读|针对)(?:以下|下列|下面|下述)的?(?:材料|案例|病例|资料|短文)\s*,?\s*(?:请?(?:完成|回答|分析))?\s*"
    rf"(?:{_RANGE}|(?:以下|下列|下面|后面)?的?(?:各|几)?(?:小)?(?:问题|题目|题))?\s*[)】\]]?\s*[:。]?\s*(?P<rest>)$"
)
_CASE_OPENS = re.compile(r"[【\[]?一般资料[】\]]?\s*:")
_COUNTS = {sign: number for number, sign in enumerate("一二三四五六七八九十", 1)} | {"两": 2}


class Above(Struct, frozen=True, kw_only=True):
    """What stands above one question."""

    heading: str | None = None
    case: str | None = None
    shared_options: list[str] | None = None
    group: str | None = None
    images: int = 0
    """Images inside the case."""


def is_heading(line: str) -> bool:
    """Tell whether a flat line is the heading of a section or of a case."""
    return bool(_HEADING.match(line) or _BARE_HEADING.match(line) or _CASE_HEADING.match(line))


def heading_key(heading: str) -> str:
    """Return what two headings of the same section have in common: their numeral, else their kind."""
    line = flat(heading)
    if case := _CASE_HEADING.match(line):
        return re.sub(r"\W", "", case["heading"])
    if match := re.match(rf"[(第]*({_NUMERAL})", line):
        return match[1]
    return re.sub(r"[【】\[\]\s]|[(:].*$", "", line)


class Setting:
    """What has been read between questions so far. One per paper; lines in their order, then `above` for each question."""

    def __init__(self) -> None:
        self.heading: str | None = None
        self._groups = 0
        self._close()

    def take(self, text: str) -> bool:
        """Read a line that is a heading or announces a case or shared options; False for any other line."""
        line = flat(text)
        if note := _SHARED.match(line) or _READ_CASE.match(line):
            self._open("options" if note.groupdict().get("options") else "case", note)
            if rest := text[note.start("rest") :].strip():
                self.add(rest)
        elif case := _CASE_HEADING.match(line):
            self.heading = text[: case.end("heading")].strip()
            self._open("case")
            if case["rest"]:
                self.add(text[case.start("rest") + 1 :].strip())
        elif _CASE_OPENS.match(line):
            if self._kind != "case" or self._asked:  # else it goes on with the case that was announced
                self._open("case")
            self.add(text)
        elif is_heading(line):
            self.heading = text
            self._close()
            if re.search("案例|病例|材料", line):
                self._open("case")
        else:
            return False
        return True

    def add(self, text: str) -> bool:
        """Read any other line that stands before a question; False where it belongs to nothing."""
        options = options_in(text, letter_of(self._options[-1]) if self._options else "")
        if options and (self._kind != "case" or not self._text):
            if self._kind != "options" or self._asked:
                self._open("options")
            self._options += options
        elif self._kind == "options" and self._options and not self._asked:
            self._options[-1] += "\n" + text
        elif self._kind == "case" and not self._asked:
            self._text.append(text)
        else:
            return False
        return True

    def above(self, number: int | None) -> Above:
        """Return what stands above the next question, which has this number."""
        if self._last is not None and number is not None and number > self._last:
            self._close()
        if self._left is not None:
            if self._left == 0:
                self._close()
            else:
                self._left -= 1
        if not (self._text or self._options):
            return Above(heading=self.heading)
        self._asked = True
        case = "\n".join(self._text)
        return Above(
            heading=self.heading,
            case=case.replace(IMAGE, "").strip() or None,
            shared_options=list(self._options) or None,
            group=f"g{self._groups}",
            images=case.count(IMAGE),
        )

    def _open(self, kind: str, note: re.Match[str] | None = None) -> None:
        self._close()
        self._kind = kind
        self._groups += 1
        found = note.groupdict() if note else {}
        if found.get("last"):
            self._last = int(found["last"])
        elif count := found.get("count"):
            self._left = _COUNTS.get(count) or int(count)

    def _close(self) -> None:
        self._kind = ""
        self._text: list[str] = []
        self._options: list[str] = []
        self._asked = False
        self._last: int | None = None
        self._left: int | None = None
