"""Cookies of a crawl, kept only in memory. A site may set any number of them; the number kept is what RFC 6265, section 6.1, requires of
browsers."""

from collections import defaultdict
from http.cookiejar import Cookie, CookieJar, CookiePolicy

from scrapy import Request, Spider
from scrapy.downloadermiddlewares import cookies
from scrapy.http import Response

_MOST_BYTES, _MOST_OF_DOMAIN, _MOST_DOMAINS = 4096, 50, 60


class _RecentCookies(CookieJar):
    """The most recent cookies of the most recent domains."""

    def __init__(self, policy: CookiePolicy) -> None:
        super().__init__(policy)
        self._turns: dict[str, dict[tuple[str, str], None]] = {}

    def set_cookie(self, cookie: Cookie) -> None:
        """Store a cookie; if there are too many, drop the one that was set longest ago."""
        super().set_cookie(cookie)
        turns = self._turns[cookie.domain] = self._turns.pop(cookie.domain, {})
        turns.pop((cookie.path, cookie.name), None)
        turns[cookie.path, cookie.name] = None
        if len(turns) > _MOST_OF_DOMAIN:
            self.clear(cookie.domain, *next(iter(turns)))
        if len(self._turns) > _MOST_DOMAINS:
            self.clear(next(iter(self._turns)))

    def clear(self, domain: str | None = None, path: str | None = None, name: str | None = None) -> None:
        """Remove a cookie, the cookies of a domain, or all; also remove containers that become empty."""
        super().clear(domain, path, name)
        if domain is None:
            self._turns.clear()
        elif path is None or name is None:
            del self._turns[domain]
        else:
            del self._turns[domain][path, name]
            of_domain = vars(self)["_cookies"][domain]
            if not of_domain[path]:
                del of_domain[path]
            if not of_domain:
                self.clear(domain)


class Cookies(cookies.CookiesMiddleware):
    """Middleware that keeps only the most recent cookies and domains."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self.jars = defaultdict(_recent_jar)

    def process_response(self, request: Request, response: Response, spider: Spider | None = None) -> Request | Response:
        """Store the response's cookies, ignoring those beyond the limits; return the response."""
        short = [each for each in response.headers.getlist("Set-Cookie") if len(each) <= _MOST_BYTES]
        super().process_response(request, Response(response.url, headers={"Set-Cookie": short[-_MOST_OF_DOMAIN:]}))
        return response


def _recent_jar() -> cookies.CookieJar:
    jar = cookies.CookieJar()
    jar.jar = _RecentCookies(jar.policy)
    return jar


def know_suffixes() -> None:
    """Make cookies use the installed list of public suffixes (com.cn), because a crawl must contact only the hosts of its site."""
    cookies._split_domain = cookies.TLDExtract(include_psl_private_domains=True, suffix_list_urls=(), cache_dir=None)
