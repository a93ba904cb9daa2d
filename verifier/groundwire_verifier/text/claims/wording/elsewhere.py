"""Words that show a statement in German, French, Spanish, Italian, Portuguese, Dutch and others."""

import re

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

UNTRUE = word_set(
    "false untrue wrong incorrect refuted disproved disproven debunked rejected unproven alleged "
    "myth myths misconception misconceptions rumour rumours rumor rumors excluded exclude excludes "
    "excluding except banned prohibited forbidden "
    "שגוי שגויה שגויים שגויות הופרך הופרכה הופרכו מופרך מופרכת מופרכות נדחו כוזב כוזבות מיתוס "
    "מיתוסים שמועות אסור אסורה אסורים אסורות למעט מלבד "
    "nicht kein keine falsch unwahr widerlegt mythen irrtümer ausgeschlossen verboten außer "
    "ne pas faux fausse fausses réfutées mythes exclus exclues interdit interdits sauf "
    "falso falsos falsa falsas refutadas mitos excluido excluidos prohibido prohibidos salvo "
    "non falsi false smentite miti esclusi escluse vietato vietati tranne "
    "não refutadas excluídos proibido proibidos exceto niet geen onjuist weerlegd mythes verboden "
    "не неверно ложь ложные опровергнуты мифы запрещено запрещены кроме لا ليس خاطئة ممنوع ممنوعة"
)
"""What makes the items below a line no statements of their own, or no true ones."""

_WHO = (
    r"(?:wer|wie|was|wat|qui|ce qui|chi|che cosa|cosa|quem|o que|qui[eé]n|lo que|кто|что|من|ما|"
    r"co|kto)"
)
_WHEN = (
    r"(?:wann|wanneer|wo|waar|quand|où|quando|dove|onde|cu[aá]ndo|d[oó]nde|combien|quanto|cu[aá]nto|"
    r"когда|где|сколько|متى|أين|كم|kiedy|gdzie)"
)
_IS = (
    r"(?:war|waren|ist|sind|was|is|fu|furono|era|erano|è|foi|eram|é|est|était|fut|fue|es|"
    r"был[аои]?|это|является|هو|هي|كان|كانت|był[ay]?|jest|to)"
)
_DONE = (
    r"\w++(?:(?<=[dst][oaie])|(?<=[dst][oaie]s)|(?<=[éiut])|(?<=[éiut][es])|(?<=[éiut]es)|"
    r"(?<=[нт])|(?<=[нт][аоы]))"
)
"""A participle: `quando il ponte fu chiuso`."""

ANSWERED_ELSEWHERE = re.compile(
    r"(?:(?<!\w)(?:und|en|et|ed?|y|и|i|a) |(?<!\w)و)"
    rf"(?:{_WHO} (?:[^\W\d_]+['’ ]){{1,8}}?{_IS} |"
    rf"{_WHEN} (?:[^\W\d_]+['’ ]){{1,8}}?{_IS} (?!{_DONE}))",
    re.IGNORECASE,
)
"""A question joined to what it asks about, and answered: `... e chi lo chiuse fu il sindaco`.

Where the verb stands last (`wer der Sieger war`), nothing is behind it.
"""
