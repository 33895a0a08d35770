"""Categories of storing are our own, and tell which part of a value is at fault."""

import pickle

from graphnb import errors
from graphnb.errors import StoreError, UnstorableValue

CATEGORIES = {
    "StoreError": "store_error",
    "UnreadableValue": "unreadable_value",
    "UnstorableValue": "unstorable_value",
}


def test_categories_of_storing_are_our_own():
    """The specification has no word for a value that cannot be written."""
    exported = {name: getattr(errors, name) for name in errors.__all__}
    storing = {name: cls for name, cls in exported.items() if isinstance(cls, type) and issubclass(cls, StoreError)}

    assert CATEGORIES == {name: cls.category for name, cls in storing.items()}


def test_path_is_empty_until_it_is_set_and_travels():
    """To another process, and not to another error."""
    error = UnstorableValue("field 'notes'", "is a lock")
    assert "" == error.path
    error.path = "notes[3].author"

    assert "notes[3].author" == pickle.loads(pickle.dumps(error)).path
    assert "" == UnstorableValue("field 'notes'", "is a lock").path
