"""Thirty layouts, on which nothing is tuned: python -m tests.layouts.unseen.

Each writes the same twelve questions (or eight statements) down in a manner of its own; `counted` tells what a reader makes of them.
"""

import re
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from crawlers.read.containers.files.reading import Text
from crawlers.read.lines.form.form import read_lines
from crawlers.read.lines.paper import read_paper
from crawlers.read.lines.questions.draft import Draft, ParsedPaper
from crawlers.read.papers import paper_in

Asked = tuple[str, list[str], str, str]
"""Stem, options, letter, explanation."""
Reader = Callable[[list[str]], ParsedPaper]
QUESTIONS: list[Asked] = [
    ("下列属于条件反射的是", ["膝跳反射", "望梅止渴", "眨眼反射", "吸吮反射"], "B", "望梅止渴是后天建立的反射。"),
    ("成年人安静时的正常心率是", ["每分钟40至50次", "每分钟60至100次", "每分钟110至130次", "每分钟140次以上"], "B", "低于60次为心动过缓。"),
    ("人体最大的消化腺是", ["胰腺", "唾液腺", "肝脏", "胃腺"], "C", "肝脏分泌胆汁。"),
    (
        "心理学作为一门独立科学诞生的标志是冯特在莱比锡大学建立第一个心理学实验室，这一年是",
        ["1789年", "1859年", "1879年", "1900年"],
        "C",
        "1879年冯特建立实验室，这一年被公认为科学心理学的开端。",
    ),
    ("缺乏维生素C会引起", ["夜盲症", "坏血病", "脚气病", "佝偻病"], "B", "维生素C缺乏导致坏血病。"),
    (
        "2019年发布的指南中，成人高血压的诊断标准是收缩压不低于",
        ["120mmHg", "130mmHg", "140mmHg", "160mmHg"],
        "C",
        "诊室血压以140/90mmHg为界。",
    ),
    ("下列哪项不属于心境障碍的表现？", ["情绪低落", "思维迟缓", "意志减退", "遗传性耳聋"], "D", "遗传性耳聋不是精神症状。"),
    ("细胞膜的主要成分是", ["脂质和蛋白质", "核酸", "纤维素", "淀粉"], "A", "磷脂双分子层是基本支架。"),
    ("急性阑尾炎最典型的体征是", ["墨菲征阳性", "右下腹固定压痛", "移动性浊音", "肠鸣音亢进"], "B", "麦氏点压痛最有价值。"),
    ("维持血浆胶体渗透压的主要是", ["白蛋白", "球蛋白", "纤维蛋白原", "血红蛋白"], "A", "白蛋白分子小而数量多。"),
    ("关于遗忘规律，艾宾浩斯曲线说明", ["先慢后快", "先快后慢", "匀速", "没有规律"], "B", "遗忘速度先快后慢。"),
    ("胰岛素由下列哪种细胞分泌", ["胰岛A细胞", "胰岛B细胞", "胰岛D细胞", "腺泡细胞"], "B", "胰岛B细胞分泌胰岛素。"),
]
STATEMENTS = [
    ("心脏位于胸腔的左前方。", True),
    ("人体共有206块骨骼。", True),
    ("血液中运输氧气的是白细胞。", False),
    ("胆汁由胆囊分泌。", False),
    ("感觉是知觉的基础。", True),
    ("艾滋病可以通过握手传播。", False),
    ("正常成人每日尿量约为1500毫升。", True),
    ("遗忘的进程是匀速的。", False),
]
Write = Callable[[int, str, list[str], str, str], list[str]]
"""Number, stem, options, letter and explanation of a question in, its lines out."""
_WIDE_DIGITS = str.maketrans("0123456789", "０１２３４５６７８９")
_FIRST = {"l30": 8}
"""Layout -> how many of the questions it holds, where it does not hold all."""


def _options(words: Sequence[str], form: str = "{}. {}") -> list[str]:
    return [form.format(letter, word) for letter, word in zip("ABCD", words, strict=False)]


def _wrapped(text: str, width: int = 22) -> list[str]:
    return textwrap.wrap(text, width) or [text]


def _in_pairs(o: Sequence[str]) -> list[str]:
    listed = _options(o, "{}．{}")
    return ["　　".join(listed[:2]), "　　".join(listed[2:])]


def _cut(o: Sequence[str], width: int) -> list[str]:
    return [line for option in _options(o, "{}、{}") for line in _wrapped(option, width)]


def _blank(n: int, s: str, o: list[str], a: str, e: str) -> list[str]:
    return [f"{n}. {s}（ ）", *_options(o)]


