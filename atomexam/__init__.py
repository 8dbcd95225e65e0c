"""The base package: code that all packages share, the `atomexam` command, and the functions of the Python API (`help(atomexam.api)`)."""

from typing import Any


def __getattr__(name: str) -> Any:
    """Return a function of the Python API, importing its module on first use. Names with a leading underscore are not part of the API."""
    from importlib import import_module

    functions: dict[str, str] = import_module("atomexam.api").FUNCTIONS if name[0] != "_" else {}
    if name not in functions:
        known = f"; known: {', '.join(sorted(functions))}" if functions else ""
        raise AttributeError(f"module 'atomexam' has no attribute {name!r}{known}")
    globals()[name] = getattr(import_module(functions[name]), name)
    return globals()[name]


def __dir__() -> list[str]:
    from importlib import import_module

    return sorted(import_module("atomexam.api").FUNCTIONS)
