"""Parse the verdict on a claim: 正确, 错误, or none.

The verdict must be the reply's first assertion. Lead-ins that assert nothing are skipped (greetings, 我认为, labels, list numbers).
Attributes and adverbs (正确的诊断, 错误用药), questions, echoes of the instruction, and mentions of both verdicts together are not
verdicts.
"""

import re

from eval.answers.reply_text import folded, simplified
from eval.answers.scope import doubted, without_cases
from eval.answers.structured import json_fields, table_fields

RIGHT, WRONG = "正确", "错误"
_CONTRARY = {RIGHT: WRONG, WRONG: RIGHT}

_QUICK = re.compile(r"[\s“”\"*]*(正确|错误)[”“\"*]*(?:[。.！!]|$|[，,\n](?![^。\n]{0,6}(?:或|还是|/)))")
_JSON = re.compile(r"\A(?:json\s*)?\{\s*[\"'][^\"']{1,12}[\"']\s*:\s*")
_QUOTED_CLAIM = re.compile(
    r"\A[^“\"「『‘'\n]{0,10}[“\"「『‘'][^“”\"「」『』‘’'\n]{5,200}[”\"」』’'](?=[的,]?[:—-]{0,2}(?:这|该|此|的|是)|\s?[,。:→=—-]{1,2}\s?(?:(?:判断|答案|回答|结论)[:是为]\s?)?(?:不?正确|错误|有误|不?对|错|没有?(?:问题|毛病)))"
)
_QUOTES = re.compile(r"[\"'“”‘’「」『』《》〈〉]")
_TABLE_HEAD = re.compile(r"\A\|?[^|\n]{1,20}\|[^\n]{0,200}\n\|?[-:| ]{3,80}\n\|?")
_BRACKETS = re.compile(r"[()\[\]【】<>{}~|]")  # 错误哦~ ends like a clause with a comma
_SIGNS = re.compile(r"[√×]")
_MARKED = re.compile("|".join(each.pattern for each in (_QUOTES, _BRACKETS, _SIGNS)))
_REPEATED = re.compile(rf"({RIGHT}|{WRONG})(?:\s*\1)+(?!\w)")
_NO_VERDICT = r"(?![^\n]*(?<!是否)(?:正确|错误|有误|不对)的?[^\w?])"
_GREETINGS = (
    rf"(?:温馨提示|提示|免责声明|声明|说明)\s?:(?:{_NO_VERDICT}[^\n]{{0,60}}\n)?\s*"
    r"|我?(?:无法|不能|没有)(?:访问|获取|连接|检索|查阅|联网)[^,。\n]{0,24}[,。]\s*"
    r"|让我(?:先|再|们)?(?:仔细|好好)?(?:想想|想一[想下]|看看|看一下|思考一下|考虑一下|分析一下)[,。!\s]+|(?:你好|您好|好的|好|当然(?:可以|了)?|可以|明白了?|收到|了解了?|没问题|嗯+|哈+|很高兴[^,。!]{0,12}|(?:很|非常|十分)?抱歉|对不起|不好意思|(?:很|非常)?遗憾(?:的是)?|谢谢[^,。!]{0,12}|感谢[^,。!]{0,12}"
    r"|(?:亲爱|尊敬)的[^,。!:]{1,12}|(?:hi|hello|hey)(?: there)?|sure(?: thing)?|ok(?:ay)?|of course|certainly|absolutely|well"
    r"|let'?s (?:see|think)[^.!:\n]{0,20}"
    r"|(?:great|good|nice|interesting) question|thank(?:s| you)[^.!\n]{0,60}|here(?:'s| is)[^.!:\n]{0,30})[,。!.:~\s]+"
    r"|我?(?:之前|刚才|先前|上面)的?(?:回答|判断|答案)(?:确实|是|存在)?(?:有误|错误|错了)[,。!]\s*|(?:这|该|此)(?:个|道)?(?:问题|题目?)?(?:嘛|呢|啊|吧|呀)[,。.\s]+|(?:这(?:真|确实)?是|[您你]提(?:出|到)?了?)(?:一?个|的)?[^,。!:\n]{0,10}(?:问题|提问|话题)[,。!:~\s]+"
    r"|(?:我们?|让我们?|下面|接下来|现在|首先)(?:我们?)?(?:会|将|来|就|先|要|可以|需要|帮[您你]|为[您你]|逐步|一起|尝试|按照?要求|根据要求){1,4}"
    r"(?:对?[这该此上][^,。!:;?\n]{0,10}?)?(?:进行|做出|作出|给出)?(?:一个|我的)?(?:判断|分析|回答|解答|评估|核实|看看|看一下|审视|作答)"
    r"(?:(?!(?<!否)(?:正确|错误)|[是为](?!否)|不|对(?=[,。!]))[^,。!:;?\n]){0,20}[,。!:\n]\s*"
)
_VIEWS = (
    r"(?:作为|对于|关于|针对|就)[^,。:]{1,20},\s*|(?:以下|下面)是[^,。:]{1,12}:\s*|(?:首先|总之|综上所述|综上|总的来说|(?:从?(?:总体|整体|大体|总的|大致|一般|通常|严格|客观|简单|广义|狭义|原则|本质)(?:意义)?上?(?:而言|来说|来看|来讲|地说|说来|说|讲|看))|(?:总体|整体|大体|基本)上?|由此可[见知]|可见|(?:总而|简而?|换)言之|一言以蔽之|换句话说|归根结底|说到底|不得不说|可以说|总结(?:一下|来说|而言)?|综合(?:考虑|来看|(?:以上|上述)?分析|以上|上述)?|[由从据](?:此|上|以上分析)?可[见知得]|分析可[见知得]|因此|所以|那么)[,:\s]*"
    r"|我(?:们)?(?:的)?(?:更?倾向于)?(?:认为|觉得|猜测?|判断|回答|答案|回复|结论|看法)(?:是|为|如下)?[,:\s]*|我[会想]说[,:\s]*|在我看来[,:\s]*|(?:真的|事实上|实际上|其实|很?显然|显而易见|很?明显|当然|毫无疑问|(?:恕我|坦[率白])[^,。:\n不无没]{1,4}|我(?:可以|敢|能)[^,。:\n不无没]{0,10}?(?:告诉[您你]|说(?!法)|肯定|确认|确定)|的确|[^,。:\n]{1,6}(?:来说|来讲|来看|而言|地说|说来)),?\s*|个人认为[,:\s]*|(?:我?(?:可以|能够?)?(?:肯定|确定|明确|确认|负责任)地?(?:的是|说|讲|告诉[您你])|(?:可以|能够?)(?:肯定|确定|明确|确认)(?:的是)?),\s*|(?:在|从)?(?:医学|临床|理论|科学|药学|中医)上(?:来说|认为|来讲|讲|来看|看)?[,:\s]*"
    r"|[^,。:\n不没无未]{0,14}(?<!待)(?:表明|证明|显示|证实)(?![。\n])[,:]?\s*|(?:(?:专家|医生|学者)们?(?:认为|表示|指出|强调)|(?:一般|通常|普遍)认为)[,:]?\s*"
    r"|(?:据|以|依|就|按|凭)(?:我|我们|目前|现有|笔者)[^,。:\n]{1,12},\s*|[以就从][^,。:\n]{1,16}(?:为准|为依据|为前提|[而]?[言论看])[,:]\s*|参[考照][^,。:\n]{1,20},\s*"
    r"|(?:根据|按照|依据|基于|从|经过?|通过|结合)[^,。:\n]{1,20}[,:][,:\s]*|让?我们?(?:来|先)?(?:一步|逐)[^,。:\n]{0,16}[,。:\n]\s*|我来[^,。:\n]{1,12}[,。:\n]\s*"
    r"|(?:based on|according to|in) [^,.:\n]{1,60},\s*|i (?:think|believe)(?: that)?\s*|(?:overall|therefore|thus|so|finally),\s*"
    r"|(?:the|this|my) (?:(?:correct|final|right|best|given|above|following) )?"
    r"(?:statement|claim|answer|verdict|judge?ment|conclusion) is:?\s*"
    r"|(?:it|this|that)(?:'?s| is):?\s*(?=[\u4e00-\u9fff])|(?:yes|no|true|false"
    r"|correct|incorrect|right|wrong)\s*[,.!:—-]+\s*"
)
_LABEL = (
    r"(?:(?:我的|先?(?:[说讲上]|给出?)|AI|(?:这|该|此|本)[个道]?(?:问题|题目?)的?|正确|最[终后]|参考|标准|初步|综合|总体|整体|核心|明确|简[短要洁单]|直接|快速|一句话|专业|医学|判断|评估|分析|审核|(?:事实)?核[查实对])*(?:的?(?:答案|选项|选择|回答|回复|结论|判断|判断结果|判定|判定结果|结果|结论先行|判断结论|评价|意见|判断题(?:的?答案)?)|总结|小结|标签|类别|输出)(?:如下)?|tl;?dr|(?:my|the|final|correct)\s(?:final\s|correct\s)?(?:answer|verdict|judge?ment)|verdict|label|答|answer|ans|a|response|result|judg(?:e)?ment|conclusion"
    r"|assistant|助手|医生)"
)
_STATEMENT = (
    r"(?:说法|观点|陈述|表述|描述|命题|论断|论述|句话|话|叙述|内容|断言|声明|判断|理解|情况|结论|讲法|提法|主张|见解|解释|文字|信息)"
)
_LEAD_INS = re.compile(
    rf"(?:{_GREETINGS}|{_VIEWS}|{_LABEL}(?:\s*+(?:应该?)?[是为])?(?:\s*+[:=,—→-][:,\n—→-]*+|[^\S\n]*+\n)\s*|(?:(?:这|该|此|本)[个道]?(?:问题|题目?)的?)?(?:(?:正确|最终|参考)?答案|结论|回答|判断结果|结果|判断|判定)(?:应该?)?[是为](?!否)\s*"
    r"|(?:但是?|不过|然而),?\s*"
    rf"|(?:这个|这种|这|该|此|上述|以上)?(?:一|种|条)?{_STATEMENT}[,:]\s*"
    rf"|(?:(?:这|该|此|本)道?题目?,?)?(?:我(?:们)?(?:会|将|应该?|的)?|应(?:该|当)?|可以?|首?先)?(?:回复|回答|答|判断|判定|选择?|判|填写?|打|勾选|归)(?:是|为)?[:\s]*(?=(?:正确|错误?|对)(?:{_STATEMENT})?\s*(?:[,。!;:.\n]|$))"
    r"|(?:[^,。:;!?\n]{0,10}(?:是否|是不是)(?:正确|对|成立|属实)|(?:判断)?(?:正确与否|正误|对错|是非|真伪|(?:真实|准确|正确|科学)性)(?:判断)?)\s*[:\n]\s*"
    r"|(?:判断|答案)?[,\s]*(?:正确(?:或者?|/|还是|、)错误|错误(?:或者?|/|还是|、)正确|对(?:或者?|/)错)[,\s]*:\s*"
    r"|(?:我?选择?|选项|答案)?\s*+[a-d]\s*+(?:选?项)?\s*+[.、,:]?\s*+(?=(?:正确|错误|对|错)\s*(?:[,。!;.\n]|$))"
    r"|(?:\d{1,2}|[一二三四五六]|[ivx]{1,4})\s*[.、,:]\s*|[-—•·.。,:|→=\s]+)",
    re.IGNORECASE,
)
_SUBJECT = (
    r"(?:(?:您|你|题目中?|题干中?|题中|文中)?(?:的|所说的|所述|提到的|说的|所描述的)?"
    rf"(?:该|这[两三几些]个?|这个|这种|这一|这|那|此|本|上述|以上|下列|给出的|这样的|它)?(?:条|句|个|项|种|题|段|番|类)?(?:医学)?(?:{_STATEMENT}|题述|所述|选项)?)(?:说得|说的|讲得)?"
    r"(?:[在从](?:绝?大?多数|一般|通常|正常|多数)?(?:情况|医学|临床|科学|理论|原则|总体|整体|大体|本质|事实)[上下中]?(?:(?:的)?角度)?(?:来?[说看讲]|而言)?)?"
)

