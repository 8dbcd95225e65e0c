"""In which encoding a page is written, whatever its header says; and the middleware by which spiders see it so."""

import re

from scrapy import Request
from scrapy.http import Response, TextResponse
from scrapy.responsetypes import responsetypes
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom

from crawlers.fields import is_charset
from crawlers.html.readable import readable

_BROKEN_SHARE = 0.2  # of the characters beyond ASCII; a page that is cut within a character has far fewer
_CLEAN_SHARE = 0.02
_SURE_CHARS = 4  # Chinese that is found by decoding as UTF-8, and more of it than of anything else: GBK gives no such thing
_CHINESE = re.compile("[\u3000-\u9fff\uff00-\uffef]")
_SURE_PAIRS = 8
_COMMON_HANZI = (0xB0, 0xD7)  # first bytes of the 3,755 characters in daily use (GB 2312, level 1)


class Charset:
    """Downloader middleware, next to the one that unpacks bodies. Replayed pages go through it like fetched ones."""

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the response, with its encoding set where what the page declares is wrong or missing, and as one that can be read."""
        if not isinstance(response, TextResponse):
            response = _without_false_encoding(response)
        if not isinstance(response, TextResponse):
            return response
        said = _declared(response)
        declared = next(filter(is_charset, said), None)
        found = declared if response.body.isascii() else true_encoding(response.body, declared)
        if said and found is None:  # what was declared is no encoding
            found = "utf-8"
        if (said and found != said[0]) or (not said and found is not None):
            response = response.replace(encoding=found)
        return readable(response)


def true_encoding(body: bytes, declared: str | None) -> str | None:
    """Return the encoding of a body with characters beyond ASCII; None where nothing is known.

    What is declared holds unless the bytes contradict it: they are UTF-8 and something else was declared, or a fifth of the
    characters do not decode while those of the page's own meta tag, or of GB 18030, do; or one byte a character was declared
    and the bytes are Chinese.
    """
    if _is_utf8(body, sure=declared is not None and declared != "utf-8"):
        return "utf-8"
    if declared and not _is_single_byte(declared) and _broken_share(body, declared) <= _BROKEN_SHARE:
        return declared
    said = next(filter(is_charset, [html_body_declared_encoding(body)]), None)
    for encoding in dict.fromkeys((said, "gb18030")):
        if not encoding or encoding == declared or _is_single_byte(encoding) or _broken_share(body, encoding) > _CLEAN_SHARE:
            continue
        if encoding == said or declared is None or not _is_single_byte(declared) or _is_chinese(body):
            return encoding
    return declared


def _declared(response: TextResponse) -> list[str]:
    """Return what a reader would go by: byte order mark, header, meta tag, in this order."""
    header = response.headers.get("Content-Type", b"").decode("latin-1")
    said = read_bom(response.body)[0], http_content_type_encoding(header), html_body_declared_encoding(response.body)
    return [name for name in said if name]


def _is_utf8(body: bytes, sure: bool) -> bool:
    """Tell whether a body is UTF-8: to its end, or so far that a fault behind it is one of the page; `sure` asks for Chinese in it."""
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        text, sure = body[: error.start].decode(), True
    if not sure:
        return True
    found = len(_CHINESE.findall(text))
    return found >= _SURE_CHARS and found > _beyond_ascii(text) / 2


def _broken_share(body: bytes, encoding: str) -> float:
    """Return which share of the characters beyond ASCII does not decode."""
    text = body.decode(encoding, "replace")
    beyond = _beyond_ascii(text)
    return text.count("\ufffd") / beyond if beyond else 0.0


def _beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _is_single_byte(encoding: str) -> bool:
    """Tell whether an encoding knows one byte a character, and so fits any bytes."""
    return encoding == "ascii" or encoding.startswith(("cp125", "iso8859", "koi8", "mac"))


def _is_chinese(body: bytes) -> bool:
    """Tell whether the bytes beyond ASCII are mostly characters in daily use."""
    pairs = bytes(byte for byte in body if byte >= 0x80)[::2]
    low, high = _COMMON_HANZI
    return len(pairs) >= _SURE_PAIRS and sum(low <= byte <= high for byte in pairs) > len(pairs) / 2


def _without_false_encoding(response: Response) -> Response:
    """Return a response whose Content-Encoding names no packing (`utf-8`, `none`) as what it is without that header."""
    if "Content-Encoding" not in response.headers:
        return response
    headers = response.headers.copy()
    del headers["Content-Encoding"]
    kind = responsetypes.from_args(headers=headers, url=response.url, body=response.body)
    return response.replace(cls=kind, headers=headers) if issubclass(kind, TextResponse) else response
