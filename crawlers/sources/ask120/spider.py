"""ask120: diseases, symptoms, surgery and examinations of tag.120ask.com, medicines of yp.120ask.com."""

import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from itertools import chain
from string import ascii_lowercase
from typing import Any
from urllib.parse import urlsplit

import msgspec
from parsel import SelectorList
from scrapy import Request
from scrapy.http import Response, TextResponse

from atomexam.records.item import EntityItem
from crawlers.html.links import Link, links_to
from crawlers.html.nesting import outermost
from crawlers.html.pages import is_page
from crawlers.html.source_spider import SourceSpider
from crawlers.sources.ask120 import catalogue, diseases

_NUMBERS = re.compile(r"medicines:(\d{1,7})-(\d{1,7})")


def _numbers(name: str) -> range:
    """Return the medicine numbers in a name such as `medicines:7-9`; none for other names."""
    match = _NUMBERS.fullmatch(name)
    return range(int(match[1]), int(match[2]) + 1) if match else range(0)


_FORMS: dict[str, tuple[Callable[[str], Any], str]] = {
    "letters": (re.compile("[a-z]").fullmatch, "letters a to z, such as [a, b]"),
    "departments": (re.compile("[a-z0-9]+").fullmatch, "names as in addresses, such as [nk, xxgnk]"),
    "lists": (
        lambda name: name == "examinations" or _numbers(name),
        'examinations, or numbers of medicines, such as ["medicines:1-215000"]',
    ),
}


def require_known(scope: str, names: list[str]) -> None:
    """Check that names have the form of their scope.

    Raises:
        ValueError: some do not; the message lists them and the expected form.
    """
    is_known, expected = _FORMS[scope]
    if wrong := [name for name in names if not is_known(str(name))]:
        raise ValueError(f"params.yaml: sources.ask120: {scope}: found {wrong!r}; expected {expected}")


def all_lists() -> list[str]:
    """Return the lists from which all linked pages can be reached."""
    return [
        f"https://{_TAG}/jibing/ks/nk.html",
        *_letter_lists(ascii_lowercase),
        f"https://{_TAG}/jiancha/",
        f"https://{_TAG}/shoushu/pinyin.html",
        f"https://{_WWW}/disease",
    ]


def lists_of(letters: list[str], departments: list[str], lists: list[str]) -> dict[str, tuple[str, str]]:
    """Return the addresses of the named lists, each with its scope and name."""
    named = {f"https://{_TAG}/jibing/ks/{slug}.html": ("departments", slug) for slug in departments}
    named |= {url: ("letters", letter) for letter in letters for url in _letter_lists([letter])}
    return named | ({f"https://{_TAG}/jiancha/": ("lists", "examinations")} if "examinations" in lists else {})


def medicines_of(lists: list[str]) -> Iterator[str]:
    """Yield the addresses of medicines named by number."""
    return (f"https://{_YP}/detail/{number}.html" for number in chain.from_iterable(map(_numbers, lists)))


def _letter_lists(letters: str | list[str]) -> list[str]:
    return [f"https://{_TAG}/{part}/pinyin/{letter}.html" for letter in letters for part in ("jibing", "zhengzhuang")]


_TAG, _YP, _WWW = "tag.120ask.com", "yp.120ask.com", "www.120ask.com"
_KINDS = {"jibing": "disease", "zhengzhuang": "symptom", "shoushu": "surgery"}
_INDEX = re.compile(r"/(?:(?:jibing|zhengzhuang|shoushu)/(?:pinyin|ks)/\w+|shoushu/pinyin)\.html$")
_ENTRY = re.compile(r"/(jibing|zhengzhuang|shoushu)/(?!(?:pinyin|ks)(?:/|\.html)?$)([^/]+)/?$")
_EXAMINATION = re.compile(r"/jiancha/\d+$")
_MEDICINE = re.compile(r"/(?:detail|manual)/\d+\.html$")
_LISTS = ("div.sick_tag", "div.tag_li", "div.internal-medicine", "div.w_sx")
"""Lists since 2019: letters and departments above, diseases, symptoms or surgery below."""
_ENTRIES = "div.tag_li, div.internal-medicine"
"""The part of those lists that contains the entries of an index by letter or department."""
_OLD_LISTS = ("ul.p_leftdivnav", "div.w_header", "div.w_neike")
"""Until 2019, the departments were in one tree, whose category pages alternate headings and links."""
_OLD_CATEGORIES = "div.p_lnavdisdiv h3 a::attr(href), div.w_header a::attr(href)"
_RELATED = "div.disease-Related-List, div.disease-related-list, #yw3, #yw4, div.possible-sick span.sp1"


