"""Hostile items through the whole pipeline from clean to validation: no later stage fails on what clean keeps."""

import os
import random
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from atomexam.records.item import EntityItem, Item, LabelledValue, QuestionItem, Section
from atomexam.records.params import Claims, NearDuplicates
from atomexam.records.provenance import Provenance
from atomexam.runtime.jsonl import write_jsonl
from curation.claims.claim_pairs import make_claims
from curation.clean.__main__ import clean
from curation.near_duplicates.__main__ import unique_facts, unique_questions
from curation.near_duplicates.contamination import contaminations
from curation.near_duplicates.wording import difference, figures
from curation.validate.__main__ import main as validate
from tests.curation.hostile_pieces import LONG, PIECES, SUBJECTS, random_characters
from tests.curation.records import CLEAN, question

NEAR = NearDuplicates(ngram_chars=3, threshold=0.8, case_threshold=0.65)
CLAIMS = Claims(per_type=10**6, template="paper", seed=1)
STRINGS = int(os.environ.get("HOSTILE", "6000"))
STEMS = [
    "人对事物的个别属性的反映称为",
    "下列属于心理学研究方法的是",
    "心理咨询师在工作中应当首先遵守的原则是什么",
    "案例：一般资料：求助者，女性，三十岁，公司职员，因为与丈夫争吵而情绪低落，失眠两周，前来咨询。求助者的主要症状是",
]
CASE = "求助者，男性，四十岁，工程师，近两个月来情绪低落，入睡困难，食欲下降，工作效率降低，由家属陪同前来。"
KINDS = ["单选", "多选", "简答题", "判断题", "填空题", "一、不定项", "案例分析", None]
LABELS = [
    *("症状", "哪些症状", "挂什么科", "是否传染", "正常值", "治疗方法", "并发症", "适应症", "忌吃", "宜吃", "检查", "不良反应"),
    *("批准文号"),
]


class Draw:
    """Hostile items, deterministic for a seed."""

    def __init__(self, seed: str) -> None:
        self.lot = random.Random(seed)
        self.strings = self.items = 0
        self.cases = [self.mixed("案例：" + CASE) for _ in range(20)]

    def junk(self, most: int = 6) -> str:
        self.strings += 1
        if self.lot.random() < 0.02:
            return self.lot.choice(LONG)
        if self.lot.random() < 0.05:
            return random_characters(self.lot)
        return "".join(self.lot.choices(PIECES, k=self.lot.randrange(most)))

    def mixed(self, text: str) -> str:
        """Return a valid text with something hostile inside."""
        if self.lot.random() < 0.6:
            self.strings += 1
            return text
        at = self.lot.choice([0, len(text), self.lot.randrange(len(text) + 1)])
        return text[:at] + self.junk(12) + text[at:]

    def seen(self, source: str) -> Provenance:
        self.items += 1
        page = f"page-{self.items // 7}"
        return Provenance(source=source, url=f"https://toy/{page}", snapshot="2026-01-01", page_id=page, position=f"q{self.items}")

    def question(self, source: str) -> QuestionItem:
        lot, kind, seen = self.lot, self.lot.choice(KINDS), self.seen(source)
        names = lot.sample(SUBJECTS, lot.choice((2, 4, 4, 4, 5, 5, 10, 11)))
        options = [f"{'ABCDEFGHIJKL'[place]}.{self.mixed(name)}" for place, name in enumerate(names)]
        if lot.random() < 0.1:
            options = lot.choice([None, [], [self.junk() for _ in range(14)]])
        return QuestionItem(
            url=seen.url,
            provenance=seen,
            stem_raw=self.mixed(f"{lot.choice(STEMS)}{lot.choice(SUBJECTS)}"),
            options_raw=options,
            answer_raw=lot.choice(["A", "B", "AB", "ABCD", "C、记忆", "正确", "答案：B", self.junk(), self.mixed("对事物的反映"), None]),
            explanation_raw=self.mixed("解析：略"),
            case_raw=lot.choice(self.cases) if lot.random() < 0.15 else None,
            type_raw=kind if lot.random() < 0.5 else self.junk(),
            section_raw=kind,
            exam_raw=lot.choice([None, "心理咨询师", self.junk()]),
            subject_raw=self.junk(),
            number_raw=self.junk(),
        )

    def entity(self) -> EntityItem:
        lot, seen = self.lot, self.seen("ask120")
        values = [
            LabelledValue(
                label=lot.choice([*LABELS, self.junk()]),
                value=self.mixed("、".join(lot.sample(SUBJECTS, lot.randrange(1, 4)))),
                position=str(place),
            )
            for place in range(lot.randrange(8))
        ]
        return EntityItem(
            url=seen.url,
            provenance=seen,
            entity_type=lot.choice(["disease", "medicine", "examination", "food", "symptom", None, self.junk()]),
            name_raw=self.mixed(lot.choice(SUBJECTS)),
            values=values,
            sections=[Section(title=self.junk(), text=self.mixed("感冒是常见的病。" * lot.randrange(12)), position="s")],
        )


