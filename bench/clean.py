"""CPU time, memory and share of classification of the stage `clean` on generated questions, on one core.

    python bench/clean.py --count 300000

The questions have the blemishes of published sets: numbers, letters, tags, scores, page references, adverts, half-width signs, entities,
full-width and traditional characters, answers such as `B,D`; one in nine has a case that several share. Reading and writing the files is
included.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))


def _words(text: str) -> list[str]:
    return text.split()


PERSONS = _words("皮亚杰 维果茨基 弗洛伊德 罗杰斯 班杜拉 艾宾浩斯 马斯洛 冯特 科尔伯格 布鲁纳 加涅 斯金纳 巴甫洛夫 埃里克森 韦克斯勒")
THINGS = _words(
    "感觉 知觉 记忆 思维 想象 情绪 意志 动机 注意 气质 性格 能力 态度 需要 遗忘 迁移 强化 同化 顺应 移情 阻抗 共情 面质 投射 "
    "依恋 归因 从众 焦虑 抑郁 强迫 恐怖 妄想 幻觉 失眠 人格 智力 语言 问题解决 自我意识 社会化 短时记忆 长时记忆 系统脱敏 效度 "
    "合理情绪疗法 精神分析 信度 常模 标准差 方差分析 相关系数 元认知 学习策略 心理健康 咨询目标 初步诊断 躯体症状 量表"
)
QUALITIES = _words("主要 基本 早期 典型 重要 特殊 一般 外部 内部 稳定 有意 无意 核心 首要 间接 直接")
KINDS = _words("特征 阶段 原因 方法 理论 条件 影响 过程 表现 结构 作用 类型 原则 规律 功能 指标 程度 方式")
STEMS = (
    "下列关于{t}的{q}{k}，说法正确的是{b}。",
    "{p}提出的{t}{k}属于{b}。",
    "{n}岁儿童{t}发展的{q}{k}是{b}",
    "在{t}与{u}的关系中，{q}的{k}是{b}？",
    "{p}认为，{t}的{k}取决于{b}，而不是{u}。",
    "某学生在{n}分钟内完成了{m}道题，这说明他的{t}{k}{b}。",
    "{q}{t}的{k}包括{b}。",
)
OPTIONS = ("{q}{k}", "{t}", "{t}的{k}", "{q}{t}", "{n}~{m}岁", "{t}和{u}", "与{t}的{q}{k}有关", "{p}的{t}{k}")
CASE = (
    "一般资料：求助者，女性，{n}岁，某公司职员。案例介绍：{m}个月前，求助者因{t}问题与家人发生争吵，此后经常{u}，睡眠差，食欲下降，工作效率降低。"
    "求助者说：“我总是觉得{t}，控制不住自己。”心理咨询师观察了解到的情况：求助者自幼{q}，做事认真，追求完美，{p}式的教育使其{u}较强。"
    "求助者曾到医院检查，未发现{k}异常，服用药物{n}周，效果不明显，主动前来咨询，希望得到帮助，尽快改变目前的{t}状态。"
)
ASKED = ("该求助者的{q}症状是{b}", "对该求助者的初步诊断是{b}", "本案例适宜的咨询{k}包括{b}", "心理咨询师使用的{t}技术是{b}")
BLANKS = ("（ ）", "()", "(  )", "【】", "____", "（　　）")
WIDE = str.maketrans("0123456789", "０１２３４５６７８９")
TRADITIONAL = str.maketrans("习动机记忆发现态与学问题应经过说", "習動機記憶發現態與學問題應經過說")


def build(count: int, seed: int = 1) -> Iterator[dict]:
    """Yield raw question items."""
    draw = random.Random(f"{seed}/clean")
    case, left = "", 0
    for number in range(count):
        if left:
            left -= 1
        elif draw.random() < 1 / 40:
            case, left = _fill(CASE, draw), draw.randrange(2, 7)
        several = draw.random() < 0.3
        options = [f"{letter}.{_blemished_option(_fill(draw.choice(OPTIONS), draw), draw)}" for letter in "ABCD"]
        stem = f"{case}{_fill(draw.choice(ASKED), draw)}。" if left else _blemished_stem(_fill(draw.choice(STEMS), draw), number, draw)
        yield _item(number, stem, options, _answer(several, draw), "多项选择题" if several else "单项选择题", bool(left))


def _fill(template: str, draw: random.Random) -> str:
    return template.format(
        p=draw.choice(PERSONS),
        t=draw.choice(THINGS),
        u=draw.choice(THINGS),
        q=draw.choice(QUALITIES),
        k=draw.choice(KINDS),
        n=draw.randrange(2, 60),
        m=draw.randrange(2, 99),
        b=draw.choice(BLANKS),
    )


def _blemished_stem(stem: str, number: int, draw: random.Random) -> str:
    chance = draw.random()
    for share, change in (
        (0.25, lambda: f"{number % 150 + 1}、{stem}"),
        (0.35, lambda: stem.replace("，", ",").replace("？", "?")),
        (0.40, lambda: f"({number % 9} P{number % 300}){stem}"),
        (0.45, lambda: f"{stem}单选"),
        (0.48, lambda: f"{stem}[1分]"),
        (0.51, lambda: f"<p>{stem}</p>&nbsp;"),
        (0.54, lambda: stem.translate(WIDE)),
        (0.57, lambda: stem.translate(TRADITIONAL)),
        (0.59, lambda: f"{stem}来源：考试吧"),
        (0.62, lambda: f"{number % 150 + 1}[多选题] {stem}"),
        (0.64, lambda: f"如图所示，{stem}"),
        (0.66, lambda: "记忆是（ ）。"),
    ):
        if chance < share:
            return change()
    return stem


def _blemished_option(option: str, draw: random.Random) -> str:
    chance = draw.random()
    return f" {option}；" if chance < 0.1 else f"{option}。" if chance < 0.2 else f"{option}&nbsp;" if chance < 0.22 else option


def _answer(several: bool, draw: random.Random) -> str:
    letters = sorted(draw.sample("ABCD", draw.randrange(2, 5))) if several else [draw.choice("ABCD")]
    return draw.choice((",", "", "", "、")).join(letters)


def _item(number: int, stem: str, options: list[str], answer: str, section: str, analysis: bool) -> dict:
    seen = {"source": "bench", "url": f"https://toy/{number // 100}", "snapshot": "2026-01-01", "page_id": f"page-{number // 100}"}
    return {
        "kind": "question",
        "url": seen["url"],
        "provenance": seen | {"position": f"q{number % 100 + 1}"},
        "exam_raw": "心理咨询师" if analysis else "自考",
        "subject_raw": "普通心理学",
        "section_raw": section,
        "stem_raw": stem,
        "options_raw": options,
        "answer_raw": answer,
    }


def measure(folder: Path) -> None:
    """Run the stage in this process, on one core; write the time and memory it took."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import curation.clean.__main__ as clean
    from curation.clean.questions import rejections as questions

    spent = 0.0
    classify = questions.classify

    def timed(row):  # signature of classify
        nonlocal spent
        start = time.process_time()
        classes = classify(row)
        spent += time.process_time() - start
        return classes

    questions.classify = timed
    os.chdir(folder)
    wall, cpu = time.perf_counter(), time.process_time()
    clean.main([])
    taken = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu, "classify_s": spent}
    taken["mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    counts = json.loads((folder / "metrics/clean.json").read_text())
    Path("measured.json").write_text(json.dumps(taken | counts["questions"] | {"rules": counts["repaired_by_rule"]}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.folder:
        return measure(args.folder)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "params.yaml").write_text("sources: {bench: {}}\nclean: {min_stem_chars: 2, min_chinese_share: 0.3}\n")
        (folder / "data/items").mkdir(parents=True)
        with open(folder / "data/items/bench.jsonl", "w", encoding="utf-8") as out:
            out.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in build(args.count))
        for _ in range(args.rounds):
            subprocess.run([sys.executable, __file__, "--folder", name], check=True)
            found = json.loads((folder / "measured.json").read_text())
            print(
                f"{found['in']} questions, {found['out']} kept: {found['wall_s']:.1f} s wall, {found['cpu_s']:.1f} s CPU, "
                f"of which classifying {found['classify_s']:.1f} s; {found['mb']:.0f} MB; rules that changed: {len(found['rules'])}"
            )


if __name__ == "__main__":
    main()
