"""The data sets that are learnt from, and how much of each by which model.

Data only. Where the files lie and what their fields mean is the business of `rows`.
"""

from dataclasses import dataclass

from bench.tools.written.twins import HEADED, PLAIN


@dataclass(frozen=True, slots=True)
class DataSet:
    """One set of labelled pairs.

    `passes` is how often its rows are learnt while the mix of SMALL is gone through once.
    `text_share`, from 0 to 1, is how often rules that take sentences out of its contexts are
    applied: 0 where they are single sentences, tables, or talk, or have claims enough of their own.
    `folder` is the one below `data` that its file lies in. `language` is that of rows that do not
    name theirs. `joins` says whether its contexts may stand among others although no sentence is
    taken out of them: not where a claim on one could be true of another.
    """

    name: str
    passes: float
    text_share: float
    folder: str = "more"
    language: str = "en"
    joins: bool = False


SMALL, BASE, LARGE = "small", "base", "large"
OLDER_SETS = (
    # What only new rows made worse, and what was learnt least from its rows: more often.
    DataSet("fm2", 2.0, 1.0, ""),
    DataSet("halueval_qa", 0.5, 1.0, ""),
    DataSet("attributionbench", 2.0, 1.0, ""),
    DataSet("factscore", 2.0, 1.0, ""),
    DataSet("summedits", 3.0, 1.0, ""),
    DataSet("hebnli", 1.0, 1.0, "", "he"),
    DataSet("condaqa", 1.0, 0.3),
    DataSet("boolq", 1.0, 0.3),
    # A Hebrew paragraph is a thousand tokens for this tokeniser: four times an English one.
    DataSet("heq", 0.3, 1.0, language="he"),
    DataSet("xquad_en", 1.5, 0.5),
    DataSet("timeqa", 0.4, 0.3),
    DataSet("covid_qa", 0.4, 0.3),
    DataSet("pubmedqa", 0.25, 0.3),
    DataSet("swap_wiki", 1.0, 0.3),
    DataSet("sharc", 0.4, 0.0),
    DataSet("cad_nli", 1.0, 0.0),
    DataSet("mnli", 1.0, 0.0),
    DataSet("med", 1.0, 0.0),
    DataSet("scone", 1.0, 0.0),
    DataSet("conjnli", 1.0, 0.0),
    DataSet("tabfact", 0.4, 0.0),
    DataSet("bbq", 0.3, 0.0),
    # A claim of these tells much about its label without the context.
    DataSet("tatqa", 0.4, 0.0),
    DataSet("snli", 0.3, 0.0),
    DataSet("folio", 0.3, 0.0),
    DataSet("fib_xsum", 0.25, 0.3),
    # Articles that were cut, perhaps without the evidence.
    DataSet("bump", 0.3, 0.3),
)
WRITTEN_SETS = (
    DataSet("written_en", 1.0, 0.0, "written", joins=True),
    DataSet("written_he", 1.5, 0.0, "written", "he", joins=True),
    DataSet("written_eu", 1.0, 0.0, "written", joins=True),
    DataSet("written_world", 1.0, 0.0, "written", joins=True),
    DataSet("written_cross", 1.0, 0.0, "written", joins=True),
    # Sources that have headings already are not put under others.
    DataSet(HEADED, 0.3, 0.0, "answers"),
    DataSet(PLAIN, 0.15, 0.0, "answers", joins=True),
)
"""Written against word overlap, and the twins of whole answers: too hard for a beginner."""
DATA_SETS = (*OLDER_SETS, *WRITTEN_SETS)
HEBNLI_ENGLISH = DataSet("hebnli_en", 1.0, 1.0, "")
"""The English originals of hebnli's pairs, which stand in its rows."""
_OLDER_OF_BASE = 0.8
_OF_BASE = {
    "hebnli_en": 0.4, "written_en": 1.6, "written_he": 2.0, "written_eu": 1.0,
    "written_world": 1.0, "written_cross": 1.2, HEADED: 0.3, PLAIN: 0.15,
}  # fmt: skip
"""Those of a larger model that are not the small one's times _OLDER_OF_BASE."""


def passes_of(model: str, written: float = 1.0) -> dict[str, float]:
    """How often each set is learnt by one of SMALL, BASE and LARGE while its mix is gone through.

    `written` multiplies the passes of WRITTEN_SETS.
    """
    passes = {each.name: each.passes for each in (*DATA_SETS, HEBNLI_ENGLISH)}
    if model != SMALL:
        passes = {name: _OLDER_OF_BASE * each for name, each in passes.items()} | _OF_BASE
    newer = {each.name: written * passes[each.name] for each in WRITTEN_SETS}
    return passes | newer
