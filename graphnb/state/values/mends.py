"""What to return instead of changing a field's value in place: one form for adding to it, others for the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

# Method or operator -> the new value; {0} stands for reading the field.
_LIST_ADDS: Final = dict.fromkeys(("append", "extend", "+="), "[*{0}, the new items]")
_LIST_CHANGES: Final = {
    "insert": "[the new item, *{0}]",
    "remove": "[each for each in {0} if each != item]",
    "pop": "{0}[:-1]",
    "clear": "[]",
    "sort": "sorted({0})",
    "reverse": "{0}[::-1]",
    "item assignment": "[*{0}[:i], the new item, *{0}[i + 1 :]]",
    "del": "[*{0}[:i], *{0}[i + 1 :]]",
    "*=": "{0} * 2",
}
_WITHOUT: Final = "{{key: each for key, each in {0}.items() if key != gone}}"
_DICT_ADDS: Final = dict.fromkeys(("update", "setdefault", "item assignment", "|="), "{{**{0}, the new entries}}")
_DICT_CHANGES: Final = {"clear": "{{}}", "pop": _WITHOUT, "popitem": _WITHOUT, "del": _WITHOUT}


class Mends(NamedTuple):
    """`by_method` maps a method or an operator to advice, as "sort" or "+="; `other` is that for all else."""

    other: str
    by_method: Mapping[str, str]


def mends_of(field: str, adding: str, *, kind: object, read: str, is_reduced: bool, is_flat: bool) -> Mends:
    """The advice for one field.

    `adding` is the form of an update that adds to it, `kind` list or dict where that is known, `read` how the
    field is read, as `s.log`; `is_flat`: no list or dict lies within the value, so that the value is what was
    changed.

    >>> mends_of("log", "{'log': []}", kind=list, read="s.log", is_reduced=True, is_flat=True).by_method["sort"]
    "Return the whole new value instead, past the reducer: return {'log': gn.Replace(sorted(s.log))}"
    """
    change = f"Return the change instead: return {adding}"
    adds, changes = _FORMS.get(kind, ({}, {}))
    if is_flat:
        whole = {method: _whole(field, form.format(read), is_reduced=is_reduced) for method, form in changes.items()}
        more = {method: _whole(field, form.format(read), is_reduced=False) for method, form in adds.items()}
        return Mends(change, {**whole, **(dict.fromkeys(adds, change) if is_reduced else more)})
    if not is_reduced:
        return Mends(change, {})
    copied = f"change a copy, value = copy.deepcopy({read}), and return {{'{field}': gn.Replace(value)}}"
    return Mends(f"Instead, {copied}", dict.fromkeys(adds, f"{change}. For what lies within, {copied}"))


_FORMS: Final[Mapping[object, tuple[Mapping[str, str], Mapping[str, str]]]] = {
    list: (_LIST_ADDS, _LIST_CHANGES),
    dict: (_DICT_ADDS, _DICT_CHANGES),
}


def _whole(field: str, value: str, *, is_reduced: bool) -> str:
    if is_reduced:
        return f"Return the whole new value instead, past the reducer: return {{'{field}': gn.Replace({value})}}"
    return f"Return the whole new value instead: return {{'{field}': {value}}}"
