"""Files in which something looks like an answer and is none: nothing of them is answered wrongly."""

from pathlib import Path

import pytest

from atomexam.records.item import QuestionItem
from crawlers.read.__main__ import read_row

OPTIONS = "\nA. 甲{n}\nB. 乙{n}\nC. 丙{n}\nD. 丁{n}\n"
ASKED = "{n}. 关于第{n}个环节的说法正确的是（ ）" + OPTIONS


def _asked(count: int = 8, form: str = ASKED) -> str:
    return "\n".join(form.format(n=n) for n in range(1, count + 1))


def _fence(name: str, letters: str) -> str:
    return f"```yaml\n{name}: {{{', '.join(f'{n}: {letter}' for n, letter in enumerate(letters, 1))}}}\n```\n"


def _choices(last: str = "先升高后降低") -> str:
    turns = [("升高", "降低", "不变"), ("降低", "不变", "升高"), ("不变", "升高", "降低")]
    items = [
        f"<div><p>{n}. 第{n}种激素使血糖</p><ul>"
        + "".join(f"<li>{letter}. {text}</li>" for letter, text in zip("ABCD", (*turns[n % 3], last), strict=True))
        + "</ul></div>"
        for n in range(1, 9)
    ]
    return f"<html><body>{''.join(items)}</body></html>"


KEY = "参考答案\n1. B 2. C 3. A 4. D 5. B 6. C 7. A 8. D\n"
FILES: dict[str, tuple[str, list[str | None]]] = {
    "difficulties.md": (f"{_asked()}\n{_fence('difficulty', 'ABCABCAB')}\n{KEY}", list("BCADBCAD")),
    "own choices.md": (f"{_asked()}\n{_fence('my_choice', 'ABCABCAB')}\n", [None] * 8),
    "one list.md": (f"{_asked(4)}答案：\n- A\n- C\n- D\n", [None, None, None, "ACD"]),
    "one list.txt": (f"{_asked(6)}answer: [B, C, D]\n", [None] * 5 + ["BCD"]),
    "blanks.txt": (
        "一、单项选择题\n" + "\n".join(f"{ASKED.format(n=n)}答案：{'BCDA'[n % 4]}\n" for n in range(1, 6))
        + "二、填空题\n6. 三叉神经是第____对脑神经。\n答案：V\n7. 氮的符号是____。\n答案：N\n",
        [*"CDABC", "V", "N"],
    ),
    "ends of options.html": (_choices(), [None] * 8),
    "years.txt": ("\n".join(f"{n}. 第{n}次会议在哪一年（B）\nA. 一九七〇\nB. 一九八〇\nC. 二〇〇〇\n" for n in range(1, 6)), ["B"] * 5),
    "students.csv": ("题干,学生作答\n" + "".join(f"第{n}个环节是生理学的基本内容。,{'√×'[n % 2]}\n" for n in range(1, 9)), [None] * 8),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_what_only_looks_like_an_answer_is_none(name: str, tmp_path: Path) -> None:
    text, right = FILES[name]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    items = [item for item in read_row(path.name, path).reading.items if isinstance(item, QuestionItem) and item.doubt is None]
    numbered = {int(item.number_raw or at): item for at, item in enumerate(items, 1)}
    for number, item in numbered.items():
        said = (item.answer_raw or "").strip("[]").replace(", ", "")
        assert not said or said == right[number - 1], item
        assert not item.options_raw or all("〇" in option for option in item.options_raw) or "years" not in name
