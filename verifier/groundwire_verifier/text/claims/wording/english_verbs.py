"""Which English words can be the finite verb of a clause."""

from groundwire_verifier.text.claims.wording import english as en
from groundwire_verifier.text.claims.wording.sentence import Sentence, word_set

_ADVERBS = word_set(
    "later then also subsequently eventually never often still now soon finally first always "
    "usually sometimes again instead therefore thus already once not ultimately"
)


_SUBJECT_STARTS = en.DETERMINERS | en.PRONOUNS
_VERB_LIKE = en.THIRD | en.PLURAL_VERBS | en.CLAUSE_VERBS


def is_past(lower: str) -> bool:
    """Whether an English word looks like a past form."""
    if lower in en.PASTS:
        return True
    return len(lower) > 3 and lower.endswith("ed") and lower not in en.NOT_PASTS


def is_finite(sentence: Sentence, at: int) -> bool:
    """Whether a word is surely a finite verb, or a participle that looks like one."""
    word = sentence.words[at]
    if word.inside:
        return False
    if word.lower in en.AUXILIARIES:
        return word.lower not in ("may", "will") or word.text.islower()
    if word.text[:1].isupper():
        return False
    before = sentence.lower(at - 1)
    is_letter = at > 1 and sentence.words[at - 1].text == "A"
    if before in en.DETERMINERS and not is_letter:
        return False
    return is_past(word.lower) or (word.lower in en.SURE_THIRD and before not in en.PREPOSITIONS)


def may_be_third(sentence: Sentence, at: int) -> bool:
    """Whether a word is a third-person form, or a plural noun that looks like one."""
    before = sentence.lower(at - 1)
    word = sentence.words[at]
    tied = before in en.DETERMINERS or before in en.PREPOSITIONS or before.endswith("s")
    return word.lower in en.THIRD and not word.inside and not tied


def is_adverb(lower: str) -> bool:
    """Whether a word may stand between a subject and its verb."""
    return lower in _ADVERBS or (lower.endswith("ly") and len(lower) > 4)


def holds_a_clause(sentence: Sentence, start: int, verb: int) -> bool:
    """Whether a verb hides in the words before the first sure one: `Legend holds the city was`."""
    for i in range(start + 1, verb):
        before, word = sentence.lower(i - 1), sentence.words[i]
        free = not ("," in word.gap or before in en.PREPOSITIONS or before in ("and", "or", "all"))
        if word.lower in _SUBJECT_STARTS and free:
            return True
        if i < verb - 1 and word.lower in _VERB_LIKE:
            return True
        if not (word.inside or "," in word.gap) and word.lower in en.CLAUSE_VERBS:
            return True
    return False


def second_verb(sentence: Sentence, verb: int) -> int:
    """Where a clause of its own shows: the next finite verb that is no participle of the first.

    The number of words if there is none.
    """
    auxiliary = sentence.lower(verb) in en.AUXILIARIES
    for i in range(verb + 1, len(sentence.words)):
        lower = sentence.lower(i)
        if auxiliary and (lower in ("be", "been", "being", "not", "born") or is_adverb(lower)):
            continue
        if is_finite(sentence, i):
            if not auxiliary or lower in en.AUXILIARIES:
                return i
        elif lower in en.PRONOUNS and i > verb + 1 and not sentence.words[i].inside:
            return i
        auxiliary = False
    return len(sentence.words)
