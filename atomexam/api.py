"""The Python API: `import atomexam`, then the functions below by name, on pandas frames.

    items = atomexam.read("books/paper.docx")
    questions = atomexam.near_duplicates(atomexam.clean(items).questions).kept
    splits = atomexam.split(questions, quota={"mcqa": 100, "mrqa": 20, "qa": 0})

A frame has a row for each record and its fields as columns (docs/records.md). What is given may be a frame, records or dicts;
a missing value may be None or NaN, and further columns are ignored. docs/python.md has a notebook.
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
"""Each function with its module, by name because the ground floor imports nothing from the packages above it."""
