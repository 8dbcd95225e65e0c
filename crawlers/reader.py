"""Stage `reader`: the code that reads one source -> data/readers/SOURCE.txt, a hash and a name a file.

`extract` depends on this list instead of on all of `crawlers`, so that a new spider, or a change in one, has its own source alone
read again.
"""

import ast
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from atomexam.records.params import Source
from atomexam.runtime.jsonl import replacing
from atomexam.runtime.stage import read_arguments, run_stage

_ROOT = Path(__file__).parents[1]
_OURS = ("atomexam", "crawlers")
_EVERY: tuple[str, ...] = ("crawlers/extract.py",)
_SITE = ("crawlers/process.py", "crawlers/replay/crew.py", "crawlers/settings.py")
_FILES = ("crawlers/files.py",)
# What `extract` imports only where the source is of the other kind.
_SITE_ALONE = {"crawlers/accounts/pages.py", "crawlers/process.py", "crawlers/replay/crew.py"}
_FILES_ALONE = {"crawlers/files.py"}


def main(argv: list[str] | None = None) -> None:
    arguments = read_arguments(argv, __doc__, "sources", Source, {"out": "data/readers/{key}.txt"}, keyed=True)
    with replacing(arguments.out) as part:
        lines = [
            f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(_ROOT).as_posix()}\n"
            for path in readers_of(arguments.key, arguments.params.kind)
        ]
        part.write_text("".join(lines), encoding="utf-8")


def readers_of(name: str, kind: str) -> list[Path]:
    """Return the files of ours that make items of a source's stored pages: what is imported, however far, or named in a setting."""
    if kind == "files":
        seen, roots = {_ROOT / path for path in _SITE_ALONE}, (*_EVERY, *_FILES)
    else:
        seen, roots = {_ROOT / path for path in _FILES_ALONE}, (*_EVERY, *_SITE, f"crawlers/sources/{name}/spider.py")
    left_out = set(seen)
    left = [_ROOT / path for path in roots]
    while left:
        if (path := left.pop()) not in seen:
            seen.add(path)
            left += _named(path) if path.suffix == ".py" else ()
            left += [beside] if (beside := path.with_suffix(".yaml")).is_file() else []
    return sorted(seen - left_out)


def _named(path: Path) -> Iterator[Path]:
    """Yield the files of ours that a module imports, has loaded by a dotted name, or reads beside itself."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value.startswith("crawlers."):
                names = [node.value, node.value.rpartition(".")[0]]
            elif node.value.endswith((".yaml", ".json", ".txt")) and (path.parent / node.value).is_file():
                yield path.parent / node.value
        for name in names:
            file = _ROOT / Path(*name.split(".")).with_suffix(".py")
            if name.split(".")[0] in _OURS and file.is_file():
                yield file


if __name__ == "__main__":
    run_stage(main)
