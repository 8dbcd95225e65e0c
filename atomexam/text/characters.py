"""Characters as the author intended them: encodings repaired, width and compatibility variants unified, traditional characters simplified.

It also detects characters that were lost or damaged by a change of encoding.
"""

import re
import unicodedata
from functools import cache

CJK = "\u4e00-\u9fff\u3400-\u4dbf〇々"
_AROUND = rf"{CJK}，。；：？！、“”‘’（）《》【】…·"
_HAS_CJK = re.compile(f"[{CJK}]")
_HALF = re.compile(r"""[,;:?!.()"']""")
_FULL = {",": "，", ";": "；", ":": "：", "?": "？", "!": "！"}
# Repeated ? stands for lost characters; keep it so that it can be detected.
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
_BLANKS = re.compile(rf"(?<=[{_AROUND}])[ \t]+|[ \t]+(?=[{_AROUND}])|[ \t]{{2,}}|\t")
_LINE = re.compile(r"(?<![ \t])[ \t]*(?:\r\n?|\n|\x85|\u2028|\u2029)\s*")
_WIDE_BLANKS = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_FILLED = re.compile(r"（[ \t]*）")
_AROUND_SIGN = re.compile(f"[{_AROUND}]")

needs_signs = re.compile(r"""[,;:?!.()"'．｡…∶]|（(?! ）)|(?<!（ )）|·{3}|。{3}""").search
needs_spacing = re.compile(r"[^\S ]|(?<!（) | (?!）)|（）").search


def to_chinese_signs(text: str) -> str:
    """Return a text in which punctuation next to Chinese characters is full-width."""
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
    """Replace the dot in a name (保罗.泽考斯基) with · and the dots in a list (加.减.乘.除) with 、; in prose, a dot is a full stop."""
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
    return _BLANKS.sub(lambda run: _blank(filled, run), filled).strip(" \n\t")


def _blank(text: str, run: re.Match[str]) -> str:
    around = text[run.start() - 1 : run.start()] + text[run.end() : run.end() + 1]
    return " " if around == "（）" or not _AROUND_SIGN.search(around) else ""  # a blank to be filled keeps its blank


_GBK_MARKS = "鐨涓銆锛鈥浠鏄鍦鏈閫鐢绗瀛鎴璇蹇鍙绉鍚鐞"
_UTF8_READ_AS_LATIN = re.compile(r"[ÂÃâäåæçèéï][\x80-\xbf\u0152-\u2122]")
_GBK_READ_AS_LATIN = re.compile(r"(?=[^?]*\?*$).*[\xa1-\xfe]{4}", re.S)  # a ? inside stands for lost characters
_UTF8_READ_AS_GBK = re.compile(f"[{_GBK_MARKS}]")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffc]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_HALF_QUOTED = re.compile('"([^"“”〝〞\n]{1,60})〞')
_PRIVATE_AT_END = re.compile(r"(?<![\ue000-\uf8ff])[\ue000-\uf8ff]++(?=\s|$)")
# Characters whose compatibility form is a different text: ①, ², ₂, Ⅱ, ½, ℃, ㎡, … and the full-width punctuation, left to signs.py.
_UNCHANGED = re.compile("[①-⓿㈀-㋿㌀-㏿⁰-₟²³¹ªº¼½¾⅐-ↈ℀-⅏…‥—–！（），．：；？～［］｛｝＂＇、。｡｢｣､￥￠￡]")
_WIDE_IN_NUMBER = re.compile(r"(?<=[0-9])[．～](?=[0-9])")
_TUMOUR = r"癥(?=[瘕积積块塊瘤])|(?<![慮虑鬱郁迫懼惧怖遺遗發发獨独閉闭經经炎急重病應应忌對对合癌狂躁乏多少焦])癥(?![狀状候結结])"
"""The 癥 of 癥瘕, as opposed to the traditional form of 症 in 焦慮癥."""
_WRITTEN = "(?<=[顯原土專編卓巨鉅遺拙])著|(?<=(?<![討爭談翻])[論譯])著|著(?=[錄書])"
"""The 著 of 顯著 and 原著, as opposed to Taiwan's form of 着 in 看著; 名著 and 著名 are in OpenCC's table."""
_PROTECTED = re.compile(
    f"(?<![{CJK}])徵(?![{CJK}])|{_TUMOUR}|{_WRITTEN}|宫商角徵|徵羽|喎|憹|瞤|藭|鉧|吗啉噁酮|噁(?=[唑嗪啶英烷二])|[康雍]乾|乾(?=[坤隆嘉卦陵清])|坏"
)
"""Words of simplified texts that the conversion table would damage: 打坏 is not 打坯."""

COMMON = "".join(
    sign
    for row in range(0xB0, 0xD8)
    for cell in range(0xA1, 0xFF if row < 0xD7 else 0xFA)
    if (sign := bytes([row, cell]).decode("gb2312")) not in "乾哩坏沈藉覆著"
)
"""The first level of GB 2312, except for characters that traditional texts use for a different one: a text with only these is
simplified."""
_SIGNS = "，。、；：？！（）“”‘’《》【】…—·×"

needs_encoding = re.compile(f"[ÂÃâäåæçèéï{_GBK_MARKS}]|[\xa1-\xfe]{{4}}").search
needs_characters = re.compile(f"[^\x20-\x7e\n\t\u4e00-\u9fff{_SIGNS}]").search
needs_simplifying = re.compile(f"[^\x00-\x7f{_SIGNS}{COMMON}]").search


