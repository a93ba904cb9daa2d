"""Hebrew compound sentences: where a second predicate surely starts.

There is one pattern, `A נולד ב-X | ונפטר ב-Y`, and all that makes it unsure. Hebrew negates, asks
and ties clauses with words and letters before the verb, and a verb may stand before its subject;
so whatever stands before the first verb must be a short, plain subject.
"""

from groundwire_verifier.text.claims.wording import hebrew as he
from groundwire_verifier.text.claims.wording.sentence import Sentence

MAX_SUBJECT_WORDS = 4


def cuts(sentence: Sentence) -> tuple[int, list[int]]:
    """The first verb, and the words that start further predicates; none if that is not sure."""
    words = sentence.words
    verb = next((i for i, word in enumerate(words) if word.lower in he.PASTS), 0)
    if not 0 < verb <= MAX_SUBJECT_WORDS or not _is_plain_subject(sentence, verb):
        return verb, []
    if any(w.lower in he.TIES or _is_tied(w.lower) for w in words[1:]):
        return verb, []
    found = []
    for i in range(verb + 2, len(words)):
        word = words[i].lower
        if word[:1] != "ו" or word[1:] not in he.PASTS or words[i].inside:
            continue
        # Another gender, or a noun behind the verb: a subject of its own.
        if _form(word[1:]) != _form(words[verb].lower) or sentence.lower(i + 1)[:1] == "ה":
            return verb, []
        found.append(i)
    return verb, found


def _is_plain_subject(sentence: Sentence, verb: int) -> bool:
    words = sentence.words[: verb + 1]
    if any(c.isdigit() or c in ",;:" for w in words for c in w.gap + w.text):
        return False
    if any(w.lower in he.SCOPES or w.lower in he.TIES or _is_tied(w.lower) for w in words[:verb]):
        return False
    # `בילדותו דוד ...`: an adverbial, as far as can be seen.
    return verb == 1 or words[0].lower[0] not in "בלמכ"


def _is_tied(word: str) -> bool:
    bare = word.lstrip("וכלמ")
    return len(bare) > 1 and bare[0] == "ש" and bare not in he.RELATIVE_EXCEPTIONS


def _form(past: str) -> str:
    if past.endswith("ו"):
        return "plural"
    return "feminine" if past.endswith("ה") and past not in ("עלה", "זכה") else "masculine"