_ANY_SUBJECT = (
    rf"[^,。;!?:\n—]{{2,60}}?(?:这|这一|这个|这种|这样的|该|此|的)(?:种|个|一)?{_STATEMENT}"  # the quoted claim: 流感不传染这种说法
    r"|(?:认为|说)[^,。;!?:\n]{3,60}?(?=是)"
)
# A verdict word is a verdict only if the sentence or clause ends after it, or its reason begins.
_ENDS = (
    r"(?=[^\S\n]*+(?:\n|(?:的|了|吧|哦|呢|呀|啊|啦|哟|喔|哈|嘛|噢){0,8}+[^\S\n]*+"
    r"(?:[,。!;:.\n—-]|$|因为|原因|理由|由于|\d{1,2}[.、:](?!\d))))"
)
_VERDICTS = [
    (
        WRONG,
        r"(?:并)?(?:不(?:完全|太|够)?|(?<!是)不是(?:完全)?(?:一?[个种])?|非(?:完全)?|算不上(?:是)?(?:一?[个种])?"
        r"|不能(?:说|算|认为|视为|判断为?)(?:它|其)?是?(?:完全)?)(?:正确|对)",
    ),
    (
        WRONG,
        r"(?:是)?(?:完全|[非异]常|十分|极其|严重|明显|根本|绝对)?错误|(?:有|存在)(?:错)?误|(?:存在|有)(?:着)?(?:一些|一定|部分|明显|严重|较大|很大|多处|根本性?|原则性?|概念性?|事实性?|常识性?|逻辑性?)?的?错误|错",
    ),
    (
        RIGHT,
        r"并?(?:没有|没|无|不存在|未见)(?:任何|什么|明显的?)?(?:错误|错|误)(?:之处|的地方)?"
        r"|(?:并)?(?:不是|不算|算不上(?:是)?|不|非)(?:一?[个种])?(?:错误|错的|不正确|不对)(?:的)?"
        r"|(?:是)?(?:完全|基本|大致|大体|[非异]常|十分|绝对)?正确(?:无误)?|(?:是)?(?:对)(?:的)?",
    ),
]
_VERDICT = (
    r"(?:均|都|也|几乎|可以肯定|总[体的]上|整体上?|大体上|完全|根本|仍然?|依然|本身|可以说|显然|明显|确实|的确|其实|无疑|当然|绝对|应该|应当|[很极]有?可能|大概率|多半|恐怕|基本上|目前|已经?|通常|一般|(?:应|可)?被?(?:普遍|广泛|公认|认为|证明|证实|视为|判断|判定|认定|评定))*(?:是|属于|应为|为)?(?:(?:一个|一种)?)?(?:"
    + "|".join(f"(?P<v{i}>{pattern})" for i, (_, pattern) in enumerate(_VERDICTS))
    + rf")(?:的{_STATEMENT}|(?:(?<=[是于]错误)|(?<=[是于]正确)){_STATEMENT})?"
    + rf"(?:的?(?:可能性|概率|几率)(?:[很较更极]|非常|十分|相当|比较)?[大高])?{_ENDS}"
)
_OPENING = re.compile(_SUBJECT + _VERDICT)
_NAMED_OPENING = re.compile(rf"(?:{_ANY_SUBJECT})" + _VERDICT)
_OPEN_QUESTION = re.compile(
    r"是否|是不是|如果|只有|除非|无法|不能|难以|不确定|因为|所以|因此|吗|正确|错误|哪|否认|假设|假如|倘若|若|要是|即使|就算|起初|最初|一开始|原[本先]|乍|看[起上]|听[起上]"
)
# Contains neither word, so it is no verdict yet: 这个说法有问题. The verdict may follow in the same sentence.
_VAGUE = (
    r"是?(?:并|显然|自然|当然|确实|也)?(?:(?:没有?|无|不存在)(?:任何|什么)?不[当妥对]|(?:没有?|不存在)(?:什么|任何)?(?:问题|毛病)|(?:有|存在)(?:一[些定]的?|明显|严重|很大)?问题|(?:过于|太|有些|比较)?(?:片面|绝对|武断|夸大|笼统)"
    r"|不?(?:太|够|完全|能)?(?:准确(?:无误)?|成立|合理|严谨|恰当|属实|真实|科学|客观))"
)
# Agrees with the user; a verdict on the claim may follow: 对，这句话错误
_AGREEING = re.compile(rf"(?:[您你]说[得的]?)?(?:很)?(?:对|没错|不错)(?:的)?{_ENDS}")
_CONFORMING = (
    r"(?:(?:是|确实|也|并|基本|完全){0,3}(?:不?符合|有?违背?了?|违反了?)[^,。;:!?\n]{0,10}(?:事实|常识|实际|理论|原理|规律|定义|规定|要求|知识|指南|共识|认识|标准|证据|情况|规范|原则)(?:的)?"
    r"|(?:是|确实|也|并|完全){0,3}[与和同][^,。;:!?\n]{1,16}?(?:不相?符合?|相?符合?|不?一致|相悖|相?矛盾|相反|吻合|冲突|违背)(?:的)?)"
)
_FILLERS = [
    (WRONG, re.compile(rf"不是(?:的|这样的)?{_ENDS}")),
    (RIGHT, re.compile(rf"是(?:的)?{_ENDS}")),
    (None, re.compile(rf"(?:不错|没有|不能说(?:没有|毫无)(?:任何)?(?:道理|依据)){_ENDS}")),
    (None, re.compile(rf"(?:事实)?(?:并非如此|并?不是这样)(?:的)?{_ENDS}")),
    (None, re.compile(_SUBJECT + _VAGUE + _ENDS)),
    (None, re.compile(_SUBJECT + rf"{_CONFORMING}(?=,(?!\s*(?:因此|所以|故|可见)))")),
    (None, re.compile(rf"[不否]{_ENDS}")),  # 不 alone may deny the claim or its denial; the rest of the text decides
    (None, re.compile(r"我(?:并)?不?(?:同意|赞同)[^,。!;:\n]{0,12}(?=,)")),
]
# Both verdicts as headings or list items, or a reply that consists of both
_ITEM = r"\s*+(?:[-•*]\s*+|[(]?(?:\d{1,2}|[A-Da-d])\s*+[.、:)]\s*+)?"
_SIDE_BY_SIDE = re.compile(
    rf"{_ITEM}(?P<one>{RIGHT}|{WRONG})(?:\s*+:[^\n;]*+|(?:\s*+[。.])?)(?:\s*+;|[^\S\n]*+\n){_ITEM}(?!(?P=one))"
    rf"(?:{RIGHT}|{WRONG})(?:\s*+:|(?:\s*+[。.])?(?:[^\S\n]*+\n|\s*+\Z))"
    r"|[^。\n]{0,30}?不[^,。\n]{0,6}正确[,、](?:但|而)?也[不没][^,。\n]{0,8}错"
    rf"|{_ITEM}(?P<first>{RIGHT}|{WRONG})[\s,、;]*+{_ITEM}(?!(?P=first))(?:{RIGHT}|{WRONG})\s*+[。.!]?\s*+\Z"
)
_ECHO = re.compile(  # repeats the question or the requested format: 该说法是否正确？ 回答“正确”或“错误”。
    r"[^。;!?\n]{2,80}\?\s*(?=[这该此][^,。!?\n]{0,12}(?:正确|错误|不对|有误))|[^。;!?\n]{0,80}(?:(?:是否|是不是)(?:完全)?(?:正确|对|成立|属实|准确)的?|(?:正确|对|错误|错|准确)的?吗|对不对|正确(?:还是|或)错误)[呢呀啊]?\s?\?\s*"
    r"|(?![^。\n]{0,20}(?:[无没]法|不能|难))[^。;!?\n]{0,40}(?:回答|回复|作答|输出|判断|判定|选择|只|用|从|给出)[^。;!?\n]{0,20}?"
    r"(?:正确(?:或者?|还是|/|和|与|、|,)错误|错误(?:或者?|还是|/|和|与|、|,)正确)[^。;:!?\n]{0,12}[。:\n]\s*"
)
_OPTIONS_ECHOED = re.compile(  # A. 正确 B. 错误 答案：B
    rf"(?:\A|(?<=[\n。:]))\s{{0,4}}+(?:选项:\s{{0,4}}+)?\(?A\s?[.、:)]\s?(?P<A>{RIGHT}|{WRONG})[。;,]?\s{{1,4}}+\(?B\s?[.、:)]\s?(?!(?P=A))(?P<B>{RIGHT}|{WRONG})[。;]?\s{{1,8}}+"
    r"(?P<label>(?=我|[正参]|[答选]|应|故|因此|\(?[AB]\)?[。.]?\s*+\Z)[^AB\n]{0,12}+)(?:(?P<letter>[AB])(?=[)。.,;\s]|\Z)(?!\s?[.、:)]\s?[正错]))?"
)
_ECHOING = re.compile(r"\?|正确(?:或者?|还是|/|和|与|、|,)错误|错误(?:或者?|还是|/|和|与|、|,)正确")
ASKS_WHETHER_WRONG = re.compile(r"(?:不(?:太|完全|够)?(?:正确|对|准确)|错误?)的?吗")
_DISCLAIMED = re.compile(r"(?:这|我)?(?:并)?(?:不是|非)(?:在)?说\s*(?=[这该此本上题它其])")
_PAUSE = re.compile(r"(?<=[法述话题断点])\.{3,}(?=[^\s.])")
_SET_AGAINST = re.compile(  # 医生们认为这个说法正确，但我认为是错误的: the first verdict is someone else's
    r"(?![^,。;\n]{0,4}我(?!的))(?![^,。;\n]{0,10}(?:普遍|一般|通常|公认|多|大家|人们|学界))[^,。;\n]{1,16}(?:认为|觉得|说(?!法)|表示|写)"
    r"[^,。;\n]{0,40}?(?:(?P<wrong>错误?|不[正对成]|有误)|正确|对|成立|属实)(?:的|了)?[,。;]\s?(?:但是?|然而|不过|可是?|而)(?:[^。\n]{0,60}?"
    r"(?(wrong)(?<!不)(?:正确|对的|成立)|(?:错误?|不(?:正确|对|成立|属实|准确)|有误|站不住))|,?\s?(?:我|笔者|本人)们?(?:个人)?[却则还]?(?:是|倾向于)?(?:认为|觉得|(?:并)?不(?:同意|赞同|认同)))"
)
_VIEW_WORD = re.compile("[认認][为為]|[觉覺]得|[说說](?![法这這])|表示|[写寫]")
_DENIED = re.compile(r"我(?:们)?(?:并)?不(?:认为|觉得)\s*")
_SENTENCE = re.compile(r"[。!?\n;]")
_ALTERNATIVE = re.compile(r"\s*+的?[,、—-]?\s*+(?:或|还是|/)|的?,?\s?(?:但|却|同时)?[也又](?:不(?:完全|全)?(?:对|正确)|错)")
_NAMES_CLAIM = (
    r"(?:(?:下列|以下|待判断的?|待核查的?|原始?)?(?:说法|陈述|表述|描述|命题|论断|观点|题目|题干|问题|原文|原句|原题|句子|内容|断言|判断题|待判断|待核查|复述|重述|claim|statement"
    r"|question|q|input|text|输入|文本)(?:内容|复述)?(?:如下)?\s?\d{0,2})"
)
_VERDICT_REQUEST = (
    r"请?(?:判断|评估|分析|核查)?[^\n:?。]{0,12}(?:说法|陈述|表述|描述|命题|观点|句话)[^\n:?。]{0,4}"
    r"(?:是否(?:正确|成立|属实)|正误|对错|真伪|正确与否)[^\n:?。]{0,12}"
)
_NOT_REPEATED = r"(?![^\n]{0,10}(?:正确|错误|不?对的?|错|有误|是的|没错)\s?[,。!;.\n)\]】])"
_REPEATS_CLAIM = re.compile(  # 说法：X⏎ before 判断：错误; other fields that give no reason may also precede it
    rf"(?:让?我们?来?)?先?(?:复述|重复|重述|回顾|引用)?(?:一[遍下])?[\[【(<]?\s?(?:(?:{_NAMES_CLAIM}\s?[\]】)>]?\s?(?:[:\n]|(?<=[\]】)>]))|{_VERDICT_REQUEST}:|请判断(?:题)?:|>{_NO_VERDICT})\s*{_NOT_REPEATED}"
    r"[^\n]{2,300}|(?:判断类型|类型|题型|任务|类别|编号|序号|题号|置信度|id|type|confidence)\s?:[^\n]{1,20})\n\s*",
    re.IGNORECASE,
)
_CLAIM_KEY = re.compile(
    rf"{_NAMES_CLAIM}|(?:题|序|编)?号|#|类型|题型|任务|置信度|id|index|no|type|task|confidence|score|label id|question id", re.IGNORECASE
)
_VERDICT_KEY = re.compile(
    r"(?:最终)?(?:判断|判定|判断结果|结果|结论|答案|回答|评价|评判)|(?:是否)?正确性?|是否(?:成立|属实)|正误|对错|真伪"
    r"|(?:is ?)?(?:correct|verdict|answer|result"
    r"|label|judge?ment|conclusion|prediction|decision)|final ?answer",
    re.IGNORECASE,
)


