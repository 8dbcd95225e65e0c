"""Reserved records: committed to without being shown, provable one by one; other records are not provable."""

import hashlib
import hmac
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl, to_line
from splits.prove import main as prove_main
from splits.release.commitment import Proof, commit, commitment, prove, salt_of


def reserved_ids(folder: Path) -> list[str]:
    return [json.loads(line)["id"] for name in ("questions", "claims") for line in (folder / f"splits/reserved/{name}.jsonl").open()]


def committed(release: Path) -> dict:
    return json.loads((release / "reserved.json").read_text(encoding="utf-8"))


def test_release_commits_to_each_reserved_record_and_names_none(release: Path, tmp_path: Path) -> None:
    told, ids = committed(release), reserved_ids(tmp_path / "run")
    assert told["questions"] + told["claims"] == len(ids) == len(set(told["commitments"])) > 0
    for guess in (str, lambda key: hashlib.sha256(key.encode()).hexdigest()):
        assert not {guess(key) for key in ids} & set(told["commitments"])


@pytest.mark.slow
def test_neither_the_salt_nor_a_nonce_is_in_the_release(release: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run/splits/reserved"
    salt = salt_of([*read_jsonl(folder / "questions.jsonl", Question), *read_jsonl(folder / "claims.jsonl", ClaimPair)])
    secrets = [salt.hex(), *(prove(salt, key).nonce for key in reserved_ids(tmp_path / "run"))]
    texts = [path.read_bytes() for path in release.rglob("*") if path.is_file()]
    assert not any(secret.encode() in text for text in texts for secret in secrets)


def test_command_writes_valid_proofs(release: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture) -> None:
    paths = ["--splits", str(tmp_path / "run/splits"), "--release", str(release)]
    prove_main(paths)
    lines = capsysbinary.readouterr().out
    proofs = [json.loads(line) for line in lines.splitlines()]
    assert [proof["id"] for proof in proofs] == sorted(reserved_ids(tmp_path / "run"))
    known = committed(release)["commitments"]
    assert all(hashlib.sha256((proof["nonce"] + proof["id"]).encode()).hexdigest() in known for proof in proofs)  # as the card says
    (tmp_path / "proofs.jsonl").write_bytes(lines)
    prove_main(["--check", str(tmp_path / "proofs.jsonl"), "--release", str(release)])
    assert capsysbinary.readouterr().out.decode() == f"{len(known)} of {len(known)} commitments opened, and all hold\n"


def test_nothing_to_prove_without_reserved_records(split_files, release_of, question, tmp_path: Path, capsysbinary) -> None:
    release = release_of(split_files([question(1)]))
    assert committed(release)["commitments"] == []
    prove_main(["--splits", str(tmp_path / "run/splits"), "--release", str(release)])
    assert capsysbinary.readouterr().out == b""


def test_proves_no_record_that_was_not_reserved(release: Path, tmp_path: Path) -> None:
    test_id = json.loads((tmp_path / "run/splits/test/questions.jsonl").open().readline())["id"]
    with pytest.raises(ValueError, match=r"is not in .*reserved"):
        prove_main([test_id, "--splits", str(tmp_path / "run/splits"), "--release", str(release)])
    (tmp_path / "proofs.jsonl").write_bytes(to_line(Proof(id=test_id, nonce="0" * 64)))
    with pytest.raises(ValueError, match="1 of 1 proofs do not hold"):
        prove_main(["--check", str(tmp_path / "proofs.jsonl"), "--release", str(release)])


def test_proof_counts_once_and_opens_only_its_id(release: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture) -> None:
    key, number = reserved_ids(tmp_path / "run")[0], len(committed(release)["commitments"])
    prove_main([key, key, "--splits", str(tmp_path / "run/splits"), "--release", str(release)])
    (proof,) = map(json.loads, capsysbinary.readouterr().out.splitlines())
    assert proof["id"] == key
    proofs, check = tmp_path / "proofs.jsonl", ["--check", str(tmp_path / "proofs.jsonl"), "--release", str(release)]
    proofs.write_text((json.dumps(proof) + "\n") * number)
    prove_main(check)
    assert capsysbinary.readouterr().out.decode() == f"1 of {number} commitments opened, and all hold\n"
    # Its hash is the same if the first letters of the id are the last of the nonce.
    proofs.write_text(json.dumps({"id": proof["id"][2:], "nonce": proof["nonce"] + proof["id"][:2]}))
    with pytest.raises(ValueError, match=r"proofs\.jsonl:1: .*nonce"):
        prove_main(check)
    proofs.write_text("")
    with pytest.raises(ValueError, match="contains no proof"):
        prove_main(check)


def test_another_reserved_split_proves_nothing(release: Path, tmp_path: Path) -> None:
    path = tmp_path / "run/splits/reserved/questions.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    with pytest.raises(ValueError, match="is not the reserved split of this release"):
        prove_main(["--splits", str(tmp_path / "run/splits"), "--release", str(release)])


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
def test_order_does_not_matter(pool: list[Question], random) -> None:
    shuffled = random.sample(pool, len(pool))
    assert commit(shuffled) == commit(pool)


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32), st.text(min_size=1))
def test_commitment_depends_on_the_salt(one: bytes, other: bytes, key: str) -> None:
    assert (commitment(prove(one, key)) == commitment(prove(other, key))) == (one == other)


@given(st.binary(min_size=32, max_size=32), st.text(min_size=1))
def test_nonce_follows_the_scheme(salt: bytes, key: str) -> None:
    assert prove(salt, key).nonce == hmac.new(salt, key.encode(), hashlib.sha256).hexdigest()


def test_ids_alone_open_nothing(pool: list[Question]) -> None:
    """Guessing the reserved ids is not enough: the salt depends on the full records, not only on their ids."""
    other = [replace(pool[0], explanation="因为……"), *pool[1:]]
    assert not set(commit(pool)["commitments"]) & set(commit(other)["commitments"])
