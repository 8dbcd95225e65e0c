"""What a reply says of every option: those chosen, those left out, and what is said of the rest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.answers.__main__ import read_row
from eval.answers.choice import all_judged

OPTIONS = {"A": "氯化钾", "B": "呋塞米", "C": "螺内酯", "D": "氢氯噻嗪", "E": "甘露醇"}
FOUR = {letter: text for letter, text in OPTIONS.items() if letter != "E"}


def both(reply: str, task: str, options: dict[str, str] = OPTIONS) -> tuple:
    read = read_row({"task": task, "response": reply, "options": options})
    return read["answer"], read["committed"]


SEVERAL = [
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
]
SINGLE = [
    ("错误的选项是A、B、D、E，正确的是C。", "C"),
    ("A选项正确。B选项费用较高，C选项耗时较长，D选项有创，都不作为首选。", "A"),
    ("A（氯化钾）是最常见的，而B多见于血行播散，C多见于青少年。", "A"),
    ("虽然C是金标准，但耗时较长，急诊首选还是B。", "B"),
    ("分析：A不能利尿，D作用较弱。\n只有B。其他选项均不符合题意。", "B"),
    ("A不能利尿。当选C（螺内酯）。", "C"),
    ("A起效慢，D作用较弱，最优选项为E。", "E"),
    ("胸上动脉（D对）与肩胛下动脉（E对）相符，旋肩胛动脉（B错，为本题正确答案）是分支的分支。", "B"),
    ("激素（D对，故E为本题正确答案）。", "E"),
]
UNCLEAR = [
    "A、B、C、D、E各有作用。",
    "A错误，B正确，C错误，D正确，E有时用。",
    "A正确，A错误，其余正确。",
    "如果血钾低，选C，其余不选。",
    "BCD都属于利尿药，A属于电解质，E属于脱水药。",
]


@pytest.mark.parametrize(("reply", "letters"), SEVERAL)
def test_what_is_left_out_is_not_chosen(reply: str, letters: str) -> None:
    assert both(reply, "mrqa") == (letters, letters)


@pytest.mark.parametrize(("reply", "letter"), SINGLE)
def test_one_option_apart_from_the_others(reply: str, letter: str) -> None:
    assert both(reply, "mcqa") == (letter, letter)


@pytest.mark.parametrize("reply", UNCLEAR)
def test_nothing_is_judged_where_an_option_is_left_open_or_judged_twice(reply: str) -> None:
    assert all_judged(reply.replace("，", ","), OPTIONS) is None


_LISTS = [
    "、".join,
    "".join,
    lambda letters: "、".join(f"{letter}（{OPTIONS[letter]}）" for letter in letters),
    lambda letters: "、".join(f"{letter}.{OPTIONS[letter]}" for letter in letters),
    lambda letters: "、".join(f"{letter}项" for letter in letters),
    lambda letters: "、".join(OPTIONS[letter] for letter in letters),
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
    right, wrong = sorted(letters), sorted(set(OPTIONS) - letters)
    said, denied = chosen.format(listed(right)), left_out.format(listed(wrong))
    for reply in (said + between + denied, denied + between + said, denied + between + others, said + between + rest_not):
        assert both(reply + "。", "mrqa") == ("".join(right),) * 2, reply
