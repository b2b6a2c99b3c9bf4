"""A stand-in for a language model that answers by reading the prompt.

    request ──recognise──▶ reading ──reader──▶ draft ──core──▶ reply ──wires──▶ bytes
    (JSON)    (the form,   (passages, (words,   (one    (limits, (text,  (Anthropic,
               of seven)    question)  scores)   answer) tokens)  usage)   OpenAI, streams)
                                 └── personas: one failure each ──┘

It finds the sentence in the passages that shares the most words with the question, and returns it
with its passage's number. It is not a language model, and it cannot tell how well one follows rules.
The same request gives the same bytes, always.

    with mock_llm.running() as mock:          # a server, for the official client
        client = anthropic.Anthropic(base_url=mock.url, api_key=mock.api_key)

    mock_llm.reply_to(request)                # the same response without a server
    mock_llm.explain(request)                 # why it is what it is

The modules, in the order in which they build on each other: records, schemas, fitting, examples, words, sentences,
marks, tasks, recognise, reader, personas, core, wires, explanation, journal, faults, endpoints, sending, control,
app, guard, server, pytest_plugin.
"""

from mock_llm.errors import MockError, RequestError
from mock_llm.explanation import Explanation, explain
from mock_llm.journal import Call, Journal
from mock_llm.personas import PERSONAS
from mock_llm.recognise import RECOGNISERS
from mock_llm.server import Server, running, start
from mock_llm.version import __version__
from mock_llm.wires.anthropic import reply_to
from mock_llm.words import STOP_WORDS

__all__ = [
    "Call",
    "Explanation",
    "Journal",
    "MockError",
    "PERSONAS",
    "RECOGNISERS",
    "RequestError",
    "STOP_WORDS",
    "Server",
    "__version__",
    "explain",
    "reply_to",
    "running",
    "start",
]
