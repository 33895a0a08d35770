"""What a fold did, in words: "opened 3 lists (1 empty): added 4, kept 2"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from graphnb.show.writing.values import value_text
from graphnb.show.writing.words import printable, things
from graphnb.state.folding.writes import Split, written_value
from graphnb.state.values.grown import GrownDict, GrownList
from graphnb.trace.comparing.differences import Change
from graphnb.trace.comparing.placing import ALREADY, SAME
from graphnb.trace.reading.notices import losers_of, losers_text
from graphnb.trace.reading.steps import Delta

_MOST_KEYS: Final = 3
_MOST_ADDENDS: Final = 4
_LISTS: Final = (list, tuple, GrownList)
_DICTS: Final = (dict, GrownDict)
_ITEMS: Final = (*_LISTS, *_DICTS, set, frozenset)


def change_text(delta: Delta, changes: Sequence[Change]) -> str:
    """The changes in words, what changed before what was kept. Never raises."""
    if delta.overwritten_by is not None:
        writer = f"by branch {delta.overwritten_by}" if delta.overwritten_by else "by the node itself"
        return f"overwritten in this step {printable(writer)}"
    lost = [printable(losers_text(delta))] if len(delta.writers) > 1 and losers_of(delta) else []
    try:
        return "; ".join([_told(delta, changes), *lost])
    except Exception:  # noqa: BLE001  a user's own list or dict may raise whatever is asked of it
        return "cannot be looked into"


def _told(delta: Delta, changes: Sequence[Change]) -> str:
    kept = delta.kept
    first = changes[0]
    if first.kind == "changed" and kept.reducer == "step.sum":
        alone = written_value(kept.written, kept.before, kept.after)
        return _summed([each.written for each in delta.contributions] or [alone])
    if first.kind == "changed":
        return first.note or ("replaced" if delta.is_replace else "changed")
    if not isinstance(kept.after, _ITEMS):
        return "unchanged"
    name = delta.reducer.partition("(")[0]
    several = len(delta.writers) > 1
    told = ", ".join(_counts(changes, name, by_key=isinstance(kept.after, _DICTS), several=several))
    opened = opened_sizes(delta)
    if opened is not None and name == "concat_flatten":
        empty = opened.count(0)
        return f"opened {things(len(opened), 'list')}" + (f" ({empty:,} empty)" if empty else "") + f": {told}"
    if opened is not None:
        return f"laid {things(len(opened), 'dict')} over: {told}"
    return told


def _summed(written: Sequence[object]) -> str:
    """What several nodes added to a sum."""
    if len(written) > _MOST_ADDENDS:
        return f"added {len(written):,} numbers"
    return f"added {' + '.join(value_text(each, 20) for each in written)}"


def opened_sizes(delta: Delta) -> list[int] | None:
    """The sizes of the lists or dicts that the reducer took out of the write; None if it took out none."""
    kept = delta.kept
    name = kept.reducer
    kind: type = list if name == "concat_flatten" else dict
    if delta.contributions or name not in ("concat_flatten", "merge_all"):
        return None
    if isinstance(kept.written, Split):
        return list(kept.written.lengths)
    written = written_value(kept.written, kept.before, kept.after)
    is_ours = isinstance(written, list) and all(isinstance(each, kind) for each in written)
    return list(map(len, written)) if is_ours else None


def _counts(changes: Sequence[Change], name: str, *, by_key: bool, several: bool) -> Iterable[str]:
    added = [each for each in changes if each.kind == "added"]
    lost = [each for each in changes if each.kind == "deduplicated"]
    fell = [each for each in changes if each.kind == "dropped" and each.note]
    dropped = [each for each in changes if each.kind == "dropped" and not each.note]
    replaced = [each for each in changes if each.kind == "replaced"]
    kept = _total(each for each in changes if each.kind == "kept" and not each.note)
    again = _total(each for each in changes if each.kind == "kept" and each.note)
    already, overwritten = (_total(each for each in lost if (each.note == ALREADY) is it) for it in (True, False))
    if replaced:
        yield f"replaced {_which(replaced, by_key=by_key)}" + (" in place" if name == "merge_by_key" else "")
    if dropped:
        yield f"dropped {_which(dropped, by_key=by_key)}" + (" at the front" if name == "bounded_append" else "")
    if added:
        as_is = name == "append" and all(isinstance(each.after, _LISTS) for each in added)
        yield f"added {things(_total(added), 'list')} as they are" if as_is else f"added {_which(added, by_key=by_key)}"
    if not (added or replaced or dropped):
        yield "nothing new" if lost or fell else "unchanged"
    if again:
        yield things(again, SAME)
    if already:
        yield f"left out {already:,} already there"
    if overwritten:
        yield f"{overwritten:,} overwritten {'by another node' if several else 'within the write'}"
    if fell:
        yield f"{_total(fell):,} fell out at once"
    if kept:
        yield f"kept {kept:,}"


def _total(changes: Iterable[Change]) -> int:
    return sum(each.count for each in changes)


def _which(changes: Sequence[Change], *, by_key: bool) -> str:
    total = _total(changes)
    if by_key and total == len(changes) <= _MOST_KEYS:
        return ", ".join(value_text(each.key, 24) for each in changes)
    return f"{total:,}"
