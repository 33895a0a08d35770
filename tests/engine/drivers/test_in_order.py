"""Work that is begun in the order of its items."""

import threading
from typing import Any

import pytest

from graphnb.engine.drivers.drive import drive
from graphnb.engine.drivers.host import Host
from graphnb.engine.drivers.in_order import InOrder, begin_work
from graphnb.engine.work import Tell, Work


class Told(Host):
    """A host that keeps what observers are told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[Any] = []

    def tell(self, request: Tell) -> None:
        self.told.append(request.event)


def test_next_item_is_given_when_the_one_before_has_begun():
    """However slow that is, and however quick the other thread."""
    entered, release, given = threading.Event(), threading.Event(), []

    def begin(item: int) -> int:
        if item == 0:
            entered.set()
            release.wait(20)
        given.append(item)
        return item * 10

    items = InOrder(iter([0, 1]), begin)
    taken: list[tuple[int, int]] = []
    first = threading.Thread(target=lambda: taken.append(next(items)))
    first.start()
    entered.wait(20)
    second = threading.Thread(target=lambda: taken.append(next(items)))
    second.start()
    second.join(0.02)

    assert [] == given

    release.set()
    first.join()
    second.join()

    assert [0, 1] == given
    assert [(0, 0), (1, 10)] == sorted(taken)
    assert [] == list(items)


def test_begun_work_has_told_what_comes_before_its_first_call():
    """And goes on from there with what it is sent."""

    def work() -> Work[int]:
        yield Tell("first", ())
        yield Tell("second", ())
        one = yield (lambda x: x + 1), 1, False
        other = yield (lambda x: x + 1), one, False
        return other

    host = Told()
    rest = begin_work(work(), host)

    assert ["first", "second"] == host.told
    assert 3 == drive(rest, host)


@pytest.mark.parametrize("told", [0, 1])
def test_work_that_ends_before_its_first_call_ends_when_it_is_driven(told):
    """With its result, or with its error."""

    def work(error: Exception | None) -> Work[int]:
        for i in range(told):
            yield Tell(i, ())
        if error is not None:
            raise error
        return 7

    assert 7 == drive(begin_work(work(None), Told()), Told())

    failed = begin_work(work(LookupError("lost")), Told())
    with pytest.raises(LookupError, match="lost"):
        drive(failed, Told())


def test_error_of_a_call_is_the_works_to_decide():
    """As without being begun."""

    def work() -> Work[str]:
        try:
            yield (lambda x: x / 0), 1, False
        except ZeroDivisionError:
            return (yield (lambda x: "mended"), 1, False)

    assert "mended" == drive(begin_work(work(), Told()), Told())


def test_begun_work_is_closed_with_what_goes_on():
    """What it has opened is shut."""
    closed: list[bool] = []

    def work() -> Work[None]:
        try:
            yield (lambda x: x), 1, False
        finally:
            closed.append(True)

    rest = begin_work(work(), Told())
    next(rest)
    rest.close()

    assert [True] == closed
