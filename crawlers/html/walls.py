"""Detect walls: responses that ask for a person or a browser and are sent instead of the requested page."""

import re

from scrapy.http import Response, TextResponse

from crawlers.html.readable import is_json

WALL_SCRIPT, WALL_CAPTCHA, WALL_FORBIDDEN, LOGIN_PAGE = "wall_script", "wall_captcha", "wall_forbidden", "login_page"
WALLS = {
    WALL_SCRIPT: "a check of the browser by a script",
    WALL_CAPTCHA: "a captcha",
    WALL_FORBIDDEN: "a refusal",
    LOGIN_PAGE: "a log-in page",
}
BESIDE_WALLS = (
    "the site requires a person or a browser, and crawls do not circumvent this: open the address in a browser to see whether it lets"
    " people in, ask its owner (ATOMEXAM_CONTACT states who crawls), save pages by hand (docs/adding-a-source.md), or set `sites: embedded`"
)
"""Advice to the user."""
_MOST_BYTES = 50_000
_MOST_CHARS = 300
"""Maximum number of visible characters on a wall; a page with more has content, even if it also has a form."""
_CAPTCHA = re.compile("验证码|安全验证|人机验证|滑动验证|(?:拖动|按住)滑块|captcha", re.I)
_LOGIN = re.compile("登录|登陆|登入|log ?in|sign ?in", re.I)
_MOVES = re.compile(r"location\s*[.=]|document\.cookie|\.reload\s*\(|eval\s*\(")
_VISIBLE_TEXT = "//text()[not(ancestor::script or ancestor::style or ancestor::noscript or ancestor::head)]"


def wall_of(response: Response) -> str | None:
    """Return a key of WALLS if a response is a wall, judging only by its form: little text, and a captcha, a password field or a
    redirecting script.

    A response that a spider's `refusal` rejected has status 403 and the body that the site sent.
    """
    return _by_content(response) or (WALL_FORBIDDEN if response.status in (401, 403) else None)


def wall_with_status(response: Response) -> str | None:
    """Return a description of the wall if a response with an error status has the form of one; None if only the status is known."""
    wall = _by_content(response)
    return f"{WALLS[wall]} (HTTP status {response.status})" if wall else None


def is_wall(why: str) -> bool:
    """Return whether the cause of a failed request is a wall."""
    return why.startswith(tuple(WALLS.values()))


def _by_content(response: Response) -> str | None:
    if not isinstance(response, TextResponse) or not 0 < len(response.body.strip()) <= _MOST_BYTES:
        return None
    if is_json(response) or response.selector.type != "html":
        return None
    page = response.selector
    visible_text = " ".join("".join(page.xpath(_VISIBLE_TEXT).getall()).split())
    scripts = "".join(page.css("script::text").getall())
    if len(visible_text) > _MOST_CHARS:
        return None
    has_form = bool(page.css("form, input"))
    if has_form and _CAPTCHA.search(response.text):
        return WALL_CAPTCHA
    if _CAPTCHA.search(visible_text) and page.css("img, script") and not page.css("a[href]"):  # scripts may draw the form
        return WALL_CAPTCHA
    if page.css("input[type=password]") and _LOGIN.search(response.text):
        return LOGIN_PAGE
    if not visible_text and not page.css("a, img, iframe") and (_MOVES.search(scripts) or (response.status >= 400 and page.css("script"))):
        return WALL_SCRIPT
    return None