def read_claim(reply: str) -> str | None:
    """Return 正确 or 错误, or None if the reply begins with neither."""
    if quick := _QUICK.match(reply):
        return None if (WRONG if quick[1] == RIGHT else RIGHT) in reply and side_by_side(folded(reply[:600])) else quick[1]
    text, asks_whether_wrong = _opening_text(reply)
    if RIGHT in text and WRONG in text and side_by_side(text):
        return None
    if _VIEW_WORD.search(reply, 0, 60) and _SET_AGAINST.match(folded(reply[:200])):
        return None
    if _DISCLAIMED.match(text):  # 并不是说这个说法是错误的 does not affirm the claim either
        return None
    if denied := _DENIED.match(text):
        match = _OPENING.match(text, denied.end())
        return _CONTRARY[_verdict(match)] if match else None
    if match := _OPENING.match(text) or _named(text):
        if _ALTERNATIVE.match(text, match.end()):
            return None
        agreeing = _AGREEING.match(text)
        return (_explicit_after(text[agreeing.end() : agreeing.end() + 80], named=True) if agreeing else None) or _verdict(match)
    for verdict, filler in _FILLERS:
        if match := filler.match(text):
            return _explicit_after(text[match.end() : match.end() + 80]) or (
                _CONTRARY[verdict] if verdict and asks_whether_wrong else verdict
            )
    return _field_verdict(folded(reply[:600])) if "{" in reply or "|" in reply else None


