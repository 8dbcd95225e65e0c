"""Advice: findings of `check` -> sentences that say what is probably wrong and what to edit."""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from atomexam.text.columns import counted
from crawlers.check.findings import Findings, kinds_of, labels_of
from crawlers.check.item_advice import of_items
from crawlers.check.page_hints import Hint, PageHints
from crawlers.html.links import link_to
from crawlers.html.walls import BESIDE_WALLS, is_wall
from crawlers.read.lines.questions.draft import DOUBTS
from crawlers.web.failure_causes import HOST_NOT_FOUND, NO_ROBOTS, cause

_MAX = 3
_COLONS = "：:"
_SAVED, _ENTRIES = 2, 5
"""Minimum number of saved pages with a label, and of live entries without it; the labels of a single saved page may be unusual."""
_REFUSING = {401, 403, 407, 412, 429}
_STATUS = re.compile(r"HTTP status (\d{3})")
Check = Callable[[Findings], Iterator[str]]


def advice(findings: Findings) -> list[str]:
    """Return what to do, with the most likely cause first; empty if nothing looks wrong."""
    return list(dict.fromkeys(sentence for check in _CHECKS for sentence in check(findings)))


def _access(findings: Findings) -> Iterator[str]:
    """Yield what prevents pages from being read at all."""
    causes = Counter(map(cause, findings.failed.values()))
    if any(HOST_NOT_FOUND in why for why in findings.failed.values()):
        yield "The host name cannot be resolved: check the address in start_urls and the network connection."
    if NO_ROBOTS in causes and HOST_NOT_FOUND not in causes:
        yield "The site's robots.txt cannot be fetched, so the site is not crawled (RFC 9309): open it in a browser, or try later."
    refusing = [status for status in findings.refused.values() if status in _REFUSING]
    refusing += [
        int(status_match[1])
        for why in findings.failed.values()
        if (status_match := _STATUS.match(why)) and int(status_match[1]) in _REFUSING
    ]
    if refusing:
        how = "every page" if not findings.pages else counted(len(refusing), "page")
        yield (
            f"The site refuses {how} (HTTP status {Counter(refusing).most_common(1)[0][0]}): it may require a log-in, a browser, or fewer "
            "requests. Set `delay` in the source's line, set ATOMEXAM_CONTACT, or ask the owner; do not circumvent the refusal."
        )
    if walls := Counter(cause(why) for why in findings.failed.values() if is_wall(why)):
        yield f"{counted(walls.total(), 'request')} received {' or '.join(sorted(walls))}: {BESIDE_WALLS}."
    if findings.forbidden:
        yield f"robots.txt forbids {counted(findings.forbidden, 'request')}: they are not read; ask the site's owner if you need them."
    broken = [why for why in findings.failed.values() if (status_match := _STATUS.match(why)) and int(status_match[1]) not in _REFUSING]
    if broken:
        yield f"{counted(len(broken), 'request')} answered with an error ({broken[0]}): try later{_unsaved_host(findings, broken)}."
    for why, count in causes.items():
        if not _STATUS.match(why) and not is_wall(why) and why not in (HOST_NOT_FOUND, NO_ROBOTS):
            requests = [request for request, each in findings.failed.items() if cause(each) == why]
            yield f"{counted(count, 'request')} failed: {why} ({_first(requests)})."


def _unsaved_host(findings: Findings, broken: list[str]) -> str:
    """Return a remedy if no replica answers for the host."""
    return ", or save a page of that host in its pages/" if findings.mode == "embedded" and "HTTP status 501" in broken else ""


def _errors(findings: Findings) -> Iterator[str]:
    if findings.errors:
        yield f"The spider failed on {counted(len(findings.errors), 'page')}; the traceback is above: {findings.errors[0]}"
    if others := sum(page.others for page in findings.pages):
        yield f"Callbacks yielded {others} that are neither items nor requests: yield what self.question(…) or self.entity(…) returns."


def _empty_kinds(findings: Findings) -> Iterator[str]:
    """Yield the kinds of pages without output, and what they contain instead."""
    for kind in kinds_of(findings.pages):
        empty = [page for page in findings.pages if page.callback == kind.callback and page.is_empty and not page.is_explained]
        if not empty or len(empty) * 2 < kind.pages:
            continue
        message = f"{kind.callback} yielded nothing on {len(empty)} of {counted(kind.pages, 'page')} ({empty[0].url}): "
        yield message + _instead(empty[0].hints or PageHints(), is_list=kind.callback == "parse" or (kind.requests > 0 and not kind.items))


