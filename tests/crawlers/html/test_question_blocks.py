"""Questions in containers of their own: what selectors find of each."""

from scrapy.http import HtmlResponse

from crawlers.html.question_blocks import Blocks, questions_on

WHERE = Blocks(container=".q", stem=".t", options=".o", answer=".a", analysis=".x", subject=".s", kind=".k")


def fields(body: str, where: Blocks = WHERE) -> list[dict]:
    page = HtmlResponse("https://www.toy.example/1", body=body.encode(), encoding="utf-8")
    return [{name: value for name, value in one.items() if value} for one in questions_on(page, where)]


def test_each_part_stands_in_its_field_without_its_label() -> None:
    about = '<i class="s">心理学</i><i class="k">单选</i><p class="t">1.心理是（ ）。</p>'
    options = '<p class="o">A.脑的机能</p><p class="o">B.心</p>'
    told = '<p class="a">【正确答案】A</p><p class="x">【答案解析】：心理是脑的机能。</p>'
    assert fields(f'<div class="q">{about}{options}{told}</div>') == [
        {
            "subject_raw": "心理学",
            "type_raw": "单选",
            "stem_raw": "1.心理是（ ）。",
            "options_raw": ["A.脑的机能", "B.心"],
            "answer_raw": "A",
            "explanation_raw": "心理是脑的机能。",
        }
    ]


def test_options_in_one_element_are_told_apart_by_lines_or_letters() -> None:
    for within in ("A.甲<br>B.乙<br>C.丙", "A.甲　B.乙　C.丙"):
        (one,) = fields(f'<div class="q"><p class="t">选</p><div class="o">{within}</div></div>')
        assert one["options_raw"] == ["A.甲", "B.乙", "C.丙"]


def test_a_label_of_the_type_within_the_stem_is_cut_from_it() -> None:
    for stem in ('<i class="k">【单选题】</i> 1.单选题是（ ）。', '1.<i class="k">【单选题】</i>单选题是（ ）。'):
        (one,) = fields(f'<div class="q"><p class="t">{stem}</p></div>')
        assert one == {"type_raw": "【单选题】", "stem_raw": "1.单选题是（ ）。"}
    (one,) = fields('<div class="q"><p class="t">A型题的<sup>2</sup>特点是<b class="k">A</b></p></div>')
    assert one == {"type_raw": "A", "stem_raw": "A型题的²特点是"}
    (one,) = fields('<div class="q"><b class="k">单选</b><p class="t">单选是（ ）。</p></div>')
    assert one["stem_raw"] == "单选是（ ）。"


def test_text_pseudo_element_excludes_inner_elements() -> None:
    (one,) = fields('<div class="q"><p class="t"><b>12</b>心理是（ ）。</p></div>', Blocks(container=".q", stem=".t::text"))
    assert one == {"stem_raw": "心理是（ ）。"}


def test_an_option_of_several_lines_is_one() -> None:
    (one,) = fields('<div class="q"><p class="t">选</p><p class="o">A.甲<br>又甲</p><p class="o">B.乙</p></div>')
    assert one["options_raw"] == ["A.甲 又甲", "B.乙"]


def test_an_answer_may_stand_in_an_attribute_of_the_container_or_within() -> None:
    body = '<div class="q" data-key="C"><p class="t">选</p><i data-a="B"></i></div>'
    for css, wanted in (("::attr(data-key)", "C"), ("i::attr(data-a)", "B")):
        assert fields(body, Blocks(container=".q", stem=".t", answer=css))[0]["answer_raw"] == wanted


def test_nested_container_is_not_a_second_question() -> None:
    assert len(fields('<div class="q"><div class="q"><p class="t">一</p></div></div><div class="q"><p class="t">二</p></div>')) == 2


def test_images_of_stem_and_options_are_counted_and_what_is_not_there_is_left_out() -> None:
    assert fields('<div class="q"><p class="t">看图<img src="1.png"></p><p class="o"><img src="2.png"></p></div>')[0]["images"] == 2
    assert fields('<div class="q"></div>') == [{}]
    assert fields("<p>无</p>") == []
