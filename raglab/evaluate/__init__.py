"""Measuring: a question set → answers → a report with both kinds of error, and which half is to blame.

    load_questions → evaluate → Report → rates, forms, blame; answers to read      two reports → compare
                        └── sweep, threshold_sweep, position_sweep → Sweep → table, plot

>>> from raglab.evaluate import Rate
>>> print(Rate(17, 18))
17 of 18 = 94.4 % (74.2 to 99.0 %)
"""

from raglab.evaluate.cases import BLAMES, OUTCOMES, Case
from raglab.evaluate.drafts import draft_questions
from raglab.evaluate.forms import FORMS, form_of
from raglab.evaluate.judge import Agreement, agreement, judge_form
from raglab.evaluate.metrics import METRICS, Metric
from raglab.evaluate.page import html_page
from raglab.evaluate.plots import Picture, bars, curves
from raglab.evaluate.positions import position_sweep, ranks
from raglab.evaluate.questions import KINDS, Question, QuestionSet, load_questions
from raglab.evaluate.rates import Rate, wilson
from raglab.evaluate.report import Report
from raglab.evaluate.runs import Comparison, compare, evaluate, load_run
from raglab.evaluate.sweeps import Sweep, ThresholdSweep, sweep, threshold_sweep
from raglab.evaluate.tables import Table

__all__ = [
    "Agreement",
    "BLAMES",
    "Case",
    "Comparison",
    "FORMS",
    "KINDS",
    "METRICS",
    "Metric",
    "OUTCOMES",
    "Picture",
    "Question",
    "QuestionSet",
    "Rate",
    "Report",
    "Sweep",
    "Table",
    "ThresholdSweep",
    "agreement",
    "bars",
    "compare",
    "curves",
    "draft_questions",
    "evaluate",
    "form_of",
    "html_page",
    "judge_form",
    "load_questions",
    "load_run",
    "position_sweep",
    "ranks",
    "sweep",
    "threshold_sweep",
    "wilson",
]
