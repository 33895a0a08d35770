"""A state class whose cell is run again, in a real IPython shell."""

from collections.abc import Callable
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import graphnb as gn
from graphnb.notebook.state_class import newest_schema
from graphnb.state.schema import schema_of


class Notebook:
    """A shell in which `gn` is known."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self.run("import dataclasses, operator, typing\nfrom typing import Annotated\nimport graphnb as gn")

    def run(self, source: str) -> None:
        """Run a cell; raises what it raises."""
        self._shell.run_cell(source, store_history=True).raise_error()

    def run_within(self, call: Callable[[], object]) -> None:
        """Call it in a cell; raises what it raises."""
        self._shell.user_ns["call"] = call
        self.run("call()")

    def __getitem__(self, name: str) -> Any:
        return self._shell.user_ns[name]


@pytest.fixture
def notebook(shell: InteractiveShell) -> Notebook:
    """A new notebook."""
    return Notebook(shell)


STATE = "class Review(gn.State):\n    files: list[str]\n    log: Annotated[list[str], gn.append] = []\n"
GRAPH = """
review = gn.Graph(Review, entry="plan")
@review.node(to=gn.END)
def plan(s):
    return {"log": ["plan"]}
"""
RUN = "run = review.run(files=['a'])"


def test_class_with_equal_fields_goes_on(notebook):
    """The next run takes the new class: its state is an instance of it, with what was added to it."""
    notebook.run(STATE)
    notebook.run(GRAPH)
    old = notebook["Review"]
    notebook.run(STATE + "    def greet(self): return 'new'\n")
    notebook.run(RUN)

    assert notebook["Review"] is not old
    assert type(notebook["run"].state) is notebook["Review"]
    assert "new" == notebook["run"].state.greet()
    assert type(notebook["run"].steps[0].before) is notebook["Review"]


def test_earlier_run_keeps_its_class(notebook):
    """What has run does not change."""
    notebook.run(STATE)
    notebook.run(GRAPH)
    notebook.run(RUN + "\nfirst = run")
    old = notebook["Review"]
    notebook.run(STATE)
    notebook.run(RUN)

    assert type(notebook["first"].state) is old
    assert notebook["first"] == notebook["run"]


@pytest.mark.parametrize(
    ("new", "change"),
    [
        (STATE + "    extra: int = 0\n", "added extra"),
        ("class Review(gn.State):\n    files: list[str]\n", "without log"),
        (STATE.replace("list[str]\n", "list[int]\n"), "changed files"),
        (STATE.replace("gn.append", "gn.concat_flatten"), "changed log"),
        (STATE.replace("= []", "= ['x']"), "changed log"),
        (STATE.replace("files: list[str]", "fils: list[str]"), "added fils; without files"),
    ],
)
def test_class_with_other_fields_names_the_change_and_the_cells(notebook, new, change):
    """A run is refused: the message says what differs, and which cells declared the graph."""
    notebook.run(STATE)
    notebook.run(GRAPH)
    notebook.run("review.node('other', plan, to=gn.END)\nreview.edge('plan', 'other')")
    notebook.run(new)
    with pytest.raises(gn.InvalidDeclaration) as caught:
        notebook.run(RUN)

    assert f"graph 'Review': state class Review was defined again with other fields ({change})" in str(caught.value)
    assert "Run again: cell [3], cell [4]." in str(caught.value)


def test_cell_that_made_the_graph_is_among_those_to_run_again(notebook):
    """First of all: to declare on the old graph once more would change nothing. As the message says, it is mended."""
    plan = "@review.node(to=gn.END)\ndef plan(s):\n    return {'log': [s.extra]}"
    notebook.run(STATE)
    notebook.run("review = gn.Graph(Review, entry='plan')")
    notebook.run(plan)
    notebook.run(STATE + "    extra: int = 7\n")
    with pytest.raises(gn.InvalidDeclaration, match=r"Run again: cell \[3\], cell \[4\]\."):
        notebook.run(RUN)
    notebook.run("review = gn.Graph(Review, entry='plan')")
    notebook.run(plan.replace("s.extra", "str(s.extra)"))
    notebook.run(RUN)

    assert ["7"] == notebook["run"].state.log


def test_graph_that_no_cell_made_is_refused_in_words(notebook):
    """There are no cells to be named: its module has made and built it."""
    notebook.run(STATE)
    old = schema_of(notebook["Review"])
    notebook.run(STATE + "    extra: int = 0\n")
    with pytest.raises(gn.InvalidDeclaration, match="Run again: the cells that build this graph"):
        notebook.run_within(lambda: newest_schema(old, "graph 'Review'", cells=tuple))


def test_running_the_named_cells_again_mends_it(notebook):
    """As the message says."""
    notebook.run(STATE)
    notebook.run(GRAPH)
    notebook.run(STATE + "    extra: int = 7\n")
    with pytest.raises(gn.InvalidDeclaration):
        notebook.run(RUN)
    notebook.run(GRAPH)
    notebook.run(RUN)

    assert 7 == notebook["run"].state.extra


def test_instance_of_the_old_class_is_accepted(notebook):
    """Equal fields are enough; the run goes on with the new class."""
    notebook.run(STATE)
    notebook.run(GRAPH + "start = Review(files=['a'], log=['start'])")
    notebook.run(STATE)
    notebook.run("run = review.run(start)")

    assert ["start", "plan"] == notebook["run"].state.log
    assert type(notebook["run"].state) is notebook["Review"]


def test_compiled_graph_is_stale_afterwards(notebook):
    """A snapshot keeps the old class, and knows as soon as the graph has taken the new one."""
    notebook.run(STATE)
    notebook.run(GRAPH + "compiled = review.compile()")
    old = notebook["Review"]
    notebook.run(STATE)
    notebook.run(RUN + "\npinned = compiled.run(files=['a'])")

    assert notebook["compiled"].is_stale
    assert type(notebook["pinned"].state) is old


OUTER = """
class Outer(gn.State):
    log: Annotated[list[str], gn.append] = []
