"""What was written for the embedded encyclopedias comes back from their pages through their spiders, whole."""

import re
import unicodedata
from collections.abc import Callable
from itertools import chain
from types import ModuleType

import msgspec
import opencc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.item import EntityItem
from crawlers.embedded.content import Content, Disease, Entry, load_content
from crawlers.embedded.sites import ask120, xiaohe
from crawlers.html.source_spider import SourceSpider
from crawlers.sources.ask120.spider import Ask120Spider
from crawlers.sources.xiaohe.spider import XiaoheSpider
from tests.crawlers.replica_walk import ReplicaWalk

SITES: dict[str, tuple[ModuleType, type[SourceSpider]]] = {"ask120": (ask120, Ask120Spider), "xiaohe": (xiaohe, XiaoheSpider)}
_SIMPLIFIED = opencc.OpenCC("t2s")

# Which labels, on either site, carry what the content has in a field.
DISEASE_LABELS = {
    "departments": "挂什么科 就诊科室",
    "symptoms": "哪些症状 典型症状 常见症状",
    "causes": "常见病因",
    "examinations": "需作检查 需做检查 检查项目",
    "treatments": "治疗方法 治疗方式",
    "medicines": "常用药物",
    "complications": "引发疾病 并发症",
    "prevention": "预防措施",
    "foods_good": "宜 宜吃食物",
    "foods_avoid": "忌 忌吃食物",
}
EXAMINATION_LABELS = {"used_for": "适用疾病 适用于", "high": "升高 升高见于", "low": "降低 降低见于"}
MEDICINE_LABELS = {"effects": "适应症 功能主治", "adverse": "不良反应"}
FOOD_LABELS = {"effects": "功效与作用", "good_for": "适宜人群", "avoid_for": "慎食人群"}

# Any words, and what mark-up is made of; a list's own separators cannot stand in its entries.
_WORD = st.text(alphabet="头晕咳嗽病药食ABZabz<>&'\"{}%", min_size=1, max_size=8)
_WORDS = st.lists(_WORD.map(lambda text: f"甲{text}"), max_size=4, unique=True)


@pytest.fixture(scope="module", params=SITES)
def site_name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def sound(site_name: str) -> Content:
    """What the site carries, without planted defects."""
    content = load_content().on(site_name)
    kinds = ("diseases", "examinations", "medicines", "foods")
    return Content(**{kind: [entry for entry in getattr(content, kind) if not entry.planted] for kind in kinds})


@pytest.fixture(scope="module")
def walked(site_name: str, sound: Content) -> ReplicaWalk:
    site, spider_class = SITES[site_name]
    return ReplicaWalk(spider_class, site.build(sound))


@pytest.fixture(scope="module")
def atoms(walked: ReplicaWalk) -> Callable[[str, str, str], set[str]]:
    return atoms_of(walked.items)


def atoms_of(items: list[EntityItem]) -> Callable[[str, str, str], set[str]]:
    """Return the single values of an entry under any of some labels, read as a careful reader would."""
    found: dict[tuple[str, str, str], set[str]] = {}
    for item in items:
        for value in item.values:
            label = plain(value.label).strip(":")
            found.setdefault((item.entity_type, plain(item.name_raw), label), set()).update(parts(value.value))
    return lambda kind, name, labels: set(chain.from_iterable(found.get((kind, plain(name), label), ()) for label in labels.split()))


def plain(text: str) -> str:
    return unicodedata.normalize("NFKC", _SIMPLIFIED.convert(text)).strip()


def parts(value: str) -> list[str]:
    """Return the parts of a list; a part that the page cut off is none."""
    value = plain(value).removesuffix("[详细]")
    found = [re.sub(r"^\d+\.(?!\d)", "", part.strip()).rstrip("。") for part in re.split(r"[、;\n]", value)]
    return [part for part in found if part and not part.endswith(("…", "..."))]


def check(entries: list[Entry], kind: str, labels: dict[str, str], atoms: Callable[[str, str, str], set[str]]) -> None:
    for entry in entries:
        for name, shown_as in labels.items():
            written = {plain(one) for one in getattr(entry, name)}
            read = atoms(kind, entry.name, shown_as)
            if not written and read <= {"尚不明确"}:
                continue
            assert read == written, f"{entry.name}: {name}"


