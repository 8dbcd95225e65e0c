"""Replica of hxter, a plain exam bank in GBK. Answers are hidden behind a button, in a script or on separate pages; one paper is an
ASP.NET table. The structure is assumed, not copied from the site.
"""

import json
from collections.abc import Iterator
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from atomexam.text.option_letters import LETTERS
from crawlers.embedded.content import Content, Paper, PaperSection, Q
from crawlers.embedded.rendering import full_width, html_reply, moved, templates
from crawlers.embedded.site import Respond, SiteReply

HOSTS = ("www.hxter.com",)
EXAM = "教师资格考试"
PAPERS_A_LIST = 2
QUESTIONS_A_PAGE = 25
TABLE_PAPERS = frozenset({2530005})
UNNAMED_ENCODING = frozenset({2530004})
ANSWERS_IN_SCRIPT = frozenset({2530002})
ANSWERS_APART = frozenset({2530006})
SLUGS = {
    "小学教师心理学": "xiaoxue",
    "初中教师心理学": "chuzhong",
    "高中、中等职业学校教师心理学": "gaozhong",
    "高等学校教师心理学": "gaoxiao",
}
MARKS = {"mcqa": "单选", "mrqa": "多选", "tf": "判断", "blank": "填空", "qa": "简答"}
# Another bank with this layout numbers its labels like this: number, answer, first option.
LABELS = {"mcqa": (11, 6, 2), "mrqa": (14, 22, 15), "tf": (39, 41, 0), "blank": (51, 53, 0), "qa": (51, 53, 0)}
TRUTH = ({"正确": "正确", "错误": "错误"}, {"正确": "√", "错误": "×"}, {"正确": "对", "错误": "错"})
BLANKS = ("（ ）", "(  )", "（　　）", "(\u00a0\u00a0)")
SEPARATORS = (".", "．", "、", ". ")


def build(content: Content) -> Respond:
    """Return the function that answers requests for the site."""
    papers = content.on("hxter").papers
    pages = dict(_pages(templates("hxter"), papers))
    return lambda ask: pages.get(ask.target) if ask.method == "GET" else None


def _pages(site: Environment, papers: list[Paper]) -> Iterator[tuple[str, SiteReply]]:
    subjects = [(slug, subject) for subject, slug in SLUGS.items() if any(paper.subject == subject for paper in papers)]
    yield "/robots.txt", SiteReply(headers={"Content-Type": "text/plain"}, body=b"User-agent: *\nDisallow: /user/\n")
    yield "/", _reply(site, "home.html", exam=EXAM, subjects=subjects)
    for slug, subject in subjects:
        yield from _lists(site, slug, subject, [paper for paper in papers if paper.subject == subject])
    for paper in papers:
        yield f"/p/{paper.id}", moved(f"https://{HOSTS[0]}/paper/{paper.id}.html")
        if paper.id in TABLE_PAPERS:
            yield f"/paper/{paper.id}.html", _reply(site, "table.html", paper=paper, sections=_table_sections(paper))
        else:
            yield from _list_layout(site, paper)


def _lists(site: Environment, slug: str, subject: str, papers: list[Paper]) -> Iterator[tuple[str, SiteReply]]:
    rows = [(f"/p/{paper.id}" if paper.id % 3 == 2 else f"/paper/{paper.id}.html", paper.title) for paper in papers]
    rows.append((f"/paper/{papers[-1].id}9.html", f"{EXAM}{subject}押题卷（已下架）"))  # a paper that is gone: 404
    chunks = [rows[start : start + PAPERS_A_LIST] for start in range(0, len(rows), PAPERS_A_LIST)]
    for number, chunk in enumerate(chunks, 1):
        context = {"slug": slug, "subject": subject, "exam": EXAM, "papers": chunk, "page": number, "pages": len(chunks)}
        yield f"/list/{slug}/" + (f"index_{number}.html" if number > 1 else ""), _reply(site, "list.html", **context)


