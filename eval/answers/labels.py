"""Explicit choices of a reply: the letters after an answer label, a choosing verb, or a correction.

A label (答案：) is strong, a choosing verb (故选, 应为, 倾向于) weak; a correction (更正为, 等等，应该是) overrides everything before it.
"""

import re

from eval.answers.letters import ITEM, LEAD, LETTERS, RUN, letters_of

RUN_AFTER = re.compile(rf"{LEAD}(?P<run>{RUN})")
ONE_AFTER = re.compile(rf"{LEAD}(?P<run>{ITEM})")
_MAYBE = r"(?:最?可能|很可能|极可能|大概率?|或许|也许|应当|应该?|只能|就|则|才|却|仍然?|还|当然|显然|无疑|更正后)?"
STRONG = re.compile(
    r"(?=[正最标参符我答结提字aA])(?<!错误)(?<!错误的)"
    rf"(?:(?:正确|最终|标准|参考|最佳|符合题意|我)的?(?:答案|选项|选择|{_MAYBE}是|(?<=的)有|(?<=的)包括)(?:有|包括)?"
    r"|答案|正确(?=:)|(?<=答)字母(?=:)|正确项|(?:结论|(?<![^\n])答)(?=\s?[:是为])|(?<![A-Za-z])(?:[Aa]nswers?|ANSWERS?))"
    rf"(?![中里]?\s?(?:不|没有))(?:[中里])?{_MAYBE}\s?(?:(?:(?<![A-Za-z])[Oo]ptions?\s?)?(?:是|为|选|[Ii]s|[Aa]re|IS|ARE))?(?:\s?[Oo]ptions?)?",
)
_NEXT = r"(?=[\s(\[{\"'“「]{0,3}(?:选?项)?[\s(\[{\"'“「]{0,3}[A-Ja-j](?![A-Za-z]))"
_BETTER = r"(?:合适|恰当|符合|优|佳|好|可能|接近|准确|妥当|合理|贴切)"
WEAK = re.compile(
    r"(?=[首当宜方应选而就改倾偏即是可也或大多其实确最更比因所故综只唯对那bcfmprsligowthBCFMPRSLITH])"
    r"(?:(?<!不)(?<!不应)(?<!不能)(?<!排除)(?<!的)(?<![次误备])(?<!如果)(?<!假如)(?<![若当入])"
    r"(?:应?当?选择?(?!了?\s?\n[\s\-•]*[A-J])了?|最终(?=:)|而是|应为|应该?是|就是|改为|改选|倾向于?|偏向于?)(?!项)(?!题)"
    r"|(?<=[,。;:\n])对应的?(?:答案|选项)?(?:应该?|就|正)?[是为](?=\s?(?:选?项)?\s?[A-Ja-j](?![A-Za-z]))"
    rf"|(?<!非)(?<!不)(?<!不是)首选(?:(?:药物?|方法|措施|治疗|检查|方案|方剂|方)(?![^\n]{{0,40}}(?:确诊|次选|其次|备选|替代)))?(?:的?(?:还|仍然?|就|应该?)?[是为]|:){_NEXT}"
    rf"|(?:(?<=[,。;:\n])|\A)当选{_NEXT}|[当宜应方故]用{_NEXT}"
    rf"|[只唯]有(?=\s?{RUN}[^,。;:\nA-J不]{{0,10}}?(?:符合|正确|对(?:的|[,。]|$)|恰当|贴切|(?:选?项)?\s?(?:[,。]|$)))"
    rf"|即(?=\s?{RUN}\s?(?:[。.]|$))|(?:(?<=不,)|(?<=不对,)|\A)是(?=\s?[A-Ja-j])"
    r"|(?:可能|也许|或许|(?:\A|(?<=[,。;]))或者(?=[是选])|大概率?|多半|其实|实际上?|实则|确认|确定|只剩下?|剩下)(?:应该?|就)?[是为选:]?(?=\s?[A-Ja-j(])"
    rf"|最[^,。;:\nA-J不]{{1,6}}的(?:药物|方法|措施|诊断|治疗|选项|检查|一项)?(?:应该?|就)?[是为]{_NEXT}"
    rf"|[最更比]较?{_BETTER}(?:题意|要求)?的?[^,。;:\n]{{0,6}}?[是为]{_NEXT}"
    rf"|(?:因此|所以|综上(?:所述)?|故|那么)[,:]?(?=\s?{RUN}\s?(?:[。.!]|$))|(?<![A-Za-z])(?:[Ss]o|[Tt]herefore|[Tt]hus|[Hh]ence),?(?=\s[A-Ja-j]{{1,5}}[.!]?(?:\n|$))"
    rf"|(?:因此|所以|综上|故)[^,。;:\n]{{0,16}}?[是为]{_NEXT}"
    r"|(?<![A-Za-z])(?:[Cc]hoose|[Ss]elect|[Pp]ick|[Ii]t's|[Ii]t is|should be|[Ll]ean(?:ing)? towards?|go with|opt for|would say|[Pp]refer"
    r"|[Pp]robably|[Pp]erhaps)(?:\s?[Oo]ptions?)?"
    r"|(?<![A-Za-z])(?:[Bb]est|[Mm]ost [a-z]{3,12}|[Cc]orrect|[Rr]ight|[Pp]referred|[Ff]irst|[Rr]ecommended)"
    rf"(?: [a-z]{{2,12}}){{1,3}} (?:is|are|would be){_NEXT}"
    rf"|(?:(?<=[,;。.\n] )|(?<=[\n])|\A)(?:[Cc]orrect|[Rr]ight)(?: options?)?:{_NEXT})",
)
CHANGED = re.compile(
    r"(?=[更修纠改调订完cC])(?:完整的?(?:答案)?(?:应该?)?[为是:]|(?:更正|修正|纠正|修改|更改|调整|订正|改)(?:后?的?(?:正确)?答案)?(?:应该?)?(?:[为成是选:]了?|】)|(?<![A-Za-z])correction:)",
    re.IGNORECASE,
)
# Without one of them there is no correction. Alternatives that begin with a plain character are searched by their first characters.
TURNING = re.compile(
    "完整|更|修|改|调|订|等|再|误|初|起|纠|抱歉|不,|不。|不!|不对|不好|重新|复查|开始|原|本来|ait|orry|ctually|orrection|istake"
)
_BACK = (
    r"等等|等一下|不对[,。!]|更正|修正|纠正|抱歉|再想|再看|重新|复查|(?:答案|回答|判断|上面|上述|刚才|之前)[^,。;\n]{0,6}有误|更准确地说"
    r"|(?<![A-Za-z])(?:wait|actually|sorry|correction|mistake)(?![A-Za-z])"
)
RETRACTION = re.compile(rf"(?<![^,。?!\s哦噢啊])不[,。!](?=应?该?是|选|改)|(?<=[。.!?…\n])不[,。!]|{_BACK}", re.IGNORECASE)
_CORRECTION = re.compile(rf"{_BACK}|不对|改为|改选|最终|最后|应为|应该是|仔细|有误", re.IGNORECASE)
_CONCLUSION = re.compile(r"[故应改]|因此|所以|最终|最后|综上|还是|而是|可见|其实|实际|确[认定]|更可能|choose|select")
_REGRETTED = re.compile(
    r"更正|修正|纠正|抱歉|不好意思|等等|等一下|[哦噢啊]不[,。!]|(?<![A-Za-z])(?:wait|sorry|actually)(?![A-Za-z])",
    re.IGNORECASE,
)
_AT_ONCE = re.compile(rf"[,:\s]*(?P<run>{RUN})\s?(?:$|[。.!])")
_IS = re.compile(r"(?:\A|(?<=[,:。\s]))[应该]{0,2}[是为选]")
_TENTATIVE = re.compile(r"(?:初步|最初|起初|一开始|原本|原先|本来|乍一?看)[^。\n]{0,12}$")
EITHER = re.compile(
    rf"{ITEM}\s?[,;。(]?\s?(?:或者?|还是|抑或|亦或|要么|or(?=\s))(?:应该?)?[是选为]?\s?{ITEM}|[A-J]{{2,20}}\s?/\s?[A-J]{{2,20}}|不是\s?{ITEM},?\s?(?:就是|便是|而?即是)\s?{ITEM}"
)
ALTERNATIVE = re.compile(rf"\s?[,;。]?\s?(?:或者?|还是|抑或|亦或|要么)(?:应该?)?[是选为]?\s?{ITEM}")  # after a run: A和B，或者A和C
ALSO = re.compile(rf"{ITEM}\s?[,;。]?\s?也(?:可能|许|可以|能)[是选为]?\s?{ITEM}")
_SECOND = re.compile(
    rf"\s?(?:[、,/&+|和与及]|以及)\s?(?P<run>{ITEM})(?=\s?(?:$|[。.\n;都均皆两符才正对]|,\s?(?:或|要么)))"
)  # a second letter for a single choice
_BELOW = re.compile(r"[^\n,。A-J]{0,6}:? ?\n")
_LISTED = re.compile(
    rf"\s?(?:[-•*·>]|\(?\d{{1,2}}\s?[.、:)]+)?\s?(?P<item>{LETTERS})\s?(?:选?项)?"
    r"(?=[\s.、:,;)(]|$)(?P<rest>[^\n]*)(?:\n|$)"
)
_UNLISTED = re.compile(r"不|错|×|排除|incorrect|wrong|false", re.IGNORECASE)


