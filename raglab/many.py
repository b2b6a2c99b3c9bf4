"""Many questions at once: order kept, failures kept apart, resumed where an earlier run was cut off."""

import hashlib
import json
import os
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from raglab.errors import RaglabError, SettingError
from raglab.models import Model
from raglab.pipeline import ask
from raglab.records import Answer, Problem
from raglab.startup import as_model
from raglab.styles import NUMBERED, find_style

Asked = str | Sequence[str]  # a question, or a conversation: earlier questions, and last the one that counts
BATCH = 16  # questions that travel to another process together, with one copy of the index


def ask_many(
    questions: Sequence[Asked],
    index: Any,
    model: Model | Callable[..., str] | None = None,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    progress: bool = True,
    save: str | os.PathLike[str] | None = None,
    version: str = "",
    **settings: Any,
) -> list[Answer]:
    """One answer a question, in their order; `settings` are those of `ask`.

    A question whose call fails spoils no other: its answer needs review, with the problem `call-failed`. `workers`
    is how many are asked at the same time. With `save`, each answer is a JSON line of that file as soon as it is
    there; the same call after an interruption asks only what is missing. Failed calls are not saved. `version` is part
    of what makes two calls the same, for instance a hash of the documents.

    A question may be a conversation, earlier questions first: they are asked too, so that the last one has a history.

    `executor` does the asking instead of threads of its own: any of `concurrent.futures`. Other processes get copies of
    index and model, which therefore have to be picklable; raglab's own are, and a model connects anew there. A
    function as a model has to stand at the top of a module.

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
    if executor and workers != 1:
        raise SettingError(f"workers={workers} and an executor are two ways to say the same; give one of them.")
    model = as_model(model)
    keys = [_key(place, question, model, version, settings) for place, question in enumerate(questions)]
    saved = _resumed(save) if save else {}
    one = partial(_ask_one, index=index, model=model, settings=settings)
    missing = [place for place, key in enumerate(keys) if key not in saved]
    answers = {place: saved[key] for place, key in enumerate(keys) if key in saved}
    _check_picklable(executor, one, model)
    with nullcontext(executor) if executor else ThreadPoolExecutor(workers) as pool:
        asked = pool.map(one, [questions[place] for place in missing], chunksize=BATCH)
        for place, answer in zip(missing, _counted(asked, len(missing), progress), strict=True):
            answers[place] = answer
            if save and not _failed(answer):
                _append(save, keys[place], questions[place], answer)
    return [answers[place] for place in range(len(questions))]


def saved_answers(path: str | os.PathLike[str]) -> list[tuple[tuple[str, ...], Answer]]:
    """(conversation, answer) of every line that `ask_many` saved in a file, in its order; the file stays as it is."""
    if not Path(path).is_file():
        raise RaglabError(f"There is no saved run {str(path)!r}; name a file made with save=.")
    return [(asked, answer) for _, asked, answer in _read(path)[0]]


def _ask_one(asked: Asked, *, index: Any, model: Model, settings: dict[str, Any]) -> Answer:
    *earlier, question = [asked] if isinstance(asked, str) else asked
    try:
        turns = list(settings.get("history", ()))
        for each in earlier:
            turns.append((each, ask(each, index, model, **{**settings, "history": tuple(turns)}).text))
        return ask(question, index, model, **{**settings, "history": turns})
    except SettingError:  # the same for every question, and the caller's to mend
        raise
    except Exception as error:  # whatever a model or an index of the user's own may raise
        detail = str(error) if isinstance(error, RaglabError) else f"{type(error).__name__}: {error}"
        refusal = find_style(settings.get("style", NUMBERED)).refusal
        problem = Problem("call-failed", "", f"The call failed: {detail}")
        return Answer(refusal, "needs_review", question, question, problems=(problem,))


def _check_picklable(executor: Executor | None, one: Callable[..., Answer], model: Model) -> None:
    """One sentence instead of the traceback of another process."""
    if isinstance(executor, ProcessPoolExecutor):
        try:
            pickle.dumps(one)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise SettingError(
                f"The index, the model {model!r} or a setting cannot be sent to another process ({error}); "
                "use functions that stand at the top of a module, or threads."
            ) from None


def _failed(answer: Answer) -> bool:
    return any(problem.code == "call-failed" for problem in answer.problems)


def _counted(answers: Any, total: int, progress: bool) -> Any:
    """The answers, with a bar on a terminal or in a notebook."""
    if not progress or not total:
        return answers
    from tqdm.auto import tqdm

    return tqdm(answers, total=total, unit="question", desc="asking")


def _key(place: int, question: Asked, model: Model, version: str, settings: dict[str, Any]) -> str:
    """What makes a saved answer the answer to this very call; the documents are part of it by the version alone."""
    style = find_style(settings.get("style", NUMBERED))
    named = {name: getattr(value, "__name__", repr(value)) for name, value in settings.items() if name != "style"}
    call = [place, question, repr(model), version, style.name, style.system, style.user, sorted(named.items())]
    return hashlib.sha256(json.dumps(call).encode()).hexdigest()[:24]


def _resumed(path: str | os.PathLike[str]) -> dict[str, Answer]:
    """Key → answer of an earlier run; a last line that was cut off is dropped from the file."""
    if not Path(path).exists():
        return {}
    lines, whole = _read(path)
    if whole < os.path.getsize(path):
        os.truncate(path, whole)
    return {key: answer for key, _, answer in lines}


def _read(path: str | os.PathLike[str]) -> tuple[list[tuple[str, tuple[str, ...], Answer]], int]:
    """(key, conversation, answer) of every whole line, and how many bytes these lines are."""
    import msgspec

    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise _unusable(path, error) from None
    whole = data[: data.rfind(b"\n") + 1]
    lines = []
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            record = msgspec.json.decode(line)
            lines.append((record["key"], tuple(record["asked"]), msgspec.convert(record["answer"], Answer)))
        except (msgspec.MsgspecError, KeyError, TypeError, UnicodeDecodeError):
            name = os.path.basename(path)
            raise RaglabError(f"{name}, line {number}: not a saved answer; name another file for save=.") from None
    return lines, len(whole)


def _append(path: str | os.PathLike[str], key: str, asked: Asked, answer: Answer) -> None:
    import msgspec

    conversation = [asked] if isinstance(asked, str) else list(asked)
    line = msgspec.json.encode({"key": key, "asked": conversation, "answer": answer}) + b"\n"
    try:
        with open(path, "ab") as file:
            file.write(line)
    except OSError as error:
        raise _unusable(path, error) from None


def _unusable(path: str | os.PathLike[str], error: OSError) -> RaglabError:
    reason = (error.strerror or "unknown reason").lower()
    return RaglabError(f"Answers cannot be kept in {os.path.basename(path)}: {reason}; name another file for save=.")
