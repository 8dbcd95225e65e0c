"""What Scrapy must not do, and must, in every mode."""

import pytest
from scrapy.settings import Settings

from crawlers import settings

MODES = {"embedded": settings.embedded("http://127.0.0.1:1"), "live": settings.live(), "offline": settings.offline()}


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Settings:
    made = Settings()
    made.setmodule("crawlers.settings")
    made.setdict(MODES[request.param])
    return made


def test_no_port_is_open_for_others(mode: Settings) -> None:
    assert not mode.getbool("TELNETCONSOLE_ENABLED")
    assert not mode.getbool("REMOTE_CONTROL_ENABLED")


def test_robots_txt_is_obeyed_and_we_say_who_we_are(mode: Settings) -> None:
    assert mode.getbool("ROBOTSTXT_OBEY")
    assert mode["USER_AGENT"].startswith("atomexam (+https://")


def test_no_answer_is_endless(mode: Settings) -> None:
    assert mode.getint("DOWNLOAD_MAXSIZE") == 32 * 1024 * 1024
    assert mode.getint("DOWNLOAD_TIMEOUT") == 60


def test_only_the_web_is_followed(mode: Settings) -> None:
    handlers = mode.getdict("DOWNLOAD_HANDLERS_BASE") | mode.getdict("DOWNLOAD_HANDLERS")
    assert {scheme for scheme, handler in handlers.items() if handler} <= {"http", "https"}


def test_live_is_polite() -> None:
    live = MODES["live"]
    assert live["AUTOTHROTTLE_ENABLED"] and live["DOWNLOAD_DELAY"] >= 1 and live["CONCURRENT_REQUESTS_PER_DOMAIN"] == 1


def test_embedded_and_offline_leave_no_way_out() -> None:
    assert MODES["offline"]["ARCHIVE_OFFLINE"] and not any(MODES["offline"]["DOWNLOAD_HANDLERS"].values())
    assert set(MODES["embedded"]["DOWNLOAD_HANDLERS"].values()) == {None, "crawlers.embedded.handler.EmbeddedHandler"}
    assert not MODES["embedded"]["HTTPPROXY_ENABLED"] and not MODES["offline"]["HTTPPROXY_ENABLED"]
