"""examcoo: bank home -> categories -> paper lists -> view pages; questions come by a call of the page, explanations by one call each."""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from parsel import Selector
from scrapy import FormRequest, Request
from scrapy.http import Response
from twisted.python.failure import Failure

from crawlers.fields import images_in, sound_json, text_of
from crawlers.paper_groups import Setting
from crawlers.source import SourceSpider
from records.item import QuestionItem
from records.question import LETTERS

_WANTED = re.compile("心理|中医|中西医|中药|方剂|针灸|医师|药师")  # the bank covers everything from school mathematics to tour guides
_VARIABLE = re.compile(r"""var (\w+) = ["']([^"']*)["']""")
_QUESTION_ID = re.compile(r"(s[1-5])_(\d+)")
_PAGES = re.compile(r"总共\s*[：:]\s*(\d+)\s*页")
_ROWS_A_PAGE = 25
_SINGLE, _MULTIPLE, _VERDICT, _BLANKS = "s1", "s2", "s3", "s4"
_VERDICTS = {"1": "对", "2": "错"}

Fields = dict[str, Any]


class ExamcooSpider(SourceSpider):
    """Reads papers whose list names psychology or traditional medicine."""

    name = "examcoo"
    allowed_domains = ("www.examcoo.com",)
    start_urls = ("https://www.examcoo.com/index/ku",)

    def parse(self, response: Response) -> Iterator[Request]:
        """Read the bank's home."""
        yield from response.follow_all(css='a[href*="/index/detail/mid/"]', callback=self.parse_category)

    def parse_category(self, response: Response) -> Iterator[Request]:
        """Read the lists of one category."""
        for link in response.css('a[href*="/paperlist/index/k/"]'):
            if _WANTED.search(text_of(link)):
                yield response.follow(link, self.parse_list)

    def parse_list(self, response: Response) -> Iterator[Request]:
        """Read one page of a list of papers; pinned rows and advertisements have no view link."""
        papers = list(dict.fromkeys(response.css("tr a::attr(href)").re(r"/editor/do/view/id/(\d+)")))
        for pid in papers:
            yield response.follow(f"/editor/do/view/id/{pid}", self.parse_view)
        list_address, _, page = response.url.partition("/p/")
        page = page if page.isdecimal() else "1"
        if not papers and page == "1":
            self.misfit(response, "a list without papers")
        pages = _PAGES.search(text_of(response.text))
        if papers and (int(page) < int(pages[1]) if pages else len(papers) >= _ROWS_A_PAGE):
            yield response.follow(f"{list_address}/p/{int(page) + 1}", self.parse_list)

    def parse_view(self, response: Response) -> Iterator[QuestionItem | Request]:
        """Read the page of a paper: the questions are in it (until 2019), or the page says how to call for them."""
        crumbs = [text_of(link).removesuffix("试卷") for link in response.css("span.naviState a")][1:]
        title = response.css("title::text").get("")
        page = {"exam_raw": " > ".join(crumbs) or None, "subject_raw": crumbs[-1] if crumbs else None, "paper_raw": title.rsplit("-", 2)[0]}
        variables = dict(_VARIABLE.findall(response.text))
        pid, token = variables.get("pid"), variables.get("vp4tokenpid")
        if response.css("#paperContent .questionArea"):
            yield from self._rendered(response, page)
        elif pid and token:
            address = f"/editor/rpc/getpapercontent/pid/{pid}/tokenpid/{token}/fromAction/view"
            seen = {"view": response.url, "paper": {"pid": pid, "tokenpid": token}, "page": page}
            yield response.follow(address, self.parse_content, headers={"Referer": response.url}, cb_kwargs=seen)
        else:
            self.misfit(response, "neither questions nor the pid and vp4tokenpid to ask for them with")

    def parse_content(self, response: Response, view: str, paper: dict[str, str], page: Fields) -> Iterator[QuestionItem | Request]:
        """Read the questions of a paper: a list with the paper's own record first, then blocks of text and questions by turns."""
        try:
            rows = json.loads(sound_json(response.text))
        except (ValueError, RecursionError) as error:  # no JSON, a number of thousands of digits, or nested without end
            self.misfit(response, f"not JSON: {error}")
            return
        rows = rows.get("b") or rows.get("c") if isinstance(rows, dict) else rows
        setting, count = Setting(), 0
        for row in rows if isinstance(rows, list) else []:
            if not isinstance(row, dict) or "id" not in row:
                self.misfit(response, f"a row without id: {str(row)[:80]}")
                continue
            if row["id"] == "b":
                _read_block(setting, [str(line["c"]) for line in row.get("c") or [] if isinstance(line, dict) and "c" in line])
            elif found := _QUESTION_ID.fullmatch(str(row["id"])):
                count += 1
                try:
                    fields = {**page, **_above(setting, count), "number_raw": str(count), **_question(found[1], row)}
                    explained = _is_explained(row)
                except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                    self.misfit(response, f"{row['id']}: stem, options or blanks are not as expected: {type(error).__name__}: {error}")
                    continue
                item = msgspec.structs.replace(self.question(response, f"q{count}", **_without_own_letters(fields)), url=view)
                yield self._ask_explanation(item, found, paper) if explained else item
        if not count:
            self.misfit(response, "no questions")

    def _ask_explanation(self, item: QuestionItem, found: re.Match[str], paper: dict[str, str]) -> Request:
        form = {"id": found[2], "sdtId": found[0], "p": "1", "l": "0", "msgid": "0", "cmid": "0", "tid": "0", "verifydtid": "0"}
        return FormRequest(
            "https://www.examcoo.com/editor/comment/index",
            formdata={**form, **paper},
            headers={"Referer": item.url},
            callback=self.parse_explanation,
            errback=self.unexplained,
            cb_kwargs={"item": item},
        )

    def parse_explanation(self, response: Response, item: QuestionItem) -> Iterator[QuestionItem]:
        """Read what stands below 试题解析; there may be comments alone."""
        text = text_of(response.xpath('//div[contains(@class, "bold")][contains(., "试题解析")]/following-sibling::div[1]')[:1])
        yield msgspec.structs.replace(item, explanation_raw=text or None)

    def unexplained(self, failure: Failure) -> Iterator[QuestionItem]:
        """Give the question without its explanation."""
        yield failure.request.cb_kwargs["item"]

    def _rendered(self, response: Response, page: Fields) -> Iterator[QuestionItem]:
        setting, count = Setting(), 0
        for part in response.css("#paperContent > div"):
            found = re.match("s[1-5]", part.attrib.get("id", ""))
            if found is None:
                _read_block(setting, part.css(".blockBox").getall())
            else:
                count += 1
                fields = {**page, **_above(setting, count), **_rendered_question(found[0], part)}
                yield self.question(response, f"q{count}", **_without_own_letters(fields))


