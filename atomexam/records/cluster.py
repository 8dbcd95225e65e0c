"""Clusters of near-duplicate questions."""

from msgspec import Struct


class Cluster(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rows that were taken for one question; only clusters of more than one row are written."""

    cluster_id: str
    """That of the kept question; connected clusters share one."""
    kept: str | None
    """Id of the question that stands for all; None where their answers conflict, or a reference asks it, so that none was kept."""
    medoid: str
    """Id of the member most alike to all others."""
    members: list[str]
    """Distinct ids, the centre first: it is the best by rule, and every other member is a near-duplicate of it."""
    similarity: list[float]
    """Jaccard similarity of each member's question proper to the centre's, beside `members`; rounded to six digits."""
    rows: int
    """Number of rows, sightings of one id included."""
