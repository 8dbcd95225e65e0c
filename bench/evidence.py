"""Compare the search for evidence with rank_bm25 on generated passages: CPU time, wall time, memory, and overlap of the results.

    python bench/evidence.py --claims 14000 --passages 100000

Both sides get the same words, segmented once. rank_bm25 searches for `--sample` of the claims, since all would take hours, and its time is
extrapolated. Its idf differs slightly from Lucene's, so the comparison is the overlap of the ten best results.
"""

import argparse
import random
import resource
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from atomexam.records.claim import ClaimPair, Passage, claim_id
from atomexam.records.provenance import Provenance
from curation.evidence.ranking import best_matches, best_sentence, ranked, tokens_of


def words(text: str) -> list[str]:
    return text.split()


PLACES = words(
    "肺 肝 胃 肾 心 脑 眼 耳 鼻 咽喉 皮肤 骨 关节 甲状腺 乳腺 "
    "胰腺 胆囊 膀胱 子宫 卵巢 前列腺 食管 结肠 直肠 血管 淋巴结 神经 肌肉 牙龈 扁桃体"
)
KINDS = words("炎 癌 结核 囊肿 息肉 溃疡 结石 出血 水肿 萎缩 硬化 增生 脓肿 梗死 损伤 畸形 感染 肥大 纤维化 肉瘤")
ADJECTIVES = words("急性 慢性 原发性 继发性 先天性 老年性 小儿 复发性 药物性 过敏性 特发性 遗传性 病毒性 细菌性 真菌性")
FINDINGS = words(
    "发热 咳嗽 腹痛 恶心 呕吐 头晕 乏力 水肿 黄疸 皮疹 瘙痒 出血 心悸 气促 失眠 便秘 腹泻 消瘦 盗汗 胸痛 头痛 耳鸣 麻木 抽搐 昏迷"
)
FILL = words(
    "的病人 常有 多见于 可以 一般 在医院 检查 治疗 时 应当 注意 饮食 休息 早期 "
    "晚期 症状 明显 需要 及时 就医 与 有关 引起 因此 避免 影响 生活 医生 建议"
)


def build(claims: int, passages: int, seed: int = 1) -> tuple[list[ClaimPair], list[Passage]]:
    """Return claims about 6,000 diseases, and passages of about 150 characters on one or two of them."""
    draw = random.Random(f"{seed}/evidence")
    diseases = [a + place + kind for a in ADJECTIVES for place in PLACES for kind in KINDS]
    texts = []
    for _ in range(passages):
        sentences = []
        for _ in range(draw.randrange(3, 7)):
            words = draw.choices(FILL, k=draw.randrange(6, 12)) + draw.choices(FINDINGS, k=draw.randrange(3)) + [draw.choice(diseases)]
            draw.shuffle(words)
            sentences.append("".join(words) + "。")
        texts.append("".join(sentences))
    made = []
    for number in range(claims):
        head, tail = draw.choice(diseases), draw.choice(FINDINGS) + draw.choice(["", "", "加重", f"{number % 7 + 1}天"])
        said, denied = f"{head}的常见症状包括{tail}", f"{head}的常见症状不包括{tail}"
        seen = [Provenance(source=draw.choice("ab"), url="https://a/1", snapshot="2026-01-01", page_id="page-1", position=str(number))]
        made.append(
            ClaimPair(
                id=claim_id(said, denied), atomic_type="disease_symptom", head=head, tail=tail, factual=said, non_factual=denied,
                template_id="paper/disease_symptom/0", fact_ids=[f"fact-{number}"], provenance=seen,
            )
        )  # fmt: skip
    return made, [Passage(id=f"passage-{n:07}", text=text, source="abc"[n % 3], url=f"https://a/{n}") for n, text in enumerate(texts)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, default=14_000)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--sample", type=int, default=40, help="claims that rank_bm25 answers")
    args = parser.parse_args()
    claims, passages = build(args.claims, args.passages)
    print(f"{len(claims)} claims, {len(passages)} passages of {sum(len(one.text) for one in passages) / len(passages):.0f} characters")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    wall, cpu = time.perf_counter(), _cpu()
    found: dict[str, list] = {}
    for one in ranked(claims, passages, 10):
        best_sentence(one.passage.text, one.claim.head, one.claim.tail, one.words)
        found.setdefault(one.claim.id, []).append(one)
    wall, cpu = time.perf_counter() - wall, _cpu() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"ours, with segmentation, index and search: {wall:.1f} s wall, {cpu:.1f} s CPU, {peak:.0f} MB (+{peak - before:.0f})")
    _beside(claims, passages, found, args.sample)


def _cpu() -> float:
    return sum(
        resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )


def _beside(claims: list[ClaimPair], passages: list[Passage], found: dict[str, list], sample: int) -> None:
    """Search for a sample of the claims with both engines, from segmented words."""
    import bm25s
    from rank_bm25 import BM25Okapi

    start = time.process_time()
    names = sorted({name for claim in claims for name in (claim.head, claim.tail)})
    tokens = tokens_of([*(one.text for one in passages), *names], names)
    spoken = dict(zip(names, tokens.ids[len(passages) :], strict=True))
    docs = tokens.ids[: len(passages)]
    print(f"segmentation alone: {time.process_time() - start:.1f} s CPU in this process")
    start = time.process_time()
    ours = bm25s.BM25(backend="numba")
    ours.index((docs, {**tokens.vocab, "": len(tokens.vocab)}), show_progress=False)
    ours_index = time.process_time() - start
    start = time.process_time()
    theirs = BM25Okapi(docs)
    theirs_index = time.process_time() - start
    drawn = random.Random(1).sample(claims, sample)
    ours_s, theirs_s, shared = 0.0, 0.0, 0
    texts = [one.text for one in passages]
    ours.get_scores_from_ids(sorted(spoken[drawn[0].head]))  # compiles
    for claim in drawn:
        query = sorted({*spoken[claim.head], *spoken[claim.tail]})
        start = time.process_time()
        best = {place for place, _ in best_matches(ours.get_scores_from_ids(query), texts, 10)}
        ours_s += time.process_time() - start
        start = time.process_time()
        scores = theirs.get_scores(query)
        best_of_theirs = set(np.argpartition(scores, -10)[-10:].tolist())
        theirs_s += time.process_time() - start
        least = sorted(scores[list(best_of_theirs)])[0]
        shared += sum(scores[place] >= least - 1e-3 for place in best)  # a result with an equal score counts as shared
    per = len(claims) / sample
    print(f"search for {len(claims)} claims without segmentation: ours {ours_index:.1f} s index + {ours_s * per:.1f} s; ", end="")
    print(f"rank_bm25 {theirs_index:.1f} s index + {theirs_s * per:.0f} s (estimated from {sample} claims)")
    print(f"rank_bm25 / ours: search {theirs_s / ours_s:.0f}, + index {(theirs_index + theirs_s * per) / (ours_index + ours_s * per):.0f}")
    print(f"{shared / sample / 10:.1%} of the ten best results are also among those of rank_bm25")


if __name__ == "__main__":
    main()
