"""What a user asks of graph documents."""

import subprocess
import sys

import pytest

import graphnb as gn


def test_document_hash_takes_values_and_text():
    """Both give the same, 64 digits in lower case."""
    values = {"schema_version": 1, "id": "g", "metadata": {"pi": 3.0}}
    told = gn.document_hash(values)

    assert told == gn.document_hash('{"metadata": {"pi": 3.0}, "id": "g", "schema_version": 1}')
    assert told != gn.document_hash('{"metadata": {"pi": 3}, "id": "g", "schema_version": 1}')
    assert 64 == len(told)
    assert told == told.lower()


def test_document_that_cannot_be_read_is_refused():
    """With a category, a place and a way out."""
    with pytest.raises(gn.InvalidDocument) as caught:
        gn.document_hash({"schema_version": 1, "id": "g", "node": {}})

    assert "invalid_document" == caught.value.category
    assert "Did you mean 'nodes'?" in str(caught.value)


def test_importing_graphnb_loads_no_documents():
    """They cost time that only some need; the first hash loads them."""
    code = (
        "import sys, graphnb as gn\n"
        "loaded = lambda: any(name.startswith('graphnb.graph.documents') for name in sys.modules)\n"
        "before = loaded()\n"
        "gn.document_hash({'schema_version': 1, 'id': 'g'})\n"
        "print(before, loaded())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)

    assert "False True" == done.stdout.strip()
