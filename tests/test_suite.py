"""How the tests themselves are run."""

import pytest


@pytest.mark.xdist_group("suite")
def test_tests_of_a_group_go_to_one_worker(request: pytest.FixtureRequest) -> None:
    """Otherwise each worker builds the pipeline, the planted site and the real splits that the tests of a group share."""
    if not hasattr(request.config, "workerinput"):
        pytest.skip("not run by several workers")
    assert request.node.nodeid.endswith("@suite")
