"""Letters of options in a reply.

Converts symbols, ranges and ordinals to letters; finds runs of letters, rejected letters, and the letters after an answer label, a choosing
verb or a correction; detects replies that do not choose.
"""

import re
from collections.abc import Mapping

from atomexam.text.numerals import value_of
from atomexam.text.option_letters import letters_at
from eval.answers.option_texts import CLAUSES, SECONDARY, without_texts
from eval.answers.scope import view_of_others

# A run of letters that is not a word or part of a term: 维生素C, A型, B细胞, C反应蛋白.
# The pattern begins with the letter, which makes the search fast.
LETTERS = (
    r"[A-Ja-j](?<![A-Za-z0-9肝维抗].)(?<!(?<![因要])素.)(?<!(?<![因要])素 .)"
    r"(?<![A-Za-z]{2}(?<!(?i:nswer|ption|hoose|hoice))-.)(?<![glLU次片粒]/d)[A-Ja-j]{0,9}"
    r"(?![A-Za-z0-9Α-ω]| ?[型细](?:[^则]|\Z)|-?反应蛋白|淋巴|超(?!过)|族|肽|-?二聚体|药|组(?!合)|群|波|期)"
)
ITEM = r"[(\[\"'“]{0,3}(?:选?项)? ?" + LETTERS + r"[)\]\"'”]{0,3}(?:\s?选?项)?"
AND = (
    r"(?:\s?(?:[、,]\s?"
    r"(?:(?:以及|还有|加上|[和与及](?![^,。\n]{1,4}(?:比|不同)))|and(?=\s))?|[/&+|;和与及跟-]|以及|还有|(?<=\s)and(?=\s))\s?"
    r"| ?;?\n(?:[-•]\s?|\d{1,2}[.、:]\s?)?|\s)?\s?"
)
SAME = r"(?!\s?\([A-Ja-j](?!\s?(?:选?项)?\s?\)))"  # stops before a bracket with more than one letter: A、B（C、D不选）
# No commas: in 答案：C，D项错误 the comma separates the chosen letter from the rejected one.
CLOSE_RUN = rf"(?>{ITEM}(?:{SAME} ?[、/&+和与及]? ?{ITEM}){{0,15}})"
# Atomic and bounded, so that a reply with very many letters is parsed in linear time.
# After a comma a letter belongs to the run only if it does not begin a clause: 选ABD，C违背了原则.
_CLAUSE = r"(?=[^\s,、。;:.!?)\]}【<】\"'”’(/&+|<>和与及以或还是为均都全皆共也属符合恰因由解理分选项两二三四五六七正对√才])"
_OTHERS_NOT = rf"(?<=[、和与及选择][A-J])\s?[,;]\s?{ITEM}(?:\s?[、和与及]\s?{ITEM}){{1,6}}\s?"  # A、B,C和D都不选
_OTHERS_NOT += r"[都均全皆则]?(?:[不错×未无非禁有致见经因]|[属为](?!正确|答案|对))"
_PARTED = rf"(?!\s?[,;]\s?{ITEM}{_CLAUSE})(?!{_OTHERS_NOT})"
RUN = rf"(?>{ITEM}(?:{SAME}{_PARTED}(?!(?<=[A-J][A-J])[,;]\s?{CLOSE_RUN}[是为](?!正确|答案|对)){AND}{ITEM}){{0,15}})"
LEAD = r"[\s:\-(\[{<>\"'“”‘’「】)=]{0,8}(?:(?:以[上下]|[前后这])[两二三四]?[项个]:?|选?项)?[\s(\[{\"'“「]{0,3}"

