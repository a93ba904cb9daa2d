"""What the sources of a plan state, in words and in tables, for all who ask."""

from functools import cache

from groundwire_verifier.domain.evidence import Evidence
from groundwire_verifier.text.quantities.as_stated import Writing
from groundwire_verifier.text.quantities.unstated import StatedValues, values_in
from groundwire_verifier.verdicts.cells import Cells, tables_in


class Looks:
    """Values and tables of the sources of one piece of evidence.

    Each text is looked through once, and only for claims that need it. `writing`, `stated` and
    `cells` take the ids that a claim cites: they have what these sources say, with their titles, or
    all of the evidence where there is no id. `tables` takes a text.
    """

    def __init__(self, evidence: Evidence) -> None:
        # A source that several claims cite beside others is in several lists of texts.
        self.tables = tables = cache(tables_in)
        values = cache(values_in)

        def texts(cited_ids: tuple[str, ...]) -> list[str]:
            cited = [
                source.span.of(evidence.context)
                for source in (*evidence.ranges, *evidence.titles)
                if source.id in cited_ids
            ]
            return cited if cited_ids else [evidence.context]

        self.writing = cache(lambda ids: Writing(texts(ids), values))
        self.stated = cache(lambda ids: StatedValues(texts(ids), ids or evidence.ids, values))
        self.cells = cache(lambda ids: Cells(texts(ids), tables))