ONE_BY_ONE: dict[str, tuple[Write, str]] = {
    "l01": (lambda n, s, o, a, e: [f"{s}（{a}）", *_options(o)], "\n"),
    "l02": (lambda n, s, o, a, e: [f"{s}（  ）", *_options(o)], "\n\n"),
    "l03": (lambda n, s, o, a, e: [f"{s}______。", "  ".join(_options(o, "{}．{}")), f"答案:{a}"], "\n"),
    "l04": (lambda n, s, o, a, e: [f"{s}（ ）", *[f"• {t}" for t in o], f"答案：{o['ABCD'.index(a)]}"], "\n\n"),
    "l05": (lambda n, s, o, a, e: [*_wrapped(s + "（ ）"), *_cut(o, 22)], "\n"),
    "l06": (lambda n, s, o, a, e: [f"{n}\t{s}\t{a}", *_options(o, "{}\t{}")], "\n"),
    "l07": (lambda n, s, o, a, e: [f"问题{n}", f"{s}（ ）", "选项", *_options(o), "答案", a], "\n"),
    "l08": (lambda n, s, o, a, e: [f"{n}) {s}", " ".join(_options(o, "({}) {}")), f"Ans: ({a})"], "\n"),
    "l09": (lambda n, s, o, a, e: [f"{s}？", *_options(o, "{}: {}"), f"【答】{a}", f"【析】{e}"], "\n* * *\n"),
    "l10": (lambda n, s, o, a, e: [f"T{n}. {s}（ ）", *_options(o), f"答案 {a}"], "\n"),
    "l11": (lambda n, s, o, a, e: [f"{n}、{s}", f"答案：{a}", *_options(o, "{}、{}")], "\n"),
    "l12": (lambda n, s, o, a, e: [f"【单选】{s}（ ）", *_options(o), f"【正确答案】{a}"], "\n"),
    "l13": (lambda n, s, o, a, e: [f"Q: {s}", *_options(o, "{}) {}"), f"A: {a}", ""], "\n"),
    "l14": (lambda n, s, o, a, e: [*_heading(n, "第一章 总论", "第二章 各论"), f"{s}（ ）", *_options(o), f"答案：{a}"], "\n\n"),
    "l17": (lambda n, s, o, a, e: [*_wrapped(f"{str(n).translate(_WIDE_DIGITS)}．　{s}（　　）"), *_in_pairs(o), f"答案：{a}"], "\n"),
    "l18": (lambda n, s, o, a, e: [f"{s}（ ）{' '.join(_options(o, '{}.{}'))} 答案：{a}"], "\n"),
    "l19": (lambda n, s, o, a, e: [f"{n}.{s}（ ）{'；'.join(_options(o, '{}.{}'))}。[{a}]"], "\n"),
    "l20": (_blank, "\n"),
    "l21": (lambda n, s, o, a, e: [f"题目：{s}（ ）", "类型：单选题", *_options(o), f"参考答案：{a}", "难度：易"], "\n\n"),
    "l22": (lambda n, s, o, a, e: [f"No.{n} {s}（ ）", *_options(o), f"Key: {a}"], "\n"),
    "l23": (lambda n, s, o, a, e: [*_blank(n, s, o, a, e)[:-1], f"{_options(o)[3]} 【{a}】"], "\n"),
    "l24": (lambda n, s, o, a, e: [s, *[f"{x.lower()}) {t}" for x, t in zip("ABCD", o, strict=True)], f"key: {a.lower()}", ""], "\n"),
    "l25": (
        lambda n, s, o, a, e: [f"{s}（ ）", "", *_options(o), "", f"答案：{a}", f"解析：{e}", "本题考查基础知识，多数人答对。", ""],
        "\n",
    ),
    "l26": (
        lambda n, s, o, a, e: [*_heading(n, "一、选择题", "二、选择题"), f"({n if n < 7 else n - 6}) {s}", *_options(o), f"解：选{a}，{e}"],
        "\n",
    ),
    "l27": (lambda n, s, o, a, e: [*_wrapped(s + "（ ）", 16), *_cut(o, 8), f"正确答案是：{a}"], "\n"),
    "l28": (lambda n, s, o, a, e: [line for one in (f"{s}（ ）", *_options(o), f"答案：{a}") for line in (one, "")], "\n"),
    "l29": (lambda n, s, o, a, e: [s, *_options(o, "{}、{}"), f"选{a}"], "\n————————\n"),
    "l30": (
        lambda n, s, o, a, e: [
            *_heading(n, "患者，男，45岁，上腹痛三天，伴恶心。（1～4题共用题干）", "患者，女，30岁，发热两天。（5～8题共用题干）", 5),
            *_blank(n, s, o, a, e),
            *([_key(range(n - 3, n + 1))] if n % 4 == 0 else []),
        ],
        "\n",
    ),
}
"""Layouts of questions that are written one after the other, and what stands between them."""
BEHIND = {
    "l05": lambda: f"参考答案\n1-5 {_letters()[:5]}  6-10 {_letters()[5:10]}  11-12 {_letters()[10:]}",
    "l20": lambda: f"题号 {' '.join(map(str, range(1, 13)))}\n答案 {' '.join(_letters())}",
}
"""What stands at the end of some of them."""
OF_STATEMENTS = {"l15": ("（√）", "（×）"), "l16": (" 对", " 错")}
LAYOUTS = sorted([*ONE_BY_ONE, *OF_STATEMENTS])


