"""Conversations: who said what, and what was only asked.

Of sentences of the contexts and of short templates. What a question holds is said only by one who
answers yes.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from groundwire_training.made.twins import Twins, told_apart
from groundwire_training.made.words import capital

LONGEST = 160
"""Characters of a sentence that somebody says."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A question, what "yes" says to it, and what "no" does."""

    question: str
    yes: str
    no: str


SPEAKERS: Sequence[tuple[str, str]] = (
    ("Customer", "Agent"), ("User", "Assistant"), ("Patient", "Nurse"), ("Guest", "Receptionist"),
    ("Student", "Teacher"), ("Passenger", "Conductor"),
)  # fmt: skip
TOPICS: Sequence[Topic] = tuple(
    Topic(*parts)
    for parts in (
        ("Is the shop open on Sundays?", "the shop is open on Sundays",
         "the shop is not open on Sundays"),
        ("Does the plan include calls abroad?", "the plan includes calls abroad",
         "the plan does not include calls abroad"),
        ("Has my parcel been sent?", "the parcel has been sent", "the parcel has not been sent"),
        ("Can I change the date of the booking?", "the date of the booking can be changed",
         "the date of the booking cannot be changed"),
        ("Is breakfast part of the price?", "breakfast is part of the price",
         "breakfast is not part of the price"),
        ("Did the payment arrive?", "the payment arrived", "the payment did not arrive"),
        ("Is there a lift in the building?", "there is a lift in the building",
         "there is no lift in the building"),
        ("Are dogs allowed on the train?", "dogs are allowed on the train",
         "dogs are not allowed on the train"),
        ("Was the lesson moved to Thursday?", "the lesson was moved to Thursday",
         "the lesson was not moved to Thursday"),
        ("Do I have to come back next week?", "a visit next week is needed",
         "a visit next week is not needed"),
        ("Is the warranty still valid?", "the warranty is still valid",
         "the warranty is no longer valid"),
        ("Does the last bus stop at the station?", "the last bus stops at the station",
         "the last bus does not stop at the station"),
    )
)  # fmt: skip
SAID: Sequence[str] = (
    "The screen of the phone is broken.", "The invoice was paid on Monday.",
    "The room on the second floor is too loud.", "The form needs a signature.",
    "The new password does not work.", "The key is at the front desk.",
    "The train was forty minutes late.", "The test results came in this morning.",
    "The delivery takes three days.", "The two lamps were ordered in May.",
    "The heating has been off since yesterday.", "The discount ends on Friday.",
)  # fmt: skip
_OPENINGS = ("Hello.", "Good morning.", "Hi, I have a question.", "Hello, thank you for waiting.")
_CLOSINGS = ("Thank you, that is all.", "Thanks. Goodbye.", "All right, thank you.")
_YES = ("Yes.", "Yes, it is so.", "Yes, certainly.", "Yes, I have just checked that.")
_NO = ("No.", "No, I am sorry.", "No, unfortunately not.", "No, I have just checked that.")
_OPEN = (
    "I do not know, I will ask a colleague.", "Let me look that up and write to you.",
    "Thank you for asking. One moment, please.", "I cannot tell you that yet.",
)  # fmt: skip
_SAID_BY = (
    "The {speaker} said: {said}", "According to the {speaker}: {said}",
    "It was the {speaker} who said this: {said}",
)  # fmt: skip
_DOUBTS = ('Is it true that "{}"?', 'Somebody wrote: "{}" Is that right?', 'Is this so: "{}"?')
_AROUND_SHARE, _OF_CONTEXTS_SHARE = 0.4, 0.5
_ASKED_BY = ('The {speaker} asked: "{said}"', 'It was the {speaker} who asked: "{said}"')

Turns = Sequence[tuple[str, str]]
"""Speakers, and what each says."""
Talk = tuple[Turns, Sequence[str]]
"""The turns, and the claims that hold in them."""


