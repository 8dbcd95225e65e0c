"""Known questions, drawn from word lists of this module's own: what the readers must give back, however the questions are laid out.

Each question carries a mark, a term that no other question of its paper has, by which what was read is matched to what was written.
"""

from collections.abc import Iterator
from random import Random

from msgspec import Struct

LETTERS = "ABCDEFGHIJ"
KINDS = ("single", "multiple", "verdict", "blank", "words", "case", "shared")
"""Kinds of sections: those of a case share its text, those of `shared` share their options."""
TRICKY = ("判断", "答案", "解析", "正确", "错误", "对", "A", "B", "3", "12", "多选题", "分析", "（ ）。", "选", "是", "120")
"""What a wrapped line may consist of, though it is neither a heading nor a number nor an answer."""
_ORGANS = ("心肌", "肺泡", "肝叶", "脾脏", "胃底", "骨膜", "脑桥", "皮质", "肾盂", "胆管", "结膜", "关节", "气管", "鼓室", "声带", "乳腺")
_STATES = ("炎", "水肿", "增生", "萎缩", "囊肿", "结石", "梗死", "综合征", "出血", "结核")
_WORDS = (
    *("咳嗽", "发热", "头痛", "皮疹", "乏力", "青霉素", "维生素B12", "叶酸", "休息", "血常规检查", "X线检查", "CT检查"),
    *("增加饮水量", "C反应蛋白升高", "白细胞计数为12×10⁹/L", "体温38.5℃", "A型血", "每日3次，每次2片", "局部热敷", "心理疏导"),
    *("认知行为治疗", "大于30岁者", "女性较多见", "血压160/95mmHg", "pH值下降", "DNA复制受阻", "以上都不是"),
    *("反复发作，病程超过6个月", "静脉注射10%葡萄糖", "判断力下降", "个人分析能力减退", "结合病史作出判断", "核对答案"),
    *("情绪低落、兴趣减退、睡眠减少", "立即停药并报告", "T细胞免疫", "E型行为", "抗-HBs阳性", "Rh（-）", "1∶1000肾上腺素", "α受体"),
    *("β受体",),
)
_LONG = (
    "由机体对外界刺激产生的一系列生理反应所引起，与遗传和环境都有关系",
    "在医师指导下逐步减少用量，并定期复查肝功能和肾功能",
    "必须在24小时内完成首次评估，其后每3天复评一次直至出院",
)
_ASKED = (
    "{mark}最常见的病因是（ ）。",
    "关于{mark}，下列说法错误的是（ ）",
    "{mark}患者出现高热时，首选的处理是",
    "下列哪一项不属于{mark}的临床表现？",
    "诊断{mark}最有价值的依据为（ ）",
    "对{mark}的处理不应依靠主观{word}，而应当首先（ ）。",
    "{mark}患者每日需补充3次维生素A，最合适的{word}是（ ）。",
    "某研究在2019年随访了120例{mark}患者，12个月后最可能观察到的结果是（ ）",
    "对{mark}病例进行{word}时，第1步应完成的工作是（ ）。",
    "（ ）是{mark}的首发表现。",
    "对{mark}的处理，不应单凭一次检查就作出{word}",
    "关于{mark}的随访计划，护士的做法中哪一项{word}",
    "{mark}患者长期使用广谱抗生素后最容易缺乏的是维生素A",
    "{mark}患者的复查间隔以月计，最长不超过12",
    "患者，男，45岁，确诊{mark}3个月，近2天症状加重，此时最应采取的措施是（ ）",
)
_CLAIMED = (
    "{mark}多见于青年女性。",
    "{mark}的诊断不能只靠主观{word}。",
    "凡是{mark}患者都应当立即手术，没有例外。",
    "{mark}与维生素A缺乏有关",
    "{mark}患者的自我评价往往与客观情况不符，护士应帮助其作出{word}",
)
_BLANKS = ("{mark}的主要表现是____。", "{mark}的首选药物是____，疗程为12天。", "治疗{mark}首先应____")
_OPEN = ("简述{mark}的处理原则。", "什么是{mark}？", "试述{mark}的诊断要点")
_CASES = (
    "患者，女，{age}岁。因{sign}{days}天入院。既往体健，无手术史。查体：体温38.2℃，脉搏96次/分。",
    "患儿，男，{age}岁，{sign}伴食欲减退{days}天。",
)
_THEN = ("该患者最可能并发{mark}的原因是（ ）", "为排除{mark}，首先应做的检查是（ ）。", "若确诊为{mark}，首选的治疗是")
_NAMED = ("{mark}多表现为（ ）", "{mark}首选（ ）。", "与{mark}关系最密切的是")


