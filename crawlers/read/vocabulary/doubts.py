"""Why a question that was read is rejected: one table for papers, tables and containers, and how its messages show a text."""

DOUBTS = {
    "number_out_of_order": "its number does not fit among those around it, so where it begins and ends is uncertain",
    "stem_unreadable": "no words follow its number, its answer seems to be inside it, or its last line may be a heading",
    "options_unreadable": "a letter of its options is missing or occurs twice, or its unlettered lines are not as many as elsewhere",
    "two_answers": "two different answers are given to it",
    "read_in_two_ways": "by the form that the paper's questions repeat it reads otherwise than by its words",
    "case_unsure": "words between it and the previous case may be a further case, so which case it has is uncertain",
    "answer_list_mismatch": "its answer list was not read, gives two answers or ? for it, has too many or too few, or none for its section",
}
"""Why a question is rejected, and what that means."""
_MOST_CHARS = 40


def shown(text: str) -> str:
    """Return the beginning of a text, as a message shows it."""
    line = " ".join(text.split())
    return repr(line[:_MOST_CHARS] + ("…" if len(line) > _MOST_CHARS else ""))
