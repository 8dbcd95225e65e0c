"""Refuse texts and tables that are not question banks: notes, minutes, laws, surveys, recipes, interviews."""

import re
from collections import Counter
from collections.abc import Sequence

from atomexam.records.item import Item, QuestionItem, answer_form
from atomexam.text.refusal import Refusal
from atomexam.text.verdicts import SURE_VERDICT
from crawlers.read.lines.questions.draft import Draft, ParsedPaper
from crawlers.read.vocabulary.headings import BLANK, asks, is_worded_as_question, kind_of
from crawlers.read.vocabulary.labels import flat

_FEWEST = 5
"""Minimum number of questions with fitting answers that makes a text a bank, whatever else it contains; from this many points on, shares
of them decide.
"""
_MANY_OPTIONS = 4
"""Minimum number of options that makes an unanswered point a question, even if its words do not ask anything."""
_SPOKEN_SHARE = 5
"""If at least one in this many answers in words mentions its speaker, the text is an interview or advice."""
_SURVEY = re.compile(r"问卷|无对错之分|满意度调查|量表")
_JUDGES = re.compile(r"判断|是非|对错|正误|正确|错误|(?<![A-Za-z])(?:true|false)(?![A-Za-z])", re.IGNORECASE)
_COUNTED = re.compile(r"票数|得票|小计|人数|人次|占比|比例|百分比|\b(?:counts?|votes?|percent(?:age)?)\b", re.IGNORECASE)
"""Column names for the number of people who chose an option."""
_TIMES_ASKED = 3
"""Average number of occurrences per question from which different answers are taken to come from several people."""
_SIGNED = re.compile(r"题|试卷|答案|考试|测验|测试|练习|作业|exam|quiz|test", re.I)
"""Evidence that unanswered points are test questions."""
_SPOKEN = set("您你我")
_HELP_TITLE = re.compile(r"常见问题|问题解答|问与答|帮助中心|客服|FAQ|Q\s?&\s?A", re.IGNORECASE)
"""Titles above questions from people seeking help."""
_CITED = re.compile(r"\[(?:[JMCDNRSPZ]|EB|DB)(?:/(?:OL|CD|MT))?\]")
"""The type code of a work in a reference list (GB/T 7714): `[J]`."""
_CODE = re.compile(
    r"\s*(?:import|from|def|class|return|if|elif|else|for|while|public|private|var|let|const|#include|package|@\w+)\b|(?!\s*\\).*(?:[;{}]|\):)\s*$"
)
_CODE_SHARE = 3
_FORM = re.compile(r"[甲乙丙]方|[出承]租[方人]|签[字章名]|盖章|合同|协议书?|申请[表书人]|登记表|_\s{0,3}年\s{0,3}_{1,20}\s{0,3}月")
_FORM_SHARE = 3
"""Typical wording of contracts and applications; in a form, at least one in this many lines contains it."""
_COLUMNS, _ROWS_SHARE = re.compile(r"[A-Za-z_]\w{1,30}(?P<sign>[,;|\t])[A-Za-z_]\w{1,30}(?:(?P=sign)[A-Za-z_]\w{1,30}){0,20}"), 0.9
"""A header row of column names, and the share of lines below it that must contain its separator."""
_BOX = re.compile(r"\s{0,20}(?:[-*+•]\s{1,4})?(?:\[[ xX√]?\]|[☐☑☒])\s")
_BOX_OF_OPTION = re.compile(rf"{_BOX.pattern}\s{{0,3}}(?:[A-J](?![A-Za-z])|(?:{SURE_VERDICT})(?:\s|$))")


def refuse_no_bank(name: str, lines: Sequence[str], paper: ParsedPaper) -> None:
    """Refuse a text in which most points are not questions; they would be read as questions without answers.

    Raises:
        ValueError: it is not a bank; the message states what was found, and what was expected.
    """
    if paper.drafts and (found := _no_bank(name, [line for line in lines if line.strip()], lines, paper)):
        raise Refusal(f"{name}: {found}")


