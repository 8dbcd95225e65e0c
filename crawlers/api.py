"""The functions of the Python API that read files."""

import warnings
from pathlib import Path

import pandas as pd

from atomexam.frames import frame_of
from atomexam.records.item import EntityItem, QuestionItem
from crawlers.read.__main__ import read_row
from crawlers.read.formats import suffixes_of
from crawlers.read.layouts.layout_files import shipped_layouts
from crawlers.read.paths import named_files
from crawlers.read_imports import declared


def read(
    *paths: str | Path,
    format: str | None = None,  # noqa: A002  same name as the command's flag
    exam: str | None = None,
    subject: str | None = None,
) -> pd.DataFrame:
    """Return the questions and encyclopedia entries in books, tables and published sets, as `python -m crawlers.read` reads them.

    Args:
        paths: files, folders or patterns; zip files are opened.
        format: one format for all files; by default the format of each file is detected.
        exam, subject: exam and subject of all questions, overriding the files, as in a line under `imports`; used in prompts.

    Returns:
        Items as in the files, one per row: `stem_raw`, `options_raw` (list), `answer_raw`, `provenance` (dict), … of `QuestionItem`;
        `kind` is `question` or `entity`. An item that `clean` will reject as unreadable has the reason in `doubt`. A warning lists the
        files that have lines not contained in any item.

    Raises:
        FileNotFoundError: a path matches no file.
        ValueError: a file cannot be read, or there are no items.

    Example:
        >>> atomexam.read("books", "more/*.csv")[["stem_raw", "answer_raw", "doubt"]]
    """
    if not paths:
        raise ValueError("read: no path given; expected files, folders or patterns")
    known = shipped_layouts()
    if format:
        suffixes_of(format, known)  # an unknown name raises now
    rows = [read_row(name, path, format, (), known) for name, path in named_files([str(path) for path in paths], format, known)]
    if errors := [row.error for row in rows if row.error]:
        raise ValueError("\n".join(errors))
    items = [declared(item, exam, subject) for row in rows for item in row.reading.items]
    if not items:
        raise ValueError(f"{' '.join(map(str, paths))}: no question found")
    for row in rows:
        if row.is_partly_unread:
            share = f"{row.account.unread_share:.1%} of its characters are in no item"
            warnings.warn(f"{row.file}: {share}; `{row.command} --verbose` shows them", stacklevel=2)
    frames = [
        frame_of(alike, shape).assign(kind=shape.__struct_config__.tag)
        for shape in (QuestionItem, EntityItem)
        if (alike := [item for item in items if isinstance(item, shape)])
    ]
    return pd.concat(frames, ignore_index=True)
