"""Whole papers in the manners people write them, each beside what a careful reader writes down."""

from pathlib import Path

import pytest

from tests.crawlers.read.lines.paper_pairs import PAPERS, differences, load

CASES = sorted(PAPERS.glob("*.txt"))
GIVEN_UP = {
    *("blind_09", "blind_17", "own2_bare_keys", "own2_blank_answers_mixed", "own2_chat_middle", "own2_english", "own2_excel_paste"),
    *("own2_nested", "own2_type_before", "own2_variant_eng", "own3_case_restart_inline", "own3_remark_last_option", "own4_scan_noise"),
    *("own2_full_stop_number", "own3_bank_dump", "own3_bare_letters_blank", "own3_details", "own3_fields_nonumber", "own3_remarks_verdict"),
    *("own_bank_with_tags", "own_case_questions", "own_spaced_scan"),
}
"""Papers of which some questions are rejected with a reason, which a layout or an edit of the file cures; none is read otherwise."""


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_paper_is_read_as_a_careful_reader_does(path: Path) -> None:
    text, wanted = load(path)
    found, reading = differences(text, wanted)
    if path.stem in GIVEN_UP:
        assert found and all(": doubt " in line or line.endswith((": not found", ": too many")) for line in found), found
        return
    assert found == []
    assert reading.numbers == len(reading.questions) + len(reading.rejected) == wanted.get("count", len(wanted["questions"]))
