"""One cell run is one edit: declarations made by cells of a real IPython shell, run again, edited, half failed."""

import copy
import gc
import pickle
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from graphnb.errors import DuplicateName, GraphError, InvalidDeclaration, MultipleOutgoingEdges
from graphnb.graph.edges import Branch, Edge
from graphnb.graph.ends import END, Target
from graphnb.graph.observer import Observer
from graphnb.notebook import declarations
from graphnb.notebook.cells import Cell
from graphnb.notebook.declarations import Declarations
from tests.notebook.declaring_nodes import node, work


class Notebook:
    """A shell with `node`, `edge` and `branch` for one graph; cells are run by `run`."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self.graph = Declarations("graph 'review'")
        graph = self.graph
        shell.push(
            {
                "graph": graph,
                "node": lambda name, to=None, function=work: node(graph, name, to, function),
                "edge": lambda source, target: graph.declare(edge=Edge(source, target)),
                "branch": lambda source, *targets: graph.declare(
                    edge=Branch(source, work, {target: target for target in targets} if targets else None)
                ),
                "remove": graph.remove,
                "Declarations": Declarations,
                "END": END,
            }
        )

    def run(self, source: str, cell: str | None = None, *, store_history: bool = True) -> BaseException | None:
        """Run a cell; what it raised, if anything."""
        result = self.shell.run_cell(source, store_history=store_history, cell_id=cell)
        return result.error_before_exec or result.error_in_exec

    @property
    def nodes(self) -> list[str]:
        """The names of the nodes, in declared order."""
        return list(self.graph.nodes)

    @property
    def edges(self) -> dict[str, Target]:
        """The target of each source, in declared order."""
        return {source: edge.target for source, edge in self.graph.edges.items() if isinstance(edge, Edge)}


@pytest.fixture
def notebook(shell: InteractiveShell) -> Notebook:
    """A notebook in IPython's one shell of this process."""
    return Notebook(shell)


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Callable[[], list[str]]:
    """`said()` gives the lines of graphnb printed since the last call."""
    return lambda: [line for line in capsys.readouterr().out.splitlines() if line.startswith("graphnb:")]


# --- outside cells ---------------------------------------------------------------------------------------------------


def test_refused_edge_leaves_its_node_out() -> None:
    """Node and edge are declared together or not at all."""
    declared = Declarations("graph 'review'")
    declared.declare(edge=Edge("plan", "judge"))

    with pytest.raises(MultipleOutgoingEdges):
        node(declared, "plan", "publish")

    assert dict(declared.nodes) == {}
    assert declared.version == 1


def test_removed_name_may_be_declared_again_in_the_same_edit() -> None:
    """Removing takes the node and its outgoing edge, and makes room within the edit; other edges stay."""
    declared = Declarations("graph 'review'")
    node(declared, "plan", "judge")
    node(declared, "judge", "plan")
    declared.remove("plan")

    assert list(declared.nodes) == list(declared.edges) == ["judge"]
    node(declared, "plan", END)
    assert declared.edges["plan"] == Edge("plan", END)
    assert declared.edges["judge"] == Edge("judge", "plan")


def test_removing_a_name_that_has_only_an_edge() -> None:
    """An edge declared before its source can be removed by the source's name."""
    declared = Declarations("graph 'review'")
    declared.declare(edge=Edge("plan", "judge"))
    declared.remove("plan")

    assert dict(declared.edges) == {}


def test_version_rises_with_every_change_and_with_no_other() -> None:
    """Each declaration and removal gives a higher version, reading and failing leave it."""
    declared = Declarations("graph 'review'")
    versions = [declared.version]
    node(declared, "plan", "judge")
    versions.append(declared.version)
    declared.declare(edge=Edge("judge", END))
    versions.append(declared.version)
    declared.remove("plan")
    versions.append(declared.version)

    assert versions == sorted(set(versions))
    with pytest.raises(GraphError):
        declared.remove("plan")
    assert (declared.version, dict(declared.nodes)) == (versions[-1], {})


def test_snapshots_are_read_only_cached_and_left_alone() -> None:
    """What was read stays as it was, refuses changes, and is the same object until the next change."""
    declared = Declarations("graph 'review'")
    node(declared, "plan", "judge")
    nodes, edges = declared.nodes, declared.edges

    assert declared.nodes is nodes
    assert declared.edges is edges
    with pytest.raises(TypeError):
        nodes["other"] = nodes["plan"]  # type: ignore[index]
    node(declared, "judge", END)
    assert (list(nodes), list(edges)) == (["plan"], ["plan"])
    assert (list(declared.nodes), list(declared.edges)) == (["plan", "judge"], ["plan", "judge"])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda declared: pickle.loads(pickle.dumps(declared))])
def test_copy_is_independent(copied: Callable[[Declarations], Declarations]) -> None:
    """Declarations can be copied and pickled after they were read, and the copy goes its own way."""
    declared = Declarations("graph 'review'")
    node(declared, "plan", "judge")
    assert list(declared.nodes) == ["plan"]
    other = copied(declared)
    node(other, "judge")

    assert list(declared.nodes) == ["plan"]
    assert list(other.nodes) == ["plan", "judge"]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda declared: pickle.loads(pickle.dumps(declared))])
