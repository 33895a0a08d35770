"""The plan of one node by itself, for what is called without a graph."""

from __future__ import annotations

import dataclasses

from graphnb.errors import BuildError
from graphnb.graph.compiling import compile_graph
from graphnb.graph.edges import Edge
from graphnb.graph.ends import END
from graphnb.graph.plan import Plan
from graphnb.graph.spec import GraphSpec, NodeSpec
from graphnb.state.schema import schema_of


def plan_alone(node: NodeSpec, state: type) -> Plan:
    """The plan of a graph that has this node and no other; errors name the node alone. Raises BuildError."""
    name = node.name
    place = f"graph '{name}', node '{name}'"
    try:
        plan = compile_graph(GraphSpec(name, schema_of(state), name, {name: node}, {name: Edge(name, END)}))
    except BuildError as error:
        for each in (error, *error.problems):
            each.where = each.where.replace(place, name, 1)
        raise
    planned = plan.nodes[name]
    delegates = tuple(each._replace(place=each.place.replace(place, name, 1)) for each in planned.delegates)
    return plan._replace(nodes={name: dataclasses.replace(planned, place=name, delegates=delegates)})
