"""Many questions at once: order kept, failures kept apart, resumed where an earlier run was interrupted."""

import hashlib
import json
import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TypedDict, Unpack

from raglab.errors import RaglabError, SettingError
from raglab.models.connect import model_or_connect
from raglab.models.service import ServiceModel
from raglab.pipeline import AskSettings, ask
from raglab.protocols import Index, Model, StreamingModel
from raglab.records import Answer, Delta, Hit, Problem, Prompt, Reply
from raglab.settings import known_settings, whole_number
from raglab.styles import NUMBERED, find_style

Asked = str | Sequence[str]  # a question, or a conversation: earlier questions, and last the one that counts
BATCH = 16  # questions that travel to another process together, with one copy of the index


class RunSettings(TypedDict, total=False):
    """How many questions are asked, not what is asked: the settings that `ask_many` and `evaluate` add to `ask`'s."""

    workers: int
    executor: Executor | None
    progress: bool
    save: str | os.PathLike[str] | None


class ManySettings(AskSettings, RunSettings, total=False):
    """All settings of `ask_many` and `evaluate`, for functions that hand them on."""


def ask_many(
    questions: Sequence[Asked],
    index: Index | None,
    model: Model | Callable[..., str] | None = None,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    progress: bool = True,
    save: str | os.PathLike[str] | None = None,
    version: str = "",
    **settings: Unpack[AskSettings],
) -> list[Answer]:
    """One answer per question, in their order; `settings` are those of `ask`.

    A question whose call fails spoils no other: its answer needs review, with the problem `call-failed`. `workers`
    is how many are asked at the same time. With `save`, each answer is a JSON line of that file as soon as it is
    there; the same call after an interruption asks only what is missing. Failed calls are not saved. `version` is part
    of what makes two calls the same, for instance a hash of the documents.

    A question may be a conversation, earlier questions first: they are asked too, so that the last one has a history.

    `executor` does the asking instead of threads of its own: any of `concurrent.futures`. Other processes get copies of
    index and model, which therefore have to be picklable; raglab's own are, and a model connects again there. A
    function as a model has to be defined at module level.

    Raises `SettingError` for a setting that `ask` does not have or cannot use, before anything is asked or saved.

    >>> class MyIndex:
    ...     def search(self, question, k):
    ...         return [Hit.of("fees.md#0", "The fee is ten dollars.")]
    >>> answers = ask_many(["What is the fee?", " "], MyIndex(), lambda prompt: "Ten dollars [1].", progress=False)
    >>> [answer.status for answer in answers]
    ['answered', 'not_found']
    """
    check_settings("ask_many", index, workers=workers, executor=executor, progress=progress, save=save, **settings)
    conversations = [_conversation(question) for question in questions]
    model = model_or_connect(model)
    keys = [_key(place, asked, model, version, settings) for place, asked in enumerate(conversations)]
    saved = _resumed(save) if save else {}
    one = partial(_ask_one, index=index, model=model, settings=settings)
    missing = [place for place, key in enumerate(keys) if key not in saved]
    answers = {place: saved[key] for place, key in enumerate(keys) if key in saved}
    _check_picklable(executor, one, model)
    with nullcontext(executor) if executor else ThreadPoolExecutor(workers) as pool:
        given = pool.map(one, [conversations[place] for place in missing], chunksize=BATCH)
        for place, answer in zip(missing, _with_progress_bar(given, len(missing), progress), strict=True):
            answers[place] = answer
            if save and not _failed(answer):
                _append(save, keys[place], conversations[place], answer)
    return [answers[place] for place in range(len(conversations))]


def saved_answers(path: str | os.PathLike[str]) -> list[tuple[tuple[str, ...], Answer]]:
    """(conversation, answer) of every line that `ask_many` saved in a file, in its order; the file stays as it is."""
    if not Path(path).is_file():
        raise RaglabError(f"There is no saved run {str(path)!r}; name a file made with save=.")
    return [(asked, answer) for _, asked, answer in _read(path)[0]]


def check_settings(
    function: str,
    index: Index | None,
    /,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    progress: bool = True,
    save: str | os.PathLike[str] | None = None,
    **settings: Unpack[AskSettings],
) -> None:
    """An error for whatever `ask_many` or `ask` would refuse; nothing is read, searched, asked or written.

    `function` is the one that the person called, for the message about a setting that does not exist.

    >>> check_settings("sweep", None, search=lambda question, k: [], min_score=0.2)
    """
    known_settings(function, settings, ManySettings.__annotations__)
    whole_number("workers", workers, least=1)
    if executor is not None and not isinstance(executor, Executor):
        raise SettingError(f"executor must be one of concurrent.futures, got {executor!r}.")
    if executor and workers != 1:
        raise SettingError(f"workers={workers} and an executor are two ways to say the same; give one of them.")
    if not isinstance(progress, bool):
        raise SettingError(f"progress must be True or False, got {progress!r}.")
    _check_save(save)
    for name in ("order", "on_token"):
        if settings.get(name) is not None and not callable(settings.get(name)):
            raise SettingError(f"{name} must be a function, got {settings.get(name)!r}.")
    silent: AskSettings = {**settings, "on_token": None}
    ask("", index, lambda prompt: "", **silent)


