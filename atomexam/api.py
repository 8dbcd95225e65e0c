"""The Python API: `import atomexam`, then the functions below by name, on pandas frames.

    items = atomexam.read("books/paper.docx")
    questions = atomexam.near_duplicates(atomexam.clean(items).questions).kept
    splits = atomexam.split(questions, quota={"mcqa": 100, "mrqa": 20, "qa": 0})

A frame has a row for each record and a column for each field (docs/records.md). Inputs may be frames, records or dicts; missing values may
be None or NaN, and additional columns are ignored. See docs/python.md for a notebook.
"""

FUNCTIONS = {
    "read": "crawlers.api",
    "clean": "curation.api",
    "near_duplicates": "curation.api",
    "claims": "curation.api",
    "audit": "curation.api",
    "split": "splits.api",
    "load_split": "splits.api",
    "load_release": "splits.api",
    "prompts": "eval.api",
    "parse_replies": "eval.api",
    "score": "eval.api",
    "compare": "eval.api",
    "runs": "eval.api",
    "trace": "eval.api",
}
"""Maps each function to its module; nothing is imported here, because `atomexam` must not depend on the other packages."""
