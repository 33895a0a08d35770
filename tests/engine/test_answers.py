"""Answers to whether something holds."""

import asyncio
import functools

import pytest

import graphnb as gn
from graphnb.engine.answers import is_yes


async def coroutine():
    """What was to be awaited."""


async def yields_later():
    """An asynchronous generator."""
    yield False


@pytest.mark.parametrize("answer", [True, 1, "x", [0], 0.5, object()])
def test_what_is_true_says_yes(answer):
    """As Python has it."""
    assert is_yes(answer) is True


@pytest.mark.parametrize("answer", [False, None, 0, "", [], {}])
def test_what_is_false_says_no(answer):
    """As Python has it."""
    assert is_yes(answer) is False


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (lambda: coroutine(), "it returned coroutine, want True or False. It was not awaited."),
        (lambda: (each for each in ()), "it returned generator, want True or False. It is true even if nothing is"),
        (lambda: map(len, ()), "it returned map, want True or False. It is true even if nothing is in it."),
        (lambda: yields_later(), "it returned async_generator, want True or False. It is true even if"),
        (lambda: len, "it returned builtin_function_or_method, want True or False. It was not called."),
        (lambda: "x".isdigit, "it returned builtin_function_or_method, want True or False. It was not called."),
        (lambda: gn.interrupt("x"), "it returned an interrupt, want True or False. Only a node of the graph"),
    ],
)
def test_what_is_true_whatever_it_means_is_no_answer(answer, what):
    """It is told what is wrong with it; a coroutine is closed, so that Python does not warn of it."""
    with pytest.raises(TypeError) as caught:
        is_yes(answer())
    assert str(caught.value).startswith(what)


def test_awaitable_that_cannot_be_closed_is_no_answer_either():
    """Such as a future."""
    loop = asyncio.new_event_loop()
    with pytest.raises(TypeError, match="it returned Future, want True or False"):
        is_yes(loop.create_future())
    loop.close()


def test_partial_that_was_meant_to_be_called_is_like_any_object():
    """Only what is a function for certain is told from a value that can be called."""
    assert is_yes(functools.partial(len, ()))
