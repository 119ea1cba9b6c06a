"""Words that help a user mend a mistyped name."""

from collections.abc import Iterable
from difflib import get_close_matches

_MOST_SHOWN = 8


def nearest(name: object, names: Iterable[str]) -> str:
    """Return "; the nearest is 'x'", or "" when there is no name at all."""
    found = get_close_matches(str(name), list(names), n=1, cutoff=0)
    return f"; the nearest is {found[0]!r}" if found else ""


def one_line(error: object) -> str:
    """Return a library's message without its line breaks."""
    return " ".join(str(error).split())


def listed(items: Iterable[object], most: int = _MOST_SHOWN) -> str:
    """Return "'a', 'b', 'c' and 4 more"."""
    items = list(items)
    text = ", ".join(repr(item) for item in items[:most])
    return text if len(items) <= most else f"{text} and {len(items) - most} more"