def chat(sentences: Sequence[str], rng: random.Random) -> Twins:
    """Two conversations, perhaps with some of these sentences in them."""
    return rng.choice((_answered, _said_by, _asked_by, _said_or_asked))(sentences, rng)


def _answered(_: Sequence[str], rng: random.Random) -> Twins:
    """A question is answered with yes or no, and in the twin otherwise or not at all."""
    asks, answers = rng.choice(SPEAKERS)
    topic = rng.choice(TOPICS)
    replies = [(rng.choice(_YES), [topic.yes]), (rng.choice(_NO), [topic.no])]
    if rng.random() < 0.5:
        replies = [rng.choice(replies), (rng.choice(_OPEN), [])]
    (first, said), (second, said_otherwise) = replies
    question = (asks, topic.question)
    return _twins(
        "answer",
        ([question, (answers, first)], [_sentence(text) for text in said]),
        ([question, (answers, second)], [_sentence(text) for text in said_otherwise]),
        rng,
    )


def _said_by(sentences: Sequence[str], rng: random.Random) -> Twins:
    """Two speakers say something, and in the twin each says what the other did."""
    who = rng.sample(rng.choice(SPEAKERS), k=2)
    said = rng.sample(_sayable(sentences, rng), k=2)
    form = rng.choice(_SAID_BY)
    return _exchanged("speaker", form, who, said, rng)


def _asked_by(_: Sequence[str], rng: random.Random) -> Twins:
    """Two speakers ask something, and in the twin each asks what the other did."""
    who = rng.sample(rng.choice(SPEAKERS), k=2)
    questions = [topic.question for topic in rng.sample(TOPICS, k=2)]
    return _exchanged("asker", rng.choice(_ASKED_BY), who, questions, rng)


def _said_or_asked(sentences: Sequence[str], rng: random.Random) -> Twins:
    """What one only asks about in the first, and says in the second, and something beside it."""
    asks, answers = rng.choice(SPEAKERS)
    one, other = rng.sample(_sayable(sentences, rng), k=2)
    doubt = rng.choice(_DOUBTS)
    opened = rng.choice(_OPEN)

    def turns(said: str, asked: str) -> Turns:
        return [(answers, said), (asks, doubt.format(asked)), (answers, opened)]

    return _twins("asked", (turns(one, other), [one]), (turns(other, one), [other]), rng)


def _exchanged(
    kind: str, form: str, who: Sequence[str], said: Sequence[str], rng: random.Random
) -> Twins:
    """Who says the one and who the other: the first speaker begins, in both."""
    one, other = said
    first, second = [
        (turns, [form.format(speaker=speaker.lower(), said=text) for speaker, text in turns])
        for turns in (list(zip(who, texts, strict=True)) for texts in ((one, other), (other, one)))
    ]
    return _twins(kind, first, second, rng)


def _twins(kind: str, one: Talk, other: Talk, rng: random.Random) -> Twins:
    """Both conversations with the same words before and behind."""
    (first, in_first), (second, in_second) = one, other
    speaks, ends = first[-1][0], first[0][0]
    before = [(speaks, rng.choice(_OPENINGS))] if rng.random() < _AROUND_SHARE else []
    behind = [(ends, rng.choice(_CLOSINGS))] if rng.random() < _AROUND_SHARE else []
    contexts = [
        "\n".join(f"{who}: {text}" for who, text in (*before, *turns, *behind))
        for turns in (first, second)
    ]
    return Twins((contexts[0], contexts[1]), tuple(told_apart(kind, in_first, in_second)))


def _sayable(sentences: Sequence[str], rng: random.Random) -> Sequence[str]:
    """Those of the contexts that somebody could say in one breath, or those of the templates."""
    short = [text for text in dict.fromkeys(sentences) if len(text) <= LONGEST]
    return short if len(short) > 1 and rng.random() < _OF_CONTEXTS_SHARE else SAID


def _sentence(text: str) -> str:
    return f"{capital(text)}."
