"""`python -m crawlers.read`: items on stdout, figures on stderr, as a user and a shell call it."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from atomexam.records.item import QuestionItem
from crawlers.read.__main__ import main
from crawlers.read.formats import known_formats
from crawlers.read.paths import read_bytes

PAPER = "心理学试卷\n一、单项选择题\n1．感觉是（ ）。\nA．甲 B．乙\n答案：A\n2．知觉是（ ）。\nA．丙 B．丁\n"
TABLE = "题干,A,B,答案,收藏\n感觉是（ ）。,甲,乙,AB,易\n,,,A,难\n"


@pytest.fixture
def books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "books"
    folder.mkdir()
    (folder / "卷一.txt").write_bytes(PAPER.encode("gb18030"))
    (folder / "bank.csv").write_text(TABLE, encoding="utf-8")
    return folder


def rows(text: str) -> list[QuestionItem]:
    return [json.loads(line) for line in text.splitlines()]


def test_items_on_stdout_and_figures_on_stderr(books: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["books", "--rejected", "rejected.jsonl"]) == 0
    out, told = (stream.decode() for stream in capfdbinary.readouterr())
    assert [(row["url"], row["stem_raw"], row["answer_raw"]) for row in rows(out)] == [
        ("file:bank.csv", "感觉是（ ）。", "AB"),
        ("file:卷一.txt", "1．感觉是（ ）。", "A"),
        ("file:卷一.txt", "2．知觉是（ ）。", None),
    ]
    (rejected,) = rows(Path("rejected.jsonl").read_text(encoding="utf-8"))
    assert (rejected["doubt"], rejected["provenance"]["position"]) == ("record_empty", "line:3")
    lines = told.splitlines()
    columns = "file format found questions entities rejected no answer unread characters unread %"
    assert lines[0].split() == columns.split()
    assert lines[1].split() == ["bank.csv", "table", "(guessed)", "2", "1", "0", "1", "0", "1", "21", "4.8"]
    assert lines[2].split()[:8] == ["卷一.txt", "paper", "(guessed)", "2", "2", "0", "0", "1"]
    assert lines[3].split()[:6] == ["2", "files", "4", "3", "0", "1"]
    assert "items: 1 choice, other, 1 one answer, 1 several answers" in lines and "rejected: 1 record_empty" in lines
    assert "bank.csv: line 3: record_empty: neither a stem nor options" in lines
    assert not any("收藏" in line for line in lines)


def test_verbose_shows_what_belongs_to_no_item(books: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["books/*", "--verbose"])
    told = capsys.readouterr().err
    assert "bank.csv: unread: field '收藏' of 2 records" in told and "卷一.txt: unread: 心理学试卷" in told
    assert "bank.csv: line 2 收藏: unknown_column: 1 characters: 易" in told
    assert "bank.csv: characters: 21 = 10 in items + 8 furniture (8 label) + 2 rejected (2 record_empty) + 1 unread" in told


def test_an_unreadable_file_does_not_affect_others(books: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (books / "broken.pdf").write_bytes(b"%PDF-1.4")
    (books / "empty.txt").write_bytes(b"")
    (books / "talk.txt").write_text("只有一句话\x1b[31m。", encoding="utf-8")
    assert main(["books"]) == 1
    out, told = capsys.readouterr()
    assert len(out.splitlines()) == 3
    assert "error: broken.pdf: not a readable PDF" in told and "error: empty.txt: the file is empty" in told
    assert "talk.txt: nothing found by format paper" in told and "\x1b" not in told


def test_a_broken_link_does_not_affect_other_files(books: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (books / "lost.txt").symlink_to("nowhere.txt")
    assert main(["books"]) == 1
    out, told = capsys.readouterr()
    assert len(out.splitlines()) == 3
    assert "error: lost.txt: cannot be opened (No such file or directory); it is a broken link: `dvc checkout`" in told


def test_reports_but_does_not_follow_a_link_to_an_outside_folder(
    books: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "more.txt").write_text(PAPER, encoding="utf-8")
    (books / "linked").symlink_to(tmp_path / "outside")
    assert main(["books"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert "books: links to folders are not followed: linked; copy their targets" in caplog.text


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open every file and folder")
def test_files_and_folders_without_permission_do_not_affect_others(books: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("closed", "shut.txt"):
        (books / name).mkdir() if name == "closed" else (books / name).write_text(PAPER, encoding="utf-8")
        (books / name).chmod(0)
    assert main(["books"]) == 1
    out, told = capsys.readouterr()
    (books / "closed").chmod(0o700)
    assert len(out.splitlines()) == 3
    assert all(f"error: {name}: cannot be opened (Permission denied)" in told for name in ("closed", "shut.txt"))


def test_invalid_and_long_names_do_not_affect_others(books: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (b"\xff.txt", b"x" * 250 + b".txt"):
        (books / os.fsdecode(name)).write_text(PAPER, encoding="utf-8")
    assert main(["books"]) == 1
    out, told = capsys.readouterr()
    assert (
        len(out.splitlines()) == 5
        and "error: '\\udcff.txt': the name of the file is not UTF-8; rename the file" in told
        and "reader failed" not in told
    )


def test_reports_a_file_that_vanishes(books: Path) -> None:
    with pytest.raises(ValueError, match=r"^gone\.txt: cannot be opened \(No such file or directory\); does it still exist"):
        read_bytes("gone.txt", books / "gone.txt")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("books", "--rejected books: expected a file .* found a folder; name a file in it, such as books/rejected.jsonl"),
        ("bank/x.jsonl", "--rejected bank/x.jsonl: cannot be written .*; name a file in a folder that you may write to"),
        ("pipe", "--rejected pipe: expected a file .* found a device or a pipe"),
    ],
)
def test_reports_an_unwritable_rejected_file_before_reading(
    books: Path, target: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bank").write_text("a file"), os.mkfifo("pipe")
    before = sorted(Path().rglob("*"))
    with pytest.raises(ValueError, match=message):
        main(["books", "--rejected", target])
    assert capsys.readouterr().out == "" and sorted(Path().rglob("*")) == before


def test_leaves_no_partial_rejected_file(books: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("rejected.jsonl").write_text("old")
    monkeypatch.setattr("crawlers.read.__main__.to_line", lambda item: item.no_such_field)
    with pytest.raises(AttributeError):
        main(["books", "--rejected", "rejected.jsonl"])
    assert Path("rejected.jsonl").read_text() == "old" and not list(Path().glob("*.part"))


def test_does_not_print_hidden_characters(books: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (books / "a\u202etxt.csv").write_text("题干,A,B,答案,\u202e度\n感觉是,甲,乙,A,易\n", encoding="utf-8")
    main(["books", "--verbose"])
    told = capsys.readouterr().err
    assert "度' of 1 records" in told and "\u202e" not in told and "\\u202e" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["books", "--format", "papers"], "unknown format 'papers'; known: .*did you mean paper"),
        (["empty"], "empty: the folder is empty"),
        (["nowhere"], "no file matches 'nowhere'; a path is relative to where the command runs"),
        (["books/*.md"], r"no file matches 'books/\*\.md'"),
    ],
)
def test_wrong_arguments_say_what_to_do(books: Path, arguments: list[str], message: str) -> None:
    Path("empty").mkdir()
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        main(arguments)


def test_a_given_format_applies_to_all_files(books: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["books/bank.csv", "books/卷一.txt", "--format", "paper"]) == 1
    assert "error: bank.csv: format paper does not read files that end in '.csv'; it reads .txt" in capsys.readouterr().err


def test_a_files_own_layout_overrides_the_given_format(books: Path, caplog: pytest.LogCaptureFixture) -> None:
    layout = "bank: {tables: [{stem: 题干, options: [A, B], answer: 答案}]}"
    (books / "bank.layout.yaml").write_text(layout, encoding="utf-8")
    main(["books/bank.csv", "--format", "paper"])
    assert "bank.csv: read with its layout bank.layout.yaml instead of --format paper" in caplog.text
    assert "confidence" not in caplog.text  # a layout states what the columns hold


def run(*arguments: str, root: Path, shell: bool = False) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "crawlers.read", *arguments]
    return subprocess.run(" ".join(command) + " | head -n 1" if shell else command, cwd=root, capture_output=True, shell=shell, check=False)


@pytest.mark.slow
def test_as_a_command(root: Path, books: Path) -> None:
    shown = run("--help", root=root)
    assert shown.returncode == 0 and all(name.encode() in shown.stdout for name in [*known_formats(), "python -m crawlers.read books/"])
    wrong = run(str(books / "none.txt"), root=root)
    assert (wrong.returncode, wrong.stderr.count(b"\n")) == (1, 1) and wrong.stderr.startswith(b"error: no file matches")
    good = run(str(books / "卷一.txt"), root=root)
    assert good.returncode == 0 and len(good.stdout.splitlines()) == 2
    assert good.stdout == run(str(books / "卷一.txt"), root=root).stdout and str(books).encode() not in good.stdout


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no /dev/full")
def test_a_full_disk_is_one_line(root: Path, books: Path) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "crawlers.read", str(books / "卷一.txt")]
        done = subprocess.run(command, cwd=root, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr.decode() == "error: the items could not be written (No space left on device); is the disk full?\n"


@pytest.mark.slow
def test_a_closed_pipe_is_quiet(root: Path, books: Path) -> None:
    (books / "long.csv").write_text(TABLE.splitlines()[0] + "\n" + "感觉是（ ）。,甲,乙,A,易\n" * 20_000, encoding="utf-8")
    done = run(str(books / "long.csv"), root=root, shell=True)
    assert len(done.stdout.splitlines()) == 1 and b"Error" not in done.stderr and b"Traceback" not in done.stderr


PUBLISHED = {
    "cpsyexam/*.jsonl": ("cpsyexam", 9137),
    "tcmbench/*.json": ("tcmbench", 6),
    "reference_benchmarks/cmmlu_*.csv": ("cmmlu", 927),
    "exams_json/adoreMai*.json": ("adoremai", 260),
    "exams_json/zjzx*.json": ("zjzx", 1600),
    "exams_text/doublebean_questions.json": ("doublebean", 1192),
    "diseases/disease_boxes_39net.json": ("diseases_39net", 5177),
    "diseases/medical_kg_308.jsonl": ("diseases_kg", 308),
    "second/disease_xywy/disease.csv": ("diseases_xywy", 3000),
    "medicines/monographs.json": ("medicines", 1221),
    "examinations/*.jsonl": ("examinations", 16),
}


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PUBLISHED)
def test_recognizes_and_counts_published_sets(pattern: str, real_data: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    format_name, count = PUBLISHED[pattern]
    assert main([str(real_data / pattern)]) == 0
    out, told = (stream.decode() for stream in capfdbinary.readouterr())
    assert len(out.splitlines()) == count
    table = [line for line in told.splitlines() if "(guessed)" in line]
    assert table and all(f" {format_name} (guessed) " in line for line in table)
    assert "rejected:" not in told


def test_published_questions_have_their_parts(real_data: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    main([str(real_data / "reference_benchmarks"), str(real_data / "exams_json"), str(real_data / "exams_text/doublebean_questions.json")])
    found = rows(capfdbinary.readouterr().out.decode())
    assert all(row["stem_raw"] and row["answer_raw"] for row in found)
    subjects = Counter(row["subject_raw"] for row in found if "cmmlu" in row["url"])
    assert subjects == {"临床知识": 237, "大学医学": 273, "专业心理学": 232, "中医中药": 185}
    assert all(len(row["options_raw"]) == 4 for row in found if "cmmlu" in row["url"])
    assert Counter(row["type_raw"] for row in found if "doublebean" in row["url"]) == {"单选题": 510, "多选题": 353, "判断题": 329}
    assert {row["paper_raw"] for row in found if "zjzx" in row["url"]} >= {"试卷一", "试卷二"}


def test_a_report_lists_read_keys_and_requested_values(books: Path) -> None:
    (books / "bank.csv").write_text("题干,A,B,答案,Split\n感觉是（ ）。,甲,乙,A,test\n知觉是（ ）。,丙,丁,B, \n", encoding="utf-8")
    assert main(["books", "--report", "report.jsonl", "--beside", "published_split", "--beside", "split"]) == 0
    bank, paper = rows(Path("report.jsonl").read_text(encoding="utf-8"))
    assert (bank["file"], bank["format"], bank["guessed"], bank["found"]) == ("bank.csv", "table", True, 2)
    assert bank["columns"] == {"stem": "题干", "answer": "答案", "options": "A, B"}
    assert bank["beside"] == {"line:2": "test"}
    assert (paper["format"], paper["unread"], paper["columns"]) == ("paper", 1, {})


@pytest.mark.parametrize(
    ("answers", "read"), [((0, 1), ["A", "B"]), ((1, 2), ["1", "2"]), ((0, "B"), ["0", "B"]), ((0, True), ["0", "True"])]
)
def test_integer_answers_from_0_are_positions(answers: tuple, read: list[str], tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    """As in sets for `datasets.load_dataset`. Without a 0, it is unknown where they count from."""
    lines = [{"question": f"第{n}个问题是（ ）", "choices": ["甲", "乙", "丙"], "answer": answer} for n, answer in enumerate(answers)]
    (tmp_path / "train.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    assert main([str(tmp_path / "train.jsonl")]) == 0
    assert [row["answer_raw"] for row in rows(capfd.readouterr().out)] == read


def test_does_not_read_documentation_next_to_records(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train.csv").write_text(TABLE, encoding="utf-8")
    for name in ("README.md", "LICENSE.txt", "dataset_infos.json", "notes.md"):
        (tmp_path / name).write_text("{}" if name.endswith("json") else PAPER, encoding="utf-8")
    assert main([str(tmp_path)]) == 0
    assert {row["url"] for row in rows(capfd.readouterr().out)} == {"file:data/train.csv"}
    assert (
        "4 files about the data set are not read: LICENSE.txt, README.md, dataset_infos.json, notes.md; to read one, give its path"
        in caplog.text
    )


@pytest.mark.parametrize(
    ("form", "row"),
    [
        ("{}", "{n}. 第{n}种感觉是（ ）\nA. 甲{n}\nB. 乙{n}\n答案：B\n"),
        ("| 题目 | 判断 |\n|---|---|\n{}", "| 视觉是第{n}种感觉。 | ✘ |\n"),
        ("# 选择题\n\n{}", "### {n}. 第{n}种感觉是\n\n- [ ] 甲{n}\n- [x] 乙{n}\n- [ ] 丙\n\n"),
    ],
)
def test_reads_markdown_banks_next_to_records(form: str, row: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.csv").write_text(TABLE, encoding="utf-8")
    bank = form.format("".join(row.format(n=n) for n in range(1, 12))).replace("✘", "✔", 5)
    (tmp_path / "心理.md").write_text(bank, encoding="utf-8")
    (tmp_path / "README.md").write_text(bank, encoding="utf-8")
    assert main([str(tmp_path)]) == 0
    assert {row["url"] for row in rows(capfd.readouterr().out)} == {"file:train.csv", "file:心理.md"}


@pytest.mark.parametrize("named", ["README.md", ".", "*.md"])
def test_reads_a_markdown_paper_if_named_or_without_records(named: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "README.md").write_text(PAPER, encoding="utf-8")
    if named != ".":
        (tmp_path / "train.csv").write_text(TABLE, encoding="utf-8")
    assert main([str(tmp_path / named)]) == 0
    assert len(rows(capfd.readouterr().out)) == 2


OWN = "mine: {known_by: [[ti_gan, da_an]], questions: {stem_raw: ti_gan, options_raw: [xuan, xiang?], answer_raw: da_an}}"


@pytest.mark.parametrize("said", [[], ["--format", "mine"]])
def test_reads_by_a_users_layouts(said: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.yaml").write_text(OWN, encoding="utf-8")
    (tmp_path / "a.jsonl").write_text('{"ti_gan": "感觉是", "xuan": ["甲", "乙"], "da_an": "A"}\n', encoding="utf-8")
    assert main([str(tmp_path / "a.jsonl"), "--layouts", str(tmp_path / "own.yaml"), *said]) == 0
    out, told = capfd.readouterr()
    assert [(row["stem_raw"], row["options_raw"], row["answer_raw"]) for row in rows(out)] == [("感觉是", ["甲", "乙"], "A")]
    assert told.splitlines()[1].split()[:2] == ["a.jsonl", "mine"]
    assert main([str(tmp_path / "a.jsonl")]) == 1  # nothing of it remains for the next run


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cmmlu: {questions: {stem_raw: a}}", "cmmlu is the name of a format that ships with the project"),
        ("paper: {questions: {stem_raw: a}}", "paper is the name of a format"),
        ("mine: {}", "mine: expected one of `questions`, `tables`, `entity` and `paper`"),
        ("mine: {questions: {answer_raw: a}}", "mine: questions: expected `stem_raw`"),
        ("mine: {questions: {stem_raw: a, anser_raw: b}}", "mine: questions: unknown field 'anser_raw'.*did you mean answer_raw"),
        ("mine: {question: {stem_raw: a}}", r"own\.yaml: Object contains unknown field `question`"),
        ("mine: {questions: {stem_raw: a}, subject_from_file: '('}", "subject_from_file: not a valid pattern"),
        ("mine: [", "not YAML"),
        ("[" * 5_000, "more than 40 nested open brackets"),
        ("- " * 32_000, "not YAML"),
        ('mine: {"\\ud800": 1}', "not YAML"),
        (f"mine: {'9' * 5000}", r"not YAML \(Exceeds the limit \(4300 digits\)[^;]*\); docs"),
        ("mine: 2026-13-41", "not YAML"),
        ("#" * 70_000, "70000 bytes; layouts have at most 65536"),
        ("\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))]), "more than 100000 values"),
        ("mine: &all [*all]", "more than 100000 values"),
        ("", "expected layouts by name"),
        (None, "own.yaml: cannot be opened"),
    ],
)
def test_refuses_invalid_layouts(text: str | None, message: str, books: Path) -> None:
    if text is not None:
        Path("own.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        main(["books", "--layouts", "own.yaml"])


def test_a_bug_in_a_reader_does_not_end_the_run(books: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fails(*_: object) -> None:
        raise TypeError("unhashable")

    monkeypatch.setattr("crawlers.read.__main__.read_steps", fails)
    assert main([str(books)]) == 1
    assert capsys.readouterr().err.count("its reader failed (TypeError); report this as a bug") == len([*books.rglob("*.*")])
