"""Stage `inputs`: what a source is crawled from on this machine -> data/inputs/SOURCE.txt, a hash and a name a file.

`crawl` depends on this list instead of on all of `imports/` and the embedded sites, so that a new book has no other source crawled
again, and a source that is live goes online only when its own line in params.yaml changes.
"""

import logging
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from atomexam.records.params import Source
from atomexam.runtime.jsonl import replacing
from atomexam.runtime.stage import read_arguments, run_stage

_ROOT = Path(__file__).parents[1]
_REPLICAS = _ROOT / "crawlers" / "embedded"
_SOURCES = _ROOT / "crawlers" / "sources"
_WATCHED = _ROOT / "imports"
_logger = logging.getLogger("crawlers.inputs")


def main(argv: list[str] | None = None) -> None:
    arguments = read_arguments(argv, __doc__, "sources", Source, {"out": "data/inputs/{key}.txt"}, keyed=True, scalars=("sites",))
    source: Source = arguments.params
    if source.kind == "files" and not Path(source.path or "").resolve().is_relative_to(_WATCHED):
        again = f"after a change there, run `dvc repro -f inputs@{arguments.key}`, or keep the files in imports/{arguments.key}"
        _logger.warning("params.yaml: sources.%s: DVC watches imports/ alone, and %s lies elsewhere: %s", arguments.key, source.path, again)
    with replacing(arguments.out) as part:
        found = inputs_of(arguments.key, source, arguments.sites)
        lines = [f"{_hash(name, path, source)}  {name}\n" for name, path in found]
        part.write_text("".join(lines), encoding="utf-8")


def inputs_of(name: str, source: Source, sites: str | None) -> Iterator[tuple[str, Path]]:
    """Yield name and path of each file that a source's pages come from; none of a real site's.

    Raises:
        ValueError: the source's `path` names no file.
    """
    if source.kind == "files":
        from crawlers.files import files_of  # the importers load slowly

        yield from files_of(name, source)
    elif (source.mode or sites or "embedded") == "embedded":
        replica = _REPLICAS / "sites" / f"{name}.py"
        for path in sorted((_REPLICAS if replica.exists() else _SOURCES / name / "pages").rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(_ROOT).as_posix(), path


def _hash(name: str, path: Path, source: Source) -> str:
    if source.kind == "files":
        from crawlers.importers.paths import read_bytes  # says what to do about a file that cannot be read

        return sha256(read_bytes(name, path)).hexdigest()
    return sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    run_stage(main)