def _read_block(setting: Setting, lines: Iterator[str] | list[str]) -> None:
    for html in lines:
        for text in text_of(html).split("\n"):
            setting.take(text.strip()) or setting.add(text.strip())


def _above(setting: Setting, number: int) -> Fields:
    above = setting.above(number)
    return {
        "section_raw": above.heading,
        "case_raw": above.case,
        "shared_options_raw": above.shared_options,
        "group_raw": above.group,
    }


def _question(kind: str, row: Fields) -> Fields:
    """Return the raw fields of one question of the call's answer."""
    options = [option["o"] for option in json.loads(sound_json(row["b"]))] if row.get("b") else []
    stem = re.sub("<input[^>]*>", "____", row["a"])
    answer = _answer(kind, row.get("c") or "")
    return {
        "type_raw": _MULTIPLE if kind == _SINGLE and answer and len(answer) > 1 else kind,
        "stem_raw": text_of(stem) or None,
        "options_raw": [text_of(option) for option in options] or None,
        "answer_raw": answer,
        "images": sum(images_in(part) for part in [stem, *options]),
    }


def _answer(kind: str, code: str) -> str | None:
    """Return the answer that a code stands for: a bit for each right option, 1 or 2, a list of blanks, or HTML."""
    if kind in (_SINGLE, _MULTIPLE) and code.isdecimal():
        return "".join(letter for place, letter in enumerate(LETTERS) if int(code) >> place & 1) or None
    if kind == _BLANKS and code.startswith("["):
        return "；".join(blank["a"] for blank in json.loads(sound_json(code))) or None
    return (_VERDICTS.get(code, code) if kind == _VERDICT else text_of(code)) or None


def _is_explained(row: Fields) -> bool:
    return any(int(row.get(counter) or 0) for counter in ("e", "f"))


def _rendered_question(kind: str, part: Selector) -> Fields:
    stem = part.css(".subjectBox")
    stem.css(".pointLabel").drop()
    options = part.css(".optionContent")
    right = [bool(option.xpath('..//*[contains(@class, "CheckedDisabled")]')) for option in options]
    letters = "".join(letter for letter, is_right in zip(LETTERS, right, strict=False) if is_right)
    return {
        "type_raw": _MULTIPLE if kind == _SINGLE and len(letters) > 1 else kind,
        "number_raw": text_of(part.css(".qIndex")[:1]) or None,
        "stem_raw": text_of(stem[:1]) or None,
        "options_raw": [text_of(option) for option in options] or None,
        "answer_raw": letters or text_of(part.css(".answerLabel")[:1]) or None,
        "images": sum(images_in(html) for html in [*stem, *options]),
    }


def _without_own_letters(fields: Fields) -> Fields:
    """Take away a question's own options where they only stand for the shared ones above it: letters, or nothing."""
    own = [option.strip("\u00a0 .") for option in fields["options_raw"] or []]
    if fields["shared_options_raw"] and all(text in ("", letter) for text, letter in zip(own, LETTERS, strict=False)):
        return {**fields, "options_raw": None}
    return fields
