"""Layer 1: what can be seen without a model.

Numbers, amounts of money and live data that no tool gave, values that a tool gave otherwise, more
digits than anybody could know, and words of doubt.
"""

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from groundwire_verifier.checks.assessment.assessment import Finding, ReasonKind
from groundwire_verifier.checks.assessment.exchange import Exchange
from groundwire_verifier.checks.assessment.patterns import (
    GENERAL,
    NOW,
    TOPICS,
    UNCERTAIN,
    WHEN,
    Patterns,
)
from groundwire_verifier.checks.assessment.spoken_of import Beside, GivenFields
from groundwire_verifier.checks.assessment.tool_values import (
    Field,
    asked_figures,
    clause,
    given_fields,
    given_times,
)
from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.titles import stem, stems
from groundwire_verifier.text.quantities.agreement import Agreement, GivenFigures
from groundwire_verifier.text.quantities.figures import Figure, find_figures, folded
from groundwire_verifier.text.quantities.times import find_times

MAX_FINDINGS = 20
"""Most findings that are listed; all of them count."""

MAX_FIGURES = 200
"""Most figures of a response that are looked at. A response of more is a table, which no list of
reasons could hold; the others count as numbers that no tool gave."""

MAX_WORDS_CHARACTERS = 120
MAX_SENTENCE_CHARACTERS = 1000
"""Of a longer sentence no other words tell which field of a result it speaks of."""
_MOST_AMOUNTS = 8
"""Figures that were asked about and that a rate may have turned into those of the response."""

_END = re.compile(r"[.!?](?=\s)|\n+")
_LIST_MARK = re.compile(r"\s*\d{1,3}[.)]\s")
_WORD_BEHIND = re.compile(r"\s[^\W\d_]{1,30}")
_SMALL = 12
"""Whole numbers up to here, without a unit or of time, say nothing about the world."""

_YEARS = range(1900, 2101)
_TEMPERATURE_DIMENSIONS = frozenset({"celsius", "fahrenheit"})
_MONEY_DECIMALS = 2
_PLAUSIBLE_DECIMALS = 2

_NAMES = {
    "temperature temp": "טמפרטורה temperatur température temperatura temperatuur температура",
    "humidity": "לחות luftfeuchtigkeit humidité humedad umidità umidade vochtigheid влажность",
    "wind": "רוח wind vent viento vento wind ветер",
    "speed": "מהירות geschwindigkeit vitesse velocidad velocità velocidade snelheid скорость",
    "pressure": "לחץ luftdruck druck pression presión pressione pressão druk давление",
    "rain precipitation": "גשם משקעים regen niederschlag pluie lluvia pioggia chuva осадки",
    "price cost": "מחיר עלות preis kosten prix coût precio coste prezzo costo preço prijs цена",
    "total amount sum": "סכום סך gesamt summe betrag montant importe importo bedrag сумма",
    "discount": "הנחה rabatt remise descuento sconto desconto korting скидка",
    "fee": "עמלה gebühr frais tarifa commissione taxa kosten сбор",
    "balance": "יתרה kontostand guthaben saldo solde saldo баланс остаток",
    "items item": "פריטים פריט artikel articles artículos articoli artigos artikelen товаров",
    "order": "הזמנה bestellung commande pedido ordine encomenda bestelling заказ",
    "stock": "מלאי lager bestand stock existencias scorte estoque voorraad",
    "weight": "weighs שוקל שוקלת wiegt pèse pesa weegt весит משקל "
    "gewicht poids peso peso gewicht вес",
    "height": "גובה höhe hauteur altura altezza hoogte высота",
    "length": "אורך länge longueur longitud lunghezza comprimento lengte длина",
    "distance": "מרחק entfernung distance distancia distanza distância afstand расстояние",
    "duration": "lasts takes נמשך נמשכת dauert dure dura duurt длится "
    "משך dauer durée duración durata duração duur длительность",
    "age": "גיל alter âge edad età idade leeftijd возраст",
    "population": "אוכלוסייה תושבים einwohner population población popolazione população население",
    "score": "ציון punktzahl note puntuación punteggio pontuação score оценка",
    "users user": "משתמשים benutzer nutzer utilisateurs usuarios utenti usuários gebruikers",
    "seats seat": "מושבים מקומות plätze sitze places plazas posti lugares plaatsen места",
    "left remaining available": "נשאר נשארו נותר נותרו פנוי פנויים übrig frei restent quedan "
    "restano rimangono restam beschikbaar осталось",
    "tickets ticket": "כרטיסים כרטיס karten tickets billets entradas boletos biglietti bilhetes "
    "kaartjes билетов",
    "nights night": "לילות nächte nuits noches notti noites nachten ночей",
    "rooms room": "חדרים zimmer chambres habitaciones camere quartos kamers комнат",
    "floor": "קומה stockwerk étage planta piso andar verdieping этаж",
    "ttl expiry": "expires פג expire caduca scade expira vervalt истекает",
    "delay": "עיכוב איחור verspätung retard retraso ritardo atraso vertraging задержка",
    "eta": "תגיע יגיע ankunft arrivée llegada arrivo chegada aankomst прибытие",
    "attendees guests": "משתתפים אורחים teilnehmer gäste participants asistentes ospiti deelnemers",
    "reviews": "ביקורות bewertungen rezensionen avis reseñas recensioni avaliações beoordelingen",
    "departs departure": "leaves leave leaving יוצא יוצאת abfahrt fährt part départ salida sale "
    "partenza parte partida vertrek vertrekt отправление",
    "arrives arrival": "reaches מגיע מגיעה arrive llega arriva chega aankomst прибывает",
    "opens opening": "פתיחה נפתח נפתחת öffnet öffnung ouvre ouverture abre apertura apre opent",
    "closes closing": "סגירה נסגר נסגרת schließt ferme fermeture cierra cierre chiude fecha sluit",
    "views": "צפיות aufrufe vues visitas visualizzazioni visualizações weergaven",
    "errors error": "שגיאות fehler erreurs errores errori erros fouten ошибок",
}