_LETTERS = re.compile(LETTERS)
_RANGE = re.compile(
    r"([A-Ja-j])(?<![A-Za-z0-9].)(?<![A-Ja-j]-.)(?<![A-Ja-j] - .)(?:选?项)?[ \t]?"
    r"(?:-{1,3}|~|—{1,2}|–|到|至|through|to)[ \t]?(?:选?项)?([A-Ja-j])"
    r"(?![A-Za-z0-9]| ?- ?[A-Ja-j])"
)
_BEHIND_A_LETTER = r"and|or|nor|is|to|through|should|does|fits|can|was|seems|are|as|with|because|since|for|but"
_BEHIND_A = (  # if one of these follows, A is a letter and not an article; I in "I would" is never an option
    rf"{_BEHIND_A_LETTER}|over|instead|rather|remains|would|will|must|cannot|could|never|(?:is|does|would|should|could|was|wo)n(?='t)"
)
_WORD = re.compile(
    rf"(?<![A-Za-z0-9])(?:[IAa](?='[a-z])|I(?= (?!(?:{_BEHIND_A_LETTER})\b)[a-z]{{2}})|[Aa](?= (?!(?:{_BEHIND_A})\b)[a-z]{{2}}))"
)
# Cheap checks that decide whether to try the expensive patterns.
_REJECTING = re.compile("不|非|除|否|错|误|×|没")
_REJECTING_IN_ENGLISH = re.compile(
    "[Nn]ot|n't|either|out|rong|ncorr|alse|elim|excl|[Nn]ever|[Rr]ather|nstead|no reason|[Rr]eject|contra|[Uu]n|[Ii]n(?:appr|eff)|void"
    "|less likely| over "
)
_APPROVING = re.compile("正|最|对|准|答案|符|恰|√|切|妥|合|当选|入选|应选|orrect|right")
_RANGING = re.compile("-|~|—|–|到|至| t")
_ASCII_WORD = re.compile(r"[IAa](?:'| )[a-z]")

