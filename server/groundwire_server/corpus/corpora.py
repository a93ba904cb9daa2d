"""The corpora that requests may name: indexes of ours, and what packages register.

A package registers a provider as an entry point of the group `groundwire.evidence_providers`: a
callable without arguments that gives an `EvidenceProvider`.
"""

import re
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from pathlib import Path

from groundwire_server.config.extras import check_provider, how_to_install
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.corpus.index_folder import IndexFolder
from groundwire_verifier.checks.corpus.passages import EvidenceProvider

ENTRY_POINTS = "groundwire.evidence_providers"
PROVIDER_PREFIX = "provider:"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


def make_corpora(settings: ServerSettings) -> Mapping[str, EvidenceProvider]:
    """The providers by the names of their corpora. Loads an embedder where an index needs one.

    Nothing is opened yet: an index may be made after the server's start. Raises ConfigError.
    """
    places = corpus_places(settings)
    are_all_others = all(place.startswith(PROVIDER_PREFIX) for place in places.values())
    make = _registered if are_all_others else index_providers(settings)
    return {
        name: _registered(name, place) if place.startswith(PROVIDER_PREFIX) else make(name, place)
        for name, place in places.items()
    }


def corpus_places(settings: ServerSettings) -> Mapping[str, str]:
    """The names of the corpora, and where each is. Raises ConfigError."""
    found: dict[str, str] = {}
    named = settings.retrieval_corpora
    for part in [] if named is None else named.split(","):
        name, _, place = (each.strip() for each in part.partition("="))
        if not _NAME.fullmatch(name) or not place or name in found:
            raise ConfigError(
                "retrieval_corpora takes NAME=PLACE with commas between, each name once, of up to "
                f"64 letters, digits, '_', '.' and '-'; {part.strip()!r} is none"
            )
        found[name] = place
    return found


def index_providers(settings: ServerSettings) -> Callable[[str, str], EvidenceProvider]:
    """What makes a provider of an index; all of them share the embedder."""
    try:
        from groundwire_server.corpus.chunk_places import chunk_place
        from groundwire_server.corpus.retrieval import CorpusIndex
        from groundwire_server.embedding.choice import make_embedder
    except ImportError as error:
        raise ConfigError(
            f"a corpus needs the extra corpus ({error}): {how_to_install('corpus')}"
        ) from error
    embedder, store = make_embedder(settings), chunk_place(settings)
    threshold = settings.retrieval_similarity_threshold
    return lambda name, place: CorpusIndex(
        name, IndexFolder.at(Path(place)), embedder, store, threshold
    )


def _registered(corpus: str, place: str) -> EvidenceProvider:
    """What a package registers. Its code is the operator's choice, and runs in this process."""
    name = place.removeprefix(PROVIDER_PREFIX)
    found = {each.name: each for each in entry_points(group=ENTRY_POINTS)}
    if name not in found:
        known = ", ".join(sorted(found)) or "none"
        raise ConfigError(
            f"retrieval_corpora: no installed package registers the provider {name!r} of {corpus} "
            f"in {ENTRY_POINTS}; there is {known}"
        )
    try:
        provider: EvidenceProvider = found[name].load()()
    # It is another's code, which may raise anything.
    except Exception as error:
        raise ConfigError(
            f"retrieval_corpora: the provider {name!r} of {corpus} could not be made: {error}"
        ) from error
    check_provider("retrieval_corpora", name, provider, "retrieve")
    return provider