def _instead(hints: PageHints, is_list: bool) -> str:
    """Return what a page without output contains."""
    call = "Look in the browser's network tab for the call that loads the text, and request that address instead."
    if hints.is_scripted and not (hints.links or hints.texts):
        return f"the page's HTML contains hardly any text; scripts load the rest. {call}"
    links = f"links in {_hints(hints.links, 'link')}" if hints.links else ""
    texts = f"its text in {_hints(hints.texts, 'character')}" if hints.texts else ""
    if contents := " and ".join(filter(None, [links, texts] if is_list else [texts, links])):
        more = f" If that does not include what you look for, scripts load it: {call[0].lower()}{call[1:]}" if hints.is_scripted else ""
        return f"its selectors find nothing. The page has {contents}.{more}"
    return "is it the kind of page that the callback expects?"


def proposed(findings: Findings) -> tuple[str, dict[str, str]]:
    """Return the first page that has one container per question, and those of its selectors that differ from the spider's."""
    for page in findings.pages:
        if page.hints and page.hints.blocks and page.callback != "parse":
            known = findings.blocks or {}
            return page.url, {name: css for name, css in page.hints.blocks.items() if known.get(name) != css}
    return "", {}


def _blocks(findings: Findings) -> Iterator[str]:
    """Yield advice on pages with one container per question, if their selectors differ from the spider's."""
    url, selectors = proposed(findings)
    if selectors and findings.blocks is not None:
        yield f"Add the selectors above to crawlers/sources/{findings.source}/spider.py; {url} seems to match them."
    elif "QUESTION" in selectors and not findings.questions:
        yield (
            f"Each question of {url} has its own container (`{selectors['QUESTION']}`), which "
            "`python -m crawlers.new NAME URL --kind exam-blocks` reads by selectors alone."
        )


def _off_site(findings: Findings) -> Iterator[str]:
    """Yield requests to hosts outside the spider's `allowed_domains`."""
    links = (link_to(url, url) for page in findings.pages for url, _ in page.requests)
    requested = dict.fromkeys(link.host for link in links if link)
    if others := [host for host in requested if not any(host == own or host.endswith(f".{own}") for own in findings.hosts)]:
        yield (
            f"Links to {', '.join(others[:_MAX])} are not followed, because allowed_domains ({', '.join(findings.hosts)}) does not "
            "contain these hosts: add those that belong to the site."
        )


def _no_items(findings: Findings) -> Iterator[str]:
    if not (findings.pages or findings.failed or findings.refused or findings.forbidden or findings.errors):
        hosts = ", ".join(findings.hosts)
        yield f"No page was received, and nothing failed: check that start_urls are pages on the hosts of allowed_domains ({hosts})."
    if findings.items or not findings.pages or any(page.is_empty for page in findings.pages):
        return
    if findings.over_limit:
        yield "No page with items was reached: try more, such as --pages 20."
    elif findings.mode == "embedded":
        yield "Pages were read, but none of their links has a saved page: save one page of each kind (see --save)."


def _gone(findings: Findings) -> Iterator[str]:
    if gone := [url for url, status in findings.refused.items() if status in (404, 410)]:
        where = "not an error if the page was not saved" if findings.mode == "embedded" else "check the address"
        yield f"{counted(len(gone), 'link')} to missing pages ({_first(gone)}): {where}."


def _doubts(findings: Findings) -> Iterator[str]:
    doubts = Counter(doubt for item in findings.items if (doubt := getattr(item, "doubt", None)))
    for doubt, count in doubts.most_common():
        yield f"{counted(count, 'question')} rejected ({doubt}): {DOUBTS.get(doubt, 'see docs/reasons.md')}."


def _hints(hints: list[Hint], what: str) -> str:
    return ", ".join(f"`{hint.selector}` ({counted(hint.count, what)})" for hint in hints)


def _first(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"the first: {texts[0]}"


def _moved(findings: Findings) -> Iterator[str]:
    """Yield labels of the saved pages that no entry of the live site has."""
    for kind in sorted({entry.entity_type for entry in findings.entities if entry.entity_type}):
        entries = [entry for entry in findings.entities if entry.entity_type == kind]
        here = {label.strip(_COLONS) for label, _ in labels_of(entries)}
        saved = {label for (of, label), count in findings.saved_labels.items() if of == kind and count >= _SAVED}
        if len(entries) >= _ENTRIES and (gone := sorted({label.strip(_COLONS) for label in saved} - here)):
            named = ", ".join(gone[:_MAX]) + (", …" if len(gone) > _MAX else "")
            yield f"None of {len(entries)} entries ({kind}) has {named}, which saved pages have: did the site rename or drop it?"


_CHECKS: tuple[Check, ...] = (_access, _errors, _empty_kinds, _blocks, _off_site, _no_items, _doubts, of_items, _gone, _moved)
