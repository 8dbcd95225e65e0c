"""The embedded sites by source name. A site's module has HOSTS, the host names it answers for, and build(content) -> Respond."""

from importlib import import_module
from types import ModuleType


def _present(name: str) -> ModuleType | None:
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
        return None


SITES: dict[str, ModuleType] = {
    name: module for name in ("ask120", "xiaohe", "examcoo", "studyez", "hxter", "mxqe") if (module := _present(name)) is not None
}