def test_copy_belongs_to_no_cell(
    notebook: Notebook, said: Callable[[], list[str]], copied: Callable[[Declarations], Declarations]
) -> None:
    """The original's cells, run again, declare on the original: they take nothing back from the copy."""
    notebook.shell.push({"copied": copied, "add": node})
    notebook.run("node('plan', 'judge')", "a")
    notebook.run("own = copied(copied(graph)); add(own, 'judge')", "b")
    own = notebook.shell.user_ns["own"]
    notebook.run("pass", "a")

    assert (notebook.nodes, list(own.nodes)) == ([], ["plan", "judge"])
    assert own.cells == ("cell [1]", "cell [2]")
    notebook.run("add(own, 'plan'); add(own, 'again')", "b")
    assert list(own.nodes) == ["plan", "again"]
    assert said() == ["graphnb: node 'plan' replaced (it was declared in cell [1])"]


def test_copied_script_is_still_one_edit() -> None:
    """Outside cells a copy knows which names it has."""
    declared = Declarations("graph 'review'")
    node(declared, "plan")
    own = copy.deepcopy(declared)
    with pytest.raises(DuplicateName):
        node(own, "plan")

    assert list(own.nodes) == ["plan"]


def test_emptied_are_declarations_that_are_all_gone() -> None:
    """Not those that nothing was declared on yet."""
    declared = Declarations("graph 'review'")
    seen = [declared.is_emptied]
    node(declared, "plan", "judge")
    seen.append(declared.is_emptied)
    declared.remove("plan")
    seen.append(declared.is_emptied)
    declared.declare(edge=Edge("plan", END))
    seen.append(declared.is_emptied)

    assert seen == [False, False, True, False]


def test_script_has_no_cells() -> None:
    """What was declared outside cells has no cell to name."""
    declared = Declarations("graph 'review'")
    node(declared, "plan")

    assert declared.cells == ()


# --- within one cell run ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("store_history", [True, False])
@pytest.mark.parametrize("cell", ["a", None])
def test_cell_repeating_a_node_raises(notebook: Notebook, cell: str | None, store_history: bool) -> None:
    """Within one cell run the second node of a name is refused; what stands before it stays."""
    error = notebook.run("node('plan', 'x'); node('plan', 'y'); node('never')", cell, store_history=store_history)

    assert isinstance(error, DuplicateName)
    assert error.what.startswith("node 'plan' is declared twice in one run of cell [")
    assert notebook.nodes == ["plan"]
    assert notebook.edges == {"plan": "x"}


def test_loop_repeating_a_name_raises(notebook: Notebook) -> None:
    """A loop that declares one name again and again fails at the second round."""
    error = notebook.run("for _ in range(3): node('plan')", "a")

    assert isinstance(error, DuplicateName)


def test_cell_with_second_outgoing_edge_raises(notebook: Notebook) -> None:
    """Within one cell run a second outgoing edge is refused, `to=` included, and the first stays."""
    error = notebook.run("node('plan', 'x'); branch('plan', 'x', 'y')", "a")

    assert isinstance(error, MultipleOutgoingEdges)
    assert notebook.edges == {"plan": "x"}


@pytest.mark.parametrize("store_history", [True, False])
@pytest.mark.parametrize("cell", ["a", None])
def test_loop_of_different_names_declares_all(notebook: Notebook, cell: str | None, store_history: bool) -> None:
    """A loop may declare as many nodes as it likes; a shorter loop in the same cell leaves fewer."""
    assert notebook.run("for i in range(4): node(f'n{i}', f'n{i + 1}')", cell, store_history=store_history) is None
    assert notebook.nodes == ["n0", "n1", "n2", "n3"]
    assert notebook.run("for i in range(2): node(f'n{i}', f'n{i + 1}')", cell, store_history=store_history) is None

    assert notebook.nodes == (["n0", "n1"] if cell else ["n0", "n1", "n2", "n3"])


# --- the same cell again ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("store_history", [True, False])
def test_cell_run_again_replaces_quietly(
    notebook: Notebook, said: Callable[[], list[str]], store_history: bool
) -> None:
    """Running a cell again renews its nodes and edges in their places, and says nothing."""
    source = "def f(s): return {}\nnode('plan', 'judge', f)\nnode('judge', END)"
    notebook.run(source, "a", store_history=store_history)
    notebook.run("node('last', END)", "b", store_history=store_history)
    before, version = notebook.graph.nodes, notebook.graph.version

    assert notebook.run(source, "a", store_history=store_history) is None
    assert notebook.nodes == ["plan", "judge", "last"]
    assert list(notebook.edges) == ["plan", "judge", "last"]
    assert notebook.graph.nodes["plan"] != before["plan"]
    assert notebook.graph.version > version
    assert said() == []


def test_renamed_function_leaves_no_orphan(notebook: Notebook, said: Callable[[], list[str]]) -> None:
    """A cell whose node was renamed takes the old name back; edges of other cells to it stay."""
    notebook.run("node('start', 'plan')", "a")
    notebook.run("node('plan', END)", "b")
    notebook.run("node('planning', END)", "b")

    assert notebook.nodes == ["start", "planning"]
    assert notebook.edges == {"start": "plan", "planning": END}
    assert said() == []


def test_renamed_back_keeps_the_first_place(notebook: Notebook) -> None:
    """A name that its cell declares again stands where it stood."""
    notebook.run("node('plan', 'judge')", "a")
    notebook.run("node('judge', END)", "b")
    notebook.run("node('other')", "a")
    assert notebook.nodes == ["judge", "other"]
    notebook.run("node('plan', 'judge')", "a")

    assert notebook.nodes == ["plan", "judge"]
    assert list(notebook.edges) == ["plan", "judge"]