_WRONG = (
    r"(?:错误|不正确|不对|不符|有误|不(?:是|(?:应该|应当|[当入应可宜能])?选)(?!\s?(?:选?项)?[A-Ja-j])|不属于|不在|并非(?!\s?[A-J])"
    r"|排除(?!\s?(?:选?项)?[A-Ja-j])|不合|错|×)"
)
_RIGHT = (
    r"(?:正确|(?<=[更最])准确|(?<=最)能|(?<=[是为]最)(?:常见|可能|主要|佳|好|优|适合|重要|有效)(?!的?(?:错误|干扰|原因之一))"
    r"|对(?![于应比照着])|符合|恰当|贴切|妥当|合适|[当入]选|应选(?!\s?[A-J])|本题的?答案|√)"
)
_OF_IT = r"(?:的?(?:说法|描述|表述|内容|观点))?(?:\([^()\n]{1,20}\))?"
_COUNTED = r"(?:[一二三四五两\d]\s?[个项])?"
_CLAUSE_ON = rf"{CLOSE_RUN}[^,;。\nA-J]{{0,24}}?"
_LEFT_OUT = r"(?:不(?:予?选|[当入]选)|未选|排除|除外|舍去|不在(?:其[中列]|此列)|不属于[^,;。\n]{0,8})"
_REJECTED = re.compile(  # A仅为低热,D未出现,故不选
    r"(?=[不并非排没而否错×(\[\"'“选项 A-Ja-j])"
    rf"(?:(?<![^,;。\n])(?:{_CLAUSE_ON}(?<=[仅只未无不非没])[^,;。\nA-J]{{0,24}},\s?){{0,2}}{_CLAUSE_ON}(?:,[^,;。\nA-J]{{0,24}})?,\s?(?:故|因此|所以|均|都|皆|应|可|予以|一并){{0,3}}{_LEFT_OUT}(?=[。;\n]|\Z)"
    rf"|(?:(?<!是)不是|不选|不应该?选|并?非|排除(?:掉|了)?|不包[括含]|不含|不应该?有|没有|不会是|不能选|而非|否定|不应为)(?:的是)?[\s:]?{CLOSE_RUN}"
    rf"|{RUN}{_COUNTED}(?:选项)?\s?(?:均|都|全|皆)[^,。;:!\n、A-Ja-j(]{{0,4}}{_WRONG}"
    rf"|(?<=[,;。.\n]) ?(?:错误|不正确|不选|不符合题意)(?:的|选项|项)* ?[是为有]? ?: ?{RUN}"
    rf"|×{ITEM}"
    rf"|{CLOSE_RUN}{_COUNTED}{_OF_IT} ?[.:]? ?(?:选?项)?[^,。;:!\n、A-Ja-j(因√]{{0,8}}?{_WRONG})"
)
_NO_LABEL = r"(?<!is )(?<!: )(?<!:)(?<!are )(?<!hoose )(?<!elect )(?<!pick )"  # The answer is B, A and C are wrong
_LIST = rf"(?:{_NO_LABEL}{ITEM}(?:, ?{ITEM}){{0,6}},? (?:and|or) {ITEM}|{CLOSE_RUN})"
_NOT = r"(?:\snot(?![A-Za-z])|n't(?![A-Za-z]))"
_BE = r"(?:is|was|are|were|(?:can|should|would|could) be)"
_DENIED = r"(?:incorrect|wrong|ruled out|excluded|false|eliminated)"
_UNFIT = r"(?:contraindicated|unlikely|inappropriate|unsuitable|unnecessary|ineffective|less (?:likely|appropriate|suitable)|avoided)"
_REJECTED_IN_ENGLISH = re.compile(
    r"(?=[nNwcridesCRIDES,;。.\n(\[\"'“选项 A-Ja-j])"
    r"(?:(?<![A-Za-z])(?:[Nn]ot|without|cannot|never|can't|couldn't|isn't|wouldn't|won't|[Rr]ather than|[Ii]nstead of|no reason to"
    r"|[Rr]eject(?:s|ed)?|[Rr]ul(?:e[ds]?|ing) out|[Ee]xclud(?:e[ds]?|ing)|[Ee]liminat(?:e[ds]?|ing)|[Dd]iscard(?:s|ed|ing)?)"
    rf"\s(?:be\s|include\s|contain\s|choose\s|select\s|pick\s|use\s|recommend\s)?(?:[Oo]ptions?\s)?{_LIST}"
    rf"|(?<=[A-J]) over {ITEM}"
    rf"|{_LIST}\s(?:are|were|can be|should be|do|should|would|could|can|must|will)(?:{_NOT}|\s(?:all\s|both\s)?{_DENIED})"
    rf"|{CLOSE_RUN}\s(?:{_BE}\s(?:also\s|clearly\s|therefore\s|simply\s|all\s|both\s)?{_DENIED}"
    rf"|(?:is|was|does|did|should|would|could|can|will|must|wo|ca){_NOT}|cannot|{_BE}\snever|never(?![A-Za-z]))"
    rf"|(?<![A-Za-z])[Nn]either {ITEM} nor {ITEM}(?: is| are)?(?: right| correct)?"
    rf"|(?:(?<=[,;。.\n])|\A) ?(?:[Ii]ncorrect|[Ww]rong)(?: options?)?(?: are)? ?: ?{RUN}(?:,? (?:and )?{ITEM})?)"
)
_UNFIT_IN_ENGLISH = re.compile(rf"{_LIST}\s(?:{_BE}|seems?)\s(?:\w+\s)?{_UNFIT}|(?<![A-Za-z])[Aa]void(?:s|ed|ing)?\s(?:options?\s)?{_LIST}")
"""Such words may also describe the answer if the question asks for an unsuitable option, so they reject letters only if other letters
remain."""
_APPROVED = re.compile(
    rf"(?P<run>{RUN})(?:[一二三四五两]\s?[个项])?{_OF_IT} ?[.:]? ?"
    rf"(?:毫无疑问|无疑|显然|肯定|一定|确实|当然|绝对)?[是为最更也才均都全]{{0,3}}\s?(?:完全|全部)?"
    rf"(?:{_RIGHT}|(?:is|are)\s(?:all\s|both\s|the\s)?(?:correct|right|answer))"
)
_SAME_AGAIN = re.compile(r"([A-Ja-j])(?<![A-Za-z0-9].)(?:[\s、,;]{1,2}\1)+(?![A-Za-z0-9])")
_QUESTION = re.compile(r"[^,。;:!?\n]{0,40}(?:[吗吧呢]|还是[^,。;:!?\n]{1,12})\s?\?")
_SIGN_IN_BRACKETS = re.compile(r"[(\[]\s?(?:(√|正确|对|是|[当入应]?选)|×|错误?|不正确|不对|否|不选)\s?[)\]]")
_TICKED = re.compile(r"\[[xXvV√]\] ?(?=(?:选项 ?)?[A-J](?![A-Za-z0-9]))")
_UNTICKED = re.compile(r"(?:\n[ \-•*]*+|(?<![\n \-•*])[ \-•*]++)?\[ ?\] ?(?:选项 ?)?[A-J](?![A-Za-z0-9])[^\n]*")
_LABELS_BEHIND = re.compile("[是为][本该此这道题目的]{0,4}(?:正确|最佳|最终|标准|唯一|最优)的?(?:答案|选项)")
_LABEL_BEHIND = re.compile(  # D为正确答案; （D错，为本题正确答案）
    rf"(?P<run>{CLOSE_RUN})\s?(?:(?:说法|描述|表述)?(?:错误?|对|正确|不正确|符合题意)[,)]\s?)?(?:才|就|便|故|因此)?[是为]"
    r"(?:本|该|此|这道?)?题?目?的?(?:正确|最佳|最终|标准|唯一|最优)的?(?:答案|选项)(?![中里是为:])"
)
_MORE_LIKELY = re.compile(  # 可能是B，也可能是C，但B更可能
    rf"(?:\A|(?<=[,。;\n]))\s?(?:但是?|不过|然而|而|其中|(?:我|个人)?(?:认为|觉得)|(?:两者|二者|综合)?相?比(?:之下|较而言)?,?){{0,3}}"
    rf"(?:(?P<run>{ITEM})\s?(?:更(?:有|为)?可能|的?可能性更[大高])(?=[,。;!]|\Z)|更有?可能的?[是选为](?={ITEM}))"
)
_CROSSED = re.compile(rf"{LETTERS} ?[.、:)]? ?×")
_SIGNS_FIRST = re.compile(rf"()([√×]) ?({LETTERS})")
_SIGN_FIRST = re.compile(rf"(?:\A|(?<=\n))([ \-•]{{0,8}}+(?:\d{{1,2}}[.、)])?+) ?([√×]) ?({LETTERS})")
_CHOSEN_EACH = re.compile(r"(?<![不错误会])(?P<verb>(?<!应)选|应选)[A-J](?:[,;、] ?(?P=verb)[A-J](?![A-Za-z]))+")
_NUMERAL = "[一二三四五六1-6]"
_NUMERALS = rf"{_NUMERAL}(?:\s?(?:[、,]|[和与及跟]|以及)\s?(?:选项|第)?\s?{_NUMERAL}){{0,5}}"
_ORDINAL = re.compile(
    rf"选项\s?(?P<behind>{_NUMERALS})(?![\d\u4e00-\u9fff个项]|\.\d)|第\s?(?P<first>{_NUMERALS})\s?(?:个?选?项|个)(?![A-Za-z0-9\u4e00-\u9fff])"
    r"|前\s?(?P<top>[两二三四2-4])\s?(?:个选项|项|个)(?=[都均皆全]?(?:是)?(?:正确|对|符合|[当入]选)|[。.]?$)"
    rf"|第\s?(?P<right>{_NUMERALS})\s?(?:个?选?项)(?=[都均皆全]?(?:是)?(?:正确|对|符合))"
)
_EACH = re.compile(_NUMERAL)