def repair_encoding(text: str) -> str:
    """Undo UTF-8 decoded as Latin-1 or GBK, if the result is flawless Chinese."""
    if _UTF8_READ_AS_LATIN.search(text) and (repaired := _reread(text, "cp1252") or _reread(text, "latin-1")):
        return repaired
    if _GBK_READ_AS_LATIN.match(text) and (repaired := _reread(text, "latin-1", "gb18030")) and not needs_simplifying(repaired):
        return repaired
    if len(_UTF8_READ_AS_GBK.findall(text)) * 4 >= len(text):
        return _reread(text, "gb18030") or text
    return text


def _reread(text: str, encoding: str, true_encoding: str = "utf-8") -> str | None:
    try:
        reread = text.encode(encoding).decode(true_encoding)
    except UnicodeError:
        return None
    return reread if _HAS_CJK.search(reread) else None


def unify_characters(text: str) -> str:
    """Replace full-width, ligature and compatibility characters by their plain form; drop invisible ones."""
    if text.isascii():
        return _UNSEEN.sub("", text)
    text = _SURROGATE.sub("\ufffd", text).replace("\ue5e5", " ")  # a lone surrogate cannot be encoded; A3 A0 of GBK is a blank
    if "〞" in text:
        text = _HALF_QUOTED.sub(r"“\1”", text).replace("〝", "“").replace("〞", "”")
    text = _PRIVATE_AT_END.sub("", _UNSEEN.sub("", unicodedata.normalize("NFC", text)))
    if unicodedata.is_normalized("NFKC", text):
        return text
    return _WIDE_IN_NUMBER.sub(lambda sign: "." if sign[0] == "．" else "~", "".join(map(_plain, text)))


@cache
def _plain(character: str) -> str:
    return character if _UNCHANGED.match(character) else unicodedata.normalize("NFKC", character)


@cache
def _converter(table: str = "t2s"):  # OpenCC's own type; the table is loaded at first use
    import opencc

    return opencc.OpenCC(table)


_LEAST_TRADITIONAL = 0.05
"""Minimum share of characters outside GB 2312 in traditional texts; simplified texts have hardly any."""


def are_traditional(text: str) -> bool:
    """Return whether joined texts are in traditional characters."""
    chinese = "".join(_CHINESE_RUN.findall(text))
    rare = _beyond_simplified(chinese)
    if rare < max(_FEWEST_RARE, _LEAST_TRADITIONAL * len(chinese)):
        return False
    changed = sum(one != other for one, other in zip(chinese, _converter().convert(chinese), strict=False))
    return 2 * changed > rare  # otherwise they are damaged


def _beyond_simplified(chinese: str) -> int:
    return len(chinese) - len(chinese.encode("gb2312", "ignore")) // 2


def simplify(text: str, is_traditional: bool = False) -> str:
    """Write traditional characters in their simplified form.

    A text with only GB 2312 characters is already simplified: in it, 乾 is the trigram and 徵 the note.

    Args:
        is_traditional: whether the source of the text is in traditional characters, where 乾 stands for 干.
    """
    text = _SURROGATE.sub("\ufffd", text)
    if not is_traditional and not _beyond_simplified("".join(_CHINESE_RUN.findall(text))):
        return text
    # tw2s is t2s and the variants of Taiwan, 著 for 着; tw2sp also makes 运行 of 執行 and 远程 of 遠端.
    converted = _converter("tw2s" if is_traditional else "t2s").convert(text)
    if converted == text or len(converted) != len(text):
        return converted
    characters = list(converted)
    for word in _PROTECTED.finditer(text):
        characters[word.start() : word.end()] = word[0]
    return "".join(characters)


_MOJIBAKE = re.compile(
    "\ufffd|锟|烫{3}|屯{3}|[\ue000-\uf8ff]|â€|ï¼"
    "|(?:[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff][\u00a1-\u00ff]){2}"
    "|(?:[ÃÂä-é][\u0080-\u00bf\u0152-\u0192\u02c6\u02dc\u2020-\u2022\u2030-\u203a\u20ac\u2122]{1,2}){2}"
)
_FEWEST_RARE = 4
_FILLER = re.compile("烫{3}|屯{3}")  # how uninitialized memory appears on Windows
_RUN = re.compile("[\u0080-\uffe6]{4,}")
_CHINESE = re.compile("[\u4e00-\u9fff\u3400-\u4dbf]")
_CHINESE_RUN = re.compile("[\u4e00-\u9fff\u3400-\u4dbf]+")


def has_lost_characters(text: str) -> bool:
    """Return whether a normalized text contains characters that the author cannot have written."""
    if not needs_simplifying(text) and not _FILLER.search(text):  # only common characters
        return False
    return bool(_MOJIBAKE.search(text)) or _is_rare(text) or any(map(_read_as_gbk, _RUN.findall(text)))


def _is_rare(text: str) -> bool:
    """Return whether a quarter of the Chinese characters are outside GB 2312, as happens when UTF-8 is decoded as GBK."""
    chinese = "".join(_CHINESE_RUN.findall(text))
    rare = _beyond_simplified(chinese)
    return rare >= _FEWEST_RARE and rare * 4 >= len(chinese)


def _read_as_gbk(run: str) -> bool:
    """Return whether a sequence of characters is UTF-8 decoded as GBK: reversing that gives mostly Chinese."""
    restored = run.encode("gb18030", "ignore").decode("utf-8", "ignore")
    return len(_CHINESE.findall(restored)) * 2 > len(run)
