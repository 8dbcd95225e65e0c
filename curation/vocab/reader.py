"""The tables of words that ship beside the code: a name in, its plain values out."""

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError


def read_vocabulary(name: str) -> Any:
    """Return a table of `curation/vocab` as plain values."""
    return read_yaml(Path(__file__).with_name(f"{name}.yaml"))


def read_yaml(path: Path) -> Any:
    """Return a YAML file as plain values.

    Raises:
        ValueError: there is no such file, or it is no YAML.
    """
    try:
        return YAML(typ="safe", pure=True).load(path)
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file; name one that is there, or bring it back: git checkout -- {path}") from None
    except (YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: no YAML ({' '.join(str(error).split())}); mend the line it names") from None
