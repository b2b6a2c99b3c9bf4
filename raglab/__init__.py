"""raglab: a question in, a checked answer out.

    documents → chunks → index → hits → prompt → model → reply → citations → checks → Answer

    load_documents   chunk_by_heading    TfidfIndex   build_prompt   connect         parse_citations   ask
                     chunk_by_sentences  edge_order                  FunctionModel   check_answer

>>> import raglab
>>> index = raglab.TfidfIndex.build(
...     [raglab.Chunk("fees.md#0", "fees.md", "Fees", "The fee is ten dollars per term.")]
... )
>>> answer = raglab.ask("What is the fee per term?", index, lambda prompt: "Ten dollars [1].")
>>> raglab.label_citations(answer.text, answer.sources)
'Ten dollars [fees.md > Fees].'

Importing it is cheap: scikit-learn, the parsers, the services' clients, the course and
what measures (`raglab.evaluate`) are loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import raglab.render  # noqa: F401  it tells the values how to look in a notebook
from raglab.answerlog import AnswerLog, gaps
from raglab.errors import DocumentError, ModelError, RaglabError, SettingError
from raglab.followups import standalone
from raglab.grounding.checks import CHECKS, check_answer
from raglab.grounding.citations import invalid_citations, label_citations, parse_citations
from raglab.grounding.cited_blocks import render_blocks
from raglab.grounding.refusals import is_refusal
from raglab.many import ask_many
from raglab.models.connect import connect
from raglab.models.function import FunctionModel
from raglab.pipeline import ask
from raglab.prompting.fences import fence_passages
from raglab.prompting.prompts import build_prompt
from raglab.protocols import Index, Model, StreamingModel
from raglab.records import (
    Answer,
    Chunk,
    Citation,
    Delta,
    Document,
    Finding,
    Hit,
    Problem,
    Prompt,
    Quote,
    Reply,
    Source,
    Usage,
)
from raglab.retrieval.chunks import chunk_by_heading, chunk_by_sentences
from raglab.retrieval.documents import load_documents
from raglab.retrieval.ordering import edge_order
from raglab.retrieval.tfidf import TfidfIndex
from raglab.safety.attacks import poisoned_copy
from raglab.safety.scanning import scan
from raglab.styles import BRACKETED, DOCUMENTS, DOCUMENTS_V1, HELPDESK, NUMBERED, STYLES, TAGGED, Style

if TYPE_CHECKING:
    from raglab import evaluate
    from raglab.course.progress import progress
    from raglab.evaluate import Report

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AnswerLog",
    "BRACKETED",
    "CHECKS",
    "Chunk",
    "Citation",
    "DOCUMENTS",
    "DOCUMENTS_V1",
    "Delta",
    "Document",
    "DocumentError",
    "Finding",
    "FunctionModel",
    "HELPDESK",
    "Hit",
    "Index",
    "Model",
    "ModelError",
    "NUMBERED",
    "Problem",
    "Prompt",
    "Quote",
    "RaglabError",
    "Reply",
    "Report",
    "STYLES",
    "SettingError",
    "Source",
    "StreamingModel",
    "Style",
    "TAGGED",
    "TfidfIndex",
    "Usage",
    "ask",
    "ask_many",
    "build_prompt",
    "check_answer",
    "chunk_by_heading",
    "chunk_by_sentences",
    "connect",
    "edge_order",
    "evaluate",
    "fence_passages",
    "gaps",
    "invalid_citations",
    "is_refusal",
    "label_citations",
    "load_documents",
    "parse_citations",
    "poisoned_copy",
    "progress",
    "render_blocks",
    "scan",
    "standalone",
]


# What is loaded on first use, and the module that holds it.
_LATER = {"Report": "raglab.evaluate", "progress": "raglab.course.progress"}


def __getattr__(name: str) -> Any:
    if name == "evaluate":  # the package; the function of that name is in it
        return import_module("raglab.evaluate")
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
