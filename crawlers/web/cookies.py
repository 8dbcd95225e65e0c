"""Cookies of a crawl, in memory only: as many as RFC 6265, section 6.1, requires of a browser, since a site may set any number."""

from scrapy import Request, Spider
from scrapy.downloadermiddlewares import cookies
from scrapy.http import Response

_MOST_BYTES, _MOST_OF_DOMAIN, _MOST_DOMAINS = 4096, 50, 60


class Cookies(cookies.CookiesMiddleware):
    """Keeps the last cookies of each domain, and the last domains."""

    def process_response(self, request: Request, response: Response, spider: Spider | None = None) -> Request | Response:
        """Return the response; of its cookies, those beyond the limits are ignored."""
        short = [each for each in response.headers.getlist("Set-Cookie") if len(each) <= _MOST_BYTES]
        super().process_response(request, Response(response.url, headers={"Set-Cookie": short[-_MOST_OF_DOMAIN:]}))
        jar = self.jars[request.meta.get("cookiejar")]
        for domain in list(jar._cookies)[:-_MOST_DOMAINS]:
            jar.clear(domain)
        for domain, by_path in jar._cookies.items():
            kept = [(path, name) for path, by_name in by_path.items() for name in by_name]
            for path, name in kept[:-_MOST_OF_DOMAIN]:
                jar.clear(domain, path, name)
        return response


def know_suffixes() -> None:
    """Make cookies use the installed list of public suffixes (com.cn): a crawl contacts only the hosts of its site."""
    cookies._split_domain = cookies.TLDExtract(include_psl_private_domains=True, suffix_list_urls=(), cache_dir=None)