def labelled(text: str, label: re.Pattern, many: bool) -> str | None:
    """Return the letters after a label: the first label's, or the last one's if the reply corrects itself; for weak labels the last's."""
    candidates: list[tuple[int, str]] = []
    left_open = 0
    for match in label.finditer(text):
        if match.start() < left_open:
            continue  # 选A还是选B
        run = (RUN_AFTER if many else ONE_AFTER).match(text, match.end())
        either = (EITHER.match(text, run.start("run")) or ALTERNATIVE.match(text, run.end())) if run else None
        if either:
            left_open = either.end()
            candidates.append((match.start(), ""))
        elif many and label is STRONG and "\n" in text and (listed := _listed(text, match.end())):
            candidates.append((match.start(), listed))
        elif run:
            second = None if many else _SECOND.match(text, run.end())
            candidates.append((match.start(), letters_of(run["run"]) + (letters_of(second["run"]) if second else "")))
    if len(candidates) < 2:
        return candidates[0][1] if candidates else None
    if (
        label is WEAK
        and len({letters for _, letters in candidates}) > 1
        and not RETRACTION.search(text, candidates[0][0])
        and not _CONCLUSION.search(text, max(0, candidates[-1][0] - 6), candidates[-1][0] + 4)
    ):
        return ""  # 既可以选A也可以选B
    corrected = label is WEAK or _CORRECTION.search(text, candidates[0][0] + 1)
    return candidates[-1][1] if corrected else candidates[0][1]


