"""A page of Great Expectations' Data Docs -> the same page without scripts, times, network references and run-dependent content."""

import re
from html import escape

from lxml import html

_UUID = re.compile(r"-?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_UNWANTED = ("script", "style", "link", "meta", "nav", "footer", "img", "iframe", "object", "embed", "form", "label")
_OF_THE_RUN = "//div[contains(@id, '-collapse-body-') and .//*[contains(text(), 'Run Time')]]"
"""The block with time and name of the validation, and its batch."""
_SIGNS = {"fa-check-circle": "✓", "fa-times": "✗", "fa-exclamation-triangle": "!"}
_LOCAL = re.compile(r"#[\w.-]+")
_STYLE = """
  :root { --ink: #1d2433; --soft: #667; --line: #dde; --paper: #fff; --good: #1a7f4b; --bad: #c0362c; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e6e8ee; --soft: #9aa; --line: #334; --paper: #14171f; --good: #5cc98f; --bad: #ff8a80; }
  }
  body { font: 15px/1.5 system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif; color: var(--ink);
    background: var(--paper); max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--line);
    vertical-align: top; overflow-wrap: anywhere; }
  h5, h6 { font-size: 1rem; margin: 1rem 0 .2rem; } .badge { border: 1px solid var(--line); border-radius: .3rem; padding: 0 .3rem; }
  .text-success { color: var(--good); } .text-danger, .text-warning { color: var(--bad); } i { font-style: normal; font-weight: 700; }
"""


def plain_page(page: str, table: str) -> str:
    """Return a self-contained page, with the same bytes for the same results."""
    tree = html.document_fromstring(page)
    for node in [*tree.xpath(_OF_THE_RUN), *tree.iter(*_UNWANTED)]:
        if node.getparent() is not None:
            node.drop_tree()
    for node in list(tree.iter(html.etree.Comment)):
        node.drop_tree()
    for node in tree.xpath("//p[a[@data-toggle='collapse']]"):  # a button for what is already open here
        node.drop_tree()
    for sign in tree.xpath("//i[@class]"):
        sign.text = next((text for name, text in _SIGNS.items() if name in sign.get("class")), None)
    for node in tree.xpath("//*[@*]"):
        _keep_plain_attributes(node)
    sections = tree.xpath("//div[contains(@class, 'ge-section')]")
    body = "".join(html.tostring(section, encoding="unicode", with_tail=False) for section in sections)
    return _framed(body, table)


def _keep_plain_attributes(node: html.HtmlElement) -> None:
    for name, value in list(node.attrib.items()):
        if name == "href" and _LOCAL.fullmatch(value):
            continue
        if name in ("id", "class"):
            node.set(name, _UUID.sub("", value))
        elif name not in ("colspan", "rowspan", "title", "hidden"):
            del node.attrib[name]


def _framed(body: str, table: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>Data Docs: {escape(table)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f'<p><a href="../index.html">All tables</a></p>\n<h1>{escape(table)}</h1>\n{body}\n</body>\n</html>\n'
    )