class Gold(Struct, frozen=True, kw_only=True):
    """One question as it must be read."""

    kind: str
    mark: str
    stem: str
    options: tuple[str, ...] = ()
    answer: str = ""
    """Letters; 正确 or 错误; words."""
    explanation: str = ""
    case: str = ""
    group: int = 0
    """Number of the group whose case or options it shares, 0 for none."""


class Section(Struct, frozen=True):
    """Questions of one kind in a row."""

    kind: str
    questions: tuple[Gold, ...]


def paper(rng: Random) -> tuple[Section, ...]:
    """Return the sections of a paper; no mark stands twice in it."""
    marks = _marks(rng)
    sections, kinds = [], list(KINDS)
    group = 0
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        kind = kinds.pop(0 if rng.random() < 0.4 else rng.randrange(len(kinds)))
        questions: list[Gold] = []
        for _ in range(rng.choice((1, 1, 2)) if kind in ("case", "shared") else 1):
            group += 1
            questions += _group(rng, kind, [next(marks) for _ in range(rng.choice((3, 2, 4, 5)))], group)
        sections.append(Section(kind, tuple(questions)))
    return tuple(sections)


def _marks(rng: Random) -> Iterator[str]:
    """Yield terms, each another."""
    first = rng.randrange(len(_STATES))
    for begun in range(0, len(_STATES), 2):
        for organ in _ORGANS:
            yield organ + _STATES[(first + begun + rng.randrange(2)) % len(_STATES)]


def _group(rng: Random, kind: str, marks: list[str], group: int) -> list[Gold]:
    count = rng.choice((4, 5, 4, 3))
    if kind == "shared":
        options = _options(rng, max(count, 4))
        return [_lettered(rng, kind, mark, rng.choice(_NAMED), options, group=group) for mark in marks[:3]]
    if kind == "case":
        case = rng.choice(_CASES).format(age=rng.randrange(20, 70), sign=rng.choice(_WORDS[:5]), days=rng.randrange(2, 30))
        return [_lettered(rng, kind, mark, rng.choice(_THEN), _options(rng, count), case=case, group=group) for mark in marks[:3]]
    return [_one(rng, kind, mark, count) for mark in marks]


def _one(rng: Random, kind: str, mark: str, count: int) -> Gold:
    told = {"mark": mark, "word": rng.choice(TRICKY[:4])}
    if kind == "verdict":
        return Gold(
            kind=kind, mark=mark, stem=rng.choice(_CLAIMED).format(**told), answer=rng.choice(("正确", "错误")), explanation=_why(rng, "")
        )
    if kind == "blank":
        return Gold(kind=kind, mark=mark, stem=rng.choice(_BLANKS).format(**told), answer=rng.choice(_WORDS[:9]))
    if kind == "words":
        return Gold(kind=kind, mark=mark, stem=rng.choice(_OPEN).format(**told), answer=rng.choice(_LONG) + "。")
    return _lettered(rng, kind, mark, rng.choice(_ASKED).format(**told), _options(rng, count))


def _lettered(rng: Random, kind: str, mark: str, stem: str, options: tuple[str, ...], case: str = "", group: int = 0) -> Gold:
    own = LETTERS[: len(options)]
    answer = "".join(sorted(rng.sample(own, rng.choice((2, 3))))) if kind == "multiple" else rng.choice(own)
    explanation = _why(rng, answer)
    return Gold(
        kind=kind, mark=mark, stem=stem.format(mark=mark), options=options, answer=answer, explanation=explanation, case=case, group=group
    )


def _options(rng: Random, count: int) -> tuple[str, ...]:
    words = rng.sample(_WORDS, count)
    if rng.random() < 0.15:
        words[rng.randrange(count)] = rng.choice(_LONG)
    return tuple(words)


def _why(rng: Random, answer: str) -> str:
    named = f"故选{answer}。" if answer and rng.random() < 0.3 else ""
    return rng.choice(("", "见教材第3章。", "这是由病因决定的，与年龄无关。", "本题考查基本概念，注意区分急性与慢性。")) + named