def _by_other() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for english, others in _NAMES.items():
        for word in others.split():
            found.setdefault(stem(word), set()).update(map(stem, english.split()))
    return found


_ENGLISH = _by_other()


def in_english(words: Iterable[str]) -> frozenset[str]:
    """Stems of words, and those of what the fields of tools are called for them."""
    known = frozenset(words)
    return known.union(*(_ENGLISH[word] for word in known if word in _ENGLISH))


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A part of the response, its words of the tables, its figures, and their currencies."""

    span: Span
    categories: frozenset[str]
    figures: tuple[Figure, ...]
    currencies: frozenset[str]

    @property
    def topics(self) -> frozenset[str]:
        return self.categories & frozenset(TOPICS)

    def stems(self, response: str) -> frozenset[str]:
        """The stems of its words, of its first MAX_SENTENCE_CHARACTERS."""
        end = min(self.span.end, self.span.start + MAX_SENTENCE_CHARACTERS)
        return frozenset(stems(response[self.span.start : end]))


def heuristic_findings(
    exchange: Exchange, patterns: Patterns, *, is_suspected: bool = False
) -> tuple[Finding, ...]:
    """What layer 1 finds in a response, in its order. Takes time by the length of the exchange.

    Advice on a good time, which the user asked for, says what holds in general, unless the response
    `is_suspected`.
    """
    sentences = list(_sentences(exchange.response, patterns))
    asks = {word.category for word in patterns.find(exchange.question)}
    gives_advice = WHEN in asks and NOW not in asks and not is_suspected
    checked = _Checked(exchange, patterns, sentences, gives_advice=gives_advice)
    found = [finding for sentence in sentences for finding in checked.findings(sentence)]
    if sum(len(sentence.figures) for sentence in sentences) >= MAX_FIGURES:
        found.append(Finding(ReasonKind.NUMBER))
    return tuple(found)


class _Checked:
    """One exchange with all that tools and user gave."""

    def __init__(
        self,
        exchange: Exchange,
        patterns: Patterns,
        sentences: Sequence[_Sentence],
        *,
        gives_advice: bool,
    ) -> None:
        self._exchange = exchange
        self._patterns = patterns
        self._gives_advice = gives_advice
        asked: tuple[Figure, ...] = ()
        given: tuple[Field, ...] = ()
        if any(sentence.figures for sentence in sentences):
            asked = asked_figures(exchange.question, exchange.tool_calls)
            given = given_fields(exchange.tool_calls)
        self._amounts = [figure.magnitude for figure in asked[:_MOST_AMOUNTS]]
        self._asked = GivenFigures(asked)
        self._given = GivenFields(given)
        self._rates = GivenFigures(field.figure for field in given)
        self._question_words = in_english(stems(exchange.question)) if given else frozenset()
        self._question_money = _currencies(find_figures(exchange.question))
        self._times = given_times(exchange.tool_calls)
        self._known_topics: frozenset[str] | None = None

    def findings(self, sentence: _Sentence) -> Iterator[Finding]:
        for figure in sentence.figures:
            yield from (
                Finding(kind, _clipped(figure.span.of(self._exchange.response)))
                for kind in self._kinds(figure, sentence)
            )
        for time in self._other_times(sentence):
            yield Finding(ReasonKind.VALUE_DIFFERS, _clipped(time))
        is_now = NOW in sentence.categories and not self._is_general(sentence)
        if is_now and not sentence.figures and sentence.topics - self._topics_of_tools():
            yield Finding(ReasonKind.LIVE_DATA, self._words(sentence))
        if UNCERTAIN in sentence.categories:
            yield Finding(ReasonKind.UNCERTAIN, self._words(sentence))

    def _other_times(self, sentence: _Sentence) -> Iterator[str]:
        """The times of a sentence that the fields of the name in their clause give otherwise."""
        text = sentence.span.of(self._exchange.response)[:MAX_SENTENCE_CHARACTERS]
        for time in find_times(folded(text)) if self._times else ():
            words = in_english(stems(clause(text, time.span, Span(0, len(text)))))
            named = [each for each in self._times if each.name and each.name <= words]
            is_other = all(each.minutes.isdisjoint(time.minutes) for each in named)
            if is_other and len({each.name for each in named}) == 1:
                yield time.span.of(text).strip()

    def _kinds(self, figure: Figure, sentence: _Sentence) -> list[ReasonKind]:
        """What is wrong with a figure; nothing if somebody gave it, or it says nothing."""
        if self._asked.agreement(figure) is Agreement.EQUAL:
            return []
        is_money = figure.unit is not None and figure.unit.is_currency
        is_live = self._is_live(figure, sentence)
        is_named = self._given.is_named(figure, self._beside(figure, sentence))
        says_nothing = not (is_live or is_money) and _says_nothing(figure)
        if says_nothing and not is_named:
            return []
        agreement = self._agreement(figure, sentence)
        if agreement is Agreement.EQUAL or (says_nothing and agreement is not Agreement.DIFFERS):
            return []
        if agreement is Agreement.TOO_PRECISE:
            return [ReasonKind.OVER_PRECISE]
        if agreement is Agreement.DIFFERS and (is_live or is_money or is_named):
            return [ReasonKind.VALUE_DIFFERS]
        kind = ReasonKind.NUMBER
        if is_live or is_money:
            kind = ReasonKind.LIVE_DATA if is_live else ReasonKind.CURRENCY
        return [kind, *([ReasonKind.OVER_PRECISE] if _is_over_precise(figure) else [])]

    def _is_live(self, figure: Figure, sentence: _Sentence) -> bool:
        """Whether a figure is of weather, of a rate, or of what else holds only now."""
        if self._is_general(sentence):
            return False
        unit = figure.unit
        if unit is not None and unit.dimension in _TEMPERATURE_DIMENSIONS:
            return True
        if unit is not None and unit.is_currency:
            # Two currencies: one was turned into the other by a rate.
            money = sentence.currencies | self._question_money
            return len(money) > 1 or "rates" in sentence.topics or NOW in sentence.categories
        return bool(sentence.topics) or NOW in sentence.categories

    def _is_general(self, sentence: _Sentence) -> bool:
        """Whether a sentence says what holds in general, as advice does: `In May, at 21 °C`."""
        is_advice = self._gives_advice and NOW not in sentence.categories
        return is_advice or GENERAL in sentence.categories

    def _agreement(self, figure: Figure, sentence: _Sentence) -> Agreement | None:
        """What the tools say of a figure, or of a rate that turns what was asked into it."""
        found = self._given.agreement(figure, self._beside(figure, sentence))
        is_money = figure.unit is not None and figure.unit.is_currency
        if is_money and any(self._rates.has_rate(figure, amount) for amount in self._amounts):
            return Agreement.EQUAL
        return found

    def _beside(self, figure: Figure, sentence: _Sentence) -> Beside:
        response = self._exchange.response
        behind = _WORD_BEHIND.match(response, figure.span.end)
        return Beside(
            behind=in_english(stems(behind.group())) if behind else frozenset(),
            clause=in_english(
                stems(clause(response, figure.span, self._between(figure, sentence)))
            ),
            sentence=in_english(sentence.stems(response)),
            question=self._question_words,
        )

    @staticmethod
    def _between(figure: Figure, sentence: _Sentence) -> Span:
        """What stands in a sentence between the figures beside one."""
        start, end = figure.span.start, figure.span.end
        spans = [each.span for each in sentence.figures]
        return Span(
            max([sentence.span.start, *(span.end for span in spans if span.end <= start)]),
            min([sentence.span.end, *(span.start for span in spans if span.start >= end)]),
        )

    def _topics_of_tools(self) -> frozenset[str]:
        """The kinds of live data that a call which did not fail is about."""
        if self._known_topics is None:
            texts = (
                f"{call.name.replace('_', ' ')} {call.arguments} {call.result}"
                for call in self._exchange.tool_calls
                if not call.error
            )
            found = {word.category for text in texts for word in self._patterns.find(text)}
            self._known_topics = frozenset(found & set(TOPICS))
        return self._known_topics

    def _words(self, sentence: _Sentence) -> str:
        return _clipped(sentence.span.of(self._exchange.response))


def _sentences(response: str, patterns: Patterns) -> Iterator[_Sentence]:
    """The response in parts that end with a full stop or a line. A number in a list is left out."""
    ends = [match.end() for match in _END.finditer(response)]
    starts = [0, *ends]
    parts: list[tuple[set[str], list[Figure]]] = [(set(), []) for _ in starts]
    for word in patterns.find(response):
        parts[bisect_right(starts, word.start) - 1][0].add(word.category)
    for figure in itertools.islice(find_figures(response), MAX_FIGURES):
        at = bisect_right(starts, figure.span.start) - 1
        mark = _LIST_MARK.match(response, starts[at])
        if mark is None or figure.span.start >= mark.end():
            parts[at][1].append(figure)
    for start, end, (categories, figures) in zip(
        starts, [*ends, len(response)], parts, strict=True
    ):
        yield _Sentence(
            Span(start, end), frozenset(categories), tuple(figures), _currencies(figures)
        )


def _says_nothing(figure: Figure) -> bool:
    """Whether a figure is a count, a short time or a year, which any text has."""
    if figure.decimals or (figure.unit is not None and figure.unit.dimension != "time"):
        return False
    is_year = figure.unit is None and figure.magnitude in _YEARS
    return figure.magnitude <= _SMALL or is_year


def _is_over_precise(figure: Figure) -> bool:
    """Whether a figure has more digits than anybody could know of it."""
    unit = figure.unit
    if unit is not None and unit.is_currency:
        return figure.decimals > _MONEY_DECIMALS
    is_temperature = unit is not None and unit.dimension in _TEMPERATURE_DIMENSIONS
    return figure.decimals > (1 if is_temperature else _PLAUSIBLE_DECIMALS)


def _currencies(figures: Iterable[Figure]) -> frozenset[str]:
    return frozenset(f.unit.dimension for f in figures if f.unit is not None and f.unit.is_currency)


def _clipped(words: str) -> str:
    plain = " ".join(words.split())
    return plain if len(plain) <= MAX_WORDS_CHARACTERS else f"{plain[: MAX_WORDS_CHARACTERS - 1]}…"
