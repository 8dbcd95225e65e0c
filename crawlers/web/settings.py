"""Scrapy settings common to all modes; `embedded()`, `live()` and `offline()` return those of each mode."""

import os
import re
from typing import Any
from urllib.parse import urlsplit

from atomexam.records.params import Source

BOT_NAME = "atomexam"
# The usual form for crawlers; some sites refuse user agents that do not begin like a browser's.
USER_AGENT = "Mozilla/5.0 (compatible; atomexam; +https://github.com/atomexam/atomexam)"
SPIDER_MODULES = ["crawlers.sources"]
NEWSPIDER_MODULE = "crawlers.sources"

ROBOTSTXT_USER_AGENT = BOT_NAME
REFERRER_POLICY = "no-referrer"  # spiders set the referrer if a site requires it
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False  # Scrapy 2.19 would otherwise run code sent to a local port
DOWNLOAD_MAXSIZE = 32 * 1024 * 1024  # bytes, before and after decompression
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_TIMEOUT = 60  # seconds from the connection to the last byte
REDIRECT_MAX_TIMES = 10
METAREFRESH_MAXDELAY = 10  # seconds; a later refresh is not a redirect
SCHEDULER_MEMORY_QUEUE = "crawlers.web.request_queue.RequestQueue"  # all pages of a site may wait in it
CONCURRENT_ITEMS = 4  # no pipeline waits, so most of Scrapy's 100 workers per page would be useless
RETRY_TIMES = 3
RETRY_HTTP_CODES = [*range(-99, 200), 408, 425, 429, 500, *range(502, 600)]  # proxies and CDNs use non-standard statuses
RETRY_GIVE_UP_LOG_LEVEL = "INFO"  # failures are reported at the end, each request once
DEFAULT_REQUEST_HEADERS = {"Accept": "text/html,application/json;q=0.9,*/*;q=0.8", "Accept-Language": "zh-CN,zh;q=0.9"}

# A page of a real site may link to anything; only HTTP and HTTPS URLs are followed.
_WEB_ONLY = dict.fromkeys(("data", "file", "ftp", "s3"))
DOWNLOAD_HANDLERS = dict(_WEB_ONLY)
_THEIRS = "scrapy.downloadermiddlewares"
DOWNLOADER_MIDDLEWARES = {
    f"{_THEIRS}.offsite.OffsiteMiddleware": None,
    "crawlers.web.hosts.Hosts": 50,
    f"{_THEIRS}.robotstxt.RobotsTxtMiddleware": None,
    "crawlers.web.robots.Robots": 100,
    "crawlers.web.retry_round.SecondRound": 540,  # around the retries at 550
    f"{_THEIRS}.redirect.MetaRefreshMiddleware": None,
    "crawlers.web.redirects.MetaRefresh": 580,
    "crawlers.web.charset.Charset": 585,  # reads bodies decompressed at 590
    f"{_THEIRS}.redirect.RedirectMiddleware": None,
    "crawlers.web.redirects.Redirects": 600,
    f"{_THEIRS}.cookies.CookiesMiddleware": None,
    "crawlers.web.cookies.Cookies": 700,
    # Closest to the downloader: bodies are stored as received, and replayed pages are decompressed like fetched ones.
    "crawlers.web.archive.ArchiveMiddleware": 950,
    "crawlers.web.broken_pages.PageTracker": 960,
}
SPIDER_MIDDLEWARES = {
    "crawlers.web.broken_pages.PageTracker": 950,
    "crawlers.web.page_kinds.PageKinds": 960,
    "crawlers.web.stated_exam.StatedExam": 1100,  # closest to the spider, so that all others see its output
}
REDIRECTS_TO_ONE_MAX = 10
# Settings of the middlewares above; only live crawls pause and give up.
WEB_PORTS: list[int] = []
PUBLIC_ONLY = False
CRAWL_DELAY_MAX = 0
RETRY_AFTER = 0
RETRY_AFTER_MAX = 600  # seconds; a request for a longer pause ends the crawl
SECOND_ROUND_PAUSE = 0
SECOND_ROUND_RETRIES = 1
GIVE_UP_AFTER = 0

LOG_LEVEL = "WARNING"
LOG_FORMAT = "%(levelname)s %(name)s: %(message)s"
LOG_INSTALL_ROOT_HANDLER = False  # each stage has its own
LOGSTATS_INTERVAL = 0
AUTOTHROTTLE_ENABLED = False
EXTENSIONS = {"crawlers.web.extensions.Progress": 0, "crawlers.web.extensions.ScopeAnswers": 0, "crawlers.web.extensions.Timers": 0}

_DELAY = 1.0  # seconds between two requests to a live site
_MAX_CONTACT_CHARS = 200