def prepared(text: str, known: Mapping[str, str]) -> str:
    """Normalize references to options: expand ranges and ordinals, unify marks and labels, and remove the options' texts."""
    if "(" in text or "[" in text:
        text = _SIGN_IN_BRACKETS.sub(lambda match: "√" if match[1] else "×", text)
    if "[" in text and _TICKED.search(text):
        text = _TICKED.sub("", _UNTICKED.sub("", text))
    text = ranges_spelled_out(without_words(text)).replace("~", "")
    if "?" in text:
        text = _QUESTION.sub(",", text)
    if _LABELS_BEHIND.search(text):
        text = _LABEL_BEHIND.sub(r"答案:\g<run>", text)
    if "更" in text and (EITHER.search(text) or ALSO.search(text)):
        text = _MORE_LIKELY.sub(r"更正为\g<run>", text)
    if text.count("选") > 1:
        text = _CHOSEN_EACH.sub(lambda each: "选" + "".join(_LETTERS.findall(each[0])), text)
    if _SAME_AGAIN.search(text):
        text = _SAME_AGAIN.sub(r"\1", text)
    if ("第" in text or "选项" in text or "前" in text) and not _LETTERS.search(text):
        text = _ORDINAL.sub(_lettered, text)
    if "√" in text or "×" in text:
        text = (_SIGNS_FIRST if text[0] in "√×" else _SIGN_FIRST).sub(r"\1\3\2", text)
    return without_texts(_CROSSED.sub(",", text) if "×" in text else text, known)


