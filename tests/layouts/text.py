"""Questions -> lines of text, in a layout drawn from a grammar: numbers, letters, options, answers, headings, wrapped lines, pages."""

from random import Random

from msgspec import Struct

from tests.layouts.gold import LETTERS, TRICKY, Gold, Section

NUMBERS = ("{}．", "{}、", "{}.", "({})", "（{}）", "{}）", "第{}题 ", "【{}】", "Q{}：", "{}) ", "ring", "{} ", "")
LETTERED = ("{}．", "{}.", "{}、", "（{}）", "({})", "{}）", "wide", "{}:", "{} ", "small")
ARRANGED = ("lines", "pairs", "inline", "tabs", "behind", "run", "columns")
PLACES = ("after", "list", "blank", "each_section", "table", "ticked", "group", "none")
MARKS = (
    "答案：{}",
    "【答案】{}",
    "正确答案：{}",
    "参考答案:{}",
    "[答案] {}",
    "答案 {}",
    "答：{}",
    "Answer: {}",
    "标准答案：{}。",
    "故选{}。",
)
REASONS = ("解析：{}", "【解析】{}", "答案解析：{}", "[分析] {}", "试题解析：{}", "解析 {}")
LISTED = ("{n}.{a}  ", "{n}、{a}；", "{n}{a} ", "range", "lines", "({n}){a} ")
VERDICTS = (("√", "×"), ("正确", "错误"), ("对", "错"), ("T", "F"))
HEADED = ("numeral", "numeral_scored", "bare", "bracket", "part", "tags", "none")
WRAPPED = ("none", "width", "tails", "ragged")
PAGES = ("none", "numbers", "footer", "running", "advert")
NAMES = {
    "single": ("单项选择题", "单选题", "A1型题"),
    "multiple": ("多项选择题", "多选题", "X型题"),
    "verdict": ("判断题", "是非题"),
    "blank": ("填空题",),
    "words": ("简答题", "问答题"),
    "case": ("案例分析题", "A3型题", "共用题干单选题"),
    "shared": ("B1型题", "配伍题"),
}
_HANZI = "一二三四五六七八九十"
_RINGS = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_TITLES = ("", "护理学基础模拟试卷（一）", "2021年心理学期末考试试题", "内科护理练习")


class Layout(Struct, frozen=True, kw_only=True):
    """How a paper is written down."""

    number: str
    restarts: bool
    """Each section counts from 1."""
    letter: str
    arranged: str
    place: str
    mark: str
    listed: str
    reason: str
    explained: bool
    verdicts: tuple[str, str]
    headed: str
    name: int
    """Which of the names of its kind a heading has."""
    note: int
    """Which of the wordings a note on a shared case or shared options has."""
    wrapped: str
    width: int
    pages: str
    every: int
    """Lines of a page."""
    title: str
    gaps: bool
    """Empty lines between questions."""


def layout(rng: Random) -> Layout:
    """Draw a layout: what is common more often than what is rare."""
    return Layout(
        number=rng.choice(NUMBERS[:3] + NUMBERS),
        restarts=rng.choice((False, True)),
        letter=rng.choice(LETTERED[:3] + LETTERED),
        arranged=rng.choice(ARRANGED),
        place=rng.choice(PLACES[:4] + PLACES),
        mark=rng.choice(MARKS),
        listed=rng.choice(LISTED),
        reason=rng.choice(REASONS),
        explained=rng.choice((False, True)),
        verdicts=rng.choice(VERDICTS),
        headed=rng.choice(HEADED[:2] + HEADED),
        name=rng.randrange(3),
        note=rng.randrange(3),
        wrapped=rng.choice(("none", *WRAPPED)),
        width=rng.randrange(8, 41),
        pages=rng.choice(("none", "none", *PAGES)),
        every=rng.randrange(9, 30),
        title=rng.choice(_TITLES),
        gaps=rng.choice((False, True)),
    )