def without_options(text: str) -> str:
    """If a folded reply repeats both verdicts as lettered options before its answer, remove them and replace the chosen letter by its
    verdict."""
    return (
        _OPTIONS_ECHOED.sub(lambda echo: echo["label"] + (echo[echo["letter"]] if echo["letter"] else ""), text, 1) if "B" in text else text
    )


def side_by_side(text: str) -> bool:
    """Return whether a folded reply comments on both verdicts side by side: 正确：…⏎错误：…"""
    return bool(_SIDE_BY_SIDE.match(text))


def _field_verdict(text: str) -> str | None:
    """Return the verdict in a JSON object or table, if only the claim precedes it."""
    for key, value in json_fields(text) or table_fields(text):
        if _VERDICT_KEY.fullmatch(key):
            match = _OPENING.match(_without_lead_ins(_BRACKETS.sub(",", _SIGNS.sub("", value))))
            return _verdict(match) if match else None
        if not _CLAIM_KEY.fullmatch(key):
            return None
    return None


def _opening_text(reply: str) -> tuple[str, bool]:
    """Return the first assertion of a reply after any lead-ins, and whether it answers the reply's own question 错误吗？

    Only the first 600 characters are searched.
    """
    text = _PAUSE.sub("", without_options(simplified(folded(reply[:600]))))
    while "\n" in text and (repeated := _REPEATS_CLAIM.match(text)):
        text = text[repeated.end() :]
    if _MARKED.search(text):
        text = _without_opening(_TABLE_HEAD, text) if "|" in text else text
        text = _QUOTES.sub("", _without_opening(_QUOTED_CLAIM, _without_opening(_JSON, text)))
        text = _BRACKETS.sub(",", _SIGNS.sub("", text))
    if text.count(RIGHT) > 1 or text.count(WRONG) > 1:
        text = _REPEATED.sub(r"\1", text)
    text = _without_lead_ins(without_cases(text))
    if _ECHOING.search(text, 0, 120) and (echo := _ECHO.match(text)):
        return _without_lead_ins(text[echo.end() :]), bool(ASKS_WHETHER_WRONG.search(echo[0]))
    return text, False