def _check_save(save: str | os.PathLike[str] | None) -> None:
    """An error for a place where no file can be made: better before the first answer is paid for than after it."""
    if save is None:
        return
    if not isinstance(save, (str, os.PathLike)):
        raise SettingError(f"save must be the path of a file, got {save!r}.")
    if save and not Path(save).parent.is_dir():
        raise _unusable(save, "no such folder")


def _conversation(asked: Asked) -> tuple[str, ...]:
    """A question with the questions before it, if any."""
    conversation = (asked,) if isinstance(asked, str) else tuple(asked) if isinstance(asked, Sequence) else ()
    if not conversation or not all(isinstance(question, str) for question in conversation):
        raise SettingError(f"A question is a text or a list of texts, got {asked!r}.")
    return conversation


def _ask_one(conversation: tuple[str, ...], *, index: Index | None, model: Model, settings: AskSettings) -> Answer:
    *earlier, question = conversation
    watched = _watched_model(model)
    turns = list(settings.get("history", ()))
    with_turns: AskSettings = {**settings, "history": turns}
    try:
        for each in earlier:
            turns.append((each, ask(each, _watched_index(index), watched, **with_turns).text))
        return ask(question, _watched_index(index), watched, **with_turns)
    except SettingError:  # the same for every question, and for the caller to fix
        raise
    except (RaglabError, _CallFailed) as error:
        refusal = find_style(settings.get("style", NUMBERED)).refusal
        problem = Problem("call-failed", "", f"The call failed: {error}")
        return Answer(refusal, "needs_review", question, question, problems=(problem,))


class _CallFailed(Exception):
    """What a model or an index of the user's own raised: a failure of theirs, not of this program."""


@contextmanager
def _watching() -> Iterator[None]:
    try:
        yield
    except RaglabError:
        raise
    except Exception as error:
        raise _CallFailed(f"{type(error).__name__}: {error}") from error


class _WatchedIndex:
    def __init__(self, index: Index):
        self._index = index

    def search(self, question: str, k: int) -> Sequence[Hit]:
        with _watching():
            return self._index.search(question, k)


class _WatchedModel:
    def __init__(self, model: Model):
        self._model = model

    def complete(self, prompt: Prompt) -> Reply:
        with _watching():
            return self._model.complete(prompt)


class _WatchedStreamingModel(_WatchedModel):
    _model: StreamingModel

    def stream(self, prompt: Prompt) -> Iterator[Delta]:
        with _watching():
            yield from self._model.stream(prompt)


def _watched_index(index: Index | None) -> Index | None:
    return None if index is None else _WatchedIndex(index)


def _watched_model(model: Model) -> Model:
    """Our own clients say themselves what fails: any other exception there is a mistake in them."""
    if isinstance(model, ServiceModel):
        return model
    return _WatchedStreamingModel(model) if isinstance(model, StreamingModel) else _WatchedModel(model)


def _check_picklable(executor: Executor | None, one: Callable[..., Answer], model: Model) -> None:
    """One sentence instead of the traceback of another process."""
    if isinstance(executor, ProcessPoolExecutor):
        try:
            pickle.dumps(one)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise SettingError(
                f"The index, the model {model!r} or a setting cannot be sent to another process ({error}); "
                "use functions that are defined at module level, or threads."
            ) from None


def _failed(answer: Answer) -> bool:
    return any(problem.code == "call-failed" for problem in answer.problems)


def _with_progress_bar(answers: Iterable[Answer], total: int, progress: bool) -> Iterable[Answer]:
    """The same answers; a bar counts them on a terminal or in a notebook."""
    if not progress or not total:
        return answers
    from tqdm.auto import tqdm

    return tqdm(answers, total=total, unit="question", desc="asking")


def _key(place: int, conversation: tuple[str, ...], model: Model, version: str, settings: AskSettings) -> str:
    """What makes a saved answer the answer to this very call; the documents are part of it by the version alone."""
    style = find_style(settings.get("style", NUMBERED))
    named = {name: getattr(value, "__name__", repr(value)) for name, value in settings.items() if name != "style"}
    question = conversation if conversation[1:] else conversation[0]
    call = [place, question, repr(model), version, style.name, style.system, style.user, sorted(named.items())]
    return hashlib.sha256(json.dumps(call).encode()).hexdigest()[:24]


def _resumed(path: str | os.PathLike[str]) -> dict[str, Answer]:
    """Key → answer of an earlier run; a last line that is not whole is dropped from the file."""
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
        raise _unusable(path, error.strerror) from None
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


def _append(path: str | os.PathLike[str], key: str, conversation: tuple[str, ...], answer: Answer) -> None:
    import msgspec

    line = msgspec.json.encode({"key": key, "asked": conversation, "answer": answer}) + b"\n"
    try:
        with open(path, "ab") as file:
            file.write(line)
    except OSError as error:
        raise _unusable(path, error.strerror) from None


def _unusable(path: str | os.PathLike[str], why: str | None) -> RaglabError:
    reason = (why or "unknown reason").lower()
    return RaglabError(f"Answers cannot be kept in {os.path.basename(path)}: {reason}; name another file for save=.")
