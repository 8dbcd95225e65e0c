"""Detect the encoding of Chinese text: for a file from its bytes, for a page also from the encoding that it declares.

Chinese text is encoded in UTF-8 or UTF-16, in GB18030 (a superset of GBK and GB2312), or in Big5. Bytes often decode without errors in the
wrong encoding, but give rare characters, whereas correctly decoded text consists largely of the most common ones. A file that was decoded
wrongly before it was saved raises an error, so that no mojibake gets through.
"""

import codecs
import re
from functools import lru_cache

from w3lib.encoding import html_body_declared_encoding

from atomexam.text.refusal import Refusal

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE_MARKS = tuple(mark for mark, encoding in _MARKS if encoding != "utf-8-sig")
_NULS = b"\0" * 4  # in UTF-16 two NUL characters, which text does not contain
_UNMARKED = ("gb18030", "big5hkscs", "utf-16-le", "utf-16-be")
_KNOWN = "UTF-8, UTF-16, GB18030 (GBK) or Big5"
# The most common characters of prose and exam papers, in both scripts, and full-width punctuation.
_COMMON = frozenset(
    "的一是不了在人有我他这这個中大来上为和国地到以说时要就出会可也你对生能而子得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定"
    "分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应向头文体政美相见被"
    "题下列答案正确错误选项单多判断患者症状治疗疾病属于包括关于哪是否"
    "這個來為國說時會對發後裡過種經麼現當沒動還進樣開從實無與長機業將兩間問並應頭體見題確錯誤選項單斷癥療屬於關"
    "，。、：；？！（）“”《》．Ａ"
)
_SIGHT = 200_000  # characters or bytes to examine: enough to decide, at a bounded cost
_MIN_COMMON = 0.12  # share of common characters among the non-ASCII ones: 0.35 to 0.6 in prose, below 0.03 in wrongly decoded text
_MAX_STRAY = 0.05
_NAMES = {"utf-8": "UTF-8", "gb18030": "GB18030 (GBK)", "big5hkscs": "Big5"}
_LOST = re.compile("\ufffd|锟斤拷|烫烫烫|屯屯屯")
_NO_CHARSETS = {"utf-7", "idna", "punycode", "unicode_escape", "unicode-escape", "raw_unicode_escape", "raw-unicode-escape"}
_BROKEN_SHARE = 0.2  # of the non-ASCII characters; a page cut within a character has far fewer
_CLEAN_SHARE = 0.02
_SURE_CHARS = 4  # Chinese characters after decoding as UTF-8, if they are most of the non-ASCII ones: GBK bytes never give this
_CHINESE = re.compile("[\u3000-\u9fff\uff00-\uffef]")
_SURE_PAIRS = 8
_TRAIL = 0xA0  # second bytes of GB 2312 are larger
_COMMON_HANZI = (0xB0, 0xD7)  # first bytes of the 3,755 characters in daily use (GB 2312, level 1)


def is_charset(name: str | None) -> bool:
    """Return whether a name that a page declares is an encoding used for pages, as opposed to another Python codec."""
    try:
        return name is not None and codecs.lookup(name).name not in _NO_CHARSETS and b"a".decode(name, "replace") is not None
    except (LookupError, ValueError):  # unknown, not a text encoding, or an invalid name
        return False


@lru_cache(maxsize=1)  # format detection, reading and accounting each decode the same file
def decoded(name: str, body: bytes) -> str:
    """Return the text of a file, without its byte order mark.

    Raises:
        ValueError: the bytes are not text in a known encoding, or were decoded wrongly before they were saved.
    """
    other = "a NUL character; expected a text file, found another kind of file"
    if _NULS in body and not body.startswith(_WIDE_MARKS):  # check before decoding, which takes several times the file's size in memory
        line = body.count(b"\n", 0, body.index(_NULS)) + 1
        raise Refusal(f"{name}: line {line}: {other}")
    text = _by_mark(name, body)
    if text is None:
        text = _by_trial(name, body)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise Refusal(f"{name}: line {line}: {other}")
    refuse_mojibake(name, text)
    return text


def true_encoding(body: bytes, declared: str | None) -> str | None:
    """Return the encoding of a body with non-ASCII characters; None if it is unknown.

    The declared encoding is used unless the bytes contradict it: they are UTF-8 although another encoding was declared; or a fifth of the
    characters do not decode, but do decode in the encoding of the page's meta tag or in GB 18030; or a single-byte encoding was declared
    but the bytes are Chinese.
    """
    if _is_utf8(body, sure=declared is not None and declared != "utf-8"):
        return "utf-8"
    if declared and not _is_single_byte(declared) and _broken_share(body, declared) <= _BROKEN_SHARE:
        return declared
    in_meta_tag = next(filter(is_charset, [html_body_declared_encoding(body)]), None)
    for encoding in dict.fromkeys((in_meta_tag, "gb18030")):
        if not encoding or encoding == declared or _is_single_byte(encoding) or _broken_share(body, encoding) > _CLEAN_SHARE:
            continue
        if encoding == in_meta_tag or declared is None or not _is_single_byte(declared) or _is_chinese(body):
            return encoding
    return declared


