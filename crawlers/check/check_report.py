"""The report of `check`: findings -> text for a terminal, or JSON."""

from collections.abc import Sequence

import msgspec

from atomexam.records.item import EntityItem, Item
from atomexam.text.columns import aligned, counted, cut
from crawlers.check.advice import advice, proposed
from crawlers.check.findings import FieldSummary, Findings, fields_of, kinds_of, labels_of
from crawlers.read.account.characters import CharacterAccount
from crawlers.text.profile_lines import figures_of, misread_lines, paste_lines

_EXAMPLE_COLUMNS = 70
_LINE_COLUMNS = 160
_MAX_LINES = 5
_MAX_LABELS = 12


def as_text(findings: Findings) -> str:
    """Return the report as text."""
    blocks = [[f"{findings.source}, {findings.mode}: {counted(len(findings.pages), 'page')}, {counted(len(findings.items), 'item')}"]]
    if kinds := kinds_of(findings.pages):
        rows = [(kind.callback, *map(str, (kind.pages, kind.empty, kind.items, kind.requests))) for kind in kinds]
        blocks.append(aligned([("callback", "pages", "gave nothing", "items", "requests"), *rows], frozenset({1, 2, 3, 4})))
    blocks.append(field_table("question", findings.questions))
    blocks.append(field_table("entity", findings.entities))
    blocks.append(label_lines(findings.entities))
    blocks.append(listed("pages that yielded nothing", [f"{page.url}  ({page.callback})" for page in findings.pages if page.is_empty]))
    blocks.append(listed("misfits reported by the spider", findings.misfits))
    blocks.append(listed("pages that the spider failed on", findings.errors))
    blocks.append(listed("answers that are not pages", [f"{url}: HTTP status {status}" for url, status in findings.refused.items()]))
    blocks.append(listed("requests without an answer", [f"{request}: {why}" for request, why in findings.failed.items()]))
    if findings.over_limit:
        blocks.append([f"{counted(findings.over_limit, 'more request')} not sent; --pages N sends more"])
    blocks.append(_text(findings.account))
    misread = misread_lines(findings.items)
    blocks.append(listed("what looks misread", misread))
    blocks.append(paste_lines(findings.items, findings.source))
    blocks.append(listed("selectors that find nothing on these pages", [f'{name} = "{css}"' for name, css in findings.silent.items()]))
    if findings.blocks is not None and (selectors := proposed(findings)[1]):
        blocks.append(
            [f"selectors for crawlers/sources/{findings.source}/spider.py:", *(f'{name} = "{css}"' for name, css in selectors.items())]
        )
    sentences = advice(findings)
    blocks.append(advice_lines(sentences))
    if findings.items and not sentences and not misread:
        blocks.append(["nothing looks wrong"])
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def as_json(findings: Findings) -> str:
    """Return the report as one JSON object."""
    report = {
        "source": findings.source,
        "mode": findings.mode,
        "pages": len(findings.pages),
        "items": len(findings.items),
        "kinds": kinds_of(findings.pages),
        "fields": {"question": fields_of(findings.questions), "entity": fields_of(findings.entities)},
        "labels": dict(labels_of(findings.entities)),
        "nothing": [page.url for page in findings.pages if page.is_empty],
        "misfits": findings.misfits,
        "errors": findings.errors,
        "refused": findings.refused,
        "failed": findings.failed,
        "forbidden": findings.forbidden,
        "over_limit": findings.over_limit,
        "text": findings.account.as_counts() if findings.account else None,
        "profile": figures_of(findings.items),
        "selectors": proposed(findings)[1],
        "silent": findings.silent,
        "advice": advice(findings),
    }
    return msgspec.json.format(msgspec.json.encode(report), indent=1).decode() + "\n"


def _text(account: CharacterAccount | None) -> list[str]:
    """Return the share of the pages' visible text that is in items, and the largest parts of the rest."""
    if account is None or not account.characters:
        return []
    title = f"of the {account.characters} visible characters of these pages"
    return character_lines(account, title, ("in items", "the site's own", "in rejected items"), account.largest(_MAX_LINES))


def character_lines(account: CharacterAccount, title: str, words: tuple[str, str, str], largest: list[str]) -> list[str]:
    """Return the shares of an account on one line, followed by the largest unread parts.

    Args:
        words: labels for the shares of text in items, furniture and rejected items.
    """
    counts = (account.in_items, account.furniture.total(), account.rejected.total())
    shares = ", ".join(f"{count / account.characters:.0%} {what}" for count, what in zip(counts, words, strict=True))
    title = f"{title} {shares}, {account.unread_share:.0%} in neither"
    return listed(title, largest) or [title]


def label_lines(entities: Sequence[EntityItem]) -> list[str]:
    """Return the labels of entries, most frequent first; empty if there are none."""
    labels = [f"{cut(label, 20)} ({count})" for label, count in labels_of(entities)]
    more = f", and {len(labels) - _MAX_LABELS} more" if len(labels) > _MAX_LABELS else ""
    known = "        curation/vocab/relations.yaml states which become facts"
    return [f"labels: {', '.join(labels[:_MAX_LABELS])}{more}", known] if labels else []


def advice_lines(sentences: Sequence[str]) -> list[str]:
    """Return what to do, numbered; empty if there is nothing to do."""
    return (
        ["what to do:", *(f"  {number}. {cut(text, 10 * _LINE_COLUMNS)}" for number, text in enumerate(sentences, 1))] if sentences else []
    )


def field_table(what: str, items: Sequence[Item]) -> list[str]:
    """Return a table of the fields of one kind of item; fields that no item has are listed in one line."""
    fields = fields_of(items)
    if not fields:
        return []
    rows = [_row(field) for field in fields if field.filled]
    bare = [field.name for field in fields if not field.filled]
    head = (f"{what} ({len(items)})", "filled", "example")
    return [*aligned([head, *rows], frozenset({1})), *([f"never filled: {', '.join(bare)}"] if bare else [])]


def _row(field: FieldSummary) -> tuple[str, str, str]:
    return field.name, f"{field.filled:.0%}", cut(field.example, _EXAMPLE_COLUMNS)


def listed(title: str, lines: list[str]) -> list[str]:
    """Return the first lines under a title, and the number of further lines; empty if there are none."""
    if not lines:
        return []
    more = [f"  … and {len(lines) - _MAX_LINES} more"] if len(lines) > _MAX_LINES else []
    return [f"{title}:", *(f"  {cut(line, _LINE_COLUMNS)}" for line in lines[:_MAX_LINES]), *more]
