"""The command line that all stages share: a params block and paths as flags, and errors on one line.

A stage is `python -m PACKAGE.STAGE FLAGS PATHS`. DVC unpacks the stage's block of params.yaml into the flags. If called by hand without
flags, the stage uses that block and the paths of the pipeline.
"""

import argparse
import gc
import logging
import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from atomexam.records.blocks import SLUG
from atomexam.records.checks import convert, one_of
from atomexam.records.params import PARAMS_FILE, check, check_named, is_whole, read_params
from atomexam.text.columns import harmless_lines


class Arguments(argparse.Namespace):
    """Arguments of a stage: `params` (its validated block), `key` (if the stage has one), and its paths by name."""

    params: Any
    key: str
    all_params: dict[str, Any]
    """The contents of params.yaml, empty if there is none; only for defaults and for listing the known keys."""


def command() -> str | None:
    """Return the command that runs this module: `atomexam read`, or `python -m` and the module name (the package name for a `__main__`)."""
    running = sys.modules["__main__"]
    spec = getattr(running, "__spec__", None)
    return getattr(running, "CALLED_AS", None) or (f"python -m {spec.name.removesuffix('.__main__')}" if spec else None)


def parser_of(doc: str | None, **settings: Any) -> argparse.ArgumentParser:
    """Return the argument parser of a command; the usage line shows the actual command, and the description is the unwrapped docstring."""
    form = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(**{"prog": command(), "description": doc, "formatter_class": form, "allow_abbrev": False} | settings)


def read_arguments(
    argv: list[str] | None,
    doc: str | None,
    block: str | None,
    shape: type[Struct] | None,
    paths: dict[str, str],
    keyed: bool = False,
    scalars: tuple[str, ...] = (),
) -> Arguments:
    """Return the arguments of a stage.

    Args:
        doc: the module's docstring, shown by --help.
        block: key of the stage's block in params.yaml (`split`), or of the dict that contains the blocks if `keyed` (`sources`).
        shape: shape of the block in `atomexam.records.params`.
        paths: flag -> default; `{key}` in a default is replaced by the key. Paths are returned as Path.
        keyed: the stage takes a positional KEY (a source, a model, a run). If there is no shape, the stage itself validates the block.
        scalars: top-level keys of params.yaml that have their own flags (`sites`).

    Raises:
        ValueError: a flag or value is unknown or invalid; the message lists the known flags or values.
    """
    parser = parser_of(doc)
    known = read_params() if Path(PARAMS_FILE).exists() else {}
    if "DVC_STAGE" in os.environ and is_whole(known):
        # The first stage that DVC runs reports faults in the parameters of any stage. A manual call validates only its own block.
        check_named(check(known))
    if keyed:
        parser.add_argument("key", help=f"a key of `{block}` in params.yaml: {', '.join(known.get(block or '') or [])}")
    for name, default in paths.items():
        parser.add_argument(f"--{name}", type=Path, default=None, metavar="PATH", help=f"default: {default}")
    for name in scalars:
        parser.add_argument(f"--{name}", default=known.get(name), help=f"default: {known.get(name)}")
    if shape is not None:
        text = "meanings and defaults: docs/parameters.md"
        group = parser.add_argument_group(f"parameters, by default those of `{block}` in params.yaml", text)
        listed = _listed(shape)
        truths = {name for name, hint in get_type_hints(shape).items() if hint is bool}
        for name, help_text in _flags(shape):
            # DVC unpacks `private: true` as `--private`, false as `--no-private`.
            words: dict[str, Any] = (
                {"action": argparse.BooleanOptionalAction} if name in truths else {"nargs": "*" if name in listed else None}
            )
            group.add_argument(f"--{name}", help=help_text, dest=name, default=None, **words)
    namespace, rest = parser.parse_known_args(argv, Arguments())
    names = _field_names(shape)
    overrides = {name: value for name, value in vars(namespace).items() if name in names and value is not None}
    overrides |= _free_flags(rest, names)
    namespace.all_params = known
    if keyed and not re.fullmatch(SLUG, namespace.key):
        raise ValueError(
            f"{block}: {namespace.key!r} is not a key; expected lower-case letters, digits, - and _, because it becomes a file name"
        )
    if keyed and shape is not None and not overrides:
        one_of(namespace.key, known.get(block or "") or {}, f"key of `{block}`", PARAMS_FILE)
    defaults = known.get(block) if block else None
    if keyed:
        defaults = (defaults or {}).get(namespace.key)
    if shape is not None:
        what = f"parameters of {block}" + (f".{namespace.key}" if keyed else "")
        try:
            namespace.params = convert(_merge(defaults or {}, overrides), shape, what)
        except ValueError as error:
            if known:
                raise
            advice = f"no {PARAMS_FILE} in this folder: run the command in the repository's folder, or give all parameters as flags"
            raise ValueError(f"{error}; {advice}") from None
    for name, default in paths.items():
        attribute = name.replace("-", "_")
        if getattr(namespace, attribute) is None:
            setattr(namespace, attribute, Path(default.format(key=namespace.key if keyed else "")))
    return namespace


