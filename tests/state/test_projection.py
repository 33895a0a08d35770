"""What crosses the boundary of a subgraph."""

from typing import Any

import graphnb as gn
from graphnb.state.projection import Projection, project
from graphnb.state.schema import schema_of, start_values


class Parent(gn.State):
    notes: list[str] = []
    total: int = 0
    late: str = gn.UNSET


class Child(gn.State):
    notes: list[str] = ["default"]
    total: int = 7
    late: str = gn.UNSET
    own: int = 3


PARENT = schema_of(Parent)
CHILD = schema_of(Child)
VALUES = start_values(CHILD, {}, "start")


def project_in(projection: Projection, parent: dict[str, Any]) -> dict[str, Any]:
    """What the child is given."""
    return project(projection.between(PARENT, CHILD).ins, parent)


def project_out(projection: Projection) -> dict[str, Any]:
    """The update that the child's values make."""
    return project(projection.between(PARENT, CHILD).outs, VALUES)


def test_default_projects_nothing_in():
    """The child starts from its own defaults."""
    assert {} == project_in(Projection(), start_values(PARENT, {"total": 5}, "start"))


def test_inputs_are_copies_of_parent_values():
    """Changing what the child gets leaves the parent."""
    parent = start_values(PARENT, {"notes": ["a"], "total": 5}, "start")
    given = project_in(Projection(inputs={"notes": "notes", "own": "total"}), parent)
    given["notes"].append("b")

    assert {"notes": ["a", "b"], "own": 5} == given
    assert ["a"] == parent["notes"]


def test_unset_parent_field_is_not_projected():
    """The child's field keeps its default."""
    parent = start_values(PARENT, {}, "start")

    assert {"own": 0} == project_in(Projection(inputs={"late": "late", "own": "total"}), parent)


def test_default_projects_out_every_common_field_written_or_not():
    """Also a default that no node touched; unset fields and the child's own stay inside."""
    assert {"notes": ["default"], "total": 7} == project_out(Projection())


def test_inputs_alone_leave_matching_by_name_on_the_way_out():
    """Inputs are additive; only outputs replace."""
    projection = Projection(inputs={"own": "total"})

    assert {"notes": ["default"], "total": 7} == project_out(projection)


def test_outputs_replace_matching_by_name():
    """Only listed pairs cross; an unset child field is left out."""
    projection = Projection(outputs={"total": "own", "late": "late"})

    assert {"total": 3} == project_out(projection)


def test_empty_outputs_project_nothing():
    """An empty mapping is a declaration, not an absence."""
    assert {} == project_out(Projection(outputs={}))


def test_outputs_are_copies():
    """Changing the update leaves the child's values."""
    project_out(Projection())["notes"].append("x")

    assert ["default"] == VALUES["notes"]


def test_sets_project_listed_names_alone():
    """The same names on both sides; a default is not matched by its name."""
    projection = Projection(projects_in=("total",), projects_out=("notes",))
    parent = start_values(PARENT, {"notes": ["a"], "total": 5}, "start")

    assert {"total": 5} == project_in(projection, parent)
    assert {"notes": ["default"]} == project_out(projection)


def test_either_set_opts_both_directions_in():
    """An absent one means that nothing crosses that way, and so does an empty one."""
    parent = start_values(PARENT, {"total": 5}, "start")
    into, out, none = (
        Projection(projects_in=("total",)),
        Projection(projects_out=("total",)),
        Projection(projects_in=()),
    )

    assert ({"total": 5}, {}) == (project_in(into, parent), project_out(into))
    assert ({}, {"total": 7}) == (project_in(out, parent), project_out(out))
    assert ({}, {}) == (project_in(none, parent), project_out(none))


def test_form_is_told_by_what_was_given():
    """Presence counts, not what is in it."""
    forms = [Projection(), Projection(inputs={}), Projection(outputs={}), Projection(projects_in=()),
             Projection(projects_out=()), Projection(inputs={}, projects_out=())]  # fmt: skip

    assert [(False, False), (True, False), (True, False), (False, True), (False, True), (True, True)] == [
        (form.has_maps, form.has_sets) for form in forms
    ]


def test_crossing_is_the_projection_resolved_for_two_schemas():
    """Child field to parent field on the way in, parent field to child field on the way out; nothing has values yet."""
    common = {"notes": "notes", "total": "total", "late": "late"}

    assert ({}, common) == Projection().between(PARENT, CHILD)
    maps = Projection(inputs={"own": "total"}, outputs={"total": "own"})
    assert ({"own": "total"}, {"total": "own"}) == maps.between(PARENT, CHILD)
    sets = Projection(projects_in=("notes", "total"), projects_out=("total",))
    assert ({"notes": "notes", "total": "total"}, {"total": "total"}) == sets.between(PARENT, CHILD)
