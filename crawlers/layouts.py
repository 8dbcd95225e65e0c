"""Stage `layouts`: the layout that stands beside an import of one file -> data/layouts/IMPORT.txt, its hash and its name.

DVC watches what `path` names. Of a folder that holds the layouts, too; of one file it does not, and DVC can depend on nothing that may
be absent. So this stage runs each time, and `read` runs anew when what it writes changes: a layout came, went or was mended.
"""

from hashlib import sha256
from pathlib import Path

from atomexam.records.params import Import
from atomexam.runtime.jsonl import replacing
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import print_summary
from crawlers.importers.layouts.layout_files import place_of_layout


def main(argv: list[str] | None = None) -> None:
    arguments = read_arguments(argv, __doc__, "imports", Import, {"out": "data/layouts/{key}.txt"}, keyed=True)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    layout = layout_of(arguments.params)
    with replacing(arguments.out) as part:
        part.write_text(layout, encoding="utf-8")
    print_summary(f"layouts {arguments.key}", layout.split()[-1] if layout else "none of its own")


def layout_of(source: Import) -> str:
    """Return hash and name of the layout beside an import of one file; nothing where there is none, or where its format is named."""
    path = Path(source.path)
    place = place_of_layout(path)
    if source.format or not path.is_file() or not place.is_file():
        return ""
    return f"{sha256(place.read_bytes()).hexdigest()}  {place.name}\n"


if __name__ == "__main__":
    run_stage(main)