def _without_opening(opening: re.Pattern, text: str) -> str:
    match = opening.match(text)
    return text[match.end() :] if match else text


def _without_lead_ins(text: str) -> str:
    while (lead := _LEAD_INS.match(text)) and lead.end():
        text = text[lead.end() :]
    return text


def _named(text: str) -> re.Match | None:
    match = _NAMED_OPENING.match(text)
    before = match.start(match.lastgroup or 0) if match else 0
    return match if match and not _OPEN_QUESTION.search(text, 0, before) and not doubted(text[:before]) else None


def _verdict(match: re.Match) -> str:
    number = next(i for i in range(len(_VERDICTS)) if match[f"v{i}"])
    return _VERDICTS[number][0]


def _explicit_after(rest: str, named: bool = False) -> str | None:
    """Return an explicit verdict in the rest of the opening sentence: 是的，该说法错误 means 错误.

    Args:
        named: accept a verdict only if it mentions the claim.
    """
    sentence = _SENTENCE.split(rest.lstrip("的 ,"), maxsplit=1)[0]
    for clause in re.split(r"[,:]", _AGREEING.sub("", sentence, count=1)):
        if (match := _OPENING.match(_without_lead_ins(clause.strip()))) and not (named and match.start(match.lastgroup or 0) < 3):
            return _verdict(match)
    return None
