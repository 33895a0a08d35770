"""The final state as text and HTML."""

from __future__ import annotations

from pydantic import create_model

from graphnb.show.state_table import state_html, state_rows, state_text
from graphnb.state.marks import UNSET
from graphnb.state.model import State
from tests.show.pages import KEPT_TAGS, checked, words
from tests.show.review import review
from tests.traces import Made


def test_state_rows_hold_field_type_reducer_and_value() -> None:
    """In the declared order, after the last step."""
    rows = list(state_rows(review()))

    assert ("files", "list[str]", "last_write_wins", ["a.py", "d.py"]) == rows[0]
    assert ("bounded_append(max_len=3)", ["judge", "again", "again 2"]) == rows[5][2:]


def test_state_text_is_aligned() -> None:
    """One line per field, under a head."""
    lines = state_text(review()).splitlines()

    assert 12 == len(lines)
    assert ["field", "type", "reducer", "value"] == lines[0].split()
    assert lines[0].index("value") == lines[1].index("['a.py', 'd.py']")
    assert "rounds    int                   last_write_wins           2" == lines[10]


def test_state_html_shows_each_field_with_its_reducer() -> None:
    """Options of a reducer stand below its badge."""
    text = state_html(review())

    assert checked(text).tags <= KEPT_TAGS
    assert "recent list[str] bounded_append max_len=3 ['judge', 'again', 'again 2']" in words(text)


def test_unset_fields_are_told() -> None:
    """A field that nothing has written is not confused with None."""

    class Late(State):
        answer: str = UNSET

    trace = Made(Late).trace()

    assert "not set" in state_text(trace)
    assert "not set" in state_html(trace)


def test_states_with_many_fields_are_cut_and_say_so() -> None:
    """Sixty fields are shown."""
    fields = {f"field_{i}": (int, i) for i in range(100)}
    trace = Made(create_model("Many", __base__=State, **fields)).trace()  # type: ignore[call-overload]

    assert state_text(trace).endswith("… 40 more fields: run.state has all")
    assert "… 40 more fields: run.state has all" in words(state_html(trace))
    assert "field_60" not in state_text(trace)


def test_big_states_are_bounded() -> None:
    """Twenty million characters take one line."""

    class Big(State):
        text: str = "x" * 20_000_000
        items: list[int] = list(range(1_000_000))

    trace = Made(Big).trace()

    assert len(state_text(trace)) < 500
    assert len(state_html(trace)) < 5_000
