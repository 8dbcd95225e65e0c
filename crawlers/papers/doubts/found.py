"""What a question rejected for its options has, in words: letters out of turn, a further line, an answer that names none of them."""

from collections import Counter
from collections.abc import Sequence

from atomexam.text.option_letters import LETTERS
from crawlers.papers.questions.draft import Draft
from crawlers.papers.signs.answer_marks import WHOLE_ANSWER, flat
from crawlers.papers.signs.letters import letter_of

_MOST_CHARS = 40


def usual_count(drafts: Sequence[Draft]) -> int:
    """Return how many options most questions of a paper have; 0 if none has any."""
    counts = Counter(len(draft.options) for draft in drafts if draft.options)
    return counts.most_common(1)[0][0] if counts else 0


def found_in(draft: Draft, usual: int) -> str:
    """Return what was found and what was expected; nothing if it shows none of the usual causes.

    Args:
        usual: how many options most questions of its paper have.
    """
    options = draft.options or draft.above.shared_options or []
    if draft.doubt != "options_unreadable":
        return ""
    if not options:
        return f"it has no options; expected {usual}, as most have" if usual else ""
    letters = [letter_of(option) for option in options]
    if (lettered := "".join(letters)) and lettered != LETTERS[: len(options)]:
        found = ", ".join(letter or "no letter" for letter in letters)
        return f"its options are lettered {found}; expected {', '.join(LETTERS[: max(len(options), usual)])}, each once and in this order"
    if further := next((option for option in options if "\n" in option.strip()), None):
        above, _, line = further.partition("\n")
        return f"below its option {shown(above)} is a further line, {shown(line)}; expected an option on each line, A, B, C and so on"
    is_lettered = draft.answer is not None and WHOLE_ANSWER.fullmatch(flat(draft.answer))
    if is_lettered and (beyond := sorted(set(draft.answer or "") & set(LETTERS[len(options) :]))):
        return f"its answer {draft.answer} names {', '.join(beyond)}, but its last option is {LETTERS[len(options) - 1]}"
    return f"it has {len(options)} options; expected {usual}, as most have" if len(options) != usual else ""


def shown(text: str) -> str:
    """Return the beginning of a text, as a message shows it."""
    line = " ".join(text.split())
    return repr(line[:_MOST_CHARS] + ("…" if len(line) > _MOST_CHARS else ""))
