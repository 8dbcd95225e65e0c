"""Clusters of near-duplicate questions."""

from msgspec import Struct


class Cluster(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rows that are treated as one question; clusters of a single row are not written."""

    cluster_id: str
    """Id of the cluster of the kept question; connected clusters share an id."""
    kept: str | None
    """Id of the question that represents the cluster; None if its answers conflict or a reference contains the question."""
    medoid: str
    """Id of the member most similar to all others."""
    members: list[str]
    """Distinct ids. The first is the centre, the best member by rule; every other member is a near-duplicate of it."""
    similarity: list[float]
    """Jaccard similarity of each member's text to the centre's, in the order of `members`; rounded to six decimals."""
    rows: int
    """Number of rows, including repeated occurrences of an id."""
