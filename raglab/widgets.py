"""Controls for notebooks: any function of a few choices made live, and a help desk.

Nothing here computes: what a control shows is what the same function gives in a plain cell.
"""

import html
from collections.abc import Callable, Mapping, Sequence
from numbers import Real

import ipywidgets as widgets

from raglab.answerlog import AnswerLog, gaps
from raglab.errors import RaglabError, SettingError
from raglab.evaluate.tables import Table
from raglab.pipeline import ask
from raglab.protocols import Index, Model
from raglab.render import answer_html
from raglab.styles import NUMBERED, Style, find_style

__all__ = ["HelpDesk", "live"]

_WIDE = {"width": "95%"}
_LABEL = {"description_width": "90px"}
_TEXT = "white-space: pre-wrap; word-break: normal; line-height: 1.3; border-top: 1px solid #999; padding: 0.5em 0"


class _Panel(widgets.VBox):
    """A column of controls that says in words what it is, where no notebook shows it."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lstrip('_')}: run this cell in a notebook to use the controls>"


def live(*views: Callable[..., object], **choices: Sequence[object]) -> widgets.VBox:
    """A control for each of `choices`, and beneath them what each view returns for the chosen values, on every change.

    Numbers are chosen on a slider, anything else from a list, and the first of each is chosen at the start. A view
    takes all choices by name. What it returns is shown as HTML if it knows how (`Picture`), else as plain text.
    Raises `SettingError` for a choice without values.

    >>> live(lambda k: f"{k} passages", k=[1, 2, 4])
    <Panel: run this cell in a notebook to use the controls>
    """
    controls = {name: _control(name, list(values)) for name, values in choices.items()}
    areas = [widgets.HTML(layout=_WIDE) for _ in views]

    def show(change: object = None) -> None:
        chosen = {name: control.value for name, control in controls.items()}
        for area, view in zip(areas, views, strict=True):
            try:
                area.value = _as_html(view(**chosen))
            except Exception as error:
                if change is None:
                    raise
                # In a callback it would go to a log that nobody looks at, under a picture that is out of date.
                area.value = _as_html(f"{type(error).__name__}: {error}")

    show()
    for control in controls.values():
        control.observe(show, "value")
    return _Panel([*controls.values(), *areas])


def _control(name: str, values: list[object]) -> widgets.SelectionSlider | widgets.Dropdown:
    if not values:
        raise SettingError(f"{name}=[] gives nothing to choose from; list at least one value.")
    numeric = all(isinstance(value, Real) and not isinstance(value, bool) for value in values)
    kind = widgets.SelectionSlider if numeric else widgets.Dropdown
    # With labels of their own: a pair without one would be taken for a label and its value.
    return kind(options=[(str(value), value) for value in values], description=name, style=_LABEL)


def _as_html(value: object) -> str:
    own = getattr(value, "_repr_html_", None)
    if own:
        return own()
    return f'<pre style="{_TEXT}">{html.escape(str(value))}</pre>'


class HelpDesk(_Panel):
    """A help desk: a question, its answer with the quotes behind it, and the list of what the documents lack.

    `models` are the models to choose from, by the name that is shown. Each answer goes to `log`. The threshold begins
    at the style's. A failure of the model or the log is shown as one sentence, and the desk goes on.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from raglab import FunctionModel, Hit
    >>> class Index:
    ...     def search(self, question, k):
    ...         return [Hit.of("fees.md#0", "It costs 10 dollars.")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = AnswerLog(Path(folder, "log.jsonl"))
    ...     desk = HelpDesk(Index(), {"mine": FunctionModel(lambda prompt: "10 dollars [1].")}, log)
    ...     desk.question.value = "What does it cost?"
    ...     desk.button.click()
    >>> "10 dollars [1]." in desk.answer.value
    True
    """

    def __init__(
        self, index: Index, models: Mapping[str, Model], log: AnswerLog, *, style: Style | str = NUMBERED
    ) -> None:
        self._index, self._models, self._log, self._style = index, dict(models), log, find_style(style)
        if not self._models:
            raise SettingError('models={} gives nothing to choose from; give one, such as {"mock": raglab.connect()}.')
        self.question = widgets.Text(
            description="Question", placeholder="Type a question, then press Enter or Ask", style=_LABEL, layout=_WIDE
        )
        self.model = widgets.Dropdown(options=list(self._models), description="Model", style=_LABEL)
        self.threshold = widgets.FloatSlider(
            self._style.min_score, min=0, max=1, step=0.05, description="Threshold", style=_LABEL
        )
        self.button = widgets.Button(description="Ask", button_style="primary")
        self.message = widgets.HTML()
        self.answer = widgets.HTML(layout=_WIDE)
        self.gaps = widgets.HTML(layout=_WIDE)
        self.button.on_click(lambda _: self.ask())
        self.question.on_msg(lambda _, message, __: message.get("event") == "submit" and self.ask())  # Enter
        choices = widgets.HBox([self.model, self.threshold, self.button], layout={"flex_flow": "row wrap"})
        super().__init__([self.question, choices, self.message, self.answer, self.gaps])

    def ask(self) -> None:
        """Answer the question with the chosen model and threshold, add it to the log, and show both."""
        if not self.question.value.strip():
            self.message.value = _as_html("Type a question first.")
            return
        self.button.disabled = True
        self.message.value, self.answer.value = _as_html("Asking …"), ""
        try:
            model, threshold = self._models[str(self.model.value)], self.threshold.value
            answer = ask(self.question.value, self._index, model, style=self._style, min_score=threshold)
            self.answer.value = answer_html(answer)
            self._log.add(answer)
            self.gaps.value = _gap_table(gaps(self._log.path))
            self.message.value = ""
        except RaglabError as error:
            self.message.value = _as_html(error)
        except Exception as error:  # of a model that somebody wrote: as in `live`, it would go to a log
            self.message.value = _as_html(f"{type(error).__name__}: {error}")
        finally:
            self.button.disabled = False


def _gap_table(found: Sequence[tuple[str, str, int]]) -> str:
    rows = tuple((question, status, str(count)) for question, status, count in found)
    return Table("Not answered so far", ("question", "status", "times"), rows).html() if rows else ""
