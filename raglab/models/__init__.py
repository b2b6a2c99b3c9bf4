"""Prompt → reply: the models that can answer. `raglab.connect` chooses one by the environment."""

from typing import Protocol, runtime_checkable

from raglab.records import Prompt, Reply

CLAUDE_MODEL = "claude-sonnet-5-5"  # what RAGLAB_LLM=claude asks for unless RAGLAB_MODEL names another
OPENAI_MODEL = "gpt-5.4-mini"  # the same for RAGLAB_LLM=openai
MOCK_MODEL = "mock"  # any name that is no `mock-<persona>` means the server's own persona
# Both services count what a model thinks before it answers as part of the reply. Without room for that a reply may
# end before its first word.
THINKING_TOKENS = 8_000


@runtime_checkable
class Model(Protocol):
    """Anything that turns a prompt into a reply.

    >>> from raglab.models.function import FunctionModel
    >>> isinstance(FunctionModel(str.upper), Model)
    True
    """

    def complete(self, prompt: Prompt) -> Reply:
        """The whole reply; `ModelError` when there is none."""
        ...
