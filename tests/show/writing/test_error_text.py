"""An error in one line."""

from graphnb.errors import NodeException
from graphnb.show.writing.error_text import error_text


def test_error_of_ours_tells_category_place_and_fault():
    """Without the mend, which stands elsewhere."""
    assert "node_exception: node 'a': raised" == error_text(NodeException("node 'a'", "raised", "mend"))


def test_error_of_the_users_tells_its_type():
    """And its message, if there is one."""
    assert ("ValueError: no", "KeyError") == (error_text(ValueError("no")), error_text(KeyError()))


def test_error_of_the_users_has_no_address():
    """That differs from run to run, and a notebook would never give its stored output again."""
    assert "ValueError: no <object> at 0x1f" == error_text(ValueError(f"no {object()} at 0x1f"))


def test_long_way_through_graphs_does_not_hide_the_fault():
    """Its middle is left out."""
    text = error_text(NodeException(", ".join(f"graph 'g{i}', node 'sub'" for i in range(300)), "raised ValueError"))

    assert text.startswith("node_exception: graph 'g0', node 'sub', graph 'g1'")
    assert text.endswith("graph 'g299', node 'sub': raised ValueError")
    assert len(text) < 400
