"""The run that the tests of tables look at: every reducer, a fan-out, a loop, a subgraph, failures."""

from __future__ import annotations

from typing import Annotated, Any

from graphnb.errors import NodeException
from graphnb.state.marks import Replace
from graphnb.state.model import State
from graphnb.state.reducers.keyed import bounded_append, dedupe_append, merge_by_key
from graphnb.state.reducers.strict import append, concat_flatten, merge, merge_all
from graphnb.trace.trace import Trace
from tests.traces import Made, fan_out


class Reader(State):
    file: str = ""
    lines: Annotated[list[str], append] = []
    notes: list[str] = []


class Review(State):
    files: list[str]
    findings: Annotated[list[str], concat_flatten] = []
    raw: Annotated[list[list[str]], append] = []
    log: Annotated[list[str], append] = []
    scores: Annotated[dict[str, int], merge_all] = {}
    recent: Annotated[list[str], bounded_append(3)] = []
    seen: Annotated[list[str], dedupe_append()] = []
    people: Annotated[list[dict[str, Any]], merge_by_key(lambda person: person["id"])] = []
    verdict: str = ""
    rounds: int = 0
    settings: Annotated[dict[str, Any], merge] = {"depth": 1, "mode": "fast"}


NOTES = [["unused import", "long line"], [], ["no test"]]


def reader(file: str, notes: list[str]) -> Made:
    """Make the log of one instance."""
    made = Made(Reader, {"file": file}, name="reader")
    return made.step("open", {"lines": [f"{file} line 1", f"{file} line 2"]}, "note").step("note", {"notes": notes})


def started() -> Made:
    """Begin the review, up to the first fan-out."""
    people = [{"id": 1, "name": "ada"}, {"id": 2, "name": "bo"}]
    files = ["a.py", "b.py", "c.py"]
    made = Made(Review, {"files": files, "findings": ["style guide read"], "people": people}, name="review")
    made.step("plan", {"log": ["plan"], "rounds": 1, "recent": ["plan"], "seen": ["a.py"]}, "read_each")
    logs = [reader(file, notes) for file, notes in zip(files, NOTES, strict=True)]
    scores = [{"a": 2, "total": 2}, {}, {"c": 1, "total": 1}]
    return made.step(
        "read_each",
        {"findings": NOTES, "raw": NOTES, "scores": scores, "seen": files},
        "judge",
        instances=fan_out(3, ["findings", "raw", "scores", "seen"], over="files", logs=logs),
    )


def review() -> Trace:
    """Make a run that visits everything and fails."""
    made = started()
    made.step(
        "judge",
        {
            "log": ["judge"],
            "verdict": "again: too many findings",
            "rounds": 2,
            "recent": ["judge", "again", "again 2"],
            "settings": {"depth": 2, "why": "findings"},
            "people": [{"id": 2, "name": "bob"}, {"id": 3, "name": "cy"}],
        },
        "plan",
    )
    made.step(
        "plan", {"files": ["a.py", "d.py"], "verdict": "again: too few findings", "findings": Replace([])}, "read_each"
    )
    again = fan_out(2, ["findings", "seen"], over="files", errors={1: ValueError("d.py is <empty>")})
    made.step("read_each", {"findings": [["dead code"]], "seen": ["a.py"]}, "nested", instances=again)
    inner = Made(Reader, {}, name="reader").step("open", {"lines": ["x"]})
    made.step("nested", {"log": ["nested"]}, "idle", child=inner)
    made.step("idle", {}, "judge")
    made.fail("judge", NodeException("node 'judge', step 6", "raised ValueError: no luck", "Look at the node."))
    return made.trace(router="after_judge")
