"""Files of an archive that belong together: a paper and its answers, tables that refer to each other. The archive in, its reading out."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from atomexam.records.provenance import Provenance
from crawlers.importers.any_rows import JOINED
from crawlers.importers.files.archives import ArchiveMember, members_of
from crawlers.importers.files.reading import FileReading, Text
from crawlers.importers.papers import LINE_READERS, questions_in
from crawlers.importers.questions_by_content import read_by_content

_KEY, _HEADING = re.compile(r"答案|解答|answers?|keys?", re.IGNORECASE), "参考答案"
"""Names of files of answers, and the heading below which a paper has them."""


def read_together(name: str, body: bytes, provenance: Provenance) -> FileReading | None:
    """Return the questions of an archive whose files have no answers by themselves; None if they do not belong together.

    Raises:
        ValueError: a file is damaged, or what belongs together is no bank.
    """
    members = list(members_of(name, body, (*LINE_READERS, *JOINED)))
    if len(members) < 2 or any(member.fault for member in members):
        return None
    if all(_suffix(member) in JOINED for member in members):
        return read_by_content(name, body, provenance)
    text = _paper_and_key(members)
    return questions_in(name, text, provenance) if text else None


def _paper_and_key(members: Sequence[ArchiveMember]) -> Text | None:
    """Return the lines of a paper above those of its answers, if an archive has these two."""
    keys = [member for member in members if _KEY.search(PurePosixPath(member.name).stem)]
    papers = [member for member in members if member not in keys]
    if len(keys) != 1 or len(papers) != 1 or not {_suffix(member) for member in members} <= LINE_READERS.keys():
        return None
    [paper, key] = (LINE_READERS[_suffix(member)](member.name, member.body) for member in (*papers, *keys))
    return Text([*paper.lines, _HEADING, *key.lines], [*paper.dropped, *key.dropped], [*paper.lost, *key.lost])


def _suffix(member: ArchiveMember) -> str:
    return PurePosixPath(member.name).suffix.lower()
