"""Anonymise a page of a real site: remove accounts, tokens, addresses and names of people."""

import re

_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<![0-9a-zA-Z])[0-9a-fA-F]{24,}(?![0-9a-zA-Z])"), "0123456789abcdef0123456789abcdef"),
    (re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?"), "TOKEN"),
    (
        re.compile(
            r"""(?ix)(["']?\b(?>\w*?(?:token|session|sess_?id|phpsessid|csrf|xsrf|nonce|signature|ticket|passport|secret|auth_?key|api_?key))\w*+["']?\s*+[:=]\s*+["']?)
            (?!\s*(?:function|null|true|false)\b)[\w%+/.=~-]{6,}"""
        ),
        r"\g<1>TOKEN",
    ),
    (
        re.compile(
            r"(?i)((?:name|id)=[\"'](?>[^\"']*?(?:token|csrf|session|viewstate))[^\"']*+[\"'][^<>]{0,1000}\b(?:value|content)=[\"'])[^\"']+"
        ),
        r"\g<1>TOKEN",
    ),
    (re.compile(r"(?i)([\"']?\b(?:login_?)?(?:user|author|member|account)_?(?:id|no)[\"']?\s*+[:=]\s*+[\"']?)\d{2,}"), r"\g<1>0"),
    (re.compile(r"(?i)(/(?:user|member|space|author|u|home)/(?:id/|uid/)?)\d{2,}"), r"\g<1>0"),
    (re.compile(r"(?i)([?&](?:uid|userid|user_id|member)=)\w+"), r"\g<1>0"),
    (re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"), "someone@example.org"),
    (re.compile(r"(?<!\d)1[3-9]\d{9}(?!\d)"), "13800000000"),
    (re.compile(r"(?<!\d)\d{17}[\dXx](?!\d)"), "110101190001010000"),
    (re.compile(r"(?i)(\bQQ群?\s*+(?:号码?)?\s*+[:：]?\s*+)\d{5,11}"), r"\g<1>10000"),
    (
        re.compile(
            r"((?:录\s*+入\s*+者|作\s*+者|责任编辑|编\s*+辑|发布者|上传者|用户名|昵\s*+称|会员|主治医生|审核医生|审核专家)\s*+[:：]\s*+(?:</?\w[^<>]*+>\s*+)*+)"
            r"[^\s<>&，,。;；|\"']{1,20}"
        ),
        r"\g<1>某人",
    ),
    (
        re.compile(
            r"(?i)(<(\w++)[^<>]{0,1000}\bclass=[\"'](?>[^\"']*?\b(?:author|user-?name|nickname)\b)[^\"']*+[\"'][^<>]*+>)[^<>]++(?=</\2>)"
        ),
        r"\g<1>某人",
    ),
    (
        re.compile(
            r"""(?i)(["']?\b(?:data-)?(?:nick(?:_?name)?|(?:user|author|login|real)_?name)["']?\s*+[:=]\s*+["'])[^"'<>]{1,40}(?=["'])"""
        ),
        r"\g<1>某人",
    ),
    (re.compile(r"""(?i)(\b\w*+(?<=uid)["']?\s*+[:=]\s*+["']?)\d{2,}"""), r"\g<1>0"),
    # The first row of an examcoo paper: number, name and school of its author. In rows of questions, b is not a number.
    (re.compile(r'("b"\s*+:\s*+)"\d{2,}"(\s*+,\s*+"c"\s*+:\s*+)"[^"]*+"(\s*+,\s*+"d"\s*+:\s*+)"[^"]*+"'), r'\g<1>"0"\g<2>"某人"\g<3>""'),
    (re.compile(r"(欢迎[您你][，,：:\s]{1,3})[^\s<>，,]{1,20}"), r"\g<1>某人"),
    (re.compile(r"""(?i)(<img\b[^<>]{0,300}avatar[^<>]{0,300}\balt=["'])[^"'<>]+"""), r"\g<1>某人"),
    (
        re.compile(r"""(?i)(<a\b[^<>]{0,300}/(?:user|member|space|author|u|home)/(?:id/|uid/)?0[/"'][^<>]{0,300}>)[^<>]+(?=</a>)"""),
        r"\g<1>某人",
    ),
    (re.compile(r"(?<!\d)0\d{2,3}-\d{7,8}(?!\d)"), "010-00000000"),
    (re.compile(r"(?i)((?:微信号?|wechat)\s*+[:：]\s*+)[a-z][\w-]{4,19}"), r"\g<1>someone"),
)
"""Patterns of personal and session data, with their replacements. Labels are kept, so that the page is read as before."""


def scrubbed(text: str) -> str:
    """Return a text without personal and session data."""
    for pattern, instead in _RULES:
        text = pattern.sub(instead, text)
    return text


def scrubbed_body(body: bytes, encoding: str) -> bytes:
    """Return a page's bytes without such data; bytes invalid in its encoding are kept."""
    try:
        text = body.decode(encoding)
    except (UnicodeDecodeError, LookupError):  # each byte as a character: what is searched is mostly ASCII
        return scrubbed(body.decode("latin-1")).encode("latin-1", "replace")
    return scrubbed(text).encode(encoding, "replace")
