"""Load handwritten YAML as plain values; report every fault as ValueError."""

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

_MAX_MESSAGE_CHARS = 300


def yaml_values(content: str | bytes, where: str, advice: str = "correct the line it names") -> Any:
    """Parse a YAML text and return its plain values.

    Args:
        where: the file, for messages.

    Raises:
        ValueError: the content is not YAML, is nested too deeply, or has an invalid number or date.
    """
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
        return YAML(typ="safe", pure=True).load(text)
    except RecursionError:
        message = "nested too deeply"
    except MarkedYAMLError as error:
        message = _at(error)
    except (YAMLError, UnicodeError) as error:
        message = " ".join(str(error).split())
    except (ValueError, LookupError, TypeError, ArithmeticError) as error:  # from the library's conversion of numbers and dates
        message = str(error).partition(";")[0]
    raise ValueError(f"{where}: not YAML ({message[:_MAX_MESSAGE_CHARS]}); {advice}")


def _at(error: MarkedYAMLError) -> str:
    """Return line, column and text of an error, without the library's excerpt."""
    mark = error.problem_mark or error.context_mark
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    return where + "; ".join(" ".join(one.split()) for one in (error.problem, error.context) if one)