def _no_bank(name: str, filled: Sequence[str], lines: Sequence[str], paper: ParsedPaper) -> str:
    """Return a message stating why a text is not a bank, or an empty string if it is one."""
    drafts = paper.drafts
    headings = [draft.above.heading or "" for draft in drafts]
    surroundings, points = [name, *paper.unread, *headings], f"{len(drafts)} numbered points"
    is_signed, answered = any(map(_SIGNED.search, surroundings)), sum(map(_is_answered, drafts))
    if not any(draft.answer for draft in drafts):
        is_survey = any(_SURVEY.search(text) for text in [*surroundings, *(draft.above.case or "" for draft in drafts)])
        if is_survey or (len(drafts) < _FEWEST and not is_signed and not _are_chosen(drafts)):
            return (
                f"{points} without an answer, the first being {flat(drafts[0].stem)[:40]!r}; expected something that marks test "
                "questions, such as 答案, 试题, 选择题 or blanks, since surveys, manuals and laws also have numbered points"
            )
    if not answered and not is_signed and sum(_FORM.search(line) is not None for line in filled) * _FORM_SHARE > len(filled):
        return f"{points} with gaps for names, sums and dates, as in a contract or an application; expected test questions"
    if answered < _FEWEST and sum(_CODE.match(line) is not None for line in filled) * _CODE_SHARE > len(filled):
        return f"{points} among the lines of a program; expected a paper in lines of text"
    if _are_tasks(lines, drafts):
        return f"{points} with checkboxes, most of which are not questions, as in a to-do list; expected test questions"
    if sum(_CITED.search(draft.stem) is not None for draft in drafts) * 2 > len(drafts):
        return f"{points}, most of which cite a work (`[J]`), as in a list of references; expected test questions"
    asks_for_help = answered == 0 and any(map(_HELP_TITLE.search, lines[: drafts[0].line + 1])) and _are_in_words(drafts)
    if (_is_spoken(drafts) or asks_for_help) and not any(_SIGNED.search(_HELP_TITLE.sub("", words)) for words in (name, *headings)):
        found = (
            f"{len(drafts)} questions whose answers address a person, as in an interview or a request for advice; expected test questions"
        )
        return f"{found}; if it is a question bank, say so in the file's name, such as 题库.txt"
    question_like = sum(_shows_question(draft, own) for draft, own in zip(drafts, _are_own(drafts), strict=True))
    if question_like * 2 > len(drafts) or answered >= _FEWEST:
        return ""
    columns = _COLUMNS.fullmatch(filled[0].strip("\ufeff \t\r"))
    if columns and len(filled) > _FEWEST and sum(columns["sign"] in line for line in filled[1:]) >= _ROWS_SHARE * (len(filled) - 1):
        found = f"rows under the columns {columns[0]!r}, whose meaning is unknown"
        return f"{found}; rename the file to .csv and write a layout next to it (docs/importing.md)"
    return (
        f"{points}, of which {question_like or 'none'} look like questions, as in notes or an outline; expected questions "
        "with options, blanks, answers or a question word; if it is a question bank, --propose drafts a layout for you to "
        "correct"
    )


def refuse_survey(name: str, given: Sequence[Item], keys: Sequence[str], unread: Sequence[str]) -> None:
    """Refuse a survey: its responses would be read as the answer key.

    Raises:
        ValueError: it is a survey; the message gives the evidence.
    """
    items = [item for item in given if isinstance(item, QuestionItem) and item.doubt is None]
    if len(items) < len(given) / 2 or not items:
        return
    columns = [*keys, *(words for words in unread if words.startswith("field "))]
    answers_by_question: dict[tuple[str | None, ...], set[str | None]] = {}
    for item in items:
        answers_by_question.setdefault((item.case_raw, item.stem_raw, *(item.options_raw or [])), set()).add(item.answer_raw)
    answers, found = list(answers_by_question.values()), ""
    signs = (*map(_SURVEY.search, [name, *unread]), *map(_COUNTED.search, columns))
    if sum("您" in (item.stem_raw or "") for item in items) * 2 > len(items):
        found = "most of which address a person as 您"
    elif len(items) >= max(_FEWEST, _TIMES_ASKED * len(answers)) and sum(len(each) > 1 for each in answers) * 2 > max(2, len(answers)):
        found = "most of which recur with different answers, as from several people"
    elif not any(item.answer_raw for item in items) and (sign := next(filter(None, signs), None)):
        found = f"without an answer, next to {sign[0]!r}"
    elif not any(item.answer_raw for item in items) and len(items) >= _FEWEST and _have_one_scale(items):
        found = "without an answer, most with the same options, as in a scale"
    if found:
        raise Refusal(f"{name}: looks like a survey: {len(items)} questions, {found}; expected test questions, so leave this file out")


