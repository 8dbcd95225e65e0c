"""Thirty layouts, on which nothing is tuned: python -m tests.layouts.unseen.

Each writes the same twelve questions (or eight statements) down in a manner of its own; `counted` tells what a reader makes of them.
"""

import re
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from crawlers.papers.paper import read_paper
from crawlers.papers.questions.draft import Draft, ParsedPaper
from crawlers.template_reader.choice import better_by_form
from crawlers.template_reader.reader import read_lines

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
LAYOUTS: dict[str, Callable[[list[Asked]], str]] = {}
_FIRST = {"l30": 8}
"""Layout -> how many of the questions it holds, where it does not hold all."""


def layout(write: Callable[[list[Asked]], str]) -> Callable[[list[Asked]], str]:
    LAYOUTS[write.__name__] = write
    return write


def _options(words: Sequence[str], form: str = "{}. {}") -> list[str]:
    return [form.format(letter, word) for letter, word in zip("ABCD", words, strict=True)]


def _wrapped(text: str, width: int = 22) -> list[str]:
    return textwrap.wrap(text, width) or [text]


def _joined(blocks: Iterable[Sequence[str]], between: str = "\n") -> str:
    return between.join("\n".join(block) for block in blocks)


@layout
def l01(q: list[Asked]) -> str:
    return _joined([f"{s}（{a}）", *_options(o)] for s, o, a, e in q)


@layout
def l02(q: list[Asked]) -> str:
    return _joined(([f"{s}（  ）", *_options(o)] for s, o, a, e in q), "\n\n")


@layout
def l03(q: list[Asked]) -> str:
    return _joined([f"{s}______。", "  ".join(_options(o, "{}．{}")), f"答案:{a}"] for s, o, a, e in q)


@layout
def l04(q: list[Asked]) -> str:
    return _joined(([f"{s}（ ）", *[f"• {t}" for t in o], f"答案：{o['ABCD'.index(a)]}"] for s, o, a, e in q), "\n\n")


@layout
def l05(q: list[Asked]) -> str:
    return (
        _joined([*_wrapped(s + "（ ）"), *[x for t in _options(o, "{}、{}") for x in _wrapped(t)]] for s, o, a, e in q)
        + "\n参考答案\n1-5 "
        + "".join(x[2] for x in q[:5])
        + "  6-10 "
        + "".join(x[2] for x in q[5:10])
        + "  11-12 "
        + "".join(x[2] for x in q[10:])
    )


@layout
def l06(q: list[Asked]) -> str:
    return _joined([f"{n}\t{s}\t{a}", *_options(o, "{}\t{}")] for n, (s, o, a, e) in enumerate(q, 1))


@layout
def l07(q: list[Asked]) -> str:
    return _joined([f"问题{n}", f"{s}（ ）", "选项", *_options(o), "答案", a] for n, (s, o, a, e) in enumerate(q, 1))


@layout
def l08(q: list[Asked]) -> str:
    return _joined([f"{n}) {s}", " ".join(_options(o, "({}) {}")), f"Ans: ({a})"] for n, (s, o, a, e) in enumerate(q, 1))


@layout
def l09(q: list[Asked]) -> str:
    return _joined(([f"{s}？", *_options(o, "{}: {}"), f"【答】{a}", f"【析】{e}"] for s, o, a, e in q), "\n* * *\n")


@layout
def l10(q: list[Asked]) -> str:
    return _joined([f"T{n}. {s}（ ）", *_options(o), f"答案 {a}"] for n, (s, o, a, e) in enumerate(q, 1))


@layout
def l11(q: list[Asked]) -> str:
    return _joined([f"{n}、{s}", f"答案：{a}", *_options(o, "{}、{}")] for n, (s, o, a, e) in enumerate(q, 1))


@layout
def l12(q: list[Asked]) -> str:
    return _joined([f"【单选】{s}（ ）", *_options(o), f"【正确答案】{a}"] for s, o, a, e in q)


@layout
def l13(q: list[Asked]) -> str:
    return _joined([f"Q: {s}", *_options(o, "{}) {}"), f"A: {a}", ""] for s, o, a, e in q)


@layout
def l14(q: list[Asked]) -> str:
    return (
        "第一章 总论\n"
        + _joined(([f"{s}（ ）", *_options(o), f"答案：{a}"] for s, o, a, e in q[:6]), "\n\n")
        + "\n\n第二章 各论\n"
        + _joined(([f"{s}（ ）", *_options(o), f"答案：{a}"] for s, o, a, e in q[6:]), "\n\n")
    )


@layout
def l15(q: list[Asked]) -> str:
    return "\n".join(f"{s}（{'√' if v else '×'}）" for s, v in STATEMENTS)


@layout
def l16(q: list[Asked]) -> str:
    return "\n".join(f"{s} {'对' if v else '错'}" for s, v in STATEMENTS)


