"""Scrapy settings that hold in every mode; `embedded()`, `live()` and `offline()` give what each mode adds."""

from typing import Any

BOT_NAME = "atomexam"
USER_AGENT = "atomexam (+https://github.com/atomexam/atomexam)"
SPIDER_MODULES = ["crawlers.sources"]
NEWSPIDER_MODULE = "crawlers.sources"

ROBOTSTXT_OBEY = True
COOKIES_ENABLED = True
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False  # Scrapy 2.19 would run code that is sent to a local port
DOWNLOAD_MAXSIZE = 32 * 1024 * 1024  # bytes, before and after decompression
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_TIMEOUT = 60  # seconds
RETRY_TIMES = 3
RETRY_GIVE_UP_LOG_LEVEL = "INFO"  # what failed is told at the end, each request once
DEFAULT_REQUEST_HEADERS = {"Accept": "text/html,application/json;q=0.9,*/*;q=0.8", "Accept-Language": "zh-CN,zh;q=0.9"}

# A page of a foreign site may link to anything; only the web is followed.
_WEB_ONLY = dict.fromkeys(("data", "file", "ftp", "s3"))
DOWNLOAD_HANDLERS = dict(_WEB_ONLY)
# Next to the downloader: bodies are kept as they came over the wire, and replayed pages are decompressed like fetched ones.
DOWNLOADER_MIDDLEWARES = {"crawlers.archive.ArchiveMiddleware": 950}

LOG_LEVEL = "WARNING"
LOG_FORMAT = "%(levelname)s %(name)s: %(message)s"
LOG_INSTALL_ROOT_HANDLER = False  # a stage has its own
LOGSTATS_INTERVAL = 0
AUTOTHROTTLE_ENABLED = False
EXTENSIONS = {"crawlers.progress.Progress": 0}


def embedded(base_url: str) -> dict[str, Any]:
    """Every host is answered by the server at `base_url`; nothing is waited for."""
    handler = "crawlers.embedded.handler.EmbeddedHandler"
    return {
        "EMBEDDED_BASE_URL": base_url,
        "DOWNLOAD_HANDLERS": _WEB_ONLY | {"http": handler, "https": handler},
        "HTTPPROXY_ENABLED": False,  # a proxy named in the environment must not see what is asked of this machine itself
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": 1,  # so that max_pages cuts at the same page each time; 16 at once would be an eighth faster
        "RETRY_TIMES": 1,
        "COMPRESSION_ENABLED": True,
    }


def live() -> dict[str, Any]:
    """The real sites, politely, and no address inside the own network."""
    return {
        "TWISTED_DNS_RESOLVER": "crawlers.public_hosts.PublicResolver",
        "DOWNLOAD_DELAY": 1,  # seconds
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "AUTOTHROTTLE_ENABLED": True,
        "AUTOTHROTTLE_START_DELAY": 2,
        "AUTOTHROTTLE_MAX_DELAY": 60,
    }


def offline() -> dict[str, Any]:
    """Only what the archive holds."""
    return {
        "ARCHIVE_OFFLINE": True,
        "DOWNLOAD_HANDLERS": _WEB_ONLY | dict.fromkeys(("http", "https")),
        "HTTPPROXY_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": 16,
    }