def _have_one_scale(items: Sequence[QuestionItem]) -> bool:
    [(_, times)] = Counter(tuple(item.options_raw or ()) for item in items if item.options_raw).most_common(1) or [((), 0)]
    return times * 2 > len(items)


def _are_own(drafts: Sequence[Draft]) -> list[bool]:
    """Return, for each draft, whether its options are its own; a scale has the same options at every point."""
    counts = Counter(tuple(draft.options) for draft in drafts)
    return [counts[tuple(draft.options)] * 2 <= len(drafts) or len(drafts) < _FEWEST for draft in drafts]


def _has_kind(draft: Draft) -> bool:
    return bool(draft.type) or kind_of(flat(draft.above.heading or "")) not in ("", "case")


def _are_chosen(drafts: Sequence[Draft]) -> bool:
    """Return whether most points ask for one of their options or end in empty brackets, or whether any point has a question type."""
    stems = [(len(draft.options) > 1, flat(draft.stem)) for draft in drafts if draft.doubt is None]
    ends = [stem.split("\n")[0].rstrip(" .。")[-9:] for _, stem in stems]
    sound = [
        end for (is_choice, stem), end in zip(stems, ends, strict=True) if BLANK.search(end) or (is_choice and is_worded_as_question(stem))
    ]
    return len(sound) * 2 > len(drafts) or any(map(_has_kind, drafts))


def _is_answered(draft: Draft) -> bool:
    """Return whether a draft has an answer in a fitting form."""
    form = answer_form(draft.answer)
    return form == "verdict" or (form == "letters" and bool(len(draft.options) > 1 or draft.above.shared_options))


def _shows_question(draft: Draft, own_options: bool) -> bool:
    if _is_answered(draft) or _has_kind(draft) or (draft.doubt and answer_form(draft.answer) in ("letters", "verdict")):
        return True
    if len(draft.options) == 1:  # `A：` begins the answer in an FAQ
        return False
    if len(draft.options) >= _MANY_OPTIONS and own_options:
        return True
    return is_worded_as_question(flat(draft.stem.split("\n")[0])) or asks(flat(draft.stem).rstrip())


def _are_tasks(lines: Sequence[str], drafts: Sequence[Draft]) -> bool:
    """Return whether the checkboxes are below points that ask nothing; checkboxes before letters or verdicts belong to options."""
    boxes = [line for line in lines if _BOX.match(line)]
    if not boxes:
        return False
    judged = sum(answer_form(draft.answer) == "verdict" for draft in drafts)
    if judged * 2 > len(drafts) and any(_JUDGES.search(line) for line in lines[: drafts[0].line]):
        return False
    if 2 * sum(_BOX_OF_OPTION.match(line) is not None for line in boxes) > len(boxes):
        return False
    return sum(is_worded_as_question(flat(draft.stem)) for draft in drafts) * 2 < len(drafts)


def _are_in_words(drafts: Sequence[Draft]) -> bool:
    """Return whether most questions are answered in words and none has options, a type or any other answer."""
    if any(draft.options or _is_answered(draft) or _has_kind(draft) for draft in drafts):
        return False
    return 2 * sum(bool(draft.answer) for draft in drafts) >= len(drafts)


def _is_spoken(drafts: Sequence[Draft]) -> bool:
    """Return whether the questions are answered in words only and their text addresses somebody."""
    if not _are_in_words(drafts):
        return False
    in_words = [draft for draft in drafts if draft.answer]
    spoken = sum(not _SPOKEN.isdisjoint(f"{draft.stem}{draft.answer}") for draft in in_words)
    return spoken * _SPOKEN_SHARE >= len(in_words) and spoken > 1