def _list_layout(site: Environment, paper: Paper) -> Iterator[tuple[str, SiteReply]]:
    """Yield the pages of a paper; a heading is repeated on the next page if its questions continue on that page."""
    numbered = list(enumerate(((section, q) for section in paper.sections for q in section.questions), 1))
    chunks = [numbered[start : start + QUESTIONS_A_PAGE] for start in range(0, len(numbered), QUESTIONS_A_PAGE)]
    for page, chunk in enumerate(chunks, 1):
        sections: list[dict[str, Any]] = []
        for number, (section, q) in chunk:
            if not sections or sections[-1]["heading"] != section.heading:
                note = f"（每题1分，共{len(section.questions)}分）" if paper.id % 2 else ""
                sections.append({"heading": section.heading, "note": note, "questions": []})
            sections[-1]["questions"].append(_context_of(paper, section, q, number))
        on_page = [q for section in sections for q in section["questions"]]
        if paper.id in ANSWERS_APART:
            yield (
                f"/answer/{paper.id}_{page}.html",
                _reply(site, "answers.html", paper=paper, questions=[q for q in on_page if q["answer"]]),
            )
        for q in on_page:
            if q["answer"] is not None and q["answer_hidden_in"] == "page":
                yield f"/answer/{q['key']}.html", _reply(site, "answers.html", paper=paper, questions=[q])
        address = f"/paper/{paper.id}.html" if page == 1 else f"/paper/{paper.id}_{page}.html"
        onward = f"/paper/{paper.id}_{page + 1}.html" if page < len(chunks) else None
        context = {"paper": paper, "exam": EXAM, "slug": SLUGS.get(paper.subject, ""), "blank": "\u3000" if paper.id % 2 else "\u00a0"}
        context["answers"] = f"/answer/{paper.id}_{page}.html" if paper.id in ANSWERS_APART else None
        context["script"] = _script(on_page) if paper.id in ANSWERS_IN_SCRIPT else None
        yield address, _reply(site, "paper.html", sections=sections, next=onward, **context)


def _context_of(paper: Paper, section: PaperSection, q: Q, number: int) -> dict[str, Any]:
    """Return a question in this site's style, with its blanks and letters, and with its answer where the site hides it."""
    if section.case or section.shared_options or paper.subject not in SLUGS:
        raise ValueError(f"content: paper {paper.id}: hxter shows only the subjects {', '.join(SLUGS)}, without cases or shared options")
    options = [f"{letter}{SEPARATORS[paper.id % 4]}{text}" for letter, text in zip(LETTERS, q.options, strict=False)]
    return {
        "key": f"{paper.id}{number:03d}",
        "number": number,
        "mark": MARKS[q.type] if paper.id % 2 == 0 and not q.planted else None,
        "stem": q.raw.get("stem", q.stem.replace("（ ）", BLANKS[number % 4])),
        "images": q.images,
        "options": q.raw.get("options", options),
        "answer": q.raw.get("answer", _answer(q, number)),
        "answer_hidden_in": _hidden_in(paper, q),
        "explanation": q.explanation,
    }


def _hidden_in(paper: Paper, q: Q) -> str:
    if paper.id in ANSWERS_IN_SCRIPT:
        return "script"
    if paper.id in ANSWERS_APART:
        return "list"
    if q.type == "qa" and paper.id in UNNAMED_ENCODING:
        return "page"
    return "attribute" if q.type == "tf" else "block"


def _script(questions: list[dict[str, Any]]) -> Markup:
    """Return the answers as JSON for a script; the texts in it are HTML."""
    rows = [{"id": q["key"], "answer": escape(q["answer"]), "analysis": escape(q["explanation"] or "")} for q in questions if q["answer"]]
    return Markup(json.dumps(rows, ensure_ascii=False).replace("</", "<\\/"))


def _answer(q: Q, number: int) -> str | None:
    if q.answer is None or q.type in ("qa", "blank"):
        return q.answer
    if q.type == "tf":
        return TRUTH[number % 3][q.answer]
    return (q.answer, ",".join(q.answer), full_width(q.answer))[number % 3]


def _table_sections(paper: Paper) -> list[dict[str, Any]]:
    sections, number = [], 0
    for section in paper.sections:
        questions = []
        for q in section.questions:
            number += 1
            number_label, answer_label, option_label = LABELS["mrqa" if len(q.options) > 4 else q.type]  # 2 to 5 are options, 6 the answer
            context = _context_of(paper, section, q, number)
            texts = [f"{letter}.{text}；" for letter, text in zip(LETTERS, q.options, strict=False)]
            labelled = [(f"Label{option_label + index}", text) for index, text in enumerate(texts)]
            labels = {"number": f"Label{number_label}", "answer": f"Label{answer_label}"}
            questions.append({**context, "labels": labels, "labelled_options": labelled})
        sections.append({"heading": section.heading, "questions": questions})
    return sections


def _reply(site: Environment, template: str, **context: Any) -> SiteReply:
    """Return a page in GBK that declares gb2312, as many pages do, or no encoding; characters not in GBK become numeric references."""
    paper = context.get("paper")
    html = site.get_template(template).render(charset=None if paper and paper.id in UNNAMED_ENCODING else "gb2312", **context)
    return html_reply(html.encode("gbk", "xmlcharrefreplace").decode("gbk"), "gbk", named_in_header=False)
