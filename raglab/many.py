"""Many questions at once: order kept, failures kept apart, resumed where an earlier run was cut off."""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from raglab.errors import RaglabError, SettingError
from raglab.models import Model
from raglab.pipeline import ask
from raglab.records import Answer, Problem
from raglab.startup import as_model
from raglab.styles import NUMBERED, find_style


def ask_many(
    questions: Sequence[str],
    index: Any,
    model: Model | Callable[..., str] | None = None,
    *,
    workers: int = 1,
    progress: bool = True,
    save: str | os.PathLike[str] | None = None,
    **settings: Any,
) -> list[Answer]:
    """One answer a question, in their order; `settings` are those of `ask`.

    A question whose call fails spoils no other: its answer needs review, with the problem `call-failed`. `workers`
    is how many are asked at the same time. With `save`, each answer is a JSON line of that file as soon as it is
    there; the same call after an interruption asks only what is missing. Failed calls are not saved.

    >>> from raglab.records import Hit
    >>> class Index:
    ...     def search(self, question, k):
    ...         return [Hit.of("fees.md#0", "The fee is ten dollars.")]
    >>> answers = ask_many(["What is the fee?", " "], Index(), lambda prompt: "Ten dollars [1].", progress=False)
    >>> [answer.status for answer in answers]
    ['answered', 'not_found']
    """
    if workers < 1:
        raise SettingError(f"workers={workers} is not possible; use 1 or more.")
    model = as_model(model)
    keys = [_key(place, question, model, settings) for place, question in enumerate(questions)]
    saved = _saved(save) if save else {}
    one = partial(_ask_one, index=index, model=model, settings=settings)
    missing = [place for place, key in enumerate(keys) if key not in saved]
    answers = {place: saved[key] for place, key in enumerate(keys) if key in saved}
    with ThreadPoolExecutor(workers) as pool:
        asked = pool.map(one, [questions[place] for place in missing])
        for place, answer in zip(missing, _counted(asked, len(missing), progress), strict=True):
            answers[place] = answer
            if save and not _failed(answer):
                _append(save, keys[place], answer)
    return [answers[place] for place in range(len(questions))]


def _ask_one(question: str, *, index: Any, model: Model, settings: dict[str, Any]) -> Answer:
    try:
        return ask(question, index, model, **settings)
    except SettingError:  # the same for every question, and the caller's to mend
        raise
    except Exception as error:  # whatever a model or an index of the user's own may raise
        detail = str(error) if isinstance(error, RaglabError) else f"{type(error).__name__}: {error}"
        refusal = find_style(settings.get("style", NUMBERED)).refusal
        problem = Problem("call-failed", "", f"The call failed: {detail}")
        return Answer(refusal, "needs_review", question, question, problems=(problem,))


def _failed(answer: Answer) -> bool:
    return any(problem.code == "call-failed" for problem in answer.problems)


def _counted(answers: Any, total: int, progress: bool) -> Any:
    """The answers, with a bar on a terminal or in a notebook."""
    if not progress or not total:
        return answers
    from tqdm.auto import tqdm

    return tqdm(answers, total=total, unit="question", desc="asking")


def _key(place: int, question: str, model: Model, settings: dict[str, Any]) -> str:
    """What makes a saved answer the answer to this very call; the documents are not part of it."""
    style = find_style(settings.get("style", NUMBERED))
    named = {name: getattr(value, "__name__", repr(value)) for name, value in settings.items() if name != "style"}
    call = [place, question, repr(model), style.name, style.system, style.user, sorted(named.items())]
    return hashlib.sha256(json.dumps(call).encode()).hexdigest()[:24]


def _saved(path: str | os.PathLike[str]) -> dict[str, Answer]:
    """The answers of an earlier run; a last line that was cut off is dropped from the file."""
    import msgspec

    file = Path(path)
    if not file.exists():
        return {}
    data = file.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    answers = {}
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            record = msgspec.json.decode(line)
            answers[record["key"]] = msgspec.convert(record["answer"], Answer)
        except (msgspec.MsgspecError, KeyError, TypeError, UnicodeDecodeError):
            raise RaglabError(f"{file.name}, line {number}: not a saved answer; name another file for save=.") from None
    if len(whole) < len(data):
        with file.open("r+b") as cut:
            cut.truncate(len(whole))
    return answers


def _append(path: str | os.PathLike[str], key: str, answer: Answer) -> None:
    import msgspec

    with open(path, "ab") as file:
        file.write(msgspec.json.encode({"key": key, "answer": answer}) + b"\n")