def common_share(text: str) -> float:
    """Return the share of non-ASCII characters that are among the most common Chinese ones; 1 if there are no non-ASCII characters."""
    beyond = [sign for sign in text[:_SIGHT] if sign > "\x7f" and not sign.isspace()]
    return sum(sign in _COMMON for sign in beyond) / len(beyond) if beyond else 1.0


def _by_mark(name: str, body: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            try:
                return body.decode(encoding).removeprefix("\ufeff")
            except UnicodeDecodeError as error:
                raise ValueError(_not_decoded(name, body, error, f"{encoding}, the encoding of its byte order mark")) from None
    return None


def _by_trial(name: str, body: bytes) -> str:
    first = _tried(body, "utf-8")
    if isinstance(first, str):
        return first
    tried = {encoding: _tried(body, encoding) for encoding in _UNMARKED}
    texts = [text for text in tried.values() if isinstance(text, str)]
    scored = sorted(((common_share(text), -index) for index, text in enumerate(texts)), reverse=True)
    if scored and scored[0][0] >= _MIN_COMMON and (len(scored) == 1 or scored[0][0] >= 2 * scored[1][0]):
        return texts[-scored[0][1]]
    gbk = tried["gb18030"]  # a list of names has few common characters
    if isinstance(gbk, str) and _is_chinese(body) and common_share(gbk) >= scored[0][0]:
        return gbk
    nearly = [encoding for encoding in ("utf-8", "gb18030", "big5hkscs") if _nearly_reads(body, encoding)]
    best = max(nearly, key=lambda encoding: common_share(body.decode(encoding, "ignore")), default="")
    error = first if best == "utf-8" else tried.get(best)
    if isinstance(error, UnicodeDecodeError):
        raise ValueError(_not_decoded(name, body, error, f"{_NAMES[best]}, the encoding of the rest of the file"))
    raise ValueError(_not_decoded(name, body, first, f"UTF-8, and the file as a whole is not {_KNOWN} either"))


def _tried(body: bytes, encoding: str) -> str | UnicodeDecodeError:
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        return error


def _nearly_reads(body: bytes, encoding: str) -> bool:
    """Return whether a file decodes in an encoding except for a few bytes."""
    text = body[:_SIGHT].decode(encoding, "replace")
    beyond = sum(sign > "\x7f" for sign in text)
    return text.count("\ufffd") <= _MAX_STRAY * beyond and common_share(text) >= _MIN_COMMON


def _not_decoded(name: str, body: bytes, error: UnicodeDecodeError, what: str) -> str:
    line = body.count(b"\n", 0, error.start) + 1
    return f"{name}: line {line}: byte {error.start} is not {what} ({error.reason}); save the file as UTF-8"


def refuse_mojibake(name: str, text: str) -> None:
    sight = text[:_SIGHT]
    beyond = len(sight) - len(sight.encode("ascii", "ignore"))
    lost = sum(len(match[0]) for match in _LOST.finditer(sight))
    if lost * 20 > beyond:
        raise Refusal(f"{name}: {lost} of {beyond} non-ASCII characters were lost before the file was saved; export it again as UTF-8")
    for wrong in ("gb18030", "cp1252", "latin-1"):
        for right in ("utf-8", "gb18030"):
            again = _again(sight, wrong, right) if wrong != right else None
            if again and common_share(again) > 4 * common_share(sight) and common_share(again) > _MIN_COMMON:
                raise Refusal(f"{name}: the text is {right} that was decoded as {wrong} and saved; export it again as UTF-8")


def _again(text: str, wrong: str, right: str) -> str | None:
    """Undo decoding `right` bytes as `wrong`; return None if that is impossible."""
    try:
        return text.encode(wrong).decode(right)
    except UnicodeError:
        return None


def _is_utf8(body: bytes, sure: bool) -> bool:
    """Return whether a body is UTF-8, or is UTF-8 with enough Chinese before its first fault; with `sure`, the Chinese is always
    required."""
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        text, sure = body[: error.start].decode(), True
    if not sure:
        return True
    chinese_chars = len(_CHINESE.findall(text))
    return chinese_chars >= _SURE_CHARS and chinese_chars > _beyond_ascii(text) / 2


def _broken_share(body: bytes, encoding: str) -> float:
    """Return the share of the non-ASCII characters that do not decode."""
    text = body.decode(encoding, "replace")
    beyond = _beyond_ascii(text)
    return text.count("\ufffd") / beyond if beyond else 0.0


def _beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _is_single_byte(encoding: str) -> bool:
    """Return whether an encoding uses one byte per character and so can decode any bytes."""
    return encoding == "ascii" or encoding.startswith(("cp125", "iso8859", "koi8", "mac"))


def _is_chinese(body: bytes) -> bool:
    """Return whether the non-ASCII bytes, decoded as GB 18030, are mostly characters in daily use."""
    signs = [sign.encode("gb18030") for sign in body[:_SIGHT].decode("gb18030", "ignore") if sign > "\x7f"]
    low, high = _COMMON_HANZI
    return len(signs) >= _SURE_PAIRS and sum(low <= sign[0] <= high and sign[-1] > _TRAIL for sign in signs) > len(signs) / 2


def join_surrogates(text: str) -> str:
    """Join the surrogate pairs in a text, and replace lone surrogates with U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
