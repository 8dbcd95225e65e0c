"""Checks from a question to the reason why it is not sound, or None. One function a reason; a new one is one entry more."""

import re
from collections.abc import Callable

from atomexam.text.option_letters import LETTERS, names_no_option
from curation.clean.questions.answers import points_elsewhere, says_nothing
from curation.clean.questions.drafts import VERDICTS, Draft
from curation.clean.questions.incomplete_stems import LOST, is_broken, leans_on_case, misses_case
from curation.clean.questions.options import runs_into_next
from curation.text.characters import has_lost_characters
from curation.text.latex import holds_latex

REASONS: dict[str, str] = {
    "not_read": "The reader of the page or paper gave the question up; `detail` says why.",
    "stem_missing": "There is no stem.",
    "image_needed": "The question shows or speaks of a picture that the text does not hold.",
    "mojibake": "Characters were lost in a change of encoding and cannot be restored.",
    "formula_unreadable": "A formula or table in LaTeX that cannot be written in a line of text.",
    "stem_broken": "The stem is cut off, or holds another question or an option.",
    "case_missing": "The stem speaks of a patient, a case or another text that is not there.",
    "stem_too_long": "The stem is so long that it must hold more than a question.",
    "text_too_long": "A case or an option is so long that it must hold more than one.",
    "stem_too_short": "The stem has fewer letters than `min_stem_chars`.",
    "not_chinese": "Fewer of its letters are Chinese than `min_chinese_share`.",
    "type_and_options_disagree": "A question of true and false offers something else than two verdicts.",
    "too_few_options": "A choice question has fewer than two options.",
    "too_many_options": "There are more options than letters, A to J.",
    "empty_options": "An option before the last is empty, so the letters cannot be trusted.",
    "option_broken": "An option holds the next one, lost characters or a bracket without its other half.",
    "duplicate_options": "Two options say the same.",
    "answer_missing": "The source gives no answer, or what it gives is no answer.",
    "answer_not_in_options": "The answer names an option that is not there.",
    "keys_joined": "The answer holds the keys of several questions, which share their options or have neither options nor a key.",
    "key_out_of_order": "A letter stands twice, or out of alphabetical order where nothing says that several answers may be right.",
    "type_and_answer_disagree": "One answer to a multiple-response question, or several to a question that has one.",
    "value_empty": "A value says nothing, such as 尚不明确.",
    "value_too_long": "A value, or the name of an entry, is longer than a tail, or a head, may be.",
    "tail_not_atomic": "A value is cut off, hedged or speaks of more than one thing.",
    "entity_empty": "An entry has no name, or gives neither a fact candidate nor a passage.",
}
"""Reason -> what it means, for docs/reasons.md."""

_PICTURE = re.compile(
    r"[如下右左上见][下右左上附]?图(?![式腾书灵文像])|附图(?![等纸、])|下列图(?![形式])|图中所?示|(?:^|[如见，。（）])图\s?\d|图[示片]所示|观察图"
    r"|(?<!主)题图|(?:^|[，。]|对于?|[据按])图示的?|[这此]幅图|(?:^|[，。])图中(?!书|例)"
    r"|(?:[下上右左]面|下列|观察|这)(?:的|这|一)?[幅则]?漫画|[\[【（]图片?\d{0,2}[\]】）]"
    r"|见[下上左右]?[图表]\s?\d|[下右左上]面的[\u4e00-\u9fff]{0,4}(?:示意|剖面|截面|结构|曲线)?图"
)
_TABLE = re.compile("[根依]据[下上]表|[如见][下上]表|[下上]表所[示列]")
_FIGURES_OF_TABLE = 8  # digits; a stem with as many holds the table itself
_CLOSED_ONLY = re.compile(r"^[^（(\n]*[，、]）", re.M)
_OPEN_ONLY = re.compile(r"（[^）\n]*$|\([^)）\n]+$|^[^（(\n]*[A-Z][)）]", re.M)
_GOES_ON = re.compile(r"[对和与把在将从向由]\n的")  # 个人对 and 的看法 were 个人对C的看法 before it was taken for two options
_NEXT_QUESTION = re.compile(r"\d{1,3}\s*[.．、][^\n]{4,80}（ ）|（ ）[。？]?\s*A\s*[.．、]")
_MAX_STEM_CHARS = 3_000  # the longest of 26,000 published questions, its case included, has 1,600
_MAX_CASE_CHARS, _MAX_OPTION_CHARS = 6_000, 1_000  # the longest published ones have 1,600 and 305
_FOREIGN_RUN = re.compile(r"[^\W\d_\u4e00-\u9fff\u3400-\u4dbf]{2,}")  # x and t of a formula are no words
_CHINESE_RUN = re.compile("[\u4e00-\u9fff\u3400-\u4dbf]+")
_MIN_TERM_CHARS = 2  # 名词解释 asks with the bare term, which in Chinese may be one character: 课, 气


def not_read(draft: Draft) -> str | None:
    return "not_read" if draft.doubt else None


def stem_missing(draft: Draft) -> str | None:
    return None if draft.canonical_stem else "stem_missing"


def image_needed(draft: Draft) -> str | None:
    stem = draft.stem
    shown = bool(("图" in stem or "表" in stem or "漫画" in stem) and _PICTURE.search(stem))
    shown = shown or bool("表" in stem and _TABLE.search(stem) and sum(map(str.isdecimal, stem)) < _FIGURES_OF_TABLE)
    return "image_needed" if draft.images or shown else None