def _lettered(ordinal: re.Match) -> str:
    """Return 第一、三项 as AC."""
    if ordinal["top"]:
        return " " + letters_at(range(value_of(ordinal["top"]) or 0)) + " "
    numerals = _EACH.findall(ordinal["behind"] or ordinal["first"] or ordinal["right"])
    return " " + letters_at((value_of(each) or 0) - 1 for each in numerals) + " "


def has_letters(text: str) -> bool:
    """Return whether the text contains an option letter."""
    return bool(_LETTERS.search(text))


def letters_of(run: str) -> str:
    """Return the letters of a run in order, in upper case."""
    return run.upper() if len(run) == 1 else "".join(_LETTERS.findall(run)).upper()


def letters_approved(text: str) -> str:
    """Return the letters that a reply calls correct one at a time."""
    return "".join(letters_of(match["run"]) for match in _APPROVED.finditer(text)) if _APPROVING.search(text) else ""


def without_rejected(text: str) -> str:
    """Remove the letters that the text rejects."""
    text = _REJECTED.sub(",", text) if _REJECTING.search(text) else text
    if not _REJECTING_IN_ENGLISH.search(text):
        return text
    text = _REJECTED_IN_ENGLISH.sub(",", text)
    fit = _UNFIT_IN_ENGLISH.sub(",", text)
    return fit if has_letters(fit) else text


def rejected_letters(text: str) -> set[str]:
    """Return the letters that a reply rejects at least once."""
    return {letter for pattern in (_REJECTED, _REJECTED_IN_ENGLISH) for match in pattern.finditer(text) for letter in letters_of(match[0])}


def ranges_spelled_out(text: str) -> str:
    """Expand ranges: A-D becomes ABCD."""
    return _RANGE.sub(_spelled, text) if _RANGING.search(text) else text


def _spelled(match: re.Match) -> str:
    first, last = sorted((ord(match[1].upper()), ord(match[2].upper())))
    return " " + "".join(chr(code) for code in range(first, last + 1)) + " "