def lines_of(sections: tuple[Section, ...], form: Layout, rng: Random) -> list[str]:
    """Return the lines of a paper."""
    written = _Paper(form, rng)
    for place, section in enumerate(sections):
        written.section(place, section)
    written.key()
    lines = [line for text in written.texts for line in _wrapped(text, form, rng)]
    return _paged([form.title, *lines] if form.title else lines, form)


class _Paper:
    """The paragraphs of a paper as they are written, one question after the other."""

    def __init__(self, form: Layout, rng: Random) -> None:
        self.form, self.rng = form, rng
        self.texts: list[str] = []
        self._number = 0
        self._keys: list[tuple[str, list[tuple[int, Gold]]]] = []

    def section(self, place: int, section: Section) -> None:
        name = heading(place, section.kind, self.form)
        self.texts += [name] if name else []
        if self.form.restarts:
            self._number = 0
        asked: list[tuple[int, Gold]] = []
        for at, gold in enumerate(section.questions):
            self._number += 1
            begins = at == 0 or section.questions[at - 1].group != gold.group
            group = [one for one in section.questions if gold.group and one.group == gold.group]
            if group and begins:
                self.texts += shared(gold, (self._number, self._number + len(group) - 1), self.form)
            self._question(self._number, gold, closes=bool(group) and group[-1] is gold, group=group)
            asked.append((self._number, gold))
        if self.form.place == "each_section":
            self.texts += ["答案：", *_list_of(asked, self.form)]
        self._keys.append((name, asked))

    def key(self) -> None:
        """Write the answers at the end."""
        if self.form.place not in ("list", "table"):
            return
        self.texts += ["", "参考答案"]
        for heading, asked in self._keys:
            self.texts += [heading] if heading and (self.form.restarts or self.form.note) else []
            self.texts += _list_of(asked, self.form)

    def _question(self, number: int, gold: Gold, closes: bool, group: list[Gold]) -> None:
        form = self.form
        stem, marked = gold.stem, ""
        place = form.place
        if place == "group" and not group:
            place = "after"
        if place == "ticked" and (gold.kind == "shared" or not gold.options):
            place = "after"
        if place == "blank" and (gold.kind in ("words",) or not gold.answer):
            place = "after"
        answer = told(gold, form)
        if place == "blank":
            stem = _filled(stem, answer, gold)
        elif place == "after":
            marked = form.mark.format(answer)
        tag = f"[{NAMES[gold.kind][1 if len(NAMES[gold.kind]) > 1 else 0]}]" if form.headed == "tags" else ""
        head = _number(number, form) + tag + stem
        options: list[str] = []
        if gold.options and gold.kind != "shared":
            head, options = _options(gold.options, form, head, gold.answer if place == "ticked" else "")
        self.texts += [head, *options]
        self.texts += [marked] if marked else []
        if form.explained and gold.explanation and place in ("after", "blank", "ticked"):
            self.texts.append(form.reason.format(gold.explanation))
        if place == "group" and closes:
            self.texts.append(form.mark.format("".join(one.answer for one in group)))
        self.texts += [""] if form.gaps else []


def heading(place: int, kind: str, form: Layout) -> str:
    name = NAMES[kind][form.name % len(NAMES[kind])]
    numeral = _HANZI[place]
    return {
        "numeral": f"{numeral}、{name}",
        "numeral_scored": f"{numeral}、{name}（每题1分，共20分）",
        "bare": name,
        "bracket": f"【{name}】",
        "part": f"第{numeral}部分 {name}",
    }.get(form.headed, "")


def shared(gold: Gold, numbers: tuple[int, int], form: Layout) -> list[str]:
    """Return the lines that tell what questions of a group share."""
    first, last = numbers
    if gold.case:
        numeral = _HANZI[(gold.group - 1) % len(_HANZI)]
        said = (f"（{first}～{last}题共用题干）", f"案例{numeral}：", f"根据以下材料，回答{first}～{last}题。")[form.note]
        return [said + gold.case] if said.endswith("：") else [said, gold.case]
    said = (f"（{first}～{last}题共用备选答案）", f"［{first}-{last}］", f"（{first}-{last}题共用备选答案）")[form.note]
    head, options = _options(gold.options, form, "")
    return [said, *filter(None, [head]), *options]


