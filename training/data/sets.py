"""The data sets that are learnt from, and how much of each.

Data only. Where the files lie and what their fields mean is the business of `rows`.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DataSet:
    """One set of labelled pairs.

    `passes` is how often its rows are learnt while the mix is gone through once. `text_share`, from
    0 to 1, is how often rules that take sentences out of its contexts are applied: 0 where they are
    single sentences, tables, or talk. `folder` is the one below `data` that its file lies in.
    """

    name: str
    passes: float
    text_share: float
    folder: str = "more"
    language: str = "en"


DATA_SETS = (
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
HEBNLI_ENGLISH = DataSet("hebnli_en", 1.0, 1.0, "")
"""The English originals of hebnli's pairs, which stand in its rows."""
PASSES = {data_set.name: data_set.passes for data_set in (*DATA_SETS, HEBNLI_ENGLISH)}