def without_words(text: str) -> str:
    """Remove the English words I and a, which are not options."""
    return _WORD.sub("", text) if _ASCII_WORD.search(text) else text


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
    r"(?=[→⇒=首当宜方应选而就改倾偏即是可也或大多其实确最更比因所故综只唯对那猜bcfmprsligowthBCFMPRSLITH])"
    r"(?:(?<!不)(?<!不应)(?<!不能)(?<!排除)(?<!的)(?<![次误备])(?<!如果)(?<!假如)(?<![若当入])"
    r"(?:应?当?选择?(?!了?\s?\n[\s\-•]*[A-J])了?|最终(?=:)|而是|应为|应该?是|就是|改为|改选|猜测?(?:应该?)?[是选]?|倾向于?|偏向于?)(?!项)(?!题)"
    r"|(?<=[,。;:\n])对应的?(?:答案|选项)?(?:应该?|就|正)?[是为](?=\s?(?:选?项)?\s?[A-Ja-j](?![A-Za-z]))"
    rf"|(?<!非)(?<!不)(?<!不是)首选(?:(?:药物?|方法|措施|治疗|检查|方案|方剂|方)(?![^\n]{{0,40}}(?:确诊|次选|其次|备选|替代)))?(?:的?(?:还|仍然?|就|应该?)?[是为]|:){_NEXT}"
    rf"|(?:(?<=[,。;:\n])|\A)当选{_NEXT}|[当宜应方故]用{_NEXT}"
    rf"|[只唯]有(?=\s?{RUN}[^,。;:\nA-J不]{{0,10}}?(?:符合|正确|对(?:的|[,。]|$)|恰当|贴切|(?:选?项)?\s?(?:[,。]|$)))"
    rf"|(?:即|对应|[→⇒=]>?)(?=\s?{RUN}\s?(?:[。.;,(]|$))|(?:(?<=不,)|(?<=不对,)|\A)是(?=\s?[A-Ja-j])"
    r"|(?:可能|也许|或许|(?:\A|(?<=[,。;]))或者(?=[是选])|大概率?|多半|其实|实际上?|实则|确认|确定|只剩下?|剩下)(?:应该?|就)?[是为选:]?(?=\s?[A-Ja-j(])"
    rf"|最[^,。;:\nA-J不]{{1,6}}的(?:药物|方法|措施|诊断|治疗|选项|检查|一项)?(?:应该?|就)?[是为]{_NEXT}"
    rf"|[最更比]较?{_BETTER}(?:题意|要求)?的?[^,。;:\n]{{0,6}}?[是为]{_NEXT}"
    rf"|(?:因此|所以|综上(?:所述)?|故|那么)[,:]?(?=\s?{RUN}\s?(?:[。.!]|$))|(?<![A-Za-z])(?:[Ss]o|[Tt]herefore|[Tt]hus|[Hh]ence),?(?=\s[A-Ja-j]{{1,5}}[.!]?(?:\n|$))"
    rf"|(?:因此|所以|综上|故)[^,。;:\n]{{0,16}}?[是为]{_NEXT}"
    r"|(?<![A-Za-z])(?:[Cc]hoose|[Ss]elect|[Pp]ick|[Ii]t's|[Ii]t is|should be|[Ll]ean(?:ing)? towards?|[Pp]oints? to"
    r"|[Ff]avou?rs?|go with|opt for|would say|[Pp]refer"
    r"|[Pp]robably|[Pp]erhaps)(?:\s?[Oo]ptions?)?"
    r"|(?<![A-Za-z])(?:[Bb]est|[Mm]ost [a-z]{3,12}|[Cc]orrect|[Rr]ight|[Pp]referred|[Ff]irst|[Rr]ecommended)"
    rf"(?: [a-z]{{2,12}}){{1,3}} (?:is|are|would be){_NEXT}"
    rf"|(?:(?<=[,;。.\n] )|(?<=[\n])|\A)(?:[Cc]orrect|[Rr]ight)(?: options?)?:{_NEXT})",
)
CHANGED = re.compile(
    r"(?=[更修纠改调订完cC])(?:完整的?(?:答案)?(?:应该?)?[为是:]|(?:更正|修正|纠正|修改|更改|调整|订正|改)(?:后?的?(?:正确)?答案)?(?:应该?)?(?:[为成是选:]了?|】)|(?<![A-Za-z])correction:)",
    re.IGNORECASE,
)
# Without one of these there is no correction. Alternatives that begin with a plain character make the search fast.
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
_IMMEDIATE_LETTERS = re.compile(rf"[,:\s]*(?P<run>{RUN})\s?(?:$|[。.!])")
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
    """Return the letters after the first label, or those after the last label if the first is weak or the reply corrects itself."""
    candidates: list[tuple[int, str]] = []
    left_open = 0
    for match in label.finditer(text):
        if match.start() < left_open:
            continue  # 选A还是选B
        run = (RUN_AFTER if many else ONE_AFTER).match(text, match.end())
        if candidates and label is WEAK and SECONDARY.search(CLAUSES.split(text[max(0, match.start() - 60) : match.start()])[-1]):
            continue  # 首选B;若无效,可选C
        if run and view_of_others(text[max(text.rfind(mark, 0, match.start()) for mark in ",。;\n") + 1 : match.start()]):
            continue  # 有人认为答案是A
        either = alternative_to(text, run, "可能" in match[0]) if run else None
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


def alternative_to(text: str, run: re.Match, hedged: bool) -> re.Match | None:
    """Return the match of an alternative to a run of letters: A或B; with `hedged`, also 可能是A，也可能是B."""
    start = run.start("run")
    return EITHER.match(text, start) or ALTERNATIVE.match(text, run.end()) or (ALSO.match(text, start) if hedged else None)


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
    """Return the letters that replace those given earlier: 答案：AC。…更正为ABC."""
    return labelled(text, CHANGED, many)


def later_choice(text: str, many: bool) -> str | None:
    """Return the letters chosen after the reply withdraws its first answer: 答案是A。等等，应该是B."""
    if label := STRONG.search(text):
        retraction = RETRACTION.search(text, label.end()) or (_TENTATIVE.search(text, 0, label.start()) and label)
    else:
        retraction = _REGRETTED.search(text, 1)
    if not retraction:
        return None
    last = ([*RETRACTION.finditer(text, retraction.start())] or [retraction])[-1]
    if (run := _IMMEDIATE_LETTERS.match(text, last.end())) and (many or len(run["run"]) == 1):
        return letters_of(run["run"])
    rest = text[retraction.end() :]
    return None if label and labelled(rest, STRONG, many) else labelled(rest, WEAK, many) or labelled(rest, _IS, many)