def test_dropped_target_leaves_no_edge(notebook: Notebook) -> None:
    """A `to=` that was taken out of the cell takes its edge along."""
    notebook.run("node('plan', 'judge')", "a")
    notebook.run("node('plan')", "a")

    assert notebook.edges == {}


def test_edge_of_another_cell_outlives_its_node(notebook: Notebook) -> None:
    """An edge that another cell declared stays when the cell of its source is run again without that node."""
    notebook.run("node('plan')", "a")
    notebook.run("edge('plan', 'judge')", "b")
    notebook.run("node('other')", "a")

    assert notebook.nodes == ["other"]
    assert notebook.edges == {"plan": "judge"}


@pytest.mark.parametrize("source", ["pass", "graph.nodes", "# node('plan', 'judge')"])
def test_cell_that_declares_nothing_any_more_leaves_nothing(
    notebook: Notebook, said: Callable[[], list[str]], source: str
) -> None:
    """Nodes and edges whose lines were deleted from their cell are gone as soon as it runs again, without a word."""
    notebook.run("node('plan', 'judge'); edge('start', 'plan')", "a")
    notebook.run("node('judge', END)", "b")
    notebook.run(source, "a")

    assert notebook.nodes == ["judge"]
    assert notebook.edges == {"judge": END}
    assert notebook.graph.cells == ("cell [2]",)
    assert said() == []


@pytest.mark.parametrize("source", ["", " \n"])
def test_empty_cell_does_not_run(notebook: Notebook, source: str) -> None:
    """The shell does not run a cell without text, so there is no run that could take anything back."""
    notebook.run("node('plan')", "a")
    notebook.run(source, "a")

    assert notebook.nodes == ["plan"]


def test_taking_back_comes_before_any_code_of_the_cell(notebook: Notebook) -> None:
    """What the cell itself looks at is already without its earlier declarations."""
    seen: list[list[str]] = []
    notebook.shell.push({"look": lambda: seen.append(notebook.nodes)})
    for _ in range(2):
        notebook.run("look(); node('plan'); look()", "a")

    assert seen == [[], ["plan"], [], ["plan"]]


def test_declared_again_after_a_run_without_it_keeps_its_place(
    notebook: Notebook, said: Callable[[], list[str]]
) -> None:
    """Runs that declare nothing in between do not cost a name its place, nor say anything."""
    notebook.run("node('plan', 'judge')", "a")
    notebook.run("node('judge', END)", "b")
    for source in ("pass", "1 / 0", "node('plan', 'judge')"):
        notebook.run(source, "a")

    assert notebook.nodes == list(notebook.edges) == ["plan", "judge"]
    assert said() == []


def test_version_rises_when_something_is_taken_back_and_else_stays(notebook: Notebook) -> None:
    """So whoever compiled the graph knows; cells that own nothing here leave the version alone."""
    notebook.run("node('plan')", "a")
    version = notebook.graph.version
    notebook.run("pass", "b")
    assert notebook.graph.version == version
    notebook.run("pass", "a")
    emptied = notebook.graph.version
    notebook.run("pass", "a")

    assert version < emptied == notebook.graph.version


def test_cell_run_again_takes_back_on_every_graph(notebook: Notebook) -> None:
    """Also on a graph on which it declares nothing this time."""
    notebook.shell.push({"more": Declarations("graph 'more'"), "other_node": node})
    notebook.run("node('plan'); other_node(more, 'plan')", "a")
    notebook.run("other_node(more, 'kept')", "b")
    notebook.run("node('planning')", "a")

    assert notebook.nodes == ["planning"]
    assert list(notebook.shell.user_ns["more"].nodes) == ["kept"]


def test_graph_of_the_cells_own_is_emptied_as_well(notebook: Notebook) -> None:
    """A graph that the cell made in an earlier run is no exception: a new one takes its place."""
    source = "own = Declarations('graph'); add(own, 'plan')"
    notebook.shell.push({"add": node})
    notebook.run(source, "a")
    first = notebook.shell.user_ns["own"]
    notebook.run(source, "a")

    assert (first.is_emptied, notebook.shell.user_ns["own"].is_emptied) == (True, False)
    assert list(notebook.shell.user_ns["own"].nodes) == ["plan"]


@pytest.mark.parametrize("inner", ["pass", "node('more')"])
@pytest.mark.parametrize("how", ["get_ipython().run_cell({!r}, cell_id='a')", "get_ipython().run_cell({!r})"])
def test_code_that_a_cell_runs_through_the_shell_takes_nothing_back(notebook: Notebook, inner: str, how: str) -> None:
    """It is part of the same run, whatever id it is given; the next run of the cell takes all of it back."""
    notebook.run(f"node('plan'); {how.format(inner)}; node('judge')", "a")
    assert notebook.nodes == ["plan", *(["more"] if "more" in inner else []), "judge"]
    notebook.run(how.format("pass"), "b")
    assert "plan" in notebook.nodes
    notebook.run(how.format("pass"), "a")

    assert notebook.nodes == []


def test_cell_magic_is_one_run(notebook: Notebook) -> None:
    """Under %%capture, which runs the cell's code through the shell once more, the rule is the same."""
    notebook.run("node('first')", "b")
    notebook.run("%%capture\nnode('plan'); node('judge')", "a")
    assert notebook.nodes == ["first", "plan", "judge"]
    notebook.run("%%capture\nnode('judge')", "a")
    assert notebook.nodes == ["first", "judge"]
    notebook.run("%%capture\npass", "a")

    assert notebook.nodes == ["first"]


