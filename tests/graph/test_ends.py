"""The two sentinels are told by identity, wherever they travel."""

import copy
import pickle

import pytest

from graphnb.graph.ends import END, START, Endpoint


@pytest.mark.parametrize(("endpoint", "name"), [(START, "START"), (END, "END")])
def test_endpoint_shows_its_name(endpoint, name):
    """Messages and lists of targets read `END`, without an address."""
    assert name == repr(endpoint)
    assert f"[{name}]" == str([endpoint])


@pytest.mark.parametrize("endpoint", [START, END])
@pytest.mark.parametrize(
    "travel",
    [copy.copy, copy.deepcopy, lambda it: copy.deepcopy([it])[0], *(
        lambda it, protocol=protocol: pickle.loads(pickle.dumps(it, protocol))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    )],
)  # fmt: skip
def test_endpoint_stays_itself_when_copied_or_pickled(endpoint, travel):
    """There is one END in a process, so `target is END` holds after every round trip."""
    assert endpoint is travel(endpoint)


def test_endpoint_equals_neither_its_name_nor_its_like():
    """A node may be called "END", and a second Endpoint of that name is another one."""
    assert "END" != END
    assert Endpoint("END") != END
    assert START != END
