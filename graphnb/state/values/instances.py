"""States for the user: instances of the class that they wrote."""

from __future__ import annotations

import contextlib
from typing import Any, Final

from pydantic import BaseModel

from graphnb.state.annotations.classes import is_typeddict
from graphnb.state.marks import UNSET

_slots: Final = BaseModel.__dict__
set_model_dict: Final = _slots["__dict__"].__set__
set_private: Final = _slots["__pydantic_private__"].__set__
_set_fields_set: Final = _slots["__pydantic_fields_set__"].__set__
_set_extra: Final = _slots["__pydantic_extra__"].__set__


def plain_state(cls: type, values: dict[str, Any]) -> Any:
    """An instance of the class that holds the values as they are; nothing is validated again. Takes ownership."""
    if is_typeddict(cls):
        return {name: value for name, value in values.items() if value is not UNSET}
    state: Any = object.__new__(cls)
    if isinstance(state, BaseModel):
        _fill_model(state, values)
        return state
    for name, value in values.items():
        object.__setattr__(state, name, value)
    return state


def _fill_model(state: BaseModel, values: dict[str, Any]) -> None:
    set_model_dict(state, values)
    _set_fields_set(state, {name for name, value in values.items() if value is not UNSET})
    _set_extra(state, {} if state.model_config.get("extra") == "allow" else None)
    set_private(state, None)
    if type(state).__private_attributes__:
        with contextlib.suppress(Exception):  # user code, which may need a field that is still unset
            state.model_post_init(None)
