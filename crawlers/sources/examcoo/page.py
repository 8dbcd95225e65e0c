"""The page of an examcoo paper: its title, the parameters of the call for questions, and, until 2019, the questions themselves. Pure."""

import re
from collections import Counter
from typing import Any

from parsel import Selector

from crawlers.html.nesting import outermost
from crawlers.html.pages import without
from crawlers.sources.examcoo.answers import BLANKS, VERDICT, VERDICTS, answer_of_marks, kind_of_answer
from crawlers.sources.examcoo.parts import QUESTION_ID, Between, ExamcooPaper, Fields, PaperQuestion, joined, own_options, stem_text
from crawlers.text.fields import images_in, text_of

_VARIABLE = re.compile(r"""\bvar (\w+) ?= ?["']([^"']*)["']""")
_TOKEN = re.compile("[0-9a-f]{32}")
_SITE = "-考试酷(examcoo)"
_QUESTION = "#paperContent .questionArea:not(#profile), #paperContent .singleContainer:not(#profile)"  # the profile has the class as well
_RULE_LINK = re.compile(r"/editor/do/view/id/(\d+)")
_MARK_BESIDE = 'parent::*//*[contains(@class, "CheckedDisabled")]'
_FIRST_STEM = 'string((.//div[contains(@class, "subjectBox")])[1])'
_TORN_CHARS = 500


def about(page: Any) -> Fields:
    """Return the fields that apply to all questions on the page."""
    crumbs = [text_of(link).removesuffix("试卷") for link in page.css("span.naviState a")][1:]
    return {"exam_raw": " > ".join(crumbs) or None, "subject_raw": crumbs[-1] if crumbs else None, "paper_raw": _title(page)}


def call_of(page: Any) -> dict[str, str] | None:
    """Return the paper's number and the token for the call for its questions, both from the page's script."""
    variables = dict(_VARIABLE.findall("\n".join(page.css("script::text").getall())))
    pid, token = variables.get("pid", ""), variables.get("vp4tokenpid", "")
    return {"pid": pid, "tokenpid": token} if re.fullmatch("[0-9]+", pid) and _TOKEN.fullmatch(token) else None


def holds_questions(page: Any) -> bool:
    """Return whether the questions are in the page."""
    return bool(page.css(_QUESTION))


def read_page(page: Selector) -> ExamcooPaper:
    """Return the questions of a page that contains them. A question that contains another comes from broken markup and is rejected."""
    parts = page.css(f"#paperContent .blockContainer, {_QUESTION}")
    roots = {part.root for part in parts}
    torn = {outer for part in parts for outer in part.root.iterancestors() if outer in roots}
    between = Between(are_printed=True)
    questions: list[PaperQuestion] = []
    faults: list[str] = []
    source_papers: list[str] = []
    first = 0  # questions before the current part
    for part in parts:
        if "blockContainer" in part.root.get("class", "").split():
            if part.root not in torn:
                lines = outermost(part.css(".blockBox"))
                between.read_block([{"c": line.get(), "p": _style(line)} for line in lines])
                first = len(questions) if between.restarts() else first
            continue
        if part.root.get("id", "").startswith("s100_"):
            papers = [link[1] for href in part.css("a::attr(href)").getall() if (link := _RULE_LINK.search(href))]
            source_papers += papers
            faults += [] if papers else [f"{part.root.get('id')} names no paper to sample from, /editor/do/view/id/"]
            continue
        id_match = QUESTION_ID.match(part.root.get("id", ""))
        faults += [] if id_match else [f"a question without id s1 to s5: {text_of(part)[:40]!r}"]
        if part.root in torn:
            faults.append(f"{id_match[0] if id_match else 'a question'} contains others")
            words = part.xpath(_FIRST_STEM).get() or ""
            fields: Fields = {"stem_raw": words.strip()[:_TORN_CHARS] or None, "doubt": "question_torn"}
        else:
            fields = _visible_fields(id_match[1] if id_match else None, part)
        number = re.search(r"\d{1,6}", fields.get("number_raw") or "")
        above = between.above(int(number[0]) if number else len(questions) - first + 1)
        fields["options_raw"] = own_options(fields.get("options_raw") or [], above["shared_options_raw"]) or None
        questions.append(PaperQuestion(fields=joined(above, fields), id=id_match[0] if id_match else ""))
    return ExamcooPaper(text_of(page.css("#paperName")[:1]) or None, questions, faults, between.unread, source_papers)


def _style(line: Selector) -> str:
    """Return the style of a line in the call's codes: 1 for a heading, 2 for a heading that restarts the numbers."""
    classes = line.root.get("class", "").split()
    return "2" if "partIndex" in classes else "1" if "part" in classes else "0"


def _visible_words(kind: str | None, part: Selector) -> str:
    """Return an answer from the blanks, from a text box, or in words below the question."""
    if kind == BLANKS:
        values = [(value or "").strip() for value in part.xpath('.//input[not(@type) or @type="text"]/@value').getall()]
        if any(values):
            return "；".join(values)
    labels = [text_of(label) for label in part.css(".answerBar label")] if kind == VERDICT else []
    verdicts = [label for label in labels if label in VERDICTS] or labels
    if len(verdicts) == 1:
        return verdicts[0]
    return text_of(part.css(".answerLabel")[:1]) or "\n".join(map(text_of, outermost(part.css(".textAnswerBar .textAnswer"))))


def _visible_fields(kind: str | None, part: Selector) -> Fields:
    """Return the fields of a question on the page, with the text of its options and the correct ones from their marks."""
    words = _visible_words(kind, part)
    for blank in part.css(".subjectBox input"):
        blank.root.attrib.pop("value", None)  # an answer with a > in it would end the tag
    html = without(part.css(".subjectBox").get() or "", ".pointLabel")
    options, marks = outermost(part.css(".optionContent")), outermost(part.css(".dijitRadio, .dijitCheckBox"))
    texts = [text_of(option) for option in options] or [text_of(mark.xpath("./ancestor::label[1]")) for mark in marks]
    if len(marks) == len(texts):
        right = ["CheckedDisabled" in mark.root.get("class") for mark in marks]
    else:  # each option then has its mark next to it
        inside = Counter(above for option in options for above in option.root.iterancestors())
        right = [inside[option.root.getparent()] == 1 and bool(option.xpath(_MARK_BESIDE)) for option in options]
    answer = answer_of_marks(right, words)
    fields = {
        "type_raw": kind_of_answer(kind, answer) if kind else None,
        "number_raw": text_of(part.css(".qIndex")[:1]) or None,
        "stem_raw": stem_text(html),
        "options_raw": texts or None,
        "answer_raw": answer.raw,
        "images": sum(images_in(one) for one in [html, *options]),
    }
    if kind == VERDICT and answer.mask.bit_count() == 1:  # the site's own 对 and 错 buttons, not options of the question
        fields |= {"options_raw": None, "answer_raw": texts[right.index(True)] or None}
    return fields | ({"doubt": answer.doubt} if answer.doubt else {})


def _title(page: Any) -> str | None:
    """Return a paper's title, from 卷名-类目试卷与试题-考试酷(examcoo) or from the title shown above its questions."""
    title = (page.css("title::text").get() or "").strip()
    if title.endswith(_SITE):
        title = title.removesuffix(_SITE).rpartition("-")[0]
    return title or text_of(page.css("#paperName")[:1]) or None
