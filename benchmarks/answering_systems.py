"""The four systems that `benchmarks.answering` compares, each behind one function.

    python benchmarks/answering_systems.py NAME      # a line of JSON in, a line of JSON out

It runs in the environment of that system and imports nothing else. The model costs nothing: it says what the request
tells it to say.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

Passages = list[tuple[str, str]]  # source and text
Shown = dict[str, Any]  # what the person sees: text, the cited numbers, and what the system itself says of it
Ask = Callable[[str, str], Shown]  # question and reply of the model → what is shown

WARM_UP = 100  # calls


def raglab(passages: Passages, style: str = "numbered", checks: list[str] | None = None) -> Ask:
    """`ask`, with the checks of the style unless others are named."""
    from raglab import FunctionModel, Hit, ask

    hits = [Hit.of(f"{source}#0", text, source=source) for source, text in passages]
    said = {"reply": ""}
    model = FunctionModel(lambda prompt: said["reply"])

    def answer(question: str, reply: str) -> Shown:
        said["reply"] = reply
        found = ask(question, None, model, style=style, k=len(hits), search=lambda *_: hits, checks=checks)
        status = {"answered": "shown", "not_found": "refused"}.get(found.status, "withheld")
        cited = [source.n for source in found.sources if source.cited]
        return {"text": found.text, "cited": cited, "status": status, "why": [each.code for each in found.problems]}

    return answer


def langchain(passages: Passages) -> Ask:
    """`create_stuff_documents_chain` over a chat model; the chain gives a text and no sources."""
    from langchain_classic.chains.combine_documents import create_stuff_documents_chain
    from langchain_core.documents import Document
    from langchain_core.language_models.chat_models import SimpleChatModel
    from langchain_core.prompts import ChatPromptTemplate

    said = {"reply": ""}

    class Model(SimpleChatModel):
        @property
        def _llm_type(self) -> str:
            return "free"

        def _call(self, messages: Any, stop: Any = None, run_manager: Any = None, **settings: Any) -> str:
            return said["reply"]

    rules = "Answer from the numbered passages and cite them like [1].\n\n{context}"
    prompt = ChatPromptTemplate.from_messages([("system", rules), ("human", "{question}")])
    documents = [
        Document(page_content=f"[{n}] (source: {source}) {text}") for n, (source, text) in enumerate(passages, 1)
    ]
    chain = create_stuff_documents_chain(Model(), prompt)

    def answer(question: str, reply: str) -> Shown:
        said["reply"] = reply
        return {"text": chain.invoke({"context": documents, "question": question}), "cited": []}

    return answer


def llamaindex(passages: Passages) -> Ask:
    """`CitationQueryEngine`; its sources are all the nodes of the prompt, cited or not."""
    from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
    from llama_index.core.llms import CustomLLM
    from llama_index.core.query_engine import CitationQueryEngine
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, TextNode

    said = {"reply": ""}

    class Model(CustomLLM):
        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata()

        def complete(self, prompt: str, formatted: bool = False, **settings: Any) -> CompletionResponse:
            return CompletionResponse(text=said["reply"])

        def stream_complete(self, prompt: str, formatted: bool = False, **settings: Any) -> Any:
            raise NotImplementedError

    class Retriever(BaseRetriever):
        def _retrieve(self, query: Any) -> list[NodeWithScore]:
            return nodes

    nodes = [
        NodeWithScore(node=TextNode(text=text, metadata={"source": source}), score=0.9) for source, text in passages
    ]
    engine = CitationQueryEngine(Retriever(), llm=Model())

    def answer(question: str, reply: str) -> Shown:
        said["reply"] = reply
        response = engine.query(question)
        return {"text": str(response), "cited": list(range(1, len(response.source_nodes) + 1))}

    return answer


def haystack(passages: Passages) -> Ask:
    """A pipeline of prompt builder, model and `AnswerBuilder`, which reads `[1]` and, asked to, ranges."""
    import logging

    from haystack import Document, Pipeline, component
    from haystack.components.builders import AnswerBuilder, ChatPromptBuilder
    from haystack.dataclasses import ChatMessage

    logging.getLogger("haystack").setLevel(logging.ERROR)  # it warns of a number beyond the passages, in its log
    said = {"reply": ""}

    @component
    class Model:
        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage]) -> dict[str, list[ChatMessage]]:
            return {"replies": [ChatMessage.from_assistant(said["reply"])]}

    rules = "Answer from the numbered passages and cite them like [1].\n"
    block = "{% for document in documents %}\n[{{ loop.index }}] {{ document.content }}\n{% endfor %}"
    template = [ChatMessage.from_system(rules + block), ChatMessage.from_user("{{ question }}")]
    documents = [Document(content=text, meta={"source": source}) for source, text in passages]
    pipeline = Pipeline()
    pipeline.add_component("prompt", ChatPromptBuilder(template=template, required_variables="*"))
    pipeline.add_component("model", Model())
    pipeline.add_component("answer", AnswerBuilder(reference_pattern=r"\[(\d+)\]", expand_reference_ranges=True))
    pipeline.connect("prompt.prompt", "model.messages")
    pipeline.connect("model.replies", "answer.replies")

    def answer(question: str, reply: str) -> Shown:
        said["reply"] = reply
        given = {
            "prompt": {"documents": documents, "question": question},
            "answer": {"query": question, "documents": documents},
        }
        found = pipeline.run(given)["answer"]["answers"][0]
        return {"text": found.data, "cited": [document.meta["source_index"] for document in found.documents]}

    return answer


# To add a system: a function passages → Ask above, one line here, and its packages in `benchmarks.answering`.
SYSTEMS: dict[str, Callable[..., Ask]] = {
    "raglab": raglab,
    "langchain": langchain,
    "llamaindex": llamaindex,
    "haystack": haystack,
}


def seconds(answer: Ask, calls: list[tuple[str, str]]) -> list[float]:
    """How long each call took, but for the first `WARM_UP`."""
    for question, reply in calls[:WARM_UP]:
        answer(question, reply)
    taken = []
    for question, reply in calls[WARM_UP:]:
        start = time.perf_counter()
        answer(question, reply)
        taken.append(time.perf_counter() - start)
    return taken


def main() -> None:
    """Serve requests until the input ends: `calls` are timed, a single `reply` is shown."""
    out, sys.stdout = sys.stdout, sys.stderr  # what a system prints is not an answer
    system = SYSTEMS[sys.argv[1]]
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = system(request["passages"], **request.get("settings", {}))
            if "calls" in request:
                result = {"seconds": seconds(answer, request["calls"])}
            else:
                result = answer(request["question"], request["reply"])
        except Exception as error:  # of whatever kind: it is this system's outcome for this request
            result = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(result), file=out, flush=True)


if __name__ == "__main__":
    main()