outer = gn.Graph(Outer, entry="sub")
outer.subgraph("sub", review, inputs={"files": "log"}, to=gn.END)
"""


def test_class_of_a_graph_within_is_followed_too(notebook):
    """The steps inside a subgraph have states of the class as it is now."""
    notebook.run(STATE)
    notebook.run(GRAPH)
    notebook.run(OUTER)
    notebook.run("outer.run()")
    notebook.run(STATE)
    notebook.run("run = outer.run()")

    assert type(notebook["run"].steps[0].after) is notebook["Review"]


def test_class_of_a_graph_within_with_other_fields_names_that_graph(notebook):
    """The message is about the inner graph and its cells."""
    notebook.run(STATE)
    notebook.run(GRAPH)
    notebook.run(OUTER)
    notebook.run(STATE + "    extra: int = 0\n")
    with pytest.raises(gn.InvalidDeclaration, match=r"graph 'Review': .*\(added extra\)\nRun again: cell \[3\]"):
        notebook.run("outer.run()")


def test_base_class_may_be_run_again_as_well(notebook):
    """The class that bears the name now counts, from whatever it derives."""
    both = "class Base(gn.State):\n    files: list[str] = []\n"
    notebook.run(both)
    notebook.run("class Review(Base):\n    log: Annotated[list[str], gn.append] = []\n")
    notebook.run(GRAPH)
    notebook.run(both)
    notebook.run("class Review(Base):\n    log: Annotated[list[str], gn.append] = []\n")
    notebook.run(RUN)

    assert type(notebook["run"].state) is notebook["Review"]


@pytest.mark.parametrize(
    "again",
    [
        "@dataclasses.dataclass\nclass Review:\n    n: int = 0\n    m: int = 1\n",
        "class Review(typing.TypedDict):\n    n: int\n    m: int\n",
    ],
)
def test_dataclasses_and_typed_dicts_are_followed(notebook, again):
    """The rule holds for every kind of state."""
    notebook.run(again)
    notebook.run("graph = gn.Graph(Review, entry='a')\ngraph.node('a', lambda s: {'n': 2}, to=gn.END)")
    notebook.run(again)
    notebook.run("run = graph.run(n=1, m=1)")
    notebook.run(again.replace("m: int", "k: int"))
    with pytest.raises(gn.InvalidDeclaration, match="added k; without m"):
        notebook.run("graph.run(n=1)")

    assert {"n": 2, "m": 1} == (notebook["run"].state if "Typed" in again else vars(notebook["run"].state))


@pytest.mark.parametrize(
    "other",
    [
        "Review = 3",
        "del Review",
        "class Review:\n    pass\n",
        "class Other(gn.State):\n    x: int = 0\nReview = Other\n",
        "import collections\nReview = collections.OrderedDict\n",
    ],
)
def test_name_that_means_something_else_now_is_no_new_state_class(notebook, other):
    """The graph keeps the class it was made with."""
    notebook.run(STATE)
    notebook.run(GRAPH)
    old = notebook["Review"]
    notebook.run(other)
    notebook.run(RUN)

    assert type(notebook["run"].state) is old


def test_class_within_a_function_is_kept(notebook):
    """A name with a dot cannot be looked up, and is left alone."""
    made = "def make():\n    class Review(gn.State):\n        files: list[str] = []\n    return Review\n"
    notebook.run(made + "Local = make()\ngraph = gn.Graph(Local, entry='a')\ngraph.node('a', dict, to=gn.END)")
    notebook.run("class Review(gn.State):\n    other: int = 0")
    notebook.run("run = graph.run()")

    assert type(notebook["run"].state) is notebook["Local"]


def test_broken_class_is_told_at_the_run(notebook):
    """A new class that is no state for another reason raises its own error."""
    notebook.run(STATE)
    notebook.run(GRAPH)
    notebook.run(STATE.replace("gn.append", "gn.append, operator.add"))
    with pytest.raises(gn.ConflictingReducers):
        notebook.run(RUN)


class Module(gn.State):
    n: int = 0


OLD = Module


class Module(gn.State):
    n: int = 0
    m: int = 0


def test_outside_a_notebook_the_class_is_kept():
    """In a script nothing is run again: a later class of the same name is another one."""
    schema = schema_of(OLD)

    assert newest_schema(schema, "graph", cells=tuple) is schema
