"""Option letters in a reply: convert symbols, ranges, ordinals and option texts to letters, read runs of letters, drop rejected ones."""

import re
from collections.abc import Mapping

from atomexam.text.numerals import value_of
from atomexam.text.option_letters import letters_at
from eval.answers.option_texts import without_texts

# A run of letters that is not a word or part of a term: 维生素C, A型, B细胞, C反应蛋白.
# It begins with the letter, which makes the search fast.
LETTERS = r"[A-Ja-j](?<![A-Za-z0-9素肝].)[A-Ja-j]{0,9}(?![A-Za-z0-9]|反应蛋白|型|细胞|淋巴|超(?!过)|族|肽|二聚体|药|组(?!合)|群|波|期)"
ITEM = r"[(\[\"'“]{0,3}(?:选?项)? ?" + LETTERS + r"[)\]\"'”]{0,3}(?:\s?选?项)?"
AND = (
    r"(?:\s?(?:[、,]\s?"
    r"(?:(?:以及|还有|加上|[和与及](?![^,。\n]{1,4}(?:比|不同)))|and(?=\s))?|[/&+|;和与及跟-]|以及|还有|(?<=\s)and(?=\s))\s?"
    r"| ?;?\n(?:[-•]\s?|\d{1,2}[.、:]\s?)?|\s)?\s?"
)
SAME = r"(?!\s?\([A-Ja-j][^)\s])"  # not into a bracket with more than a letter: A、B（C、D不选）
# No comma within: in 答案：C，D项错误 the comma separates the chosen letter from the rejected one.
CLOSE_RUN = rf"(?>{ITEM}(?:{SAME} ?[、/&+和与及]? ?{ITEM}){{0,15}})"
# Atomic and bounded, so that a reply with endless letters is read in one pass.
# After a comma a letter belongs to the run only if it does not begin a clause: 选ABD，C违背了原则.
_CLAUSE = r"(?=[^\s,、。;:.!?)\]}【<】\"'”’(/&+|<>和与及以或还是为均都全皆共也属符合恰因由解理分选项两二三四五六七正对√才])"
_OTHERS_NOT = rf"(?<=[、和与及选择][A-J])\s?[,;]\s?{ITEM}(?:\s?[、和与及]\s?{ITEM}){{1,6}}\s?(?:都|均|全|皆)?[不错×]"  # A、B,C和D都不选
_PARTED = rf"(?!\s?[,;]\s?{ITEM}{_CLAUSE})(?!{_OTHERS_NOT})"
RUN = rf"(?>{ITEM}(?:{SAME}{_PARTED}(?!(?<=[A-J][A-J])[,;]\s?{CLOSE_RUN}[是为](?!正确|答案|对)){AND}{ITEM}){{0,15}})"
LEAD = r"[\s:\-(\[{<>\"'“”‘’「】)=]{0,8}(?:选?项)?[\s(\[{\"'“「]{0,3}"

_LETTERS = re.compile(LETTERS)
_RANGE = re.compile(
    r"([A-Ja-j])(?<![A-Za-z0-9].)(?<![A-Ja-j]-.)(?<![A-Ja-j] - .)(?:选?项)?[ \t]?"
    r"(?:-{1,3}|~|—{1,2}|–|到|至|through|to)[ \t]?(?:选?项)?([A-Ja-j])"
    r"(?![A-Za-z0-9]| ?- ?[A-Ja-j])"
)
_BEHIND_A_LETTER = r"and|or|nor|is|to|through|should|does|fits|can|was|seems|are|as|with|because|since|for|but"
_BEHIND_A = (  # not an article; I would is not an option
    rf"{_BEHIND_A_LETTER}|over|instead|rather|remains|would|will|must|cannot|could|never|(?:is|does|would|should|could|was|wo)n(?='t)"
)
_WORD = re.compile(
    rf"(?<![A-Za-z0-9])(?:[IAa](?='[a-z])|I(?= (?!(?:{_BEHIND_A_LETTER})\b)[a-z]{{2}})|[Aa](?= (?!(?:{_BEHIND_A})\b)[a-z]{{2}}))"
)
# One character decides whether the expensive patterns are worth trying.
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
_REJECTED = re.compile(
    r"(?=[不并非排没而否错×(\[\"'“选项 A-Ja-j])"
    rf"(?:(?:(?<!是)不是|不选|不应该?选|并?非|排除(?:掉|了)?|不包[括含]|不含|不应该?有|没有|不会是|不能选|而非|否定|不应为)(?:的是)?[\s:]?{CLOSE_RUN}"
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
"""May also be true of the answer, if the question asks for it: it counts only together with another option."""
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
_CROSSED = re.compile(rf"{LETTERS}\s?[.、:)]?\s?×")
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
    """Return a reply in which options are named by their letters wherever it is clear which are meant."""
    if "(" in text or "[" in text:
        text = _SIGN_IN_BRACKETS.sub(lambda sign: "√" if sign[1] else "×", text)
    if "[" in text and _TICKED.search(text):
        text = _TICKED.sub("", _UNTICKED.sub("", text))
    text = ranges_spelled_out(without_words(text)).replace("~", "")
    if "?" in text:
        text = _QUESTION.sub(",", text)
    if _LABELS_BEHIND.search(text):
        text = _LABEL_BEHIND.sub(r"答案:\g<run>", text)
    if text.count("选") > 1:
        text = _CHOSEN_EACH.sub(lambda each: "选" + "".join(_LETTERS.findall(each[0])), text)
    if _SAME_AGAIN.search(text):
        text = _SAME_AGAIN.sub(r"\1", text)
    if ("第" in text or "选项" in text or "前" in text) and not _LETTERS.search(text):
        text = _ORDINAL.sub(_lettered, text)
    return without_texts(_CROSSED.sub(",", text) if "×" in text else text, known)


def _lettered(ordinal: re.Match) -> str:
    """Return 第一、三项 as AC."""
    if ordinal["top"]:
        return " " + letters_at(range(value_of(ordinal["top"]) or 0)) + " "
    numerals = _EACH.findall(ordinal["behind"] or ordinal["first"] or ordinal["right"])
    return " " + letters_at((value_of(each) or 0) - 1 for each in numerals) + " "


def has_letters(text: str) -> bool:
    """Return whether the text has an option letter anywhere."""
    return bool(_LETTERS.search(text))


def letters_of(run: str) -> str:
    """Return the letters of a run in order, in upper case."""
    return run.upper() if len(run) == 1 else "".join(_LETTERS.findall(run)).upper()


def letters_approved(text: str) -> str:
    """Return the letters that a reply calls right one by one."""
    return "".join(letters_of(match["run"]) for match in _APPROVED.finditer(text)) if _APPROVING.search(text) else ""


def without_rejected(text: str) -> str:
    """Return text without the letters that it rejects."""
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
    """Return text with A-D as ABCD."""
    return _RANGE.sub(_spelled, text) if _RANGING.search(text) else text


def _spelled(match: re.Match) -> str:
    first, last = sorted((ord(match[1].upper()), ord(match[2].upper())))
    return " " + "".join(chr(code) for code in range(first, last + 1)) + " "


def without_words(text: str) -> str:
    """Return text without the English words I and a, which are no options."""
    return _WORD.sub("", text) if _ASCII_WORD.search(text) else text
