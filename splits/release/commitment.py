"""Commit to the reserved split without revealing it: ids and a salt -> a hash per record, and a proof once the record may be revealed.

A record's commitment is sha256(nonce + id); its nonce is hmac_sha256(salt, id). The nonce of a record opens only that record's commitment.
The
salt is a hash of the complete reserved split: apart from the split itself, there is no secret to keep, lose or leak.
"""

import hashlib
import hmac
from collections.abc import Iterable
from typing import Annotated, Any

from msgspec import Meta, Struct

from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.runtime.jsonl import to_line
from splits.release.columns import Record

FILE = "reserved.json"
RESERVED = "reserved"
SCHEME = "sha256(nonce + id), where nonce = hmac_sha256(salt, id); nonce and hash in lower-case hex, all as UTF-8"

_NONCE = r"^[0-9a-f]{64}\Z"
"""Exact form of a nonce; a longer one could contain the first letters of the id."""


class Proof(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The proof that opens a commitment; with it, anyone can verify that the record was reserved when the release was made."""

    id: str
    nonce: Annotated[str, Meta(pattern=_NONCE)]


def salt_of(records: Iterable[Record]) -> bytes:
    """Return the salt of a reserved split, independent of the order of its records."""
    lines = sorted(hashlib.sha256(to_line(record)).digest() for record in records)
    return hashlib.sha256(b"".join(lines)).digest()


def prove(salt: bytes, record_id: str) -> Proof:
    return Proof(id=record_id, nonce=hmac.new(salt, record_id.encode(), hashlib.sha256).hexdigest())


def commitment(proof: Proof) -> str:
    return hashlib.sha256((proof.nonce + proof.id).encode()).hexdigest()


def commit(records: Iterable[Record]) -> dict[str, Any]:
    """Return reserved.json: the number of reserved records and the commitments to them, sorted so that their order reveals nothing."""
    records = list(records)
    salt = salt_of(records)
    claims, fourfold = (sum(isinstance(record, shape) for record in records) for shape in (ClaimPair, Fourfold))
    opened = sorted(commitment(prove(salt, record.id)) for record in records)
    counts = {"questions": len(records) - claims - fourfold, "claims": claims, "fourfold": fourfold}
    return {"scheme": SCHEME, **counts, "commitments": opened}
