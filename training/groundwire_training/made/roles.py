"""Who did it to whom: the same relation said from either side, in the active and in the passive.

In the twin the two have changed places. A claim names both in either order and in either voice, so
neither the order of the names nor the form of the verb tells whether it holds. Other sentences
name them, too, and say nothing of it: where a name stands first is not where the answer stands.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from groundwire_training.made.twins import Twins, between, part_of, told_apart
from groundwire_training.made.words import HEBREW_NAMES, NAMES, capital, sentence

AROUND = 3
"""Sentences of a context beside those that are made, at most."""
RELATIONS_TOLD = 2
"""Relations that a context tells, at most."""
CLAIMS = 4
"""Of one relation, for each of both contexts, at most."""
ASIDES = 3
"""Sentences that name what a relation is about and say something else, at most."""


@dataclass(frozen=True, slots=True)
class Relation:
    """Ways to say that `{a}` stands to `{b}` so, by `name`; each of `pool` can take both places."""

    name: str
    sayings: tuple[str, ...]
    pool: Sequence[str]


_COMPANIES = (
    "Norvik", "Telmar", "Aldane", "Brightwater", "Corvex", "Dunmore", "Elbrus", "Fennix",
    "Granholm", "Halden", "Istria Foods", "Jorvik Steel", "Kestrel Air", "Lumora", "Marwick",
)  # fmt: skip
_TEAMS = (
    "the Danes", "the Saxons", "the Red Lions", "the northern league", "the Sharks", "the crew",
    "the rebels", "the guards", "the students", "the villagers", "the older players",
    "the visitors", "the police", "the reporters",
)  # fmt: skip
_EVENTS = (
    "the flood", "the strike", "the election", "the fire", "the merger", "the drought",
    "the reform", "the war", "the expedition", "the trial", "the epidemic", "the harvest",
    "the inquiry", "the power cut", "the market crash", "the eruption",
)  # fmt: skip
_PLACES = (
    "the mill", "the harbour", "the chapel", "the school", "the lighthouse", "the station",
    "the quarry", "the museum", "the old bridge", "the market", "Ostrava", "Marlow", "Tolm",
    "the inn", "the airfield",
)  # fmt: skip
_THINGS = (
    "the red car", "the oak table", "the north tower", "the tunnel", "the new model",
    "the first edition", "the ferry", "the marble statue", "the blue whale", "the river Aln",
    "the cheaper phone", "the second hall", "the brown bear", "the canal",
)  # fmt: skip
_DEEDS = (
    ("followed", "followed"), ("hired", "hired"), ("praised", "praised"), ("helped", "helped"),
    ("invited", "invited"), ("replaced", "replaced"), ("warned", "warned"), ("blamed", "blamed"),
    ("rescued", "rescued"), ("accused", "accused"), ("visited", "visited"), ("saw", "seen"),
    ("paid", "paid"), ("thanked", "thanked"), ("chose", "chosen"), ("overtook", "overtaken"),
    ("trained", "trained"), ("introduced", "introduced"), ("defended", "defended"),
    ("beat", "beaten"), ("interviewed", "interviewed"), ("found", "found"), ("led", "led"),
    ("influenced", "influenced"), ("supported", "supported"), ("called", "called"),
)  # fmt: skip
_COMPANY_DEEDS = (
    ("bought", "bought"), ("sued", "sued"), ("took over", "taken over"), ("founded", "founded"),
    ("financed", "financed"), ("licensed", "licensed"), ("outsold", "outsold"),
    ("supplied", "supplied"), ("controlled", "controlled"), ("criticised", "criticised"),
)  # fmt: skip


def _voices(past: str, participle: str, plural: bool) -> tuple[str, ...]:
    was, who = ("were", "those who") if plural else ("was", "the one who")
    return (
        f"{{a}} {past} {{b}}",
        f"{{b}} {was} {participle} by {{a}}",
        f"it was {{a}} who {past} {{b}}",
        f"it was {{b}} who {was} {participle} by {{a}}",
        f"{who} {past} {{b}} {was} {{a}}",
    )


_BETWEEN: tuple[tuple[str, Sequence[str], tuple[str, ...]], ...] = (
    ("sale", NAMES, (
        "{a} sold the boat to {b}", "{b} bought the boat from {a}",
        "the boat was sold to {b} by {a}",
    )),
    ("gift", NAMES, (
        "{a} gave {b} a watch", "{b} got a watch from {a}", "{b} was given a watch by {a}",
        "the watch that {b} received came from {a}",
    )),
    ("loan", NAMES, (
        "{a} lent {b} some money", "{b} borrowed some money from {a}",
        "it was {b} who borrowed some money from {a}", "some money was lent to {b} by {a}",
    )),
    ("lesson", NAMES, (
        "{a} taught {b} the piano", "{b} learned the piano from {a}",
        "{b} was a pupil of {a}, who taught the piano", "{a} was {b}'s piano teacher",
    )),
    ("letter", NAMES, (
        "{a} wrote a letter to {b}", "{b} received a letter from {a}",
        "the letter to {b} was written by {a}", "{a} sent {b} a letter",
    )),
    ("parent", NAMES, (
        "{a} is a parent of {b}", "{b} is a child of {a}", "{b} is {a}'s child",
        "{a} has a child called {b}",
    )),
    ("employer", NAMES, (
        "{a} employs {b}", "{b} works for {a}", "{b} is employed by {a}", "{a} is {b}'s employer",
    )),
    ("owner", _COMPANIES, (
        "{a} owns {b}", "{b} belongs to {a}", "{b} is owned by {a}", "{b} is a subsidiary of {a}",
        "{a} is the parent company of {b}",
    )),
    ("victory", _TEAMS, (
        "{a} won against {b}", "{b} lost to {a}", "{b} were beaten by {a}", "{a} defeated {b}",
        "the match between them was won by {a}, and {b} lost",
    )),
    ("age", NAMES, (
        "{a} is older than {b}", "{b} is younger than {a}", "{b} is not as old as {a}",
        "of the two, {a} and {b}, {a} is the older one", "{a} was born before {b}",
    )),
    ("height", _THINGS, (
        "{a} is longer than {b}", "{b} is shorter than {a}", "{b} is not as long as {a}",
        "of {a} and {b}, the longer one is {a}",
    )),
    ("weight", _THINGS, (
        "{a} is heavier than {b}", "{b} is lighter than {a}", "{b} weighs less than {a}",
        "{a} weighs more than {b}",
    )),
    ("price", _COMPANIES, (
        "{a} charges more than {b}", "{b} charges less than {a}", "{b} is cheaper than {a}",
        "{a} is more expensive than {b}",
    )),
    ("time", _EVENTS, (
        "{a} came before {b}", "{b} came after {a}",
        "{b} followed {a}", "first came {a}, then {b}", "after {a} came {b}",
    )),
    ("cause", _EVENTS, (
        "{a} led to {b}", "{b} was caused by {a}", "{b} came about because of {a}",
        "{a} was the reason for {b}", "{b} was a result of {a}", "because of {a} there was {b}",
    )),
    ("north", _PLACES, (
        "{a} lies north of {b}", "{b} lies south of {a}", "going north from {b}, one comes to {a}",
        "{b} is to the south of {a}",
    )),
    ("above", _PLACES, (
        "{a} stands above {b}", "{b} stands below {a}", "{b} is lower down than {a}",
        "{a} is higher up than {b}",
    )),
)  # fmt: skip
RELATIONS: Sequence[Relation] = (
    *(Relation("deed", _voices(past, part, False), NAMES) for past, part in _DEEDS),
    *(Relation("deed", _voices(past, part, True), _TEAMS) for past, part in _DEEDS),
    *(Relation("deed", _voices(past, part, False), _COMPANIES) for past, part in _COMPANY_DEEDS),
    *(Relation(name, sayings, pool) for name, pool, sayings in _BETWEEN for _ in range(4)),
)


def _made(thing: str, past: str, participle: str, noun: str) -> tuple[str, ...]:
    return (
        f"{{a}} {past} {thing}",
        f"{thing} was {participle} by {{a}}",
        f"the one who {past} {thing} was {{a}}",
        f"the {noun} of {thing} was {{a}}",
        f"it was {{a}} who {past} {thing}",
    )


WORKS: Sequence[tuple[str, ...]] = (
    _made("the town hall", "built", "built", "builder"),
    _made("the old bridge", "designed", "designed", "designer"),
    _made("the opera", "wrote", "written", "author"),
    _made("the children's book", "wrote", "written", "author"),
    _made("the film", "directed", "directed", "director"),
    _made("the chess club", "founded", "founded", "founder"),
    _made("the cave", "discovered", "discovered", "discoverer"),
    _made("the new engine", "invented", "invented", "inventor"),
    _made("the ceiling", "painted", "painted", "painter"),
    _made("the song", "composed", "composed", "composer"),
    _made("the report", "drew up", "drawn up", "author"),
    _made("the old map", "drew", "drawn", "maker"),
    _made("the contract", "signed", "signed", "signatory"),
    _made("the website", "programmed", "programmed", "programmer"),
    _made("the race", "won", "won", "winner"),
    _made("the farm", "bought", "bought", "buyer"),
    _made("the search party", "led", "led", "leader"),
)
"""Of each work, ways to say that `{a}` made it: in the active, in the passive, and others."""
_ASIDES = (
    "Many people have heard of {x}.", "There is a book about {x}.",
    "A newspaper wrote about {x} last week.", "Few visitors ask about {x}.",
    "{x} drew a lot of attention in those days.", "In the archive there is a picture of {x}.",
    "Nobody spoke of {x} for years.", "More on {x} stands in the second volume.",
    "{x} got a page of the guide.", "An exhibition told the story of {x}.",
    "{x} became the topic of many talks.", "{x} remained well known long afterwards.",
)  # fmt: skip
_HEBREW_ASIDES = (
    "רבים שמעו על {x}.", "יש ספר על {x}.", "העיתון כתב על {x} בשבוע שעבר.",
    "בארכיון יש תמונה של {x}.", "שנים לא דיברו על {x}.", "עוד על {x} אפשר לקרוא בכרך השני.",
    "מעטים שואלים על {x}.",
)  # fmt: skip
HEBREW_RELATIONS: Sequence[Relation] = tuple(
    Relation(name, sayings, HEBREW_NAMES)
    for name, sayings in (
        ("hired", ("{a} העסיק את {b}", "{b} הועסק על ידי {a}", "{a} היה המעסיק של {b}")),
        ("invited", ("{a} הזמין את {b}", "{b} הוזמן על ידי {a}", "מי שהזמין את {b} היה {a}")),
        ("fired", ("{a} פיטר את {b}", "{b} פוטר על ידי {a}", "מי שפיטר את {b} היה {a}")),
        ("chose", ("{a} בחר את {b}", "{b} נבחר על ידי {a}", "זה היה {a} שבחר את {b}")),
        ("rescued", ("{a} הציל את {b}", "{b} ניצל בידי {a}", "מי שהציל את {b} היה {a}")),
        ("beat", ("{a} ניצח את {b}", "{b} הפסיד ל{a}", "{b} הובס על ידי {a}")),
        ("replaced", ("{a} החליף את {b}", "{b} הוחלף על ידי {a}", "{a} בא במקום {b}")),
        ("taught", ("{a} לימד את {b} לנגן", "{b} למד לנגן אצל {a}", "{a} היה המורה של {b} לנגינה")),
        ("sale", ("{a} מכר את הסירה ל{b}", "{b} קנה את הסירה מ{a}", "הסירה נמכרה ל{b} על ידי {a}")),
        ("gift", ("{a} נתן שעון ל{b}", "{b} קיבל שעון מ{a}", "השעון של {b} היה מתנה מ{a}")),
        ("loan", ("{a} הלווה כסף ל{b}", "{b} לווה כסף מ{a}", "{a} הוא שהלווה כסף ל{b}")),
        ("letter", ("{a} כתב מכתב ל{b}", "{b} קיבל מכתב מ{a}", "המכתב אל {b} נכתב על ידי {a}")),
        ("parent", ("{a} הוא אביו של {b}", "{b} הוא בנו של {a}", "ל{a} יש בן ושמו {b}")),
        ("age", ("{a} מבוגר מ{b}", "{b} צעיר מ{a}", "{a} נולד לפני {b}", "{b} נולד אחרי {a}")),
        ("height", ("{a} גבוה מ{b}", "{b} נמוך מ{a}", "מבין השניים, {b} ו{a}, {a} הוא הגבוה")),
        ("order", ("{a} הגיע לפני {b}", "{b} הגיע אחרי {a}", "קודם הגיע {a} ואחר כך {b}")),
    )
)  # fmt: skip


def roles(sentences: Sequence[str], rng: random.Random) -> Twins:
    """Relations between some of these sentences, and in the twin the other way round."""
    told = [
        _exchanged(rng) if rng.random() < 0.4 else _reversed(rng.choice(RELATIONS), rng)
        for _ in range(rng.randint(1, RELATIONS_TOLD))
    ]
    return _twins(told, sentences, _ASIDES, rng)


def hebrew_roles(sentences: Sequence[str], rng: random.Random) -> Twins:
    """The same in Hebrew, with names of men, so that one form of each verb is enough."""
    chosen = rng.sample(HEBREW_RELATIONS, k=rng.randint(1, RELATIONS_TOLD))
    return _twins([_reversed(relation, rng) for relation in chosen], sentences, _HEBREW_ASIDES, rng)


@dataclass(frozen=True, slots=True)
class _Told:
    """Of one relation: what each of two contexts says of these names, and claims that hold."""

    name: str
    names: Sequence[str]
    texts: tuple[str, str]
    claims: tuple[list[str], list[str]]


def _reversed(relation: Relation, rng: random.Random) -> _Told:
    one, other = rng.sample(list(relation.pool), k=2)
    pairs = ((one, other), (other, one))
    said = rng.choices(relation.sayings, k=2)
    texts = [sentence(s, a=a, b=b) for s, (a, b) in zip(said, pairs, strict=True)]
    claims = [[sentence(s, a=a, b=b) for s in _some(relation.sayings, rng)] for a, b in pairs]
    return _Told(relation.name, (one, other), (texts[0], texts[1]), (claims[0], claims[1]))


def _exchanged(rng: random.Random) -> _Told:
    """Two works of two makers; in the twin each made the other one, or in the other's year."""
    works, (one, other) = rng.sample(list(WORKS), k=2), rng.sample([*NAMES, *_COMPANIES], k=2)
    years = rng.sample(range(1890, 2020), k=2)
    by_year = rng.random() < 0.3
    dated = by_year or rng.random() < 0.5
    twin = ((one, other), years[::-1]) if by_year else ((other, one), years)
    texts, claims = [], []
    for makers, dates in (((one, other), years), twin):
        said, held = [], []
        for work, maker, year in zip(works, makers, dates, strict=True):
            # Without its year a claim holds in both where only the years change.
            sayings = list(work[:2]) if by_year else _some(work, rng)
            tail = f" in {year}" if dated else ""
            said.append(sentence(work[rng.randrange(2)] + tail, a=maker))
            for saying in sayings[: CLAIMS // 2]:
                with_year = saying in work[:2] and (by_year or rng.random() < 0.5)
                held.append(sentence(saying + (tail if with_year else ""), a=maker))
            # Where only the makers change it holds in both, and is not asked.
            held += [sentence(work[1].partition(" by ")[0] + tail, a=maker)] if dated else []
        texts.append(" ".join(said))
        claims.append(held)
    names = (*(_thing(work) for work in works), one, other)
    return _Told("work", names, (texts[0], texts[1]), (claims[0], claims[1]))


def _thing(work: Sequence[str]) -> str:
    """What was made: it begins the passive."""
    return work[1].partition(" was ")[0]


def _some(sayings: Sequence[str], rng: random.Random) -> list[str]:
    return rng.sample(list(sayings), k=min(CLAIMS, len(sayings)))


def _twins(
    told: Sequence[_Told], sentences: Sequence[str], asides: Sequence[str], rng: random.Random
) -> Twins:
    around = list(part_of(sentences, AROUND, rng))
    names = [name for each in told for name in each.names]
    for aside in rng.sample(asides, k=rng.randint(0, ASIDES)):
        around.insert(rng.randint(0, len(around)), capital(aside.format(x=rng.choice(names))))
    first, second = ([each.texts[side] for each in told] for side in (0, 1))
    contexts = between(around, first, second, rng)
    claims = [claim for each in told for claim in told_apart(f"roles {each.name}", *each.claims)]
    rng.shuffle(claims)
    return Twins(contexts, tuple(claims))
