"""Prompt → reply: the models that can answer. `raglab.connect` chooses one by the environment."""

CLAUDE_MODEL = "claude-sonnet-5-5"  # what RAGLAB_LLM=claude asks for unless RAGLAB_MODEL names another
OPENAI_MODEL = "gpt-5.4-mini"  # the same for RAGLAB_LLM=openai
# Both services count what a model thinks before it answers as part of the reply. Without room for that a reply may
# end before its first word.
THINKING_TOKENS = 8_000
