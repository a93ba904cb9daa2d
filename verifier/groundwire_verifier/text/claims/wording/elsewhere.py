"""Words that show a statement in German, French, Spanish, Italian, Portuguese and Dutch."""

from groundwire_verifier.text.claims.wording.sentence import word_set

NUMBERS_ELSEWHERE = word_set(
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf "
    "deux trois quatre cinq sept huit neuf dix onze douze "
    "dos tres cuatro cinco seis siete ocho nueve diez "
    "due tre quattro cinque sei sette otto nove dieci "
    "dois duas três quatro sete oito dez "
    "twee drie vijf zes zeven negen tien"
)
VERBS_ELSEWHERE = word_set(
    "ist sind war waren hat haben wird werden gilt gelten kostet kosten dauert öffnet schließt "
    "beträgt enthält umfasst liegt "
    "est sont était a ont coûte coûtent dure ouvre ferme comprend "
    "es son era tiene tienen cuesta cuestan dura abre cierra incluye "
    "è sono ha hanno costa costano apre chiude include "
    "é são tem têm custa custam fecha inclui "
    "is zijn heeft hebben kost duurt opent sluit bevat"
)
"""Common verbs, which no title holds within."""