@pytest.mark.slow
def test_diseases_come_back(sound: Content, site_name: str, atoms: Callable[[str, str, str], set[str]]) -> None:
    assert len(sound.diseases) >= 30
    full_names = site_name == "ask120"  # xiaohe names a department without the one above it
    diseases = [disease if full_names else _without_upper(disease) for disease in sound.diseases]
    check(diseases, "disease", DISEASE_LABELS, atoms)
    words = {True: {"是", "有传染性", "具有传染性"}, False: {"否", "无传染性", "不具有传染性"}, None: set()}
    for disease in diseases:
        read = atoms("disease", disease.name, "是否传染 传染性")
        assert bool(read) == (disease.infectious is not None) and read <= words[disease.infectious], disease.name


def _without_upper(disease: Disease) -> Disease:
    return msgspec.structs.replace(disease, departments=[name.rpartition("-")[2] for name in disease.departments])


def test_examinations_round_trip(sound: Content, atoms: Callable[[str, str, str], set[str]]) -> None:
    assert len(sound.examinations) >= 15
    check(sound.examinations, "examination", EXAMINATION_LABELS, atoms)
    for examination in sound.examinations:
        ranges = {plain(f"{row.who}:{row.value}" if row.who else row.value) for row in examination.ranges}
        assert atoms("examination", examination.name, "正常值 参考区间") == ranges, examination.name


def test_medicines_round_trip(sound: Content, atoms: Callable[[str, str, str], set[str]]) -> None:
    assert len(sound.medicines) >= 15
    check(sound.medicines, "medicine", MEDICINE_LABELS, atoms)
    for medicine in sound.medicines:
        label = "适应症" if medicine.kind == "western" else "功能主治"
        assert atoms("medicine", medicine.name, label), f"{medicine.name} is {medicine.kind}"
        assert atoms("medicine", medicine.name, "批准文号") == {plain(medicine.approval or "")}


def test_foods_round_trip(sound: Content, site_name: str, walked: ReplicaWalk, atoms: Callable[[str, str, str], set[str]]) -> None:
    if site_name == "ask120":  # shows food with its diseases alone
        assert all(item.entity_type != "food" for item in walked.items)
    else:
        assert len(sound.foods) >= 40
        check(sound.foods, "food", FOOD_LABELS, atoms)


def test_prose_becomes_sections(sound: Content, walked: ReplicaWalk) -> None:
    texts: dict[str, str] = {}
    for item in walked.items:
        texts[item.name_raw] = texts.get(item.name_raw, "") + "".join(plain(section.text) for section in item.sections)
    for disease in sound.diseases:
        for subject, text in disease.texts.items():
            assert plain(text) in texts[disease.name], f"{disease.name}: {subject}"


def test_every_food_effect_is_on_a_site_that_shows_it() -> None:
    assert [food.name for food in load_content().foods if "xiaohe" not in food.sites] == []


def test_pages_are_missing_and_none_is_a_misfit(walked: ReplicaWalk, site_name: str) -> None:
    assert walked.statuses[404] > 0 and (walked.statuses[301] > 0 or site_name == "xiaohe")
    # robots.txt keeps a crawl from this page, which is none of a disease; this walk does not ask it.
    assert [page for page in walked.misfits if "/jibing/zhuanti/" not in page] == []


def test_every_item_is_named_and_placed(walked: ReplicaWalk) -> None:
    places = [(item.provenance.url, item.entity_type, item.name_raw) for item in walked.items]  # a symptom's page tells of several diseases
    assert len(places) == len(set(places)) > 0
    assert all(item.name_raw and (item.values or item.sections) for item in walked.items)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(rank=st.integers(0, 17), fields=st.fixed_dictionaries({name: _WORDS for name in DISEASE_LABELS if name != "departments"}))
def test_any_disease_round_trips(rank: int, fields: dict[str, list[str]]) -> None:
    entry = Disease(slug="z", name="某病", departments=["内科"], infectious=True, sites=list(SITES), texts={"cause": "正文。"}, **fields)
    before = [Disease(slug=f"a{number}", name=f"前病{number}", departments=["内科"], sites=list(SITES)) for number in range(rank)]
    for site, spider_class in SITES.values():
        items = ReplicaWalk(spider_class, site.build(Content(diseases=[*before, entry]))).items
        check([entry], "disease", {name: DISEASE_LABELS[name] for name in fields}, atoms_of(items))
