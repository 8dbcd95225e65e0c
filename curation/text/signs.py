"""Unify punctuation and blanks of Chinese text; numbers, formulas and Latin text stay unchanged."""

import re

CJK = "\u4e00-\u9fff\u3400-\u4dbf〇々"
_AROUND = rf"{CJK}，。；：？！、“”‘’（）《》【】…·"
_HAS_CJK = re.compile(f"[{CJK}]")
_HALF = re.compile(r"""[,;:?!.()"']""")
_FULL = {",": "，", ";": "；", ":": "：", "?": "？", "!": "！"}
# Repeated ? replaces lost characters, and stays so that it can be detected.
_CLAUSE_SIGN = re.compile(
    rf"(?<=[{_AROUND}])[ \t]*([,;:!]|\?(?!\?))|([,;:])(?=[ \t]*[{CJK}“《（【])|(?<=[A-Za-z0-9])(\?)(?=[ \t]*(?:[{CJK}“《（【]|$))"
)
_RATIO = re.compile(rf"(?<=[{_AROUND}])∶|∶(?=[{CJK}“])")
_STOP = re.compile(rf"(?<=[{CJK}）”》])[.．｡](?![0-9A-Za-z.．])")
_BETWEEN = re.compile(rf"(?<=[{CJK}）”》])[.．](?=[{CJK}“《（])")
_IN_NAMES = (  # transcribed foreign names, by the tables of Xinhua
    "阿埃艾安昂奥巴白班邦保鲍贝本比彼毕别宾波伯勃博布查达戴丹道德登邓狄迪蒂丁顿多厄恩尔法凡范菲费芬佛弗夫甫福盖戈哥格葛古哈海"
    "汉豪赫亨胡华霍基吉季加贾简杰金津喀卡凯坎康考柯科克肯孔库夸拉莱兰朗劳勒雷里理利莉列林琳隆卢鲁路伦罗洛马玛迈麦曼梅门蒙米密"
    "明摩莫默姆穆纳娜奈南内尼涅宁纽诺努欧帕潘佩彭皮珀普齐奇恰乔琴丘让热仁荣儒瑞若萨塞森沙莎山绍舍申圣施史舒斯丝思松苏素索塔泰"
    "汤唐陶特腾提汀廷图托瓦万旺威韦维魏温文翁沃乌武西希锡夏香肖谢辛欣休许雅亚延扬耶叶伊易因英尤于玉约泽扎詹章珍朱卓兹宗"
    "罕翰杜敦捷昆琼桑代赛瑟坦逊佐阔策蔡楚敏"
)
_NAME = re.compile(rf"(?<=[{_IN_NAMES}]{{2}})[.．](?=[{_IN_NAMES}]{{2}})")
_ITEM = rf"[{CJK}“”《》]{{1,5}}"
_LIST = re.compile(rf"(?<![{CJK}0-9A-Za-z]){_ITEM}(?:[.．]{_ITEM}){{2,}}(?![{CJK}0-9A-Za-z])")
_SENTENCE = re.compile("[，。；：？！,;:?!\n]")
_LONGEST_ITEM_CHARS = 30
_DOTS = re.compile(r"\.{3,}|·{3,}|。{3,}|…{1,}(?:\.|…)*")
_BRACKETS = re.compile(r"[(（]([^()（）]*)[)）]")
_LONE_BRACKET = re.compile(rf"\((?=[{CJK}])|(?<=[{CJK}])\)")
_OPERATOR = re.compile(r"[=+×÷*/^√∑]")
_QUOTE = re.compile('"')
_RUN = re.compile(rf"(?<=[{_AROUND}])[ \t]+|[ \t]+(?=[{_AROUND}])|[ \t]{{2,}}|\t")
_LINE = re.compile(r"(?<![ \t])[ \t]*(?:\r\n?|\n|\x85|\u2028|\u2029)\s*")
_WIDE_BLANKS = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_FILLED = re.compile(r"（[ \t]*）")
_AROUND_SIGN = re.compile(f"[{_AROUND}]")

needs_signs = re.compile(r"""[,;:?!.()"'．｡…∶]|（(?! ）)|(?<!（ )）|·{3}|。{3}""").search
needs_spacing = re.compile(r"[^\S ]|(?<!（) | (?!）)|（）").search


def to_chinese_signs(text: str) -> str:
    """Return a text with full-width punctuation next to Chinese characters."""
    if not _HAS_CJK.search(text):
        return text
    text = _RATIO.sub("：", _DOTS.sub("……", text).replace("．．", "……"))
    if not _HALF.search(text) and "．" not in text and "｡" not in text:
        return _mixed_brackets(text)
    text = _CLAUSE_SIGN.sub(lambda sign: _FULL[sign[1] or sign[2] or sign[3]], text)
    text = _STOP.sub("。", _without_dots_between(text)).replace("．", ".")
    if '"' in text and text.count('"') % 2 == 0:
        text = _paired_quotes(text)
    return _LONE_BRACKET.sub(lambda bracket: "（" if bracket[0] == "(" else "）", _mixed_brackets(text))


def _without_dots_between(text: str) -> str:
    """Return a text in which the dot of 保罗.泽考斯基 is that of a name, and those of 加.减.乘.除 separate a list; in prose a dot is a full
    stop."""
    if not _BETWEEN.search(text):
        return text
    text = _NAME.sub("·", text)
    if len(text) <= _LONGEST_ITEM_CHARS and not _SENTENCE.search(text):
        return _BETWEEN.sub("、", text)
    return _LIST.sub(lambda items: _BETWEEN.sub("、", items[0]), text)


def _paired_quotes(text: str) -> str:
    marks = iter("“”" * (text.count('"') // 2))
    return _QUOTE.sub(lambda _: next(marks), text)


def _mixed_brackets(text: str) -> str:
    """Give both brackets of a pair the same width: half-width inside formulas, full-width elsewhere."""
    if "(" not in text and ")" not in text:
        return text
    parts = []
    end = 0
    for pair in _BRACKETS.finditer(text):
        inside, before, after = pair[1], text[pair.start() - 1 : pair.start()], text[pair.end() : pair.end() + 1]
        formula = not _HAS_CJK.search(inside) and (
            _OPERATOR.search(inside) or (before and (before == "_" or _OPERATOR.match(before))) or (after and _OPERATOR.match(after))
        )
        parts += [text[end : pair.start()], f"({inside})" if formula and inside.strip() else f"（{inside}）"]
        end = pair.end()
    return "".join([*parts, text[end:]])


def normalize_spaces(text: str) -> str:
    """Return a text with single blanks, none next to Chinese characters, and `\\n` as the only line end."""
    text = _LINE.sub("\n", _WIDE_BLANKS.sub(" ", text))
    filled = _FILLED.sub("（ ）", text)
    return _RUN.sub(lambda run: _blank(filled, run), filled).strip(" \n\t")


def _blank(text: str, run: re.Match[str]) -> str:
    around = text[run.start() - 1 : run.start()] + text[run.end() : run.end() + 1]
    return " " if around == "（）" or not _AROUND_SIGN.search(around) else ""  # a blank to be filled keeps its blank
