# Made by scripts/blocking_client.py from ../detectors.py.
"""The calls of the other detectors: similarity, assessments of responses, a corpus."""

from collections.abc import Iterable

from groundwire._calls import analyses, assessments, similarity
from groundwire._clients.connections import Connection
from groundwire.analyses import CorpusAnalysis, CorpusSearch
from groundwire.assessments import AssessmentLayer, ResponseAssessment, ToolCall
from groundwire.inputs import ExtractOptions, VerifyOptions
from groundwire.similarity import SimilarityResult


class DetectorCalls(Connection):
    """The calls of the detectors."""

    def check_similarity(
        self,
        answer: str,
        contexts: Iterable[str],
        *,
        threshold: float | None = None,
        timeout_s: float | None = None,
    ) -> SimilarityResult:
        """Says which sentences of an answer are like none of the texts that it was given.

        It is fast, and no verdict: a sentence with another number, or one that says the opposite,
        is mostly as near to a text as one that repeats it. `verify_answer` reads what they mean.
        The server answers only where its operator has switched similarity on.

        Args:
            answer: at least one visible character, at most `Limits.max_text_characters`.
            contexts: the texts, 1 to `Limits.max_sources`; one str is a TypeError.
            threshold: the cosine from which a sentence counts as supported, in [0, 1]; sensible
                from .55 to .70. None: the server's.
            timeout_s: in seconds, above 0; None: the client's.

        Raises:
            NotEnabledError: similarity is off on this server.

        The other errors are those of `extract_claims`.
        """
        return self._run(similarity.check_similarity(answer, contexts, threshold), timeout_s)

    def assess_response(
        self,
        response: str,
        tool_calls: Iterable[ToolCall] = (),
        *,
        question: str = "",
        layers: Iterable[AssessmentLayer] = (),
        language: str = "",
        backend: str = "",
        skip_result_cache: bool = False,
        timeout_s: float | None = None,
    ) -> ResponseAssessment:
        """Says how likely a response is made up, given the tool calls that were made for it.

        The server answers only where its operator has switched response assessment on.

        Args:
            response: the response, with a visible character.
            tool_calls: the calls that were made, in their order.
            question: what the user asked; empty: not known.
            layers: the layers to ask; empty: all. HEURISTIC alone needs no model.
            language: of reasons and user text, "en" or "he"; empty: that of the response.
            backend: who reads; empty: as the server is set.
            skip_result_cache: whether to read all anew and remember nothing.
            timeout_s: in seconds, above 0; None: the client's.

        Raises:
            NotEnabledError: response assessment is off on this server.

        The other errors are those of `extract_claims`.
        """
        call = assessments.assess_response(
            response,
            tool_calls,
            question=question,
            layers=layers,
            language=language,
            backend=backend,
            skip_result_cache=skip_result_cache,
        )
        return self._run(call, timeout_s)

    def analyze_text(
        self,
        text: str,
        corpus: str = "",
        *,
        extract: ExtractOptions | None = None,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> CorpusAnalysis:
        """Says what a corpus of the server has on the claims of a text, and how large the risk is.

        Verdicts are signals, not judgments: show `CorpusAnalysis.notice` with them. The server
        answers only where its operator has switched epistemic risk on.

        Args:
            text: the text, such as the response of a language model.
            corpus: the operator's name of the corpus; empty: the only one.
            extract: how the text is split into claims; None: the defaults.
            options: how claims are read; None: the defaults.
            timeout_s: in seconds, above 0; None: the client's.

        Raises:
            NotEnabledError: epistemic risk is off on this server.

        The other errors are those of `extract_claims`.
        """
        return self._run(analyses.analyze_text(text, corpus, extract, options), timeout_s)

    def search_corpus(
        self,
        query: str,
        corpus: str = "",
        *,
        max_passages: int | None = None,
        timeout_s: float | None = None,
    ) -> CorpusSearch:
        """Finds the passages of a corpus of the server that are nearest to a text.

        No model reads them, so it works while the server loads; what a passage is to a claim is
        for `verify_claims` or `analyze_text` to say.

        Args:
            query: what to look for, at most `Limits.max_question_characters` characters.
            corpus: the operator's name of the corpus; empty: the only one.
            max_passages: the most to find, 1 to 100; None: as the server is set.
            timeout_s: in seconds, above 0; None: the client's.

        Raises:
            InvalidRequestError: with UNKNOWN_CORPUS, no corpus of the server has this name.
            UnavailableError: with CORPUS_UNAVAILABLE, it cannot be read now.

        The other errors are those of `extract_claims`.
        """
        return self._run(analyses.search_corpus(query, corpus, max_passages), timeout_s)