class Ask120Spider(SourceSpider):
    """Letter and department lists lead to entries and their sub-pages, the check-up index to examinations, diseases to medicines.

    With `letters`, `departments` or `lists`, the spider reads only the named lists and the medicines that their entries recommend, since
    other links lead through the entire site. Most medicines are not linked at all; `lists` reads them by number.
    """

    name = "ask120"
    allowed_domains = [_TAG, _YP, _WWW]  # noqa: RUF012 (Scrapy requires a plain list)
    scopes = ("letters", "departments", "lists")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        named = {scope: getattr(self, scope) for scope in self.scopes}
        self.is_scoped = any(names is not None for names in named.values())
        for scope, names in named.items():
            require_known(scope, names or [])
        self.named = lists_of(**{scope: names or [] for scope, names in named.items()})
        self.start_urls = list(self.named) if self.is_scoped else all_lists()

    async def start(self) -> AsyncIterator[Request]:
        """Start with the lists and the medicines given by number; many numbers do not exist (404)."""
        for url in self.start_urls:
            yield Request(url, dont_filter=True)
        for url in medicines_of(self.lists or []):
            yield Request(url, self.parse_medicine)

    def parse(self, response: Response) -> Iterator[Request | EntityItem]:
        """Read a list of entries, or the index of examinations."""
        if urlsplit(response.url).path.startswith("/jiancha"):
            yield from self.parse_examination_index(response)
            return
        if not is_page(response, self):
            return
        # The layout of www.120ask.com/disease is not documented, but links to the known lists can be followed.
        selectors = (*_LISTS, *_OLD_LISTS) if _host(response) == _TAG else ("body",)
        links = list(links_to(response.url, SelectorList(outermost(response.css(", ".join(selectors)))).css("a::attr(href)").getall()))
        categories = list(links_to(response.url, response.css(_OLD_CATEGORIES).getall()))
        known = [link for link in links if link.host == _TAG and (_INDEX.match(link.path) or _ENTRY.match(link.path))]
        if not known and not categories:
            self.misfit(response, f"no list of entries (links to /jibing/, /zhengzhuang/ or /shoushu/ in {' or '.join(selectors)})")
        elif _INDEX.search(urlsplit(response.url).path) and not any(_ENTRY.match(link.path) for link in known):
            self._without_entries(response)
        if not self.is_scoped:
            lists = [link for link in categories if _ENTRY.match(link.path)] + [link for link in known if _INDEX.match(link.path)]
            yield from (Request(link.url, self.parse) for link in lists if link.host == _TAG)
        yield from self._entries(link for link in known if link not in categories)

    def _without_entries(self, response: TextResponse) -> None:
        """Report an index without entries, unless it contains an empty list, as for a letter without entries."""
        listed = response.css(_ENTRIES)
        text = "".join(listed.xpath(".//text()[not(ancestor::h1)]").getall()).strip()
        if listed and not text:
            self.note("indexes without entries")
        else:
            self.misfit(response, f"an index without entries (links to /jibing/, /zhengzhuang/ or /shoushu/ in {_ENTRIES}): {text[:40]!r}")

    def parse_entry(self, response: Response, kind: str) -> Iterator[Request | EntityItem]:
        """Read the home page of a disease or symptom: name, summary boxes and introduction; its sub-pages are separate items."""
        if not is_page(response, self):
            return
        name, alias = diseases.name_and_alias(response)
        if not name and response.css(", ".join(_OLD_LISTS)):  # a category of the old tree has an address like that of an entry
            yield from self.parse(response)
            return
        if not name:
            self.misfit(response, f"no {kind} name ({' or '.join(diseases.NAMES)})")
            return
        values = diseases.boxes(response) + (diseases.possible_diseases(response) if kind == "symptom" else [])
        values += diseases.short_facts(response) if kind == "surgery" else []
        if kind == "disease" and not values:
            self.note("diseases without summary boxes")
        sections = diseases.intro(response)
        home = response.url.rstrip("/") + "/"
        yield self.entity(response, kind, name_raw=name, alias_raw=alias, values=values, sections=sections, url=home)
        if kind == "symptom":
            yield from self._possible_diseases(response)
        for slug in diseases.CAPTIONS[kind]:
            yield Request(f"{home}{slug}/", self.parse_article, cb_kwargs={"name": name, "home": home, "kind": kind})
        if not self.is_scoped:
            yield from self._entries(links_to(response.url, response.css(_RELATED).css("a::attr(href)").getall()))
        yield from self._medicines(response, response.css("div.img-list a::attr(href)").getall())

    def _possible_diseases(self, response: Response) -> Iterator[EntityItem]:
        """Yield what a symptom's home page states about diseases, as one item per disease with the disease's address."""
        for name, href, values, entry_position in diseases.possible_rows(response):
            home = next((link.url for link in links_to(response.url, [href])), None)
            item = self.entity(response, "disease", name_raw=name, values=values, url=home)
            yield msgspec.structs.replace(item, provenance=msgspec.structs.replace(item.provenance, position=entry_position))

    def parse_article(self, response: Response, name: str, home: str, kind: str = "disease") -> Iterator[Request | EntityItem]:
        """Read a sub-page of an entry: its prose, and the labelled lists in it."""
        if response.url.partition(":")[2].rstrip("/") == home.partition(":")[2].rstrip("/"):  # redirected: there is no such sub-page
            return
        if not is_page(response, self):
            return
        slug = urlsplit(response.url).path.rstrip("/").rpartition("/")[2]
        caption = diseases.CAPTIONS[kind].get(slug, slug)
        body = diseases.body(response)
        possible = diseases.possible_diseases(response) if slug == "jibing" else []
        if not body and not possible and not diseases.has_diet(response):
            self.misfit(response, f"no text for {caption} ({' or '.join(diseases.BODIES)}, div.wrap_big, {', '.join(diseases.POSSIBLE)})")
            return
        values, sections = diseases.article(body, caption)
        if diseases.has_diet(response):
            eaten, tabs, faults = diseases.diet(response)
            values, sections = values + eaten, sections + tabs
            if faults:
                self.misfit(response, faults[0])
        values += possible
        if values or sections:
            yield self.entity(response, kind, name_raw=name, values=values, sections=sections, url=home)
        elif unread := diseases.unread_diet(response):
            self.misfit(response, f"text for {caption} that was not read: {unread[:40]!r}")
        else:
            self.note("sub-pages without text")
        if slug == "jibing" and not self.is_scoped:
            yield from self._entries(links_to(response.url, response.css(", ".join(diseases.POSSIBLE)).css("::attr(href)").getall()))

    def parse_examination_index(self, response: Response) -> Iterator[Request | EntityItem]:
        """Read the index of examinations or one of its categories."""
        if not is_page(response, self):
            return
        links = list(links_to(response.url, response.css("div.w_conr1 p a::attr(href), div.w_conr li a::attr(href)").getall()))
        known = [link for link in links if link.host == _TAG and link.path.startswith("/jiancha/")]
        if not known:
            self.misfit(response, "no list of examinations (links to /jiancha/ in div.w_conr1 p or div.w_conr li)")
        for link in known:
            yield Request(link.url, self.parse_examination if _EXAMINATION.match(link.path) else self.parse_examination_index)

    def parse_examination(self, response: Response) -> Iterator[Request | EntityItem]:
        """Read the page of an examination."""
        if not is_page(response, self):
            return
        name = catalogue.examination_name(response)
        if not name:
            self.misfit(response, "no examination name (div.ys-head h1)")
            return
        values, sections = catalogue.examination(response)
        yield self.entity(response, "examination", name_raw=name, values=values, sections=sections)
        if not self.is_scoped:
            yield from self._entries(links_to(response.url, response.css(catalogue.RELATED).css("::attr(href)").getall()))

    def parse_medicine(self, response: Response) -> Iterator[Request | EntityItem]:
        """Read the page of a medicine."""
        if not is_page(response, self):
            return
        name = catalogue.medicine_name(response)
        if not name:
            self.misfit(response, f"no medicine name ({' or '.join(catalogue.MEDICINE_NAMES)})")
            return
        values, sections = catalogue.medicine(response)
        yield self.entity(response, "medicine", name_raw=name, values=values, sections=sections)
        if not self.is_scoped:
            yield from self._medicines(response, response.css("a::attr(href)").getall())

    def _entries(self, links: Iterable[Link]) -> Iterator[Request]:
        for link in links:
            if link.host == _TAG and (entry_match := _ENTRY.match(link.path)):
                # One URL per entry, however a list writes it.
                url = f"https://{_TAG}/{entry_match[1]}/{entry_match[2]}/"
                yield Request(url, self.parse_entry, cb_kwargs={"kind": _KINDS[entry_match[1]]})

    def _medicines(self, response: Response, hrefs: list[str]) -> Iterator[Request]:
        for link in links_to(response.url, hrefs):
            if link.host == _YP and _MEDICINE.match(link.path):
                yield Request(link.url, self.parse_medicine)


def _host(response: Response) -> str:
    return urlsplit(response.url).hostname or ""
