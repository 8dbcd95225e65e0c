"""What params.yaml names and the folder of the repository should have: spiders of sources, files of imports, templates of claims."""

from pathlib import Path

from atomexam.records.checks import one_of
from atomexam.records.params import PARAMS_FILE, Params
from atomexam.text.yaml_values import yaml_values

_SPIDERS = Path("crawlers/sources")
_TEMPLATES = Path("curation/claims/claims.yaml")


def check_named(params: Params, root: Path = Path(), where: str = PARAMS_FILE) -> None:
    """Make sure that the repository has what params.yaml names.

    Raises:
        ValueError: it has not; says where the name stands, and what to do.
    """
    known = sorted(path.parent.name for path in (root / _SPIDERS).glob("*/spider.py"))
    for name in params.sources:
        if known and name not in known:
            new = f"`python -m crawlers.new {name} URL --kind exam-blocks` writes a new one, files of your own stand under `imports`"
            try:
                one_of(name, known, "source", f"{where}: sources")
            except ValueError as error:
                raise ValueError(f"{error}; {new}") from None
    for name, line in params.imports.items():
        if not (root / line.path).exists():
            raise ValueError(
                f"{where}: imports.{name}.path: no file or folder {line.path} below the folder of the repository; put the files there, "
                f"and look at them with `python -m crawlers.read {line.path}`"
            )
    if (root / _TEMPLATES).exists():
        templates = yaml_values((root / _TEMPLATES).read_bytes(), str(_TEMPLATES))
        one_of(params.claims.template, templates, "template set", f"{where}: claims.template")
