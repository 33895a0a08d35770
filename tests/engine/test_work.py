"""The records by which work asks for calls."""

import pytest

from graphnb.engine.work import Spread, begin_outcomes


@pytest.mark.parametrize(("concurrency", "workers"), [(1, 1), (3, 3), (50, 5), (None, 5)])
def test_workers_are_bounded_by_concurrency_and_count(concurrency, workers):
    """No more workers than items; None means one for each."""
    items = iter(range(5))
    spread = Spread(
        str,
        items,
        outcomes=begin_outcomes(5),
        concurrency=concurrency,
        fail_fast=True,
        kind="plain",
        has_plain=True,
        has_async=False,
    )

    assert workers == spread.workers