def embedded(base_url: str) -> dict[str, Any]:
    """Return settings for a crawl in which the server at `base_url` answers for every host, without pauses."""
    handler = "crawlers.embedded.serving.handler.EmbeddedHandler"
    return {
        "EMBEDDED_BASE_URL": base_url,
        "DOWNLOAD_HANDLERS": _WEB_ONLY | {"http": handler, "https": handler},
        "HTTPPROXY_ENABLED": False,  # a proxy in the environment must not see requests to this machine
        "DOWNLOAD_DELAY": 0,
        # One request at a time, and none while a page is being parsed, so that max_pages always stops at the same page, even on a busy
        # machine. 16 concurrent requests would be an eighth faster.
        "CONCURRENT_REQUESTS": 1,
        "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 0,
        "RETRY_TIMES": 1,
        "COMPRESSION_ENABLED": True,
    }


def live(source: Source | None = None, delay: float | None = None, concurrency: int | None = None) -> dict[str, Any]:
    """Return settings for real sites: polite, and without access to the local network unless the source has `private: true`.

    `delay` and `concurrency` are the spider's defaults; the source's line in params.yaml overrides them.

    Raises:
        ValueError: ATOMEXAM_CONTACT or ATOMEXAM_PROXY is invalid.
    """
    source = source or Source()
    between = next((value for value in (source.delay, delay) if value is not None), _DELAY)
    at_once = source.concurrency or concurrency or 1
    handler = "crawlers.web.download.LiveHandler"
    public = {"TWISTED_DNS_RESOLVER": "crawlers.web.hosts.PublicResolver", "PUBLIC_ONLY": True, "WEB_PORTS": [80, 443]}
    return (
        {
            "USER_AGENT": _user_agent(os.environ.get("ATOMEXAM_CONTACT", "")),
            "DOWNLOAD_HANDLERS": _WEB_ONLY | {"http": handler, "https": handler},
            "DOWNLOAD_DELAY": between,
            "CONCURRENT_REQUESTS_PER_DOMAIN": at_once,
            "AUTOTHROTTLE_ENABLED": True,
            "AUTOTHROTTLE_START_DELAY": max(2.0, between) if at_once == 1 else between,
            "AUTOTHROTTLE_MAX_DELAY": max(60.0, between),
            "AUTOTHROTTLE_TARGET_CONCURRENCY": float(at_once),
            "CRAWL_DELAY_MAX": 300,
            "RETRY_AFTER": 10,
            "SECOND_ROUND_PAUSE": 60,
            "GIVE_UP_AFTER": 30,
        }
        | ({} if source.private else public)
        | _proxy(os.environ.get("ATOMEXAM_PROXY", ""))
    )


def offline() -> dict[str, Any]:
    """Return settings for a replay that uses only the archive."""
    return {
        "DOWNLOAD_HANDLERS": _WEB_ONLY | dict.fromkeys(("http", "https")),
        "HTTPPROXY_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": 16,
        "REDIRECTS_TO_ONE_MAX": 0,  # stored redirects are trusted
    }


def _user_agent(contact: str) -> str:
    """Return the user agent for live sites, with the contact of the person who runs the crawl."""
    if not contact:
        return USER_AGENT
    is_mail = re.fullmatch(r"[!-?A-~]++@[!-?A-~][!-\-/-?A-~]*+\.[!-?A-~]++", contact)
    is_address = re.fullmatch(r"https?://[!-~]+", contact)
    if len(contact) > _MAX_CONTACT_CHARS or not (is_mail or is_address) or re.search(r"[();]", contact):
        wanted = "one mail address or web address in ASCII, such as crawler@example.org"
        raise ValueError(f"environment: ATOMEXAM_CONTACT is {contact!r}; expected {wanted}; it is sent to every site that is crawled")
    return USER_AGENT.replace(")", f"; {contact})")


def _proxy(proxy: str) -> dict[str, Any]:
    """Return settings for a proxy; without one, even the proxy in http_proxy is ignored, because it would see every URL."""
    if not proxy:
        return {"HTTPPROXY_ENABLED": False}
    try:
        address = urlsplit(proxy)
        fits = address.scheme == "http" and address.hostname and address.port and address.path in ("", "/")
    except ValueError:
        fits = False
    if not fits:
        raise ValueError("environment: ATOMEXAM_PROXY is not a proxy; expected http://HOST:PORT, or http://USER:PASSWORD@HOST:PORT")
    return {
        "PROXY": proxy,
        "PROXY_HOST": address.hostname,
        "HTTPPROXY_ENABLED": True,
        "DOWNLOADER_MIDDLEWARES": DOWNLOADER_MIDDLEWARES | {"crawlers.web.hosts.Proxy": 745},
    }
