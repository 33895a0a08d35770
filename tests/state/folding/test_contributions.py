"""Updates of several contributors that are folded one after the other."""

from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphnb as gn
from graphnb.errors import InvalidUpdate, ReducerError, StateValidationError
from graphnb.state.folding.contributions import Contributions, contributions_of, fold_contributions
from graphnb.state.folding.fold import fold
from graphnb.state.marks import Replace
from graphnb.state.schema import schema_of, start_values, state_of


class Trip(gn.State):
    n: int = 0
    word: str = ""
    log: Annotated[list[str], gn.append] = ["start"]
    notes: Annotated[dict[str, int], gn.merge] = {}


SCHEMA = schema_of(Trip)
PARTS = [
    ("left", {"n": 1, "log": ["left"]}),
    ("right", {"log": ["right"], "word": "right"}),
    ("last", {"n": 3}),
]


def values(**fields: Any) -> Any:
    """A state as it is kept."""
    return start_values(SCHEMA, fields, "")


def made(parts: Any = PARTS, *, is_seen: bool = True) -> Contributions:
    """The contributions to an empty state."""
    return contributions_of(SCHEMA, values(), parts, is_seen=is_seen)


def folded(update: Any, contributions: Any) -> tuple[Any, list[tuple[str, Any]]]:
    """The state after, and field and owner of each fold."""
    after, folds, owners = fold_contributions(SCHEMA, values(), update, contributions, "node 'a'")
    return state_of(SCHEMA, after), [(each.field, owner) for each, owner in zip(folds, owners, strict=True)]


def test_contributions_look_like_one_update():
    """A field of one contributor as it was written, one of several as what all of them make of it."""
    seen = made()

    assert ["n", "log", "word"] == list(seen)
    assert "right" == seen["word"]
    assert (Replace, 3) == (type(seen["n"]), seen["n"].value)
    assert (Replace, ["start", "left", "right"]) == (type(seen["log"]), list(seen["log"].value))
    assert tuple(PARTS) == seen.parts


def test_what_nobody_looks_at_is_not_made():
    """Without middleware the fields of several are not folded twice."""
    assert {"n": 3, "log": ["right"], "word": "right"} == made(is_seen=False)


@pytest.mark.parametrize("is_seen", [False, True])
def test_contributions_are_folded_part_by_part(is_seen):
    """One fold per part and field, in order, each with the place of its part."""
    contributions = made(is_seen=is_seen)
    state, folds = folded(contributions, contributions)

    assert Trip(n=3, word="right", log=["start", "left", "right"]) == state
    assert [("n", 0), ("log", 0), ("log", 1), ("word", 1), ("n", 2)] == folds


def test_nothing_that_was_contributed_changes_nothing():
    """Neither parts that are empty."""
    for parts in ([], [("left", {}), ("right", {})]):
        contributions = made(parts)

        assert (Trip(), []) == folded(contributions, contributions)


def test_field_that_was_taken_away_is_not_written():
    """The others are as they were."""
    contributions = made()
    update = {name: each for name, each in contributions.items() if name != "log"}
    state, folds = folded(update, contributions)

    assert (Trip(n=3, word="right"), [("n", 0), ("word", 1), ("n", 2)]) == (state, folds)


def test_field_that_was_edited_or_added_is_written_after_all():
    """By nobody among the contributors; what they wrote there counts no more."""
    contributions = made()
    state, folds = folded({**contributions, "log": ["edited"], "notes": {"added": 1}}, contributions)

    assert Trip(n=3, word="right", log=["start", "edited"], notes={"added": 1}) == state
    assert [("n", 0), ("word", 1), ("n", 2), ("log", None), ("notes", None)] == folds


def test_equal_value_of_another_make_counts_as_edited():
    """It is told by identity: what was written anew is not the contributor's."""
    contributions = made([("left", {"log": ["left"]})])
    _, folds = folded({"log": ["left"]}, contributions)

    assert [("log", None)] == folds


def test_update_of_a_single_writer_is_simply_folded():
    """With nobody to be told from others."""
    assert (Trip(n=5), [("n", None)]) == folded({"n": 5}, {"n": 5})


@pytest.mark.parametrize("update", [None, 5, ["n"]])
def test_what_is_no_update_is_refused(update):
    """Whatever was contributed."""
    for contributions in (made(), {}):
        with pytest.raises(InvalidUpdate, match="node 'a': returned"):
            folded(update, contributions)


def test_error_names_the_part():
    """By its place."""
    parts = [("branch 'left'", {"n": 1}), ("branch 'right'", {"log": "no list", "n": 2})]
    contributions = made(parts, is_seen=False)
    with pytest.raises(ReducerError, match="branch 'right': field 'log'"):
        folded(contributions, contributions)
    with pytest.raises(StateValidationError, match="branch 'left': n: "):
        folded(made([("branch 'left'", {"n": "many"})]), made([("branch 'left'", {"n": "many"})], is_seen=False))


def test_shared_field_that_cannot_be_folded_is_found_when_it_is_looked_at():
    """What several make of it cannot be shown; what one writes is refused later."""
    parts = [("branch 'left'", {"log": ["a"]}), ("branch 'right'", {"log": "no list"})]
    with pytest.raises(ReducerError, match="branch 'right'"):
        made(parts)

    assert {"log": "no list"} == made(parts[1:])


UPDATES = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "n": st.integers(0, 9),
            "log": st.lists(st.text(max_size=2), max_size=2),
            "notes": st.dictionaries(st.sampled_from("abc"), st.integers(0, 9), max_size=2),
        },
    ),
    max_size=4,
)


@given(updates=UPDATES, is_seen=st.booleans())
def test_contributions_make_what_one_fold_after_the_other_makes(updates, is_seen):
    """However many there are, and whether anybody looks at them."""
    parts = [(f"part {i}", update) for i, update in enumerate(updates)]
    expected = values()
    for where, update in parts:
        expected, _ = fold(SCHEMA, expected, update, where)
    contributions = made(parts, is_seen=is_seen)

    assert state_of(SCHEMA, expected) == folded(contributions, contributions)[0]


@given(updates=UPDATES)
def test_copy_that_was_looked_at_makes_the_same(updates):
    """A plain dict of the same entries: what middleware passes on, mostly."""
    contributions = made([(f"part {i}", update) for i, update in enumerate(updates)])

    assert folded(contributions, contributions) == folded(dict(contributions), contributions)
