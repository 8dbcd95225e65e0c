"""Options judged one by one, left out or compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.answers.__main__ import read_row
from eval.answers.choice import all_judged

DRUGS = {"A": "氯化钾", "B": "呋塞米", "C": "螺内酯", "D": "氢氯噻嗪", "E": "甘露醇"}


def both(reply: str, task: str, options: dict[str, str] = DRUGS) -> tuple:
    read = read_row({"task": task, "response": reply, "options": options})
    return read["answer"], read["committed"]


JUDGED_SEVERAL = [
    ("B、E除外，其余均选。", "ACD"),
    ("D、E是寒性药，不选；A、B、C是温性药，应选。", "ABC"),
    ("错误的只有E，其他选项都对。", "ABCD"),
    ("A和B不对，C和D、E对", "CDE"),
    ("排除B、D、E，选AC", "AC"),
    ("除了D以外都错误", "D"),
    ("只有E错误，其余正确。", "ABCD"),
    ("A、D以及E不应选\n剩下的都选。", "BC"),
    ("B C D不应选\nA E正确。", "AE"),
    ("A、B以及C都是正确选项\nD以及E应排除。", "ABC"),
    ("氢氯噻嗪、甘露醇不选\n氯化钾、呋塞米、螺内酯都正确。", "ABC"),
    ("A、E错误，因为二者属于电解质，其余选项均正确", "BCD"),
    ("应选A/B/C，D/E不正确。", "ABC"),
    ("A、C可以口服；B（呋塞米）仅供注射，D不在目录中，故不选。E不选。", "AC"),
    ("C、D是口服药，A、B、E是针剂，不属于口服药。", "CD"),
    ("The right ones are B and D (A and C are for injection).", "BD"),
    ("A是电解质。\n\\boxed{\\text{B 和 D}}", "BD"),
    ("✅ 氯化钾\n❌ 呋塞米\n✅ 螺内酯\n❌ 氢氯噻嗪\n❌ 甘露醇", "AC"),
    ("Ⅰ. 氯化钾：√\nⅡ. 呋塞米：×\nⅢ. 螺内酯：√\nⅣ. 氢氯噻嗪：×\nⅤ. 甘露醇：×", "AC"),
    ("氯化钾 —— 否\n呋塞米 —— 是\n螺内酯 —— 是\n氢氯噻嗪 —— 是\n甘露醇 —— 否", "BCD"),
    ("❌A ✅B ✅C ❌D ❌E", "BC"),
    ("可选药物：呋塞米、氢氯噻嗪，两种均可能。", "BD"),
    ("应立即停用：\n1. 氯化钾\n2. 螺内酯\n\n而呋塞米、甘露醇、氢氯噻嗪属于后续用药，不是首要措施。", "AC"),
    ("答案是呋塞米、氢氯噻嗪，螺内酯和氯化钾不作为首选。", "BD"),
    ("呋塞米、氢氯噻嗪为利尿药，螺内酯保钾，它们都从尿中排钠；氯化钾和甘露醇与此无关，不在其中。", "BCD"),
    ("可排钾的是呋塞米、氢氯噻嗪，而螺内酯和氯化钾不会。", "BD"),
    ("① 氯化钾 ② 呋塞米 ⑤ 甘露醇", "ABE"),
    ("全部正确，除了E。", "ABCD"),
]
JUDGED_SINGLE = [
    ("错误的选项是A、B、D、E，正确的是C。", "C"),
    ("A选项正确。B选项费用较高，C选项耗时较长，D选项有创，都不作为首选。", "A"),
    ("A（氯化钾）是最常见的，而B多见于血行播散，C多见于青少年。", "A"),
    ("虽然C是金标准，但耗时较长，急诊首选还是B。", "B"),
    ("分析：A不能利尿，D作用较弱。\n只有B。其他选项均不符合题意。", "B"),
    ("A不能利尿。当选C（螺内酯）。", "C"),
    ("A起效慢，D作用较弱，最优选项为E。", "E"),
    ("胸上动脉（D对）与肩胛下动脉（E对）相符，旋肩胛动脉（B错，为本题正确答案）是分支的分支。", "B"),
    ("激素（D对，故E为本题正确答案）。", "E"),
    ("首选药物：呋塞米\n依据：起效快。\n次选：氢氯噻嗪、螺内酯", "B"),
    ("正确答案是呋塞米，螺内酯和氢氯噻嗪不作为首选。", "B"),
    ("起效最快=呋塞米。螺内酯与之鉴别。", "B"),
    ("水肿 → 少尿 → 呋塞米。\n\n> 螺内酯起效慢。", "B"),
    ("氢氯噻嗪起效慢；螺内酯起效最慢。\n\n**呋塞米**", "B"),
    ("速尿——呋塞米；安体舒通——螺内酯。本例用的是前者，属于前者。", "B"),
    ("呋塞米和螺内酯都可利尿，本例属于后者。", "C"),
    ("急诊常用速尿（呋塞米），也可用甘露醇。", "B"),
    ("B。呋塞米起效快，若无效再考虑C或D。", "B"),
    ("B（呋塞米）；A、E见于其他情形，C、D起效慢。", "B"),
    ("首选B；若无效，可选C或D。", "B"),
    ("Therefore: 呋塞米（非螺内酯）。", "B"),
    ("This patient most likely has 呋塞米 rather than 螺内酯.", "B"),
    ("A保钾，B排钾，C拮抗，D慢。起效快 → B", "B"),
    ("A保钾，B排钾，C拮抗，D慢。起效快，B。", "B"),
    ("网上答案是A，我不同意，应为C。", "C"),
]
NOTHING = [
    "A、B、C属于利尿药；D属于电解质，E属于脱水药。",
    "ACD对应题干三项症状，B与E则见于其他疾病。",
    "第一类：A、B；第二类：C、D。",
    "利尿药：\n- 呋塞米\n- 螺内酯\n\n脱水药：\n- 甘露醇",
    "呋塞米、螺内酯属于利尿药；甘露醇属于脱水药。",
    "水肿→呋塞米；低钾→氯化钾。",
    "水肿→呋塞米→低钾，这是一条可能的病理链。",
    "如果血钾低，诊断为氯化钾；如果CT见水肿，诊断为呋塞米。",
    "起效最快=呋塞米？未必。",
    "鉴别诊断：呋塞米、螺内酯。",
    "B。或者C。",
    "首选呋塞米还是螺内酯，需要查血钾。",
    "It depends on the stage: A and B early, C late.",
]
UNCLEAR = [
    "A、B、C、D、E各有作用。",
    "A错误，B正确，C错误，D正确，E有时用。",
    "A正确，A错误，其余正确。",
    "如果血钾低，选C，其余不选。",
    "BCD都属于利尿药，A属于电解质，E属于脱水药。",
]


@pytest.mark.parametrize(("reply", "letters"), JUDGED_SEVERAL)
def test_what_is_left_out_is_not_chosen(reply: str, letters: str) -> None:
    assert both(reply, "mrqa") == (letters, letters)


@pytest.mark.parametrize(("reply", "letter"), JUDGED_SINGLE)
def test_one_option_apart_from_the_others(reply: str, letter: str) -> None:
    assert both(reply, "mcqa") == (letter, letter)


@pytest.mark.parametrize("reply", NOTHING)
@pytest.mark.parametrize("task", ["mcqa", "mrqa"])
def test_options_that_are_only_compared_are_no_answer(reply: str, task: str) -> None:
    assert both(reply, task) == (None, None)


@pytest.mark.parametrize("reply", UNCLEAR)
def test_nothing_is_judged_where_an_option_is_left_open_or_judged_twice(reply: str) -> None:
    assert all_judged(reply.replace("，", ","), DRUGS) is None


_LISTS = [
    "、".join,
    "".join,
    lambda letters: "、".join(f"{letter}（{DRUGS[letter]}）" for letter in letters),
    lambda letters: "、".join(f"{letter}.{DRUGS[letter]}" for letter in letters),
    lambda letters: "、".join(f"{letter}项" for letter in letters),
    lambda letters: "、".join(DRUGS[letter] for letter in letters),
    lambda letters: "和".join(["、".join(letters[:-1]), letters[-1]]) if len(letters) > 1 else letters[0],
]
_CHOSEN = ["选{}", "应选{}", "故选{}", "{}正确", "{}应选", "{}当选", "正确的是{}", "符合题意的有{}", "{}说法正确"]
_LEFT_OUT = ["{}不选", "{}错误", "{}不正确", "{}不符合题意", "排除{}", "不选{}", "错误的是{}", "{}说法错误", "错误的只有{}", "{}有误"]
_OTHERS = ["其余均正确", "其余都选", "其他选项都正确", "其余选项正确", "其它选项均符合题意"]
_REST_NOT = ["其余均错误", "其余都不选", "其他选项错误", "其余不符合题意"]


@pytest.mark.slow
@given(
    st.sets(st.sampled_from("ABCDE"), min_size=1, max_size=4),
    st.sampled_from(_LISTS),
    st.sampled_from(_CHOSEN),
    st.sampled_from(_LEFT_OUT),
    st.sampled_from(_OTHERS),
    st.sampled_from(_REST_NOT),
    st.sampled_from(["；", "。", "\n"]),
)
def test_every_way_of_parting_the_options_gives_the_same_letters(letters, listed, chosen, left_out, others, rest_not, between) -> None:
    right, wrong = sorted(letters), sorted(set(DRUGS) - letters)
    said, denied = chosen.format(listed(right)), left_out.format(listed(wrong))
    for reply in (said + between + denied, denied + between + said, denied + between + others, said + between + rest_not):
        assert both(reply + "。", "mrqa") == ("".join(right),) * 2, reply