def mojibake(draft: Draft) -> str | None:
    words = "" if draft.options else draft.answer or ""
    if draft.plain and not draft.shared_stem and not words:
        return None
    text = "\n".join([draft.shared_stem or "", draft.stem, *draft.options, words])
    return "mojibake" if has_lost_characters(text) else None


def formula_unreadable(draft: Draft) -> str | None:
    texts = (draft.shared_stem or "", draft.stem, *draft.options)
    return "formula_unreadable" if not draft.plain and any(map(holds_latex, texts)) else None


def stem_broken(draft: Draft) -> str | None:
    return "stem_broken" if is_broken(draft.stem, draft.shared_stem) else None


def case_missing(draft: Draft) -> str | None:
    missing = misses_case(draft.stem) or (draft.caseless and leans_on_case(draft.stem))
    return "case_missing" if missing and not draft.shared_stem else None


def stem_too_long(draft: Draft) -> str | None:
    return "stem_too_long" if len(draft.stem) > _MAX_STEM_CHARS else None


def text_too_long(draft: Draft) -> str | None:
    too_long = len(draft.shared_stem or "") > _MAX_CASE_CHARS or max(map(len, draft.options), default=0) > _MAX_OPTION_CHARS
    return "text_too_long" if too_long else None


def stem_too_short(draft: Draft) -> str | None:
    least = draft.min_stem_chars if draft.is_choice else min(draft.min_stem_chars, 1 if _CHINESE_RUN.match(draft.stem) else _MIN_TERM_CHARS)
    return "stem_too_short" if len(draft.canonical_stem) < least else None


def not_chinese(draft: Draft) -> str | None:
    whole, least = draft.stem + "".join(draft.options), draft.min_chinese_share
    foreign = _is_foreign(whole, least) and _is_foreign(draft.stem, least)  # a Chinese question may choose among HBsAg, HBeAg and 抗-HBs
    return "not_chinese" if foreign else None


def _is_foreign(text: str, least: float) -> bool:
    chinese = sum(map(len, _CHINESE_RUN.findall(text)))
    if chinese and chinese >= least * len(text):  # enough, were every character a letter
        return False
    return (not chinese and least > 0) or chinese < least * (chinese + sum(map(len, _FOREIGN_RUN.findall(text))))


def type_and_options_disagree(draft: Draft) -> str | None:
    return "type_and_options_disagree" if draft.declared == "tf" and draft.options not in ([], VERDICTS) else None


def too_few_options(draft: Draft) -> str | None:
    return "too_few_options" if draft.is_choice and len(draft.options) - draft.options.count("") < 2 else None


def too_many_options(draft: Draft) -> str | None:
    return "too_many_options" if len(draft.options) > len(LETTERS) else None


def empty_options(draft: Draft) -> str | None:
    return "empty_options" if "" in draft.options else None


def option_broken(draft: Draft) -> str | None:
    text = "\n".join(draft.options)
    broken = draft.glued or ("（ ）" in text and _NEXT_QUESTION.search(text))
    broken = broken or ("\n的" in text and _GOES_ON.search(text))
    if not broken and not draft.plain:
        broken = LOST.search(text) or _CLOSED_ONLY.search(text) or _OPEN_ONLY.search(text) or runs_into_next(draft.options)
    return "option_broken" if broken else None


def duplicate_options(draft: Draft) -> str | None:
    texts = {option.rstrip("。") if draft.plain else "".join(option.split()).rstrip("。") for option in draft.options}
    return "duplicate_options" if len(texts) < len(draft.options) else None


def answer_missing(draft: Draft) -> str | None:
    given = draft.answer
    return "answer_missing" if not given or (draft.is_choice and not set(given) <= set(LETTERS) and _is_no_answer(given)) else None


def _is_no_answer(text: str) -> bool:
    return says_nothing(text) or points_elsewhere(text)


def answer_not_in_options(draft: Draft) -> str | None:
    if not draft.is_choice:
        return None
    return "answer_not_in_options" if names_no_option(draft.answer or "", len(draft.options)) else None


def keys_joined(draft: Draft) -> str | None:
    return "keys_joined" if draft.joined else None


def key_out_of_order(draft: Draft) -> str | None:
    wrong = draft.repeated or (not draft.in_order and not draft.may_have_several)
    return "key_out_of_order" if draft.is_choice and wrong else None


def type_and_answer_disagree(draft: Draft) -> str | None:
    right = len(draft.answer or "")
    has_one = draft.declared in ("mcqa", "tf") or (draft.is_matching and not draft.may_have_several)
    disagree = (has_one and right > 1) or (draft.declared == "mrqa" and right == 1)
    return "type_and_answer_disagree" if draft.is_choice and disagree else None


CHECKS: tuple[Callable[[Draft], str | None], ...] = (
    not_read,
    stem_missing,
    image_needed,
    mojibake,
    formula_unreadable,
    stem_broken,
    case_missing,
    stem_too_long,
    text_too_long,
    stem_too_short,
    not_chinese,
    type_and_options_disagree,
    too_few_options,
    too_many_options,
    empty_options,
    option_broken,
    duplicate_options,
    answer_missing,
    answer_not_in_options,
    keys_joined,
    type_and_answer_disagree,
    key_out_of_order,
)
"""The order decides which of several reasons a question is rejected for."""


def reason_against(draft: Draft) -> str | None:
    """Return the first reason against a question, or None for a sound one."""
    for check in CHECKS:
        if reason := check(draft):
            return reason
    return None
