"""Files in which question banks are exchanged as XML: one file's name and bytes in, its items out, by the format that its root names."""

from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree
from msgspec import structs

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.text.refusal import Refusal
from crawlers.importers.exchange.exchange_text import ExchangedQuestion, words_of
from crawlers.importers.exchange.moodle_xml import moodle_questions
from crawlers.importers.exchange.qti import qti_questions
from crawlers.importers.files.reading import FileReading, Lost
from crawlers.importers.files.zipped import PARSER
from crawlers.importers.records.record_fields import Misfit

_RAW_CHARS = 2000
_READERS: dict[str, Callable[[Any, list[str]], Iterator[tuple[Any, Callable[[], ExchangedQuestion]]]]] = {
    "moodle_xml": moodle_questions,
    "qti": qti_questions,
}
EXCHANGES = dict.fromkeys(_READERS, (".xml",))
"""Formats of XML, and the suffixes they read."""
_CONTENTS = {
    "moodle_xml": ("question/questiontext", "question/category", "question[@type='description']"),
    "qti": (".//item/presentation", ".//item/resprocessing", ".//itemBody", ".//responseDeclaration"),
}
"""What the questions of a format contain, and those of no other bank."""
_ROOTS = {"quiz": "moodle_xml", "questestinterop": "qti", "assessmentItem": "qti"}


def exchange_format(name: str, body: bytes) -> str:
    """Return the format of an XML file: that of its questions, or else the one that its root names.

    Raises:
        ValueError: the file is not XML that is read, or has neither.
    """
    if format_name := format_by_content(name, body):
        return format_name
    root = root_of(name, body)
    if format_name := _ROOTS.get(root.tag, ""):
        return format_name
    raise Refusal(
        f"{name}: line {root.sourceline}: <{root.tag[:40]}> found; expected <quiz> of Moodle XML, or <questestinterop> or "
        "<assessmentItem> of QTI; of another bank, export one of these"
    )


def format_by_content(name: str, body: bytes) -> str:
    """Return the format whose questions an XML file has, whatever its root is named; nothing if it has those of none.

    Raises:
        ValueError: the file is not XML that is read.
    """
    root = root_of(name, body)
    shown = (each for each, contents in _CONTENTS.items() if any(root.find(content) is not None for content in contents))
    return next(shown, "")


def read_exchange(name: str, body: bytes, format_name: str, provenance: Provenance) -> FileReading:
    """Return the questions of a file; one that cannot be read is an item with `doubt`.

    Raises:
        ValueError: the file is not XML, has a document type, or is of another format.
    """
    if (true_format := exchange_format(name, body)) != format_name:
        raise Refusal(f"{name}: the file is {true_format}, but {format_name} was requested; --format {true_format} reads it")
    reading = FileReading()
    for number, (element, parts) in enumerate(_READERS[format_name](root_of(name, body), reading.unread), 1):
        record_provenance = structs.replace(provenance, position=f"record:{number}")
        reading.record_count += 1
        try:
            fields = parts().raw_fields()
            if not fields["stem_raw"] and not fields["options_raw"]:
                raise Misfit("record_empty", "neither a stem nor options")
            reading.items.append(QuestionItem(url=provenance.url, provenance=record_provenance, **fields))
        except Misfit as error:
            words = f"line {element.sourceline}: {error}"
            reading.give_up(
                Lost(record_provenance.position, error.reason, words, words_of(element)[:_RAW_CHARS].strip() or None), provenance
            )
    return reading


def root_of(name: str, body: bytes) -> Any:
    """Return the root of a file, with all tags without namespaces. No entity is resolved, and nothing external is loaded."""
    try:
        root = etree.fromstring(body.lstrip(), PARSER)
    except (etree.XMLSyntaxError, ValueError, LookupError) as error:
        raise Refusal(f"{name}: not readable XML ({error}); is it complete?") from None
    if root.getroottree().docinfo.doctype:
        raise Refusal(f"{name}: a document type is declared; neither Moodle nor QTI has one, and entities are not read; remove it")
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    return root
