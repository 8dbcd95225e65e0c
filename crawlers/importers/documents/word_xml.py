"""Word documents in one file of XML: bytes in, the docx that Word would save of them out.

Word 2003 wrote `w:wordDocument`, in the words of a docx with other names for lists; later ones write `pkg:package`, the parts of a docx.
"""

import base64
import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from xml.sax.saxutils import quoteattr

from lxml import etree

from atomexam.text.refusal import Refusal
from crawlers.importers.documents.doc_lists import FORMATS
from crawlers.importers.documents.word_parts import docx_of
from crawlers.importers.files.zipped import PARSER

_OLD, _NEW = "{http://schemas.microsoft.com/office/word/2003/wordml}", "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PACKAGE = "{http://schemas.microsoft.com/office/2006/xmlPackage}"
_NOTES = "{http://schemas.microsoft.com/aml/2001/core}annotation"
_DROPPED = ("sectPr", "footnote", "endnote", "binData", "hdr", "ftr", "instrText", "proofErr")
_RENAMED = {"listPr": "numPr", "ilfo": "numId", "vmerge": "vMerge"}
_HEAD, _FORMAT_DIGITS = 1024, 4


def docx_of_xml(name: str, body: bytes) -> bytes:
    """Return a docx with the content of a document of XML.

    Raises:
        ValueError: it is not such a document, or is damaged.
    """
    if b"<!DOCTYPE" in body[:_HEAD].replace(b"\0", b"") or b"<!ENTITY" in body[:_HEAD].replace(b"\0", b""):
        raise Refusal(f"{name}: declares a document type; Word writes none, and entities are not read")
    root = etree.parse(BytesIO(body), PARSER).getroot()
    if root.tag == f"{_PACKAGE}package":
        return _of_package(root)
    main = root.find(f"{_OLD}body") if root.tag == f"{_OLD}wordDocument" else None
    if main is None:
        raise Refusal(f"{name}: not a Word document; rename it by its content, such as .txt or .html")
    numbering = "".join(_numbering(root.find(f"{_OLD}lists")))
    styles = root.find(f"{_OLD}styles")
    return docx_of(_inner(_renamed(main)), numbering, "" if styles is None else _inner(_renamed(styles)))


def _of_package(root: Any) -> bytes:
    """Return the parts of a package as a docx."""
    types = etree.Element("Types", nsmap={None: "http://schemas.openxmlformats.org/package/2006/content-types"})
    etree.SubElement(types, "Default", Extension="rels", ContentType="application/vnd.openxmlformats-package.relationships+xml")
    file, seen = BytesIO(), set[str]()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as parts:
        for part in root.iterchildren(f"{_PACKAGE}part"):
            path, content = part.get(f"{_PACKAGE}name", ""), _content_of(part)
            if path in seen:
                raise ValueError(f"two parts {path!r}")
            seen.add(path)
            parts.writestr(path.lstrip("/"), content)
            if not path.endswith(".rels"):
                etree.SubElement(types, "Override", PartName=path, ContentType=part.get(f"{_PACKAGE}contentType", ""))
        parts.writestr("[Content_Types].xml", etree.tostring(types, encoding="utf-8"))
    return file.getvalue()


def _content_of(part: Any) -> bytes:
    """Return the bytes of a part: its XML, or what it has in base64."""
    inner = part.find(f"{_PACKAGE}xmlData")
    if inner is not None and len(inner) == 1:
        return etree.tostring(inner[0], encoding="utf-8", with_tail=False)
    return base64.b64decode(part.findtext(f"{_PACKAGE}binaryData") or "")


def _renamed(root: Any) -> Any:
    """Return an element of Word 2003 with the names of a docx, without what is no part of its text."""
    dropped = []
    for element in root.iter(etree.Element):
        if element.tag == _NOTES:
            dropped += [element] if element.get(f"{_OLD}type") in ("Word.Deletion", "Word.Comment") else []
            continue
        if not element.tag.startswith(_OLD):
            continue
        local = element.tag.removeprefix(_OLD)
        if local in _DROPPED:
            dropped.append(element)
            continue
        element.tag = _NEW + _RENAMED.get(local, local)
        for key, value in element.attrib.items():
            if key.startswith(_OLD):
                del element.attrib[key]
                element.set(_NEW + key.removeprefix(_OLD), value)
    for element in dropped:
        if (parent := element.getparent()) is not None:
            parent.remove(element)
    return root


def _inner(root: Any) -> str:
    return "".join(map(_as_text, root))


def _numbering(lists: Any) -> Iterator[str]:
    """Yield the lists of Word 2003, which has numbers for the formats, as those of a docx."""
    if lists is None:
        return
    for element in [*lists.iter(f"{_OLD}nfc")]:
        kind = element.get(f"{_OLD}val", "0")
        element.tag = f"{_OLD}numFmt"
        element.set(f"{_OLD}val", FORMATS.get(int(kind), "decimal") if kind.isdigit() and len(kind) < _FORMAT_DIGITS else "decimal")
    for level in [*lists.iter(f"{_OLD}lvl")]:
        if level.find(f"{_OLD}numFmt") is None:  # of decimal numbers
            etree.SubElement(level, f"{_OLD}numFmt").set(f"{_OLD}val", "decimal")
    for shape in lists.iterchildren(f"{_OLD}listDef"):
        yield f"<w:abstractNum w:abstractNumId={_quoted(shape, 'listDefId')}>{_inner(_renamed(shape))}</w:abstractNum>"
    for use in lists.iterchildren(f"{_OLD}list"):
        shape = use.find(f"{_OLD}ilst")
        changes = "".join(_as_text(_renamed(change)) for change in use.iterchildren(f"{_OLD}lvlOverride"))
        named = "" if shape is None else f"<w:abstractNumId w:val={_quoted(shape, 'val')}/>"
        yield f"<w:num w:numId={_quoted(use, 'ilfo')}>{named}{changes}</w:num>"


def _as_text(element: Any) -> str:
    return etree.tostring(element, encoding="unicode", with_tail=False)


def _quoted(element: Any, key: str) -> str:
    return quoteattr(element.get(f"{_OLD}{key}", ""))
