"""Settings of the command `scrapy` (scrapy.cfg): `scrapy shell ./PAGE.html` opens a stored page as a spider receives it, offline."""

from crawlers.web.settings import BOT_NAME, LOG_LEVEL, REMOTE_CONTROL_ENABLED, SPIDER_MODULES, TELNETCONSOLE_ENABLED

__all__ = ["BOT_NAME", "LOG_LEVEL", "REMOTE_CONTROL_ENABLED", "SPIDER_MODULES", "TELNETCONSOLE_ENABLED"]  # read by Scrapy
DOWNLOAD_HANDLERS = dict.fromkeys(("data", "ftp", "http", "https", "s3"))
DOWNLOADER_MIDDLEWARES = {"crawlers.web.charset.Charset": 585}
