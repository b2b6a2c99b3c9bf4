"""Every error raglab raises on purpose. Each message names the value, what was wrong, and the remedy.

    RaglabError
    ├── DocumentError     a folder or file that cannot be loaded
    ├── SettingError      an option, style name or environment variable with a wrong value
    └── ModelError        a model that cannot be reached, or that refused the request

A bad *answer* is never an exception: it is a list of `Problem`s.
"""

import difflib
from collections.abc import Iterable


class RaglabError(Exception):
    """The root: `except RaglabError` catches every error that raglab raises on purpose."""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the sentence. Its remedy is in it; the way through our code would only hide it."""
        return [f"{type(self).__name__}: {self}"]


class DocumentError(RaglabError):
    """A folder or file that cannot be loaded; the message names it and says how to mend it."""


class SettingError(RaglabError, ValueError):
    """An argument, style name or environment variable with a value that cannot be used."""


class ModelError(RaglabError):
    """The model cannot be reached, refused the request, or sent something unusable."""


def did_you_mean(value: object, names: Iterable[str]) -> str:
    """The valid names, and the nearest to `value` where one is near.

    >>> did_you_mean("numberd", ["bracketed", "numbered"])
    "did you mean 'numbered'? Valid: bracketed, numbered"
    """
    names = sorted(names)
    near = difflib.get_close_matches(str(value).lower(), names, n=1)
    hint = f"did you mean '{near[0]}'? Valid: " if near else "valid: "
    return hint + ", ".join(names)
