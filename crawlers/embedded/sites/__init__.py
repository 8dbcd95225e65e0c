"""The replicas by source name. A module has HOSTS, the host names it answers for, and build(content) -> Respond."""

from types import ModuleType

from crawlers.embedded.sites import ask120, examcoo, hxter, mxqe, studyez, xiaohe

SITES: dict[str, ModuleType] = {"ask120": ask120, "xiaohe": xiaohe, "examcoo": examcoo, "studyez": studyez, "hxter": hxter, "mxqe": mxqe}
