"""A model that is a Python function: for tests, and for services of your own."""

import inspect
from collections.abc import Callable

from raglab.errors import ModelError
from raglab.records import Prompt, Reply, text_of


class FunctionModel:
    """A model that calls `fn(prompt_text)`, or `fn(system, user)` where the function takes two arguments.

    `fn` returns the reply as a string. Tokens are not counted: `Reply.usage` is None.

    >>> from raglab.records import Hit
    >>> from raglab.prompts import build_prompt
    >>> model = FunctionModel(lambda system, user: "Ten dollars [1].")
    >>> model.complete(build_prompt("What is the fee?", [Hit.of("fees.md#0", "The fee is ten dollars.")])).text
    'Ten dollars [1].'
    """

    def __init__(self, fn: Callable[..., str]):
        if not callable(fn):
            raise ModelError(f"FunctionModel needs a function that returns the reply, not {fn!r}.")
        self._fn = fn
        self._takes_two = _positional(fn) == 2

    def complete(self, prompt: Prompt) -> Reply:
        """The function's reply; `ModelError` when it is no string."""
        if self._takes_two:
            user = "\n\n".join(
                text_of(message["content"]) for message in prompt.messages() if message["role"] != "system"
            )
            text = self._fn(prompt.system or "", user)
        else:
            text = self._fn(prompt.text)
        if not isinstance(text, str):
            raise ModelError(
                f"The model function returned {type(text).__name__}; it must return the reply as a string."
            )
        return Reply(text)

    def __repr__(self) -> str:
        return f"FunctionModel({getattr(self._fn, '__name__', 'fn')})"


def _positional(fn: Callable[..., str]) -> int:
    """How many arguments the function must be given by position."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (ValueError, TypeError):  # some built-in functions do not tell
        return 1
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(1 for p in parameters if p.kind in kinds and p.default is inspect.Parameter.empty)