@layout
def l17(q: list[Asked]) -> str:
    W = str.maketrans("0123456789", "０１２３４５６７８９")
    return _joined(
        [
            *_wrapped(f"{str(n).translate(W)}．　{s}（　　）"),
            "　　".join([f"{letter}．{t}" for letter, t in zip("AB", o[:2], strict=True)]),
            "　　".join(f"{letter}．{t}" for letter, t in zip("CD", o[2:], strict=True)),
            f"答案：{a}",
        ]
        for n, (s, o, a, e) in enumerate(q, 1)
    )


@layout
def l18(q: list[Asked]) -> str:
    return "\n".join(f"{s}（ ）" + " ".join(_options(o, "{}.{}")) + f" 答案：{a}" for s, o, a, e in q)


@layout
def l19(q: list[Asked]) -> str:
    return "\n".join(f"{n}.{s}（ ）" + "；".join(_options(o, "{}.{}")) + f"。[{a}]" for n, (s, o, a, e) in enumerate(q, 1))


@layout
def l20(q: list[Asked]) -> str:
    return (
        _joined([f"{n}. {s}（ ）", *_options(o)] for n, (s, o, a, e) in enumerate(q, 1))
        + "\n题号 "
        + " ".join(map(str, range(1, 13)))
        + "\n答案 "
        + " ".join(x[2] for x in q)
    )


@layout
def l21(q: list[Asked]) -> str:
    return _joined(([f"题目：{s}（ ）", "类型：单选题", *_options(o), f"参考答案：{a}", "难度：易"] for s, o, a, e in q), "\n\n")


@layout
def l22(q: list[Asked]) -> str:
    return _joined([f"No.{n} {s}（ ）", *_options(o), f"Key: {a}"] for n, (s, o, a, e) in enumerate(q, 1))


@layout
def l23(q: list[Asked]) -> str:
    return _joined([f"{n}. {s}（ ）", *_options(o)[:3], _options(o)[3] + f" 【{a}】"] for n, (s, o, a, e) in enumerate(q, 1))


@layout
def l24(q: list[Asked]) -> str:
    return _joined(
        [s, *[f"{letter.lower()}) {t}" for letter, t in zip("ABCD", o, strict=True)], f"key: {a.lower()}", ""] for s, o, a, e in q
    )


@layout
def l25(q: list[Asked]) -> str:
    return _joined(
        ([f"{s}（ ）", "", *_options(o), "", f"答案：{a}", f"解析：{e}", "本题考查基础知识，多数人答对。", ""] for s, o, a, e in q), "\n"
    )


@layout
def l26(q: list[Asked]) -> str:
    return (
        "一、选择题\n"
        + _joined([f"({n}) {s}", *_options(o), f"解：选{a}，{e}"] for n, (s, o, a, e) in enumerate(q[:6], 1))
        + "\n二、选择题\n"
        + _joined([f"({n}) {s}", *_options(o), f"解：选{a}，{e}"] for n, (s, o, a, e) in enumerate(q[6:], 1))
    )


@layout
def l27(q: list[Asked]) -> str:
    return _joined(
        [*_wrapped(s + "（ ）", 16), *[x for t in _options(o, "{}、{}") for x in _wrapped(t, 8)], f"正确答案是：{a}"] for s, o, a, e in q
    )


@layout
def l28(q: list[Asked]) -> str:
    return _joined(([f"{s}（ ）", *_options(o), f"答案：{a}"] for s, o, a, e in q)).replace("\n", "\n\n")


@layout
def l29(q: list[Asked]) -> str:
    return _joined(([f"{s}", *_options(o, "{}、{}"), f"选{a}"] for s, o, a, e in q), "\n————————\n")


@layout
def l30(q: list[Asked]) -> str:
    return (
        "患者，男，45岁，上腹痛三天，伴恶心。（1～4题共用题干）\n"
        + _joined([f"{n}. {s}（ ）", *_options(o)] for n, (s, o, a, e) in enumerate(q[:4], 1))
        + "\n答案：1."
        + q[0][2]
        + " 2."
        + q[1][2]
        + " 3."
        + q[2][2]
        + " 4."
        + q[3][2]
        + "\n患者，女，30岁，发热两天。（5～8题共用题干）\n"
        + _joined([f"{n}. {s}（ ）", *_options(o)] for n, (s, o, a, e) in enumerate(q[4:8], 5))
        + "\n答案：5."
        + q[4][2]
        + " 6."
        + q[5][2]
        + " 7."
        + q[6][2]
        + " 8."
        + q[7][2]
    )


def counted(name: str, reader: Reader) -> Counter[str]:
    """Return how many questions of a layout a reader gives back equal, without the answer, doubted, or silently as something else."""
    drafts = reader(LAYOUTS[name](QUESTIONS).split("\n")).drafts
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
        "chosen": lambda lines: better_by_form(lines, read_paper(lines)),
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
