"""All reasons for rejecting a record, with their meanings and remedies. `make readme` writes them into docs/reasons.md."""

from typing import NamedTuple


class Reason(NamedTuple):
    """The entry of a reason, in Markdown."""

    meaning: str
    remedy: str = ""
    """What the user can do about it, if anything."""


OF_QUESTIONS = {
    "not_read": Reason(
        "it could not be read with certainty; `detail` has the cause",
        "look at the source; for a file, `python -m crawlers.read FILE --rejected FILE`",
    ),
    "stem_missing": Reason("no stem", "check the spider's selector"),
    "image_needed": Reason("it needs a picture or table that the text lacks: 如图所示，……"),
    "mojibake": Reason("characters were lost in an encoding: `锟斤拷`, `�`", "check how the spider decodes the page"),
    "formula_unreadable": Reason(
        "LaTeX that does not fit on a line: `\\begin{array}`", "write it in words, or add the command to `atomexam/text/markup.py`"
    ),
    "stem_broken": Reason(
        "cut off, or with another question, an option or part of an answer: （B）适应环境的能力", "check how the paper's layout was read"
    ),
    "case_missing": Reason("the stem refers to a missing patient, case or earlier question: 据此可诊断为", "add the case as `case_raw`"),
    "stem_too_long": Reason("more than 3,000 characters", "a page read as one question?"),
    "text_too_long": Reason("a case of more than 6,000 characters, or an option of more than 1,000", "as above"),
    "stem_too_short": Reason("fewer letters and digits than `min_stem_chars`", "lower `clean.min_stem_chars`"),
    "not_chinese": Reason("the share of Chinese letters is below `min_chinese_share`", "lower `clean.min_chinese_share`"),
    "type_and_options_disagree": Reason(
        "true or false by heading or tag, with options that are no verdicts", "was a line such as 判断 taken for a heading?"
    ),
    "too_few_options": Reason("a choice with fewer than two options", "check the options' selector; pictures cannot be options"),
    "too_many_options": Reason("more than ten options", "two questions read as one?"),
    "empty_options": Reason("an option before the last is empty, or two have one letter", "nothing, unless the spider lost the text"),
    "option_broken": Reason("an option contains the next one (`A. 感觉B. 知觉`), lost characters or half a bracket, or is torn"),
    "duplicate_options": Reason("two options are equal"),
    "options_in_text": Reason(
        "an open question whose answer contains lettered options, or is one of the lines below its stem",
        "give the file a [layout](importing.md)",
    ),
    "layout_left": Reason(
        "it begins or ends as a quarter of its page's questions, not with words: `A1 ` or `◇` before stems, `得分：5分` as the last option",
        "give the file a [layout](importing.md)",
    ),
    "option_unsure": Reason(
        "the last option is 无, 空 or × in a few questions of a file and never right: an option, or an unused field",
        "empty the unused fields",
    ),
    "answer_missing": Reason(
        "no answer, or something else in its place: 略, P28, 见教材第28页, an option's text, a pay-wall", "import the answers too"
    ),
    "answer_not_in_options": Reason("the answer names a missing option: E of four", "check whether an option was lost"),
    "keys_joined": Reason(
        "the keys of several questions, whose own are missing: `A,E,B`",
        "give each question its own key, or [repeat the group's options](cleaning.md#signs-that-disagree)",
    ),
    "type_and_answer_disagree": Reason(
        "one letter for a multiple-response question, or several for single choice, matching or true or false", "check for a missed heading"
    ),
    "key_out_of_order": Reason(
        "a repeated letter, or letters out of order (`C,A`) without a type or heading that allows several",
        "add a column 题型, or a heading 多选题 or 不定项选择题",
    ),
}
"""`clean`: questions, in the order of the checks"""

