"""One target under atheris, in a process of its own: python -m tests.fuzz.engine TARGET SECONDS FOLDER; ends with the first find."""

import sys
from pathlib import Path

MOST_MB = 2048
"""Of the whole process, with what atheris itself takes."""
MAX_INPUT_BYTES = 50_000
TIMEOUT = 30  # seconds of the clock for one input: all of its code is traced


def main(target: str, seconds: str, found: str) -> None:
    try:
        import atheris
    except ImportError:
        raise SystemExit("Error: atheris is not installed; next: make fuzz") from None
    with atheris.instrument_imports(include=["atomexam", "crawlers", "eval"]):
        from tests.fuzz.mutants import quiet
        from tests.fuzz.targets import TARGETS
    quiet()
    corpus = Path(found).parent / ".fuzz_corpus" / target
    corpus.mkdir(parents=True, exist_ok=True)
    for name, body in TARGETS[target].seeds().items():
        (corpus / f"seed_{name}").write_bytes(body)
    options = {
        "max_total_time": seconds,
        "timeout": TIMEOUT,
        "rss_limit_mb": MOST_MB,
        "max_len": MAX_INPUT_BYTES,
        "artifact_prefix": f"{found}/{target}-",
    }
    atheris.Setup([sys.argv[0], *(f"-{name}={value}" for name, value in options.items()), str(corpus)], TARGETS[target].read)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
