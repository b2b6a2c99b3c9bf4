"""A model that is a Python function: for tests, and for services of your own."""

import inspect
from collections.abc import Callable

from raglab.errors import ModelError, SettingError
from raglab.protocols import Model
from raglab.records import Prompt, Reply, text_of


class FunctionModel:
    """A model that calls `fn(prompt_text)`, or `fn(system, user)` where the function takes two arguments.

    `fn` returns the reply as a string. Tokens are not counted: `Reply.usage` is None. Raises `SettingError` for
    anything that is not such a function.

    >>> from raglab.records import Hit
    >>> from raglab.prompting.prompts import build_prompt
    >>> model = FunctionModel(lambda system, user: "Ten dollars [1].")
    >>> model.complete(build_prompt("What is the fee?", [Hit.of("fees.md#0", "The fee is ten dollars.")])).text
    'Ten dollars [1].'
    """

    def __init__(self, fn: Callable[..., str]):
        self._fn = fn
        self._takes_two = _arguments(fn) == 2

    def complete(self, prompt: Prompt) -> Reply:
        """The function's reply; `ModelError` when it is not a string."""
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


def as_model(model: Model | Callable[..., str]) -> Model:
    """What the caller gave as a model: itself, or a plain function wrapped.

    >>> as_model(str.upper)
    FunctionModel(upper)
    """
    return model if isinstance(model, Model) and not isinstance(model, type) else FunctionModel(model)


def _arguments(fn: Callable[..., str]) -> int:
    """How many arguments the function is given, 1 or 2; an error where it can take neither."""
    if not callable(fn) or isinstance(fn, type) and hasattr(fn, "complete"):
        raise SettingError(
            f"A model is an object with complete(prompt), or a function that returns the reply, got {fn!r}."
        )
    try:
        parameters = inspect.signature(fn)
    except (ValueError, TypeError):  # some built-in functions do not tell
        return 1
    needed = [each for each in parameters.parameters.values() if each.default is each.empty]
    count = 2 if sum(each.kind in _POSITIONAL for each in needed) == 2 else 1
    try:
        parameters.bind(*[""] * count)
    except TypeError:
        raise SettingError(
            f"A model function takes (prompt_text) or (system, user), got {getattr(fn, '__name__', 'fn')}{parameters}."
        ) from None
    return count


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