OF_FACTS = {
    "value_empty": Reason("the value has no content: 暂无, 尚不明确"),
    "value_too_long": Reason("a value of more than 30 characters, or an entry's name of more than 80"),
    "tail_not_atomic": Reason(
        "cut off, hedged, prose, one character, a modifier without its noun (阵发性), two things, or a range without a number",
        "look at `detail`",
    ),
    "separator_unsure": Reason(
        "a blank, slash, dot or `+` may separate two names or be part of one: 甲乙 B12", "add entries of the same source"
    ),
    "name_cut": Reason("the entry's name was cut off: 获得性免疫缺...", "an alias or address that begins the same way"),
    "prose_unsure": Reason("prose, or an item of a section, that does not clearly name one thing"),
    "wrong_kind": Reason(
        "the tail is of another kind than its label (左踝骨折 among symptoms), or too vague; `detail` names the kind", "`kinds.yaml`"
    ),
    "unknown_term": Reason(
        "a short symptom without any character that symptoms have, 毓卓, or in a list of people",
        "`symptom_characters`, `surnames` in `kinds.yaml`",
    ),
    "head_vague": Reason("the head is the rest of a class of diseases: 食管其他恶性肿瘤", "`vague_heads` in `kinds.yaml`"),
    "names_head": Reason("the tail repeats the head or is a kind of it: 头痛 of 痰浊头痛", "nothing, or remove the name from `same.yaml`"),
    "same_thing": Reason("another tail of the head is a synonym, in `detail`: 头疼 beside 头痛", "`same.yaml`"),
    "other_people": Reason("the tail affects other people than the head: 新生儿泪囊炎 of 风寒感冒"),
    "doubtful_infectivity": Reason(
        "the disease's name contradicts the source's infectivity, or names a germ: 无传染性 of 股癣",
        "`contagious`, `maybe_contagious`, `not_contagious` in `kinds.yaml`",
    ),
    "uncorroborated": Reason(
        "the tail belongs to other organs (手外科 for 银屑病甲), few related entries have it, or no such food or medicine is known",
        "add sources that agree, or correct the row of `allowed_heads.yaml` in `detail`",
    ),
    "entity_empty": Reason("an entry without a name, or without facts and passages", "check the spider"),
}
"""`clean`: facts and entries"""

OF_DUPLICATES = {
    "identical": Reason("another row has the same id, in `detail`", "the kept row lists all sources"),
    "near_duplicate": Reason("another question is nearly equal; `detail` is its id", "raise `near_duplicates.threshold` to merge less"),
    "conflicting_answers": Reason(
        "equal questions with different right options: all are rejected",
        "copy the right line of `data/unique/review.jsonl` to `curation/decisions.jsonl`",
    ),
    "overruled": Reason("a line of `curation/decisions.jsonl` chose another row; `detail` is its id", "change the line"),
    "withdrawn": Reason("a line of `curation/decisions.jsonl` takes the question out; `detail` has the verdict", "delete the line"),
    "conflicting_polarity": Reason("the fact is both asserted and denied: all are rejected", "as for `conflicting_answers`"),
    "contaminated": Reason("a reference has the question; `detail` has the reference and similarity", "`contaminated: mark` keeps it"),
}
"""`near_duplicates`"""

OF_CLAIMS = {
    "head_unfit": Reason("the head has neither letter nor digit"),
    "tail_unfit": Reason(
        "the tail does not fit the sentence: 手术治疗（洗胃、催吐）, 多喝水 after 宜吃, more than 30 characters", "`tails.yaml`"
    ),
    "double_negation": Reason(
        "the tail is negative already: 无症状", "names that only look negative are `words` in `double_negation.yaml`"
    ),
    "names_itself": Reason(
        "the tail is the head, an alias or a stage of it (晚期肺癌); for symptoms and complications also a part of its name",
        "aliases come from `data/clean/aliases.jsonl`",
    ),
    "contradicted": Reason(
        "another fact of the head or an alias says the opposite (宜鸡蛋, 忌蛋类), or another range; `detail` is its id, both are rejected",
        "[decide](claims.md#contradictions-for-a-reader): copy the right line of `data/claims/review.jsonl` to `curation/decisions.jsonl`",
    ),
    "refuted": Reason("most annotators refuted the claim", "change `curation/verdicts.jsonl` ([verification.md](verification.md))"),
    "neutral": Reason("annotators were neutral or disagree; only with `claims.neutral: drop`", "the same, or `neutral: keep`"),
    "duplicate_claim": Reason("another fact gives the same claim; `detail` is its id"),
    "over_cap": Reason("the atomic type is full", "raise `claims.per_type`"),
    "pair_unwanted": Reason("`claims.design: fourfold` makes no pairs", "`design: both`"),
}
"""`claims`: facts without a pair"""

OF_FOURFOLD = {
    "tail_general": Reason(
        "other heads may have the tail too: 发热, 手术治疗, 血常规, or three heads and 3 % of all list it", "`general` in `tails.yaml`"
    ),
    "tail_names_head": Reason("the tail shares a rare character with its head (肾绞痛 of 肾结石), which reveals it"),
    "few_tails": Reason("only one tail of the head is known: too little to know what it lacks", "more sources"),
    "no_false_tail": Reason("each tail that was tried may be true of it (`detail` counts why), or no head may be tied to it", "more facts"),
    "not_exchanged": Reason(
        "tails are false here, but this one may be true of the heads that offer them, so rows would not balance",
        "more facts",
    ),
    "false_side": Reason("the fact is a denial: the false side of a row, or of none"),
    "heads_tell": Reason(
        "no head that lacks the tail has a name which tells as much (…病毒, …热): the name would reveal the answer", "more facts"
    ),
    "range_unknown": Reason("a range that is not two numbers or one limit, or has no wrong one like it"),
}
"""`claims`: facts without a fourfold row"""

REASONS = OF_QUESTIONS | OF_FACTS | OF_DUPLICATES | OF_CLAIMS | OF_FOURFOLD
