"""Lines of JSONL files that hold a text, found in the raw bytes, so that only what is wanted is read."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")


def rows_with(path: Path, texts: Sequence[str], shape: type[T]) -> Iterator[T]:
    """Yield the records of a file whose line holds one of the texts; nothing where there is no such file.

    Raises:
        ValueError: such a line does not fit the shape.
    """
    if not path.exists():
        return
    wanted = [msgspec.json.encode(text)[1:-1] for text in texts]  # as it stands in JSON
    decoder = msgspec.json.Decoder(shape)
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            if any(text in line for text in wanted):
                try:
                    yield decoder.decode(line)
                except msgspec.DecodeError as error:
                    raise ValueError(f"{path}:{number}: {error}; rebuild it with `dvc repro`") from None