def run_stage(main: Callable[[], None], acyclic: bool = False) -> None:
    """Run a stage's main; on invalid input print one line to stderr and exit with status 1, without a traceback.

    Args:
        main: the stage.
        acyclic: its records have no reference cycles, so the garbage collector is turned off; with millions of records it would take a
            third of the time.
    """
    if acyclic:
        gc.disable()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        main()
    except (ValueError, OSError) as error:
        sys.exit(f"error: {harmless_lines(str(error))}")
    except KeyboardInterrupt:
        print("interrupted; run the same command again; what was saved is reused", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)


def _field_names(shape: type[Struct] | None) -> set[str]:
    return set() if shape is None else {name for name, _ in _flags(shape)}


def _flags(shape: type[Struct], prefix: str = "") -> list[tuple[str, str]]:
    """Return the flags of a block; nested blocks have dotted names, as DVC unpacks them."""
    flags = []
    hints = get_type_hints(shape)
    for field in msgspec.structs.fields(shape):
        kind = hints[field.name]
        if isinstance(kind, type) and issubclass(kind, Struct):
            flags += _flags(kind, f"{prefix}{field.name}.")
        else:
            choices = ", ".join(str(c) for c in get_args(kind) if isinstance(c, str))
            flags.append((prefix + field.name, choices))
    return flags


def _listed(shape: type[Struct], prefix: str = "") -> set[str]:
    """Return the list fields, which DVC unpacks as `--letters a b`; those of nested blocks have dotted names."""
    listed = set()
    for name, hint in get_type_hints(shape).items():
        if isinstance(hint, type) and issubclass(hint, Struct):
            listed |= _listed(hint, f"{prefix}{name}.")
        elif any(get_origin(kind) is list for kind in (hint, *get_args(hint))):
            listed.add(prefix + name)
    return listed


def _free_flags(rest: list[str], names: set[str]) -> dict[str, str]:
    """Return the flags for free-form dict fields (`--train.steps 300`, `--train.steps=300`); raise an error for any other unknown flag."""
    flags: dict[str, str] = {}
    while rest:
        flag, equals, value = rest.pop(0).partition("=")
        name = flag.removeprefix("--")
        if not flag.startswith("--") or name.split(".")[0] not in names or not (equals or rest):
            raise ValueError(f"unknown parameter {flag!r}; known: {', '.join('--' + n for n in sorted(names)) or 'none'}")
        flags[name] = value if equals else rest.pop(0)
    return flags


def _merge(defaults: dict[str, Any], overrides: dict[str, Any]) -> dict[str, Any]:
    """Return the defaults with the values from dotted flags applied."""
    merged = {key: dict(value) if isinstance(value, dict) else value for key, value in defaults.items()}
    for name, value in overrides.items():
        *outer, last = name.split(".")
        block = merged
        for key in outer:
            block = block.setdefault(key, {})
        block[last] = value
    return merged
