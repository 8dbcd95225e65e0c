"""The verdict that a complete reply commits to: 正确, 错误, or none. In: the reply and its opening verdict.

Every clause that judges the claim counts, wherever it is (eval/answers/claim_clauses.py). The last one that concludes or corrects wins,
then explicit words over a nod (是的, yes), then the opening.
"""

import re

from eval.answers.claim import RIGHT, WRONG, side_by_side, without_options
from eval.answers.claim_clauses import COMMONLY, CONTRAST, VERDICT, statements_of
from eval.answers.reply_text import folded, simplified
from eval.answers.scope import without_cases

_OPENING_NOD = re.compile(
    r"\s*(?:(?:(?P<yes>是的?|对的?|没错|yes|√|t|true|y|确实如此|的确如此)|(?P<no>不是的?|不对|否|no|×|f|false|n))\s*"
    r"(?:[,。.!;:\n]|\Z)|(?P<tick>√) |× )",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"[\"']?(?:is_?)?(?:correct|answer|verdict|result|judge?ment|label|conclusion|prediction|判断|判断结果|答案|结论"
    r"|结果|是否正确|正确|判定|final_?answer)[\"']?\s*[:=]\s*[\"']?"
    r"(?:(?P<yes>true|正确|对|√|correct|right|yes|t)|(?P<no>false|错误|错|×|incorrect|wrong|no|f))(?![a-z\u4e00-\u9fff])",
    re.IGNORECASE,
)
_NEXT_TURN = re.compile(
    r"\n\s?(?:用户|user|human|问|question|下一?[题个]|新?题目|判断下列|下列说法|以下说法|请判断"
    r"|第\s?\d{1,2}\s?题)[^\n]{0,3}(?:[:是\n]|说法|问题)|\n\s?[\[【(<]\s?(?:新?题目?|问题|题干|陈述|说法|判断题|下一?[题个])\s?\d{0,2}\s?[\]】>)]",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[“\"「『‘'《][^“\"「『”」』’'\n《》]{0,200}[”\"」』’'》]")
_QUOTES = re.compile(r"[\"'“”‘’「」『』]")
_LABEL_IN_BRACKETS = re.compile(
    r"[\[【(<]\s?((?:最终|正确|参考)?(?:答案|判断|判断结果|结论|结果|判定|回答|评价|真/?假|真伪|对/?错|正/?误"
    r"|是否(?:正确|成立|属实)|verdict|answer))\s?[\]】)>]",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"[()\[\]【】〈〉<>{}~|]")
_MARKED = re.compile(f"{_QUOTES.pattern}|{_BRACKETS.pattern}")
# To withdraw a verdict, a reply needs a word for the opposite and one that concludes or turns: both are searched for in the raw reply.
_CONTRARY = {
    RIGHT: re.compile(
        r"[错錯誤误×❌✗✘✖✕❎否假谣謠]|[不没沒非無无][^。\n]{0,3}[正準准属屬成符對对真是实實科合恰妥]|失实|失實|站不住"
        r"|如此|不然|矛盾|悖|[违違]|[问問][题題]|[无無]法|[难難]|不能|部分|取[决決]|一半|[Ff]alse|[Ww]rong|ncorrect"
        r"|ntrue|naccura|[Nn]ot? "
    ),
    WRONG: re.compile(
        r"正[确確]|[对對](?:[的,，。.!！\n]|\Z)|[准準][确確]|[属屬][实實]|成立|符合|[没沒無无]|如此|[这這][样樣]|真|科学"
        r"|合理|恰[当當]|一致|吻合|相符|[无無]法|[难難]|不[能错錯]|部分|取[决決]|一半|[√✅✔✓☑]|[Tt]rue|[Cc]orrect"
        r"|[Rr]ight|ccura|[Yy]es"
    ),
}
_TURN = re.compile(
    r"[综綜总總最][上之终終后後的合]|因[此而]|所以|故|可[见見]|由此|[结結][论論果]|答|更正|修正|[纠糾]正|改[为為]|[应應]"
    r"|其[实實]|[实實][际際]|事[实實]上|判|等|抱歉|不好意思|再|仔[细細]|重新|有[误誤]|[无無]法|[难難]|不[对對]|[错錯]了"
    r"|ait|ctually|orry|herefore|[Tt]hus|[Hh]ence|[Cc]onclu|[Ff]inal|[Ss]o |nswer|verall|ummary|erdict"
)
_VERDICT_WORD = re.compile(
    r"(?:[确確对對错錯误誤实實立合理学學当當题題此样樣然道]|[真假否]|事[实實]|[问問][题題]|[误誤][区區解]|[谣謠]言"
    r"|[没沒无無][错錯误誤])[的了吧哦呢呀啊]{0,2}(?:[^\w\s]|\s|\Z|因|原|理由|由于)"
    r"|[符违違悖盾][^。\n]{0,14}[，。,.!！\n]|不住|不[妥实實符]|[相反冲][符反突]"
    r"|(?:[实實识識定理指知规規原情][际際识識义論论南规規知则則况況律求范準准据][，。,.!！\n]|\Z)"
    r"|[×❌✗✘✖✕❎√✅✔✓☑]|(?:说|說)法|推[荐薦]|[Tt]rue|[Ff]alse|orrect|[Rr]ight|rong|ccura|[Yy]es|[Nn]o\b|(?<![A-Za-z0-9])[TFtf](?![A-Za-z0-9\u4e00-\u9fff])|valid"
)
_SAYS_WRONG = re.compile(r"不[^。,，\n]{0,3}(?:正[确確]|[对對])|[错錯]|[误誤]")
_SAYS_RIGHT = re.compile(r"[没沒無无不][^。,，\n]{0,3}(?:[错錯]|[误誤])|正[确確]|[对對]的")
_PARTED = re.compile(r"[^\w\s]|\n")
_SHORT = 16
_OPENING = 40
_LAST = 14


def read_committed_claim(reply: str, answer: str | None) -> str | None:
    """Return the verdict that the complete reply commits to, or None.

    Args:
        answer: the opening verdict of the reply, by `read_claim`.
    """
    if answer and len(reply) < _SHORT and not _PARTED.search(reply, 0, len(reply) - 1):
        return answer
    if answer is None and not _VERDICT_WORD.search(reply):
        return None
    if answer and _unopposed(reply, answer):
        return answer
    text = without_options(simplified(folded(reply)))
    if field := _FIELD.search(text) if ("{" in text or "=" in text) else None:
        return RIGHT if field["yes"] else WRONG
    if (turn := _NEXT_TURN.search(text)) and turn.start() and (committed := _committed(text[: turn.start()], answer)):
        return committed
    return _committed(text, answer)


def _unopposed(reply: str, answer: str) -> bool:
    """Return whether nothing in a reply can override its opening verdict."""
    opening = (_SAYS_WRONG if answer == WRONG else _SAYS_RIGHT).search(reply, 0, _OPENING)
    after = opening.end() if opening else 0
    if not _CONTRARY[answer].search(reply, after):
        return True
    if COMMONLY.search(reply, 0, after) and CONTRAST.search(reply, after):
        return False
    last = reply.rstrip("。.!！\n ")[-_LAST:]
    return opening is not None and not _TURN.search(reply, after) and len(last) == _LAST and "。" not in last and "\n" not in last


def _committed(text: str, answer: str | None) -> str | None:
    text = text.replace("→", ":")
    nod = _OPENING_NOD.match(text)
    if _MARKED.search(text):
        text = _BRACKETS.sub(",", _LABEL_IN_BRACKETS.sub(r"\1:", _QUOTES.sub("", _QUOTED.sub(_unquoted, text))))
    decided = without_cases(text)
    nod = nod if decided == text else None  # 对，也不对
    text = decided
    nodded = (RIGHT if nod["yes"] or nod["tick"] else WRONG) if nod and not ("√" in text and "×" in text) else None
    if not answer and not VERDICT.search(text):
        return nodded
    statements, left_open = statements_of(text, answer)
    explicit = [each for each in statements if each.explicit]
    if left_open:
        return None
    beside = RIGHT in text and WRONG in text and side_by_side(text)
    if concluding := [each for each in explicit if each.concluding and not (beside and each.alone)]:
        return concluding[-1].verdict
    if beside:
        return None
    verdicts = {each.verdict for each in explicit}
    if len(verdicts) == 1 and (answer is None or nod):
        return explicit[0].verdict
    if answer or verdicts:
        return answer
    if nod:
        return nodded
    return statements[-1].verdict if len({each.verdict for each in statements}) == 1 else None


def _unquoted(quoted: re.Match) -> str:
    """Return a quoted verdict or word unchanged, a quoted sentence as a placeholder: it is repeated, not asserted."""
    words = quoted[0][1:-1]
    return words if len(words) <= 6 else "□"
