"""Where a drawn edge ends."""

import pytest

from graphnb.graph.ends import END, START, Endpoint
from graphnb.graph.topology import is_end


@pytest.mark.parametrize(
    ("target", "expected"), [(END, True), (START, False), ("END", False), (Endpoint("END"), False), (None, False)]
)
def test_only_end_itself_is_the_end(target, expected):
    """Not a node of that name, nor anything that looks like it."""
    assert expected is is_end(target)
