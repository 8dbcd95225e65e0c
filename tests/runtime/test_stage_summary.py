"""The line with which a stage ends."""

from atomexam.runtime.stage_summary import headline, judge_headline, largest_counts, number_of, print_summary, rejected_counts


def test_largest_counts_come_first_without_zeros() -> None:
    assert largest_counts({"a": 2, "b": 3, "none": 0}) == "b 3, a 2"
    assert largest_counts({"a": 1, "b": 1, "c": 1, "d": 1, "e": 1}) == "a 1, b 1, c 1, d 1, … and 1 more kind"
    assert rejected_counts({"image_needed": 4, "no_answer": 1_044}) == "1,048 rejected: no_answer 1,044, image_needed 4"
    assert rejected_counts({"image_needed": 0}) == "none rejected"


def test_a_number_has_its_noun() -> None:
    assert [number_of(1, "run"), number_of(2, "run"), number_of(2_000, "entry", "entries")] == ["1 run", "2 runs", "2,000 entries"]


def test_a_run_has_its_accuracy_with_its_interval() -> None:
    claims = {"task": "claim", "pairs": 521, "following_rate": 1.0, "accuracy": 0.867, "accuracy_interval": [0.836, 0.892]}
    assert headline(claims) == "accuracy 86.7 % [83.6, 89.2] of 521"
    facts = {"task": "fourfold", "facts": 171, "accuracy": 0.25, "sentence_accuracy": 0.5, "following_rate": 1.0}
    assert headline(facts) == "accuracy 25.0 % of 171 facts known; 50.0 % of sentences"
    assert headline({"task": "choice", "questions": 0, "following_rate": None, "accuracy": 0.5}) == "accuracy 50.0 % of 0"
    lost = {"outcomes": {"answered": 500, "failed": 21}}
    missing = f"{headline(claims)}; 21 of 521 replies are missing and count as wrong"
    assert headline(claims | lost) == missing
    alone = {"replied": 500, "accuracy_of_replied": 0.904}
    assert headline(claims | lost | alone) == f"{missing}; accuracy of the 500 items replied to: 90.4 %"
    assert headline(claims | {"outcomes": {"failed": 0}}) == headline(claims)
    assert headline(claims | {"consistent_accuracy": 0.125}) == f"{headline(claims)}; right each time 12.5 %"
    assert headline({"task": "essay", "questions": 4, "following_rate": 0.5, "outcomes": {"failed": 1}}) == (
        "of 4, 50.0 % answered in words; a judge marks them; 1 of 1 replies are missing and count as wrong"
    )
    assert headline({"task": "essay", "questions": 4, "following_rate": 0.5}) == "of 4, 50.0 % answered in words; a judge marks them"
    hidden = {"task": "choice", "questions": 4, "following_rate": 0.5, "accuracy": None}
    assert headline(hidden) == "of 4, 50.0 % answered; the right answers are hidden"
    assert headline(hidden | {"questions": 0, "following_rate": None}) == "of 0, no requests"


def test_a_judge_has_its_mark() -> None:
    judged = {"judge": "overlap", "questions": 4, "mark": 2.5, "mark_interval": [1.7, 3.6]}
    assert judge_headline(judged) == "mark 2.5 of 100 [1.7, 3.6] of 4, by overlap"
    assert judge_headline({"judge": "overlap", "questions": 0, "mark": None}) == "no mark, of 0"


def test_a_stage_ends_with_one_line_on_stderr(capsys) -> None:
    print_summary("clean", "2 items -> 1 question")
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "clean: 2 items -> 1 question\n")
