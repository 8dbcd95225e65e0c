"""Stage `inputs`: the local files from which each source is crawled -> data/inputs/SOURCE.txt, with the hash and name of each file.

`crawl` depends on its source's list instead of all replicas and saved pages. So a new page does not cause other sources to be crawled
again, and a live source goes online only when its own line in params.yaml changes.
"""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from atomexam.records.checks import convert
from atomexam.records.params import PARAMS_FILE, Source
from atomexam.runtime.jsonl import folder_lock, replacing
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary

_ROOT = Path(__file__).parents[1]
_REPLICAS = _ROOT / "crawlers" / "embedded"
_SOURCES = _ROOT / "crawlers" / "sources"


def main(argv: list[str] | None = None) -> None:
    arguments = read_arguments(argv, __doc__, None, None, {"out": "data/inputs"}, scalars=("sites",))
    sources = convert(arguments.all_params.get("sources") or {}, dict[str, Source], f"{PARAMS_FILE}: sources")
    with folder_lock(arguments.out) as out:
        for stale in out.glob("*.txt"):
            if stale.stem not in sources:
                stale.unlink()
        for name, source in sources.items():
            with replacing(out / f"{name}.txt") as part:
                lines = [f"{sha256(path.read_bytes()).hexdigest()}  {file}\n" for file, path in inputs_of(name, source, arguments.sites)]
                part.write_text("".join(lines), encoding="utf-8")
    print_summary("inputs", f"local files of {number_of(len(sources), 'source')}" if sources else "no sources")


def inputs_of(name: str, source: Source, sites: str | None) -> Iterator[tuple[str, Path]]:
    """Yield the name and path of each file of a source's replica or, if it has none, of its saved pages; yield nothing for a live site."""
    if (source.mode or sites or "embedded") == "embedded":
        replica = _REPLICAS / "sites" / f"{name}.py"
        for path in sorted((_REPLICAS if replica.exists() else _SOURCES / name / "pages").rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(_ROOT).as_posix(), path


if __name__ == "__main__":
    run_stage(main)
