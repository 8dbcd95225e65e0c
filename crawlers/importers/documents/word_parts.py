"""A docx in memory: the content of its parts in, its bytes out. Older kinds of Word documents are read as the docx they would be."""

import re
import zipfile
from collections.abc import Iterable
from io import BytesIO

SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"'
)
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PARTS = (("document", "document.main"), ("numbering", "numbering"), ("styles", "styles"))
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """Return a text without the characters that XML cannot have."""
    return _NO_XML.sub("", text)


def docx_of(body: str, numbering: str, styles: str) -> bytes:
    """Return a docx by the XML within the root of each of its parts; prefixes are w and pic."""
    roots = {
        "document": f"<w:document {SPACES}><w:body>{body}</w:body></w:document>",
        "numbering": f"<w:numbering {SPACES}>{numbering}</w:numbering>",
        "styles": f"<w:styles {SPACES}>{styles}</w:styles>",
    }
    kinds = "".join(f'<Override PartName="/word/{part}.xml" ContentType="{_TYPE}.{kind}+xml"/>' for part, kind in _PARTS)
    files = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{kinds}</Types>',
        "_rels/.rels": _relations((("officeDocument", "word/document.xml"),)),
        "word/_rels/document.xml.rels": _relations((part, f"{part}.xml") for part, _ in _PARTS[1:]),
        **{f"word/{part}.xml": root for part, root in roots.items()},
    }
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as parts:
        for path, text in files.items():
            parts.writestr(path, text)
    return file.getvalue()


def _relations(targets: Iterable[tuple[str, str]]) -> str:
    entries = "".join(
        f'<Relationship Id="r{number}" Type="{_RELATION}/{kind}" Target="{target}"/>' for number, (kind, target) in enumerate(targets)
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{entries}</Relationships>'