@pytest.mark.slow
def test_later_stages_accept_what_clean_keeps(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    draw = Draw(os.environ.get("HOSTILE_SEED", "line"))
    items: dict[str, list[Item]] = {"hxter": [], "ask120": [], "ref": []}
    while draw.strings < STRINGS:
        items["hxter"].append(draw.question("hxter"))
        if draw.lot.random() < 0.05:
            again = items["hxter"][-1]  # otherwise nothing would occur twice
            items["hxter"].append(replace(again, provenance=draw.seen("hxter")))
            items["ref"].append(replace(again, provenance=draw.seen("ref")))
        items["ask120"].append(draw.entity())
        if draw.lot.random() < 0.1:
            items["ref"].append(draw.question("ref"))
    found = clean(items.items(), CLEAN, ["ref"])
    asked, stated = unique_questions(found.questions, NEAR), unique_facts(found.facts)
    assert len(found.questions) == len(asked.kept) + len(asked.rejected)
    met = contaminations(found.questions, found.references, NEAR)
    claims, refused = make_claims(stated.kept, CLAIMS)
    assert len(stated.kept) == len(claims) + len(refused)
    assert asked.kept and asked.clusters and claims and met
    tables = {"questions": asked.kept, "facts": stated.kept, "claims": claims, "clusters": asked.clusters}
    for table, rows in tables.items():
        write_jsonl(tmp_path / f"{table}.jsonl", rows, key=lambda row: getattr(row, "id", ""))
    named = [part for table in tables for part in (f"--{table}", str(tmp_path / f"{table}.jsonl"))]
    suites = Path(__file__).parents[2] / "curation/validate/expectations"
    places = ["--suites", str(suites), "--out", str(tmp_path / "out"), "--metrics", str(tmp_path / "m.json")]
    validate(["--what", *tables, *named, *places])
    assert (tmp_path / "out/passed.json").exists()
    assert len(Counter(row.reason for row in found.rejected)) > 10


@pytest.mark.parametrize("numeral", ["第" + "亿" * 700, "百分之" + "十亿" * 9_000, "九" * 9_000 + "年"])
def test_endless_numeral_is_an_ordinary_figure(numeral: str) -> None:
    assert len(figures(numeral)) == 1


def test_texts_of_one_repeated_character_differ_only_in_length() -> None:
    assert difference("甲" * 3_000, "甲" * 2_999).opposed is False


def test_long_texts_of_two_characters_match_only_equal_ones() -> None:
    """Their n-grams are the same eight, whatever the text, so every two of them are a candidate pair."""
    lot = random.Random("two")
    stems = ["下列" + "".join(lot.choices("甲乙", k=2_000)) for _ in range(60)]
    rows = [question(stem, tuple(SUBJECTS[:4]), at=f"q{place}") for place, stem in enumerate([*stems, stems[0] + "。"])]
    found = unique_questions(rows, NEAR)
    assert (len(found.kept), len(found.clusters)) == (60, 1)
