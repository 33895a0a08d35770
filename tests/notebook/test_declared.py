"""Tables of declarations: what stands, in which order, and whose it is."""

from graphnb.notebook.cells import Cell
from graphnb.notebook.declared import OUTSIDE, Declaration, by_rank, copied, is_in_edit, standing, take_back

FIRST = Cell("a", 1, "cell [1]")
SECOND = Cell("b", 2, "cell [2]")


def table() -> dict[str, Declaration[str]]:
    """One declaration of each cell, one of no cell, and one that is gone."""
    return {
        "late": Declaration("late", SECOND, (2, 0)),
        "gone": Declaration(None, FIRST, (1, 0)),
        "early": Declaration("early", FIRST, (1, 1)),
        "script": Declaration("script", OUTSIDE),
    }


def test_standing_are_those_that_are_not_gone_in_the_order_of_places() -> None:
    """Whatever their ranks are."""
    assert ["late", "early", "script"] == list(standing(table()))


def test_ranks_order_what_has_some() -> None:
    """What is gone is left out there as well."""
    assert ("script", "early", "late") == by_rank(table())


def test_cell_takes_back_its_own_alone_and_keeps_their_places() -> None:
    """A later run of the cell owns what an earlier one declared."""
    made = table()
    is_taken = take_back(made, Cell("a", 3, "cell [3]"))

    assert is_taken
    assert ["late", "script"] == list(standing(made))
    assert ["late", "gone", "early", "script"] == list(made)
    assert not take_back(made, FIRST)


def test_copies_belong_to_no_cell_but_to_the_script_still() -> None:
    """A cell that runs again would not declare them on the copy."""
    made = copied(table())

    assert not take_back(made, FIRST)
    assert not take_back(made, SECOND)
    assert "cell [2]" == made["late"].cell.label
    assert is_in_edit(made["script"], OUTSIDE)


def test_only_what_stands_and_was_made_in_this_run_is_in_the_edit() -> None:
    """Neither nothing, nor what is gone, nor what another run of the cell declared."""
    made = table()

    assert is_in_edit(made["early"], FIRST)
    assert not any(is_in_edit(each, FIRST) for each in (None, made["gone"], made["late"]))
    assert not is_in_edit(made["early"], Cell("a", 3, "cell [3]"))
