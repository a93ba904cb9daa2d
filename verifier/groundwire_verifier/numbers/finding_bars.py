"""From where on a finding against a claim can be believed: bars, chosen on labelled rows.

A finding is UNSUPPORTED, CONTRADICTED or MISCITED. Reads arrays: `scores` (rows,) rise with how
much speaks for the finding, and 0 never makes one. Rows on one context are no independent evidence,
so resamples take whole contexts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from groundwire_verifier.numbers.metrics import Bools, Figure, Floats, cluster_weights, interval
from groundwire_verifier.numbers.operating_point import (
    MIN_ACCEPTED,
    RESAMPLES,
    SEED,
    ContextNumbers,
    part,
)

WRONG_IN_USE = 0.2
"""The share of the claims that are wrong in use: one in five."""

UNSUPPORTED_RIGHT = 0.5
"""Of the findings UNSUPPORTED at least so many are right, where one claim in five is wrong."""

CONTRADICTED_RIGHT = 0.9
"""Of the findings CONTRADICTED at least so many fall on claims that are not supported. MISCITED is
held to the same."""

CONTRADICTED_MEANT = 0.5
"""Of the findings CONTRADICTED more than this share fall on claims that the rows call so."""

NEVER = 1.0
"""The bar of a share, in [0, 1], that no finding reaches in practice."""


@dataclass(frozen=True, slots=True)
class FindingBar:
    """A bar, in [0, 1], and what it does on labelled rows.

    `rows` is the number of findings, `right` the share of them that fall on claims that are not
    supported, and `right_in_use` the same where one claim in five is wrong, with 95 % intervals
    over resampled contexts, the bar held fixed. Without a finding the figures are unknown.
    """

    at: float
    rows: int
    right: Figure
    right_in_use: Figure


def unsupported_bar(
    p1: Floats, labels: Bools, contexts: ContextNumbers, weights: Floats, below: float
) -> FindingBar:
    """The highest p1 up to which at least UNSUPPORTED_RIGHT of the claims are not supported.

    That is where one claim in five is wrong. It is less than `below`, from where on the evidence
    speaks for a claim, and 0 where no p1 is such.
    """
    in_use = at_base_rate(weights, labels)
    scores = np.where(p1 < below, 1.0 - p1, 0.0)
    found = believable(scores, [(~labels, UNSUPPORTED_RIGHT, in_use)])
    return _bar(float(p1[found].max(initial=0.0)), found, labels, contexts, weights)


@dataclass(frozen=True, slots=True)
class Contradictions:
    """What the model and people say of contradiction, as arrays (rows,).

    `says_no` is P(NO) where the model was asked and chose it, else 0; `contradicted` is what people
    say, and `is_told` whether they do.
    """

    says_no: Floats
    contradicted: Bools
    is_told: Bools


def contradiction_bar(
    found_of: Contradictions, labels: Bools, contexts: ContextNumbers, weights: Floats
) -> FindingBar:
    """The lowest P(NO) from which CONTRADICTED can be believed; NEVER where there is none.

    Whether most are contradicted is told of the rows of which people say so.
    """
    says_no = found_of.says_no
    meant = np.nextafter(CONTRADICTED_MEANT, 1.0)
    found = believable(
        says_no,
        [
            (~labels, CONTRADICTED_RIGHT, weights),
            (found_of.contradicted, meant, weights * found_of.is_told),
        ],
    )
    at = float(says_no[found].min()) if found.any() else NEVER
    return _bar(at, found, labels, contexts, weights)


def believable(scores: Floats, wanted: Sequence[tuple[Bools, float, Floats]]) -> Bools:
    """The most rows, by their scores from the top, that keep to every share that is wanted.

    Each of `wanted` are the rows that count as right, the least share of them, in [0, 1], and what
    each row counts for. Nothing is found where fewer than MIN_ACCEPTED rows would be: the share of
    fewer is luck.
    """
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    # Equal scores are found together.
    kept = np.append(ranked[1:] != ranked[:-1], True) & (ranked > 0.0)
    kept[: MIN_ACCEPTED - 1] = False
    for right, least, weights in wanted:
        weight = weights[order]
        kept &= np.cumsum(weight * right[order]) >= least * np.cumsum(weight)
    found = np.zeros(len(scores), dtype=np.bool_)
    if kept.any():
        found[order[: int(np.flatnonzero(kept)[-1]) + 1]] = True
    return found


def at_base_rate(weights: Floats, labels: Bools) -> Floats:
    """The weights (..., rows), scaled so that WRONG_IN_USE of them falls on unsupported rows."""
    shares = np.where(labels, 1.0 - WRONG_IN_USE, WRONG_IN_USE)
    totals = [(weights * of).sum(axis=-1, keepdims=True) for of in (labels, ~labels)]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(weights * shares / np.where(labels, *totals))


def _bar(
    at: float, found: Bools, labels: Bools, contexts: ContextNumbers, weights: Floats
) -> FindingBar:
    resampled = cluster_weights(contexts, RESAMPLES, SEED) * weights
    right, in_use = (
        interval(part(~labels, found, own), part(~labels, found, drawn))
        for own, drawn in (
            (weights, resampled),
            (at_base_rate(weights, labels), at_base_rate(resampled, labels)),
        )
    )
    return FindingBar(at, int(found.sum()), right, in_use)
