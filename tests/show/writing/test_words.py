"""Names, messages and numbers of things."""

from graphnb.show.writing.words import clipped, printable, things


def test_things_are_counted_in_words():
    """One thing, many things, and a plural of its own."""
    assert ["1 row", "2,000 rows", "0 entries"] == [
        things(1, "row"),
        things(2000, "row"),
        things(0, "entry", many="entries"),
    ]


def test_text_is_clipped_with_dots_at_its_end():
    """It never gets longer than asked for."""
    assert ("abc", "a…", "") == (clipped("abc", 3), clipped("abc", 2), clipped("", 3))


def test_what_cannot_be_seen_is_shown_as_an_escape():
    """Control characters and characters without width."""
    assert r"a\x00b\u200b" == printable("a\x00b\u200b")
