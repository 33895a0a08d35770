"""Copying without recursion."""

from graphnb.state.values.unwound import unwound

MAKERS = {list: list, dict: dict}


def test_rings_keep_their_shape():
    """Lists and dicts that hold each other: each is made once, and the copies hold each other."""
    ring = [1]
    entries = {"ring": ring, "again": ring}
    ring.append(entries)
    copied = unwound(ring, MAKERS, lambda leaf: leaf)

    assert copied is not ring
    assert copied is copied[1]["ring"]
    assert copied is copied[1]["again"]
    assert ["ring", "again"] == list(copied[1])
    assert 1 == copied[0]


def test_depth_is_no_limit():
    """A list within a list, far deeper than Python would recurse."""
    deep = []
    for _ in range(20_000):
        deep = [deep]
    copied, depth = unwound(deep, MAKERS, lambda leaf: leaf), 0
    while copied:
        copied, depth = copied[0], depth + 1

    assert 20_000 == depth


def test_everything_without_a_maker_is_a_leaf():
    """The value itself, items and tuples; keys are taken as they are."""
    assert "<1>" == unwound(1, MAKERS, "<{}>".format)
    assert {1: ["<2>", "<(3,)>"]} == unwound({1: [2, (3,)]}, MAKERS, "<{}>".format)