_UNDECIDED = re.compile(
    r"(?:无法|难以|很难)(?:确定|判断|选择|抉择|取舍|区分|辨别|确认|肯定|作答|回答|解答|得出|给出|做出|作出|提供)|不(?:能|太|好|敢)?(?:确定|判断|肯定|清楚)|信息不足|犹豫|纠结|拿不准|(?:需要|缺少|缺乏)[^,。\n]{0,4}(?:信息|条件|资料)|有[^,。\n]{0,4}道理|都?有可能"
    r"|(?<![a-z])(?:cannot|can't|unable|not sure|unsure)",
    re.IGNORECASE,
)
_HEDGED = re.compile("无|难|不|息|犹|纠|需|缺|道|可|not|n't|nsure|unable")
_NO_ANSWER = re.compile(
    r"(?:无法|不能|难以|很难|没法|没办法)(?:确定|给出|得出|断定|判断|作出|做出|提供)[^,。;\n]{0,8}(?:答案|选择|结论)[^,。;\n]{0,2}[。.!]?\Z"
)
_CONCLUDES_NOTHING = re.compile(
    r"(?:综上(?:所述)?|总之|因此|所以|因而|故|最终|最后|总的来[说看]|可见|总体而言)[,:]?[^。;!?\nA-J]{0,20}?"
    r"(?:无法|不能|难以|很难|没法|没办法)(?:准确|直接|完全)?(?:确定|判断|选择|作答|回答|断定|定论|下结论|得出|给出|确认|判定)[^。,;\nA-J]{0,14}[。.!]?\s*\Z"
)
_CONDITION = r"(?:如果|若|假如|倘若|按照?)[^,。;:\nA-J]{1,24},"
_SUPPOSING = re.compile(_CONDITION)
_FIRST_THOUGHT = re.compile(
    r"(?:一开始|起初|最初|原本|原先|本来|乍一?看)[^,。;\n]{0,14}(?:选|认为|觉得|以为|想)[^,。;\n]{0,12}[,。]\s?(?=但|不过|然而|后来|而|仔细|经|可)"
)
_CASE = rf"(?:但|而)?{_CONDITION}[^。;\nA-J]{{0,26}}(?:答案|选|则|即)[^。;\nA-J]{{0,20}}{LETTERS}[^。;\n]{{0,12}}[。;]\s?"
_CASES = re.compile(rf"{_CASE}(?:{_CASE}){{1,4}}")
_ONE_CASE = re.compile(_CASE)


def undecided(text: str) -> bool:
    """Return whether a reply states that it cannot choose."""
    return bool(_HEDGED.search(text) and _UNDECIDED.search(text))


_DISAGREES = re.compile(r"(?:我(?:们)?(?:并)?不(?:太|敢)?(?:同意|认同|赞同)|我(?:认为|觉得)(?:不是|不对)|(?:对此)?存疑)[。.!]?\s*\Z")


def ends_without_answer(text: str) -> bool:
    """Return whether a reply ends by giving no answer or disagreeing with the answer it quotes: 题库选A，我不同意。"""
    end = text[-32:]
    if ("我" in end or "存疑" in end) and _DISAGREES.search(end):
        return True
    return bool(("无" in end or "不能" in end or "难" in end or "没" in end) and _NO_ANSWER.search(end))


def concludes_nothing(text: str) -> bool:
    """Return whether the last sentence concludes that the reply cannot choose, whatever precedes it."""
    return bool(_CONCLUDES_NOTHING.search(text, max(0, len(text) - 60)))


def without_option_cases(text: str) -> str:
    """Remove answers that differ by case: 按旧教材，答案是AB；按新教材，答案是ABC。

    The answer is parsed from the rest of the text. Cases that have the same answer are kept.
    """
    if "起初" in text or "最初" in text or "一开始" in text or "原" in text or "本来" in text or "乍" in text:
        text = _FIRST_THOUGHT.sub("", text)
    return _CASES.sub(_unless_they_differ, text) if ("若" in text or "如" in text or "按" in text) and _SUPPOSING.search(text) else text


def _unless_they_differ(cases: re.Match) -> str:
    answers = {letters_of(case[0]) for case in _ONE_CASE.finditer(cases[0])}
    return cases[0] if len(answers) == 1 else ""
