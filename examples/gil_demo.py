"""A small corpus is indexed and asked about the GIL, on this machine alone and without a network.

"Python 3.12 completely removed the GIL" is contradicted by `examples/corpus`, and "PEP 703 makes
the GIL optional" is what it says. Run it from the repository:

    python examples/gil_demo.py

It needs the extra corpus of groundwire-server, and loads the embedded model, which takes about a
minute. It exits with 1 if the verdicts are not those that it tells of.
"""

import sys
import tempfile
from pathlib import Path

from rich.console import Console

from groundwire import Client, Contradiction, CorpusAnalysis, EvidenceVerdict
from groundwire_server.config.settings import ServerSettings
from groundwire_server.corpus.chunk_places import chunk_place
from groundwire_server.corpus.index_folder import IndexFolder
from groundwire_server.corpus.indexing import Indexer
from groundwire_server.embedding.choice import make_embedder
from groundwire_server.in_process import in_process
from groundwire_server.reports.analysis_content import AnalyzedText
from groundwire_server.reports.terminal import print_cards

CORPUS = Path(__file__).parent / "corpus"
NAME = "python"
DENIED = "Python 3.12 completely removed the GIL."
STATED = "PEP 703 makes the GIL optional."
TEXT = f"{DENIED} {STATED}"


def main() -> int:
    """Index, analyse, print, and say whether it came out as it has to."""
    with tempfile.TemporaryDirectory(prefix="groundwire-gil-") as folder:
        index = Path(folder, "index")
        build_index(index)
        settings = ServerSettings(epistemic_risk_enabled=True, retrieval_corpora=f"{NAME}={index}")
        with in_process(settings) as client:
            analysis = analyse(client)
    print_cards(AnalyzedText(TEXT, analysis), Console(highlight=False))
    return 0 if came_out(analysis) else 1


def build_index(index: Path) -> None:
    """Index the corpus of this example, as `groundwire index` does."""
    settings = ServerSettings()
    indexer = Indexer(make_embedder(settings), chunk_place(settings))
    indexer.run(CORPUS, IndexFolder.at(index))


def analyse(client: Client) -> CorpusAnalysis:
    """What the corpus has on both claims."""
    return client.analyze_text(TEXT, NAME)


def came_out(analysis: CorpusAnalysis) -> bool:
    """Whether the first claim is hallucinated by a denial, and the second one is not."""
    denied, stated = analysis
    return (
        denied.verdict is EvidenceVerdict.HALLUCINATED
        and Contradiction.DIRECT_NEGATION in denied.contradictions
        and stated.verdict is not EvidenceVerdict.HALLUCINATED
    )


if __name__ == "__main__":
    sys.exit(main())
