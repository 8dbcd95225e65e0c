"""The command `atomexam`: run modules of the project as subcommands, with the flags and exit status of `python -m PACKAGE.MODULE`."""

import argparse
import runpy
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, NoReturn


class Command(NamedTuple):
    """A subcommand. The module is named in a string because `atomexam` does not import any other package."""

    module: str
    summary: str
    project: tuple[str, ...] = ()
    """Paths that the working folder must contain; empty if the command runs anywhere."""
    replaced_by: str | None = None
    """The flag that gives the path of the data; with it, the command needs no project folder."""


COMMANDS = {
    "audit": Command("curation.audit", "report what is wrong with a question set: duplicates, leaks, conflicting keys"),
    "read": Command("crawlers.read", "print the questions of books, tables and published sets as JSONL"),
    "answers": Command("eval.answers", "extract the answers from model replies"),
    "compare": Command("eval.compare", "test whether two runs differ on their common items", ("params.yaml",)),
    "check": Command("crawlers.check", "crawl a few pages of a source and print the extracted items", ("params.yaml", "crawlers/sources")),
    "init": Command("crawlers.init", "write params.yaml for a benchmark of your own files alone", ("params.yaml",)),
    "new": Command("crawlers.new", "write the spider, stub pages and params line of a new source", ("params.yaml", "crawlers/sources")),
    "diff": Command("eval.diff", "explain why the metrics changed between two versions", ("params.yaml",)),
    "trace": Command("eval.trace", "follow a score to its item, page and bytes in the archive, and back", ("params.yaml",), "--data"),
}
_USAGE_ERROR = 2


def main(argv: list[str] | None = None) -> None:
    """Run a subcommand as `python -m MODULE` would, and exit with the status of that module."""
    words = sys.argv[1:] if argv is None else argv
    name, rest = (words[0], words[1:]) if words else ("--help", [])
    if name.startswith("-"):
        _parser().parse_args([name])
        return
    if name not in COMMANDS:
        _refuse(f"unknown command {name!r}; known: {', '.join(COMMANDS)}")
    command = COMMANDS[name]
    if not {"-h", "--help"} & set(rest):
        _require_project(name, command, rest)
    if command.project and Path("crawlers/sources").is_dir():
        _use_code_of(Path.cwd())
    sys.argv = [name, *rest]
    runpy.run_module(command.module, {"CALLED_AS": f"atomexam {name}"}, "__main__", alter_sys=True)


def _use_code_of(folder: Path) -> None:
    """Import the code of the current checkout, including its spiders, even if this command was installed from elsewhere."""
    sys.path.insert(0, str(folder))
    for name in [name for name in sys.modules if name.partition(".")[0] == "atomexam"]:
        del sys.modules[name]


def _parser() -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS)) + 2
    listed = "\n".join(f"  {name:{width}}{command.summary}" for name, command in COMMANDS.items())
    inside = ", ".join(name for name, command in COMMANDS.items() if command.project)
    parser = argparse.ArgumentParser(
        prog="atomexam",
        usage="atomexam COMMAND ...\n       atomexam COMMAND --help",
        description="Build, audit and compare language-model benchmarks from Chinese medical and exam sources.",
        epilog=f"commands:\n{listed}\n\n{inside} work on a project folder: a checkout of the repository.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    return parser


class _Version(argparse.Action):
    """Print the installed version, which is looked up only when requested."""

    def __call__(self, *_: object) -> None:
        from importlib import metadata  # this import takes longer than the rest of --help

        print(f"atomexam {metadata.version('atomexam')}")
        sys.exit()


def _require_project(name: str, command: Command, rest: Iterable[str]) -> None:
    flag = command.replaced_by
    if flag and any(word == flag or word.startswith(f"{flag}=") for word in rest):
        return
    if missing := [path for path in command.project if not Path(path).exists()]:
        instead = f" or name the data with {flag}" if flag else ""
        _refuse(
            f"`atomexam {name}` works on a project folder, but {Path.cwd()} is not one: it has no {' and no '.join(missing)}. "
            f"Next: run it in a checkout of the repository (docs/installing.md){instead}"
        )


def _refuse(message: str) -> NoReturn:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(_USAGE_ERROR)


if __name__ == "__main__":
    main()
