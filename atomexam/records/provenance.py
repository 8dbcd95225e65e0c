"""Where a record was found."""

from itertools import chain

from msgspec import Struct

from atomexam.records.identity import content_id_of_chunks

_CHUNK_BYTES = 1 << 20  # converting a file of 400 MB to hexadecimal at once took six times its size


class Provenance(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, order=True):
    """One location of a record."""

    source: str
    """Key of the source in params.yaml."""
    url: str
    """Address of the page as the site gives it, or `file:` and the file's name for imported sets."""
    snapshot: str
    """Date in params.yaml that the crawl stands for. The time of the fetch is in the WARC record alone."""
    page_id: str
    """Hash of address and body; a key of the index of the source's archive."""
    position: str
    """Position within the page, such as `q12` for the twelfth question, `li:哪些症状:2`, or `line:3` of an imported file."""


def page_id(url: str, body: bytes) -> str:
    """Return the id of a page: a hash of its address and its unchanged body."""
    chunks = (body[at : at + _CHUNK_BYTES].hex() for at in range(0, len(body), _CHUNK_BYTES))
    return content_id_of_chunks("page", chain([url, "\x1f"], chunks))