def test_graph_that_nobody_holds_is_freed(notebook: Notebook) -> None:
    """That it is told of cells does not keep it alive."""
    notebook.shell.push({"add": node})
    notebook.run("own = Declarations('graph'); add(own, 'plan')", "a")
    own = weakref.ref(notebook.shell.user_ns["own"])
    assert own() is not None
    notebook.run("del own", "b")
    gc.collect()

    assert own() is None
    assert notebook.run("pass", "a") is None


def test_duplicate_in_a_cell_run_again_is_found(notebook: Notebook) -> None:
    """The cell that runs again is one edit as well."""
    notebook.run("node('plan', 'x')", "a")
    error = notebook.run("node('plan', 'y'); node('plan', 'z')", "a")

    assert isinstance(error, DuplicateName)
    assert notebook.edges == {"plan": "y"}


@pytest.mark.parametrize("told", [True, False], ids=["told by the shell", "not told"])
def test_late_thread_of_an_earlier_run_takes_nothing_back(
    monkeypatch: pytest.MonkeyPatch, said: Callable[[], list[str]], told: bool
) -> None:
    """A thread that learnt its cell before that cell ran again adds to what the later run declared, quietly."""
    declared = Declarations("graph 'review'")
    for run, name in [(1, "plan"), (2, "plan"), (2, "judge"), (1, "late"), (1, "plan")]:
        cell = Cell("a", run, f"cell [{run}]")
        if told:
            declared.cell_begins(cell)
        monkeypatch.setattr(declarations, "current_cell", lambda cell=cell: cell)
        node(declared, name)

    assert list(declared.nodes) == ["plan", "judge", "late"]
    assert said() == []
    declared.cell_begins(Cell("a", 3, "cell [3]"))
    assert list(declared.nodes) == []