def _number(number: int, form: Layout) -> str:
    return _RINGS[number - 1] if form.number == "ring" else form.number.format(number)


def _letter(letter: str, form: Layout) -> str:
    if form.letter == "wide":
        return chr(ord(letter) + 0xFEE0) + "．"
    return f"{letter.lower()}." if form.letter == "small" else form.letter.format(letter)


def _options(options: tuple[str, ...], form: Layout, head: str, ticked: str = "") -> tuple[str, list[str]]:
    """Return the line of the stem, with the options where they stand behind it, and the lines below."""
    listed = [
        f"{_letter(letter, form)}{option}{'（正确答案）' if letter in ticked else ''}"
        for letter, option in zip(LETTERS, options, strict=False)
    ]
    match form.arranged:
        case "lines":
            return head, listed
        case "pairs":
            return head, ["    ".join(listed[at : at + 2]) for at in range(0, len(listed), 2)]
        case "inline":
            return head, ["  ".join(listed)]
        case "tabs":
            return head, ["\t".join(listed)]
        case "behind":
            return (f"{head} {' '.join(listed)}", []) if head else ("", [" ".join(listed)])
        case "run":
            return head, ["".join(listed)]
        case _:
            half = (len(listed) + 1) // 2
            return head, ["        ".join(listed[at::half]) for at in range(half)]


def told(gold: Gold, form: Layout) -> str:
    if gold.kind == "verdict":
        return form.verdicts[gold.answer == "错误"]
    return gold.answer.lower() if form.letter == "small" and gold.options else gold.answer


def _filled(stem: str, answer: str, gold: Gold) -> str:
    if gold.kind == "blank":
        return stem.replace("____", f"__{answer}__")
    return stem.replace("（ ）", f"（{answer}）", 1) if "（ ）" in stem else f"{stem}（{answer}）"


def _list_of(asked: list[tuple[int, Gold]], form: Layout) -> list[str]:
    """Return the answers of questions in a row."""
    answers = [(number, told(gold, form)) for number, gold in asked]
    worded = any(gold.kind in ("words", "blank") for _, gold in asked)
    lettered = all(len(answer) == 1 for _, answer in answers)
    if form.place == "table" and not worded:
        bar = " | " if form.note else "\t"
        return [bar.join(["题号", *(str(number) for number, _ in answers)]), bar.join(["答案", *(answer for _, answer in answers)])]
    if form.listed == "range" and lettered and not worded:
        return [f"{answers[0][0]}-{answers[-1][0]} {''.join(answer for _, answer in answers)}"]
    if form.listed in ("lines", "range") or worded:
        sign = form.listed[3] if form.listed.startswith("{n}") and form.listed[3] in ".、" else "."
        return [*(f"{number}{sign}{answer}" for number, answer in answers)]
    return ["".join(form.listed.format(n=number, a=answer) for number, answer in answers).rstrip()]


def _wrapped(text: str, form: Layout, rng: Random) -> list[str]:
    if form.wrapped == "width" and len(text) > form.width:
        return [text[at : at + form.width] for at in range(0, len(text), form.width)]
    if form.wrapped == "tails":
        word = next((word for word in TRICKY if text.endswith(word) and len(text) > 2 * len(word) + 8), "")
        return [text.removesuffix(word), word] if word else [text]
    if form.wrapped == "ragged" and len(text) > 12 and rng.random() < 0.3:
        cut = rng.randrange(3, len(text) - 1)
        return [text[:cut], text[cut:]]
    return [text]


def _paged(lines: list[str], form: Layout) -> list[str]:
    if form.pages == "none":
        return lines
    paged: list[str] = []
    total = len(lines) // form.every + 1
    for page in range(total):
        paged += lines[page * form.every : (page + 1) * form.every]
        foot = {
            "numbers": [f"- {page + 1} -"],
            "footer": [f"第 {page + 1} 页 共 {total} 页"],
            "running": [f"护理学基础模拟试卷  第{page + 1}页（共{total}页）"],
            "advert": ["更多试题资料请关注公众号", str(page + 1)],
        }[form.pages]
        paged += foot
    return paged