def _letters() -> str:
    return "".join(answer for _, _, answer, _ in QUESTIONS)


def _key(numbers: Iterable[int]) -> str:
    return "答案：" + " ".join(f"{number}.{_letters()[number - 1]}" for number in numbers)


def _heading(number: int, first: str, second: str, begins: int = 7) -> list[str]:
    return [first] if number == 1 else [second] if number == begins else []


def text_of(name: str) -> str:
    """Return the questions, or the statements, in one layout."""
    if name in OF_STATEMENTS:
        return "\n".join(f"{stem}{OF_STATEMENTS[name][not right]}" for stem, right in STATEMENTS)
    write, between = ONE_BY_ONE[name]
    text = between.join("\n".join(write(n, *asked)) for n, asked in enumerate(QUESTIONS[: _FIRST.get(name)], 1))
    return f"{text}\n{BEHIND[name]()}" if name in BEHIND else text


def counted(name: str, reader: Reader) -> Counter[str]:
    """Return how many questions of a layout a reader gives back equal, without the answer, doubted, or silently as something else."""
    drafts = reader(text_of(name).split("\n")).drafts
    if name in ("l15", "l16"):
        gold = {_bare(stem): ([], "对" if right else "错") for stem, right in STATEMENTS}
    else:
        gold = {_bare(stem): ([_bare(word) for word in options], "" if name == "l02" else answer) for stem, options, answer, _ in QUESTIONS}
    counts: Counter[str] = Counter(gold=min(len(gold), _FIRST.get(name, len(gold))))
    for draft in drafts:
        what = _judged(draft, gold)
        counts[what] += 1
        if what == "equal":
            gold.pop(_stem(draft, gold))
    return counts


def _judged(draft: Draft, gold: dict[str, tuple[list[str], str]]) -> str:
    if draft.doubt:
        return "doubted"
    options, answer = gold.get(_stem(draft, gold), (None, ""))
    read = [_bare(re.sub(r"^\s*[(（]?[A-Ja-j]\s*[.、:)\t ]\s*", "", _wide(option))) for option in draft.options]
    if options is None or read != options:
        return "silent"
    if not draft.answer:
        return "no answer" if answer else "equal"
    said = _bare(draft.answer)
    if not options:
        return "equal" if ("√" in draft.answer or said in ("对", "正确")) == (answer == "对") else "silent"
    return "equal" if answer and said in (answer.lower(), options["ABCD".index(answer)]) else "silent"


def _stem(draft: Draft, gold: dict[str, tuple[list[str], str]]) -> str:
    bare = _bare(draft.stem)
    numbered = r"^\s*(?:【单选】|(?:问题|T|No\.|第)?\s*\(?\d+\s*[.、)]?(?!\d*年)\s*题?\s*)"
    return bare if bare in gold else _bare(re.sub(numbered, "", _wide(draft.stem)))


def _wide(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _bare(text: str) -> str:
    return re.sub(r"[\W_]", "", _wide(text)).lower()


def main() -> None:
    readers = {
        "passes": read_paper,
        "form": lambda lines: read_lines(lines) or ParsedPaper([], []),
        "file": lambda lines: paper_in("unseen.txt", Text(lines)),
    }
    total: dict[str, Counter[str]] = {label: Counter() for label in readers}
    for name in LAYOUTS:
        counts = {label: counted(name, reader) for label, reader in readers.items()}
        for label, one in counts.items():
            total[label].update(one)
        print(name, {label: dict(one) for label, one in counts.items()})
    print({label: dict(one) for label, one in total.items()})


if __name__ == "__main__":
    main()