def test_late_thread_of_a_run_that_is_over_adds_to_a_run_without_declarations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What an older run still declares after the next run began stands until the cell runs once more."""
    declared = Declarations("graph 'review'")
    monkeypatch.setattr(declarations, "current_cell", lambda: Cell("a", 1, "cell [1]"))
    node(declared, "plan")
    declared.cell_begins(Cell("a", 2, "cell [2]"))
    node(declared, "late")
    assert list(declared.nodes) == ["late"]
    declared.cell_begins(Cell("a", 3, "cell [3]"))

    assert list(declared.nodes) == []


def test_threads_may_declare_while_a_cell_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that stands is lost, nothing that was taken back comes again, and what is read is up to date."""
    declared = Declarations("graph 'review'")
    cells = {"main": Cell("a", 1, "cell [1]")}
    monkeypatch.setattr(
        declarations, "current_cell", lambda: cells.get(threading.current_thread().name, Cell("b", 1, "cell [1]"))
    )

    def declare_many(first: int) -> None:
        for i in range(first, first + 100):
            node(declared, f"n{i}")

    monkeypatch.setattr(threading.current_thread(), "name", "main")
    threads = [threading.Thread(target=declare_many, args=(100 * i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for run in range(2, 100):
        node(declared, f"m{run}")
        cells["main"] = Cell("a", run, f"cell [{run}]")
        declared.cell_begins(cells["main"])
    for thread in threads:
        thread.join()

    assert set(declared.nodes) == {f"n{i}" for i in range(400)}


# --- half failed -----------------------------------------------------------------------------------------------------


def test_half_failed_cell_keeps_what_it_declared(notebook: Notebook) -> None:
    """Declarations before the failure stand until the cell runs again; then it is as if it had never failed."""
    notebook.run("node('plan', 'judge'); 1 / 0; node('judge', END)", "a")
    assert notebook.nodes == ["plan"]
    notebook.run("node('plan', 'judge'); node('judge', END)", "a")

    assert notebook.nodes == ["plan", "judge"]


def test_half_failed_second_run_has_taken_back_the_first(notebook: Notebook) -> None:
    """After a second run that failed half way, only what that run declared stands."""
    notebook.run("node('plan', 'judge'); node('judge', END)", "a")
    notebook.run("node('plan'); 1 / 0; node('judge', END)", "a")

    assert notebook.nodes == ["plan"]
    assert notebook.edges == {}


@pytest.mark.parametrize("source", ["1 / 0; node('plan')", "node('plan'", "%nothing_of_that_name"])
def test_run_that_fails_before_declaring_leaves_nothing(notebook: Notebook, source: str) -> None:
    """A cell that fails before its first declaration, or does not even compile, has taken back its earlier runs'."""
    notebook.run("node('plan', 'judge')", "a")
    notebook.run("node('judge', END)", "b")
    notebook.run(source, "a")

    assert notebook.nodes == ["judge"]
    assert notebook.edges == {"judge": END}
    notebook.run("node('plan', 'judge')", "a")
    assert notebook.nodes == ["plan", "judge"]


def test_half_failed_run_gives_up_the_rest_for_good(notebook: Notebook) -> None:
    """What earlier runs declared does not come back with the next run either."""
    notebook.run("node('plan'); node('judge'); node('publish')", "a")
    notebook.run("node('judge'); 1 / 0", "a")
    assert notebook.nodes == ["judge"]
    notebook.run("1 / 0", "a")

    assert notebook.nodes == []


def test_cell_mended_after_a_duplicate_runs(notebook: Notebook) -> None:
    """A cell that failed with a duplicate runs once it is mended."""
    notebook.run("node('plan'); node('plan')", "a")

    assert notebook.run("node('plan'); node('judge')", "a") is None
    assert notebook.nodes == ["plan", "judge"]


# --- another cell ----------------------------------------------------------------------------------------------------


def test_later_cell_replaces_and_says_so(notebook: Notebook, said: Callable[[], list[str]]) -> None:
    """A node of another cell is replaced in its place, its edge stays, and one line tells."""
    notebook.run("node('plan', 'judge')", "a")
    notebook.run("node('judge', END)", "b")
    notebook.run("node('plan')", "c")

    assert said() == ["graphnb: node 'plan' replaced (it was declared in cell [1])"]
    assert notebook.nodes == ["plan", "judge"]
    assert notebook.edges == {"plan": "judge", "judge": END}


@pytest.mark.parametrize("again", ["edge('plan', 'publish')", "branch('plan', 'judge', 'publish')"])
def test_later_cell_replaces_an_edge_and_says_so(notebook: Notebook, said: Callable[[], list[str]], again: str) -> None:
    """An outgoing edge of another cell is replaced, whatever its kind, and one line tells."""
    notebook.run("node('plan', 'judge')", "a")

    assert notebook.run(again, "b") is None
    assert said() == ["graphnb: edge from 'plan' replaced (it was declared in cell [1])"]
    assert list(notebook.graph.edges) == ["plan"]


@pytest.mark.parametrize("cell", [("a", "b"), (None, None)])
@pytest.mark.parametrize("source", ["node('x', 'y'); node('y', END)", "node('x'); edge('x', END); node('y', END)"])
def test_duplicated_cell_says_so_once_per_name(
    notebook: Notebook, said: Callable[[], list[str]], cell: tuple[str | None, str | None], source: str
) -> None:
    """A copy of a cell replaces what the first declared, with one line for each name, edge or not."""
    notebook.run(source, cell[0])
    notebook.run(source, cell[1])

    assert said() == [
        "graphnb: node 'x' replaced (it was declared in cell [1])",
        "graphnb: node 'y' replaced (it was declared in cell [1])",
    ]
    assert notebook.nodes == ["x", "y"]


def test_node_and_edge_of_two_cells_are_told_apart(notebook: Notebook, said: Callable[[], list[str]]) -> None:
    """If node and edge stood in two cells, replacing both names both cells."""
    notebook.run("node('plan')", "a")
    notebook.run("edge('plan', 'judge')", "b")
    notebook.run("node('plan', END)", "c")

    assert said() == [
        "graphnb: node 'plan' replaced (it was declared in cell [1])",
        "graphnb: edge from 'plan' replaced (it was declared in cell [2])",
    ]


def test_first_cell_takes_its_name_back_from_the_second(notebook: Notebook, said: Callable[[], list[str]]) -> None:
    """A name taken over by a second cell returns when the first runs again, which says so."""
    notebook.run("node('plan', 'first')", "a")
    notebook.run("node('plan', 'second'); node('extra')", "b")
    said()
    notebook.run("node('plan', 'first')", "a")

    assert said() == ["graphnb: node 'plan' replaced (it was declared in cell [2])"]
    assert notebook.edges == {"plan": "first"}
    notebook.run("node('extra')", "b")
    assert notebook.edges == {"plan": "first"}
    assert notebook.nodes == ["plan", "extra"]


def test_first_cell_run_again_leaves_what_others_took_over(notebook: Notebook, said: Callable[[], list[str]]) -> None:
    """Only what the cell still owns is taken back: a name that another cell replaced stays the other's."""
    notebook.run("node('plan', 'first'); node('own')", "a")
    notebook.run("node('plan', 'second')", "b")
    said()
    notebook.run("node('new')", "a")

    assert notebook.nodes == ["plan", "new"]
    assert notebook.edges == {"plan": "second"}
    assert said() == []


def test_cell_that_declares_nothing_leaves_what_others_took_over(
    notebook: Notebook, said: Callable[[], list[str]]
) -> None:
    """As after duplicating a cell and emptying the original: the copy's declarations stand."""
    source = "node('plan', 'judge'); node('judge', END)"
    notebook.run(source, "a")
    notebook.run(source, "copy of a")
    said()
    notebook.run("pass", "a")

    assert notebook.nodes == ["plan", "judge"]
    assert notebook.edges == {"plan": "judge", "judge": END}
    notebook.run("pass", "copy of a")
    assert (notebook.nodes, notebook.edges) == ([], {})
    assert said() == []


def test_name_that_was_taken_back_is_free_for_another_cell(notebook: Notebook, said: Callable[[], list[str]]) -> None:
    """As after moving a line to another cell: nothing is replaced, so nothing is said, and the place is kept."""
    notebook.run("node('plan')", "a")
    notebook.run("node('judge')", "b")
    notebook.run("pass", "a")
    notebook.run("node('plan')", "c")
    assert said() == []
    notebook.run("node('plan')", "a")

    assert said() == ["graphnb: node 'plan' replaced (it was declared in cell [4])"]
    assert notebook.nodes == ["plan", "judge"]


def test_moved_cell_changes_nothing(notebook: Notebook, said: Callable[[], list[str]]) -> None:
    """Running the cells in another order, as after moving one, keeps every place and says nothing."""
    notebook.run("node('plan', 'judge')", "a")
    notebook.run("node('judge', END)", "b")
    notebook.run("node('judge', END)", "b")
    notebook.run("node('plan', 'judge')", "a")

    assert notebook.nodes == ["plan", "judge"]
    assert said() == []


def test_without_cell_id_a_rerun_replaces_by_name(notebook: Notebook, said: Callable[[], list[str]]) -> None:
    """Where the front end sends no id, each counted run is a cell of its own: it replaces, and says so."""
    notebook.run("node('plan', 'judge')")
    notebook.run("node('plan', END)")

    assert notebook.edges == {"plan": END}
    assert said() == ["graphnb: node 'plan' replaced (it was declared in cell [1])"]


@pytest.mark.parametrize("store_history", [True, False])
def test_without_cell_id_nothing_is_taken_back(notebook: Notebook, store_history: bool) -> None:
    """Where every run is a cell of its own, none runs again: what was declared stands."""
    notebook.run("node('plan')", store_history=store_history)
    for source in ("pass", "1 / 0", "node('judge')"):
        notebook.run(source, store_history=store_history)

    assert notebook.nodes == ["plan", "judge"]


def test_uncounted_run_without_id_replaces(notebook: Notebook, said: Callable[[], list[str]]) -> None:
    """With neither id nor count a run still is an edit of its own."""
    for _ in range(2):
        assert notebook.run("node('plan', END)", store_history=False) is None

    assert said() == ["graphnb: node 'plan' replaced (it was declared in cell [ ])"]


def test_cell_replaces_what_stood_outside_cells(notebook: Notebook, said: Callable[[], list[str]]) -> None:
    """A node declared before any cell ran is replaced like one of another cell."""
    node(notebook.graph, "plan", END)
    notebook.run("node('plan')", "a")

    assert said() == ["graphnb: node 'plan' replaced (it was declared in code outside the cells)"]


# --- removing --------------------------------------------------------------------------------------------------------


def test_cell_that_removes_and_declares_may_run_again(notebook: Notebook, said: Callable[[], list[str]]) -> None:
    """Removing another cell's node and declaring it anew is one edit, says nothing, and can be repeated."""
    notebook.run("node('plan', 'judge'); node('judge', END)", "a")
    for _ in range(2):
        assert notebook.run("remove('plan'); node('plan', END)", "b") is None

    assert notebook.nodes == ["plan", "judge"]
    assert notebook.edges == {"plan": END, "judge": END}
    assert said() == []


def test_cell_that_removes_may_run_again(notebook: Notebook) -> None:
    """A cell that removed a node finds its work done in the next run, but not twice in one run."""
    notebook.run("node('plan', 'judge')", "a")
    for _ in range(2):
        assert notebook.run("remove('plan')", "b") is None
    assert isinstance(notebook.run("remove('plan'); remove('plan')", "b"), InvalidDeclaration)
    assert isinstance(notebook.run("remove('plan')", "c"), InvalidDeclaration)

    assert notebook.nodes == []
    notebook.run("node('plan', 'judge')", "a")
    assert notebook.nodes == ["plan"]


def test_removal_is_not_taken_back(notebook: Notebook) -> None:
    """What a cell removed comes back with the cell that declares it, not with a run that removes no longer."""
    notebook.run("node('plan')", "a")
    notebook.run("remove('plan')", "b")
    notebook.run("pass", "b")
    assert notebook.nodes == []
    notebook.run("node('plan')", "a")

    assert notebook.nodes == ["plan"]


def test_removal_in_a_cell_edited_to_it(notebook: Notebook) -> None:
    """A cell that declared two nodes and now removes one has taken both back."""
    notebook.run("node('plan', END); node('judge', END)", "a")

    assert notebook.run("remove('plan')", "a") is None
    assert notebook.nodes == []


def test_declaring_what_another_cell_removed_says_nothing(notebook: Notebook, said: Callable[[], list[str]]) -> None:
    """A name that was removed is free: declaring it in a third cell replaces nothing."""
    notebook.run("node('plan')", "a")
    notebook.run("remove('plan')", "b")
    notebook.run("node('plan')", "c")

    assert said() == []
    assert notebook.graph.cells == ("cell [3]",)


# --- cells -----------------------------------------------------------------------------------------------------------


def test_cells_are_those_whose_declarations_stand(notebook: Notebook) -> None:
    """Each cell is named once, by its last run, in the order of what it declared."""
    notebook.run("node('plan')", "a")
    notebook.run("node('judge', END); node('other')", "b")
    notebook.run("edge('plan', 'judge')", "c")
    assert notebook.graph.cells == ("cell [1]", "cell [2]", "cell [3]")
    notebook.run("node('plan')", "a")
    notebook.run("remove('judge'); remove('other')", "c")

    assert notebook.graph.cells == ("cell [4]",)


def test_nodes_of_an_imported_module_outlive_the_importing_cell(
    notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cell that imports a graph and adds to it may run again: the module's nodes are not taken back."""
    (tmp_path / "library_of_nodes.py").write_text(
        "from graphnb.graph.spec import FunctionNode\n"
        "from graphnb.notebook.declarations import Declarations\n"
        "declared = Declarations('graph')\n"
        "declared.declare(FunctionNode('inherited', print))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    notebook.shell.push({"add": node})
    for name in ("added", "renamed"):
        assert notebook.run(f"from library_of_nodes import declared; add(declared, {name!r})", "a") is None

    assert list(notebook.shell.user_ns["declared"].nodes) == ["inherited", "renamed"]


# --- middleware and observers ----------------------------------------------------------------------------------------


class Around:
    """`put(name)` and `take(name)` for middleware or for observers, as a cell declares and removes them."""

    def __init__(self, kind: str, notebook: Notebook) -> None:
        self.kind = kind
        self.notebook = notebook
        graph = notebook.graph
        put = {
            "middleware": lambda name, function=work: graph.declare_layer(name, (name, function)),
            "observer": lambda name, function=work: graph.declare_observer(Observer(function, name)),
        }
        take = {"middleware": graph.remove_layer, "observer": graph.remove_observer}
        notebook.shell.push({"put": put[kind], "take": take[kind]})
        self.put, self.run = put[kind], notebook.run

    @property
    def names(self) -> list[str]:
        """The names of what stands, in order."""
        if self.kind == "middleware":
            return [name for name, _ in self.notebook.graph.layers]
        return [observer.name for observer in self.notebook.graph.observers]

    @property
    def functions(self) -> list[Any]:
        """The functions of what stands, in order."""
        if self.kind == "middleware":
            return [function for _, function in self.notebook.graph.layers]
        return [observer.function for observer in self.notebook.graph.observers]


@pytest.fixture(params=["middleware", "observer"])
def about(request: pytest.FixtureRequest, notebook: Notebook) -> Around:
    """Yield a notebook for either kind."""
    return Around(request.param, notebook)


def test_around_run_again_replaces_quietly(about: Around, said: Callable[[], list[str]]) -> None:
    """The second run of a cell replaces what the first declared, in its place, and says nothing."""
    about.run("put('one'); put('two')", "a")
    about.run("put('three')", "b")
    about.run("put('one', print); put('two')", "a")

    assert about.names == ["one", "two", "three"]
    assert about.functions == [print, work, work]
    assert said() == []


@pytest.mark.parametrize("source", ["pass", "1 / 0; put('one')", "put('one'", "node('plan')"])
def test_around_is_taken_back_by_a_run_without_it(about: Around, source: str) -> None:
    """A cell that declares it no longer, fails before, or does not compile; another cell's stands."""
    about.run("put('one')", "a")
    about.run("put('two')", "b")
    version = about.notebook.graph.version
    about.run(source, "a")

    assert about.names == ["two"]
    assert about.notebook.graph.version > version


def test_around_that_was_renamed_leaves_no_orphan_and_keeps_its_place(about: Around) -> None:
    """The order is that of the cells, as if all of them were run anew."""
    about.run("put('one')", "a")
    about.run("put('two')", "b")
    about.run("put('renamed')", "a")

    assert about.names == ["renamed", "two"]


def test_around_is_in_the_order_of_the_last_run_of_its_cell(about: Around) -> None:
    """Whoever turns two lines round and runs the cell again has turned round what is outermost."""
    about.run("put('one'); put('two')", "a")
    about.run("put('three')", "b")
    about.run("put('zero'); put('two'); put('one'); put('more')", "a")

    assert about.names == ["zero", "two", "one", "more", "three"]


def test_around_half_failed_keeps_what_came_before(about: Around) -> None:
    """And is as if it had never failed when the cell has run in full."""
    about.run("put('one'); put('two')", "a")
    about.run("put('three')", "b")
    about.run("put('one'); 1 / 0; put('two')", "a")
    half = about.names
    about.run("put('one'); put('two')", "a")

    assert half == ["one", "three"]
    assert about.names == ["one", "two", "three"]


def test_around_replaced_by_another_cell_keeps_its_place_and_says_so(
    about: Around, said: Callable[[], list[str]]
) -> None:
    """One quiet line; the first cell leaves alone what was taken over, and takes it back when it declares it."""
    about.run("put('one'); put('two')", "a")
    about.run("put('one', print)", "b")
    replaced = (said(), about.names, about.functions)
    about.run("put('two')", "a")
    left = (said(), about.names, about.functions)
    about.run("put('one'); put('two')", "a")

    assert replaced == (
        [f"graphnb: {about.kind} 'one' replaced (it was declared in cell [1])"],
        ["one", "two"],
        [print, work],
    )
    assert left == ([], ["one", "two"], [print, work])
    assert said() == [f"graphnb: {about.kind} 'one' replaced (it was declared in cell [2])"]
    assert about.functions == [work, work]


def test_around_moved_to_another_cell_says_nothing(about: Around, said: Callable[[], list[str]]) -> None:
    """Its line was cut from one cell, which ran, and put into a later one: it then stands where that cell does."""
    about.run("put('one')", "a")
    about.run("put('two')", "b")
    about.run("pass", "a")
    about.run("put('one')", "c")

    assert about.names == ["two", "one"]
    assert said() == []


def test_around_in_cells_run_in_another_order_keeps_its_place(about: Around, said: Callable[[], list[str]]) -> None:
    """To run an earlier cell last does not move what it declares to the end."""
    about.run("put('one')", "a")
    about.run("put('two')", "b")
    about.run("put('two')", "b")
    about.run("put('one')", "a")

    assert about.names == ["one", "two"]
    assert said() == []


def test_around_twice_in_one_cell_is_refused(about: Around) -> None:
    """The first stands; the message shows the two ways out."""
    error = about.run("put('one', print); put('one')", "a")

    assert isinstance(error, DuplicateName)
    assert str(error) == (
        f"graph 'review': {about.kind} 'one' is declared twice in one run of cell [1]\n"
        f"Give the second {about.kind} a name of its own, or declare it in a later cell: that replaces the first."
    )
    assert about.functions == [print]


def test_around_and_node_of_one_name_are_told_apart(about: Around, said: Callable[[], list[str]]) -> None:
    """They may bear the same name, and replacing both says both."""
    assert about.run("node('one', 'two'); put('one')", "a") is None
    about.run("node('one', END); put('one')", "b")

    assert said() == [
        "graphnb: node 'one' replaced (it was declared in cell [1])",
        f"graphnb: {about.kind} 'one' replaced (it was declared in cell [1])",
    ]


def test_around_without_cell_id_replaces_by_name(about: Around, said: Callable[[], list[str]]) -> None:
    """Every run is a cell of its own there: nothing is taken back, and what is new comes last."""
    about.run("put('one'); put('two')")
    about.run("put('two'); put('one')")
    about.run("put('three')")

    assert about.names == ["one", "two", "three"]
    assert said() == [
        f"graphnb: {about.kind} 'two' replaced (it was declared in cell [1])",
        f"graphnb: {about.kind} 'one' replaced (it was declared in cell [1])",
    ]


def test_around_declared_outside_cells_comes_first(about: Around) -> None:
    """And is replaced like that of another cell."""
    about.put("outside")
    about.run("put('one'); put('outside', print)", "a")

    assert about.names == ["outside", "one"]
    assert about.functions == [print, work]


def test_cell_that_removes_around_may_run_again(about: Around) -> None:
    """It finds its work done; not twice in one run, and not in a cell that did not do it."""
    about.run("put('one'); put('two')", "a")
    for _ in range(2):
        assert about.run("take('one')", "b") is None
    twice, elsewhere = about.run("take('one'); take('one')", "b"), about.run("take('one')", "c")

    assert isinstance(twice, InvalidDeclaration)
    assert str(elsewhere).startswith(f"graph 'review': there is no {about.kind} 'one' to remove\n")
    assert about.names == ["two"]


def test_around_that_was_removed_comes_back_with_its_cell(about: Around, said: Callable[[], list[str]]) -> None:
    """Not with a run of the other cell that removes no longer; a third one may take the name without a word."""
    about.run("put('one'); put('two')", "a")
    about.run("take('one')", "b")
    about.run("pass", "b")
    removed = about.names
    about.run("put('one')", "c")

    assert removed == ["two"]
    assert about.names == ["two", "one"]
    assert said() == []


def test_around_belongs_to_the_cells_of_the_graph(about: Around) -> None:
    """A message that names the cells to run again names those as well."""
    about.run("node('plan')", "a")
    about.run("put('one')", "b")

    assert about.notebook.graph.cells == ("cell [1]", "cell [2]")


def test_copy_keeps_what_is_around_in_order(about: Around) -> None:
    """It belongs to no cell: none takes it back."""
    about.run("put('one'); put('two')", "a")
    about.run("put('three')", "b")
    own = copy.deepcopy(about.notebook.graph)
    about.run("put('two'); put('one')", "a")
    about.notebook.graph = own
    about.run("pass", "a")
    about.run("pass", "b")

    assert about.names == ["one", "two", "three"]


def test_removal_of_what_is_around_offers_the_nearest() -> None:
    """In a script as in a cell; a node of that name does not count."""
    declared = Declarations("graph 'review'")
    declared.declare_layer("log", work)
    declared.declare_observer(Observer(work, "watch"))
    node(declared, "watcher")

    with pytest.raises(InvalidDeclaration, match=r"no middleware 'log1' to remove\nMiddleware: .* mean 'log'\?"):
        declared.remove_layer("log1")
    with pytest.raises(InvalidDeclaration, match=r"no observer 'watcher' to remove\nObservers: .* mean 'watch'\?"):
        declared.remove_observer("watcher")
    assert ((work,), ["watch"]) == (declared.layers, [each.name for each in declared.observers])


def test_what_is_around_alone_does_not_make_a_graph_emptied() -> None:
    """A graph is empty without nodes and edges."""
    declared = Declarations("graph 'review'")
    declared.declare_layer("log", work)
    declared.remove_layer("log")

    assert not declared.is_emptied


def test_entry_is_taken_back_when_its_cell_no_longer_sets_it(notebook: Notebook) -> None:
    """What a cell set as the entry goes with the cell's earlier run, like a node."""
    notebook.run("graph.declare_entry('plan')", "one")
    set_by_cell = notebook.graph.entry
    notebook.run("pass", "one")

    assert "plan" == set_by_cell
    assert notebook.graph.entry is None


def test_entry_of_another_cell_is_replaced_and_told(notebook: Notebook, capsys: pytest.CaptureFixture[str]) -> None:
    """One quiet line says what was replaced; setting it again in the same cell says nothing."""
    notebook.run("graph.declare_entry('plan')", "one")
    notebook.run("graph.declare_entry('judge'); graph.declare_entry('judge')", "two")

    assert "judge" == notebook.graph.entry
    assert "graphnb: entry 'plan' replaced (it was declared in cell [1])\n" == capsys.readouterr().out


def test_entry_may_be_set_again_in_one_edit() -> None:
    """The last one counts, as for any attribute."""
    declared = Declarations("graph 'review'")
    declared.declare_entry("plan")
    declared.declare_entry("judge")

    assert "judge" == declared.entry
