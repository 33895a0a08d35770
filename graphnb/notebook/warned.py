"""Warnings appear at the user's own line, however deep the call that found the reason."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

_PASSED_OVER = ("graphnb", "asyncio")


def warn_user(warning: Warning) -> None:
    """Warns at the innermost line that is neither graphnb's nor the event loop's."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _PASSED_OVER:
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)