def _listed(text: str, line_start: int) -> str:
    """Return the letters of a list below a label, one option per line."""
    below = _BELOW.match(text, line_start)
    letters = ""
    line_start = below.end() if below else -1
    while line_start >= 0 and (line := _LISTED.match(text, line_start)):
        letters += "" if _UNLISTED.search(line["rest"]) else letters_of(line["item"])
        line_start = line.end() if line.end() < len(text) else -1
    return letters


def corrected(text: str, many: bool) -> str | None:
    """Return the letters by which a reply replaces earlier ones: 答案：AC。…更正为ABC."""
    return labelled(text, CHANGED, many)


def later_choice(text: str, many: bool) -> str | None:
    """Return the letters chosen after the reply withdrew its first answer: 答案是A。等等，应该是B."""
    if label := STRONG.search(text):
        retraction = RETRACTION.search(text, label.end()) or (_TENTATIVE.search(text, 0, label.start()) and label)
    else:
        retraction = _REGRETTED.search(text, 1)
    if not retraction:
        return None
    last = ([*RETRACTION.finditer(text, retraction.start())] or [retraction])[-1]
    if (run := _AT_ONCE.match(text, last.end())) and (many or len(run["run"]) == 1):
        return letters_of(run["run"])
    rest = text[retraction.end() :]
    return None if label and labelled(rest, STRONG, many) else labelled(rest, WEAK, many) or labelled(rest, _IS, many)
