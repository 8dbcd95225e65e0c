"""Stage `layouts`: the layout beside an import of one file -> data/layouts/IMPORT.txt, its hash and name.

DVC watches what `path` names. That includes the layouts in a folder, but not the layout beside a single file, and DVC cannot depend on a
file that may be absent. So this stage runs every time, and `read` runs again when its output changes: when a layout was added, removed or
edited.
"""

from hashlib import sha256
from pathlib import Path

from atomexam.records.params import Import
from atomexam.runtime.jsonl import replacing
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import print_summary
from crawlers.read.layouts.layout_files import layout_path_of


def main(argv: list[str] | None = None) -> None:
    arguments = read_arguments(argv, __doc__, "imports", Import, {"out": "data/layouts/{key}.txt"}, keyed=True)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    layout = layout_of(arguments.params)
    with replacing(arguments.out) as part:
        part.write_text(layout, encoding="utf-8")
    print_summary(f"layouts {arguments.key}", layout.split()[-1] if layout else "none of its own")


def layout_of(source: Import) -> str:
    """Return hash and name of the layout beside an import of one file; "" if there is none."""
    path = Path(source.path)
    layout_path = layout_path_of(path)
    if not path.is_file() or not layout_path.is_file():
        return ""
    return f"{sha256(layout_path.read_bytes()).hexdigest()}  {layout_path.name}\n"


if __name__ == "__main__":
    run_stage(main)
