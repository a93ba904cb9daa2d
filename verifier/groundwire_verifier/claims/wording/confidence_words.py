"""Wordings of confidence and what they are worth. Data only."""

PLAIN = 0.95
"""What a statement without such words is worth on the scale of these values."""

CERTAIN, ALMOST_CERTAIN, LIKELY, THOUGHT = 0.97, 0.95, 0.75, 0.7
OPINION, SEEMING = 0.65, 0.6
EVEN, POSSIBLE, UNCLEAR, DOUBTED = 0.5, 0.4, 0.3, 0.2

FRAMES = {
    "i think": THOUGHT, "i believe": THOUGHT, "i guess": EVEN, "i suppose": EVEN,
    "i suspect": THOUGHT, "i assume": THOUGHT, "we think": THOUGHT, "we believe": THOUGHT,
    "i am sure": ALMOST_CERTAIN, "i'm sure": ALMOST_CERTAIN, "i am certain": CERTAIN,
    "i'm certain": CERTAIN, "i am confident": ALMOST_CERTAIN, "i'm confident": ALMOST_CERTAIN,
    "it is likely that": LIKELY, "it's likely that": LIKELY, "it is probable that": LIKELY,
    "it is very likely that": 0.85, "it is certain that": CERTAIN,
    "there is no doubt that": CERTAIN, "it is possible that": POSSIBLE,
    "it's possible that": POSSIBLE, "it may be that": POSSIBLE, "it is unlikely that": DOUBTED,
    "it's unlikely that": DOUBTED, "i doubt that": DOUBTED, "perhaps": POSSIBLE,
    "maybe": POSSIBLE, "possibly": POSSIBLE, "probably": LIKELY, "presumably": LIKELY,
    "most likely": LIKELY, "very likely": 0.85, "certainly": CERTAIN, "definitely": CERTAIN,
    "undoubtedly": CERTAIN, "without a doubt": CERTAIN, "without doubt": CERTAIN,
    "without any doubt": CERTAIN, "no doubt": CERTAIN, "almost certainly": 0.9,
    "in my opinion": OPINION, "reportedly": OPINION, "allegedly": OPINION, "arguably": OPINION,
    "i am pretty sure": 0.8, "i'm pretty sure": 0.8, "it is almost certain that": 0.9,
    "it's almost certain that": 0.9, "it is doubtful that": UNCLEAR, "it seems that": SEEMING,
    "it appears that": SEEMING, "נראה": OPINION, "קרוב לוודאי": 0.85, "לכאורה": SEEMING,
    "אני חושב": THOUGHT, "אני חושבת": THOUGHT, "אני מאמין": THOUGHT, "אני מאמינה": THOUGHT,
    "אני סבור": THOUGHT, "אני סבורה": THOUGHT, "לדעתי": THOUGHT, "אני משער": THOUGHT,
    "אני די בטוח": 0.85, "אני די בטוחה": 0.85, "אני בטוח": ALMOST_CERTAIN,
    "אני בטוחה": ALMOST_CERTAIN, "אין ספק": CERTAIN,
    "ללא ספק": CERTAIN, "בלי ספק": CERTAIN, "בהחלט": CERTAIN, "בוודאות": CERTAIN,
    "בוודאי": ALMOST_CERTAIN, "כנראה": LIKELY, "ככל הנראה": LIKELY, "סביר להניח": LIKELY,
    "אולי": POSSIBLE, "ייתכן": POSSIBLE, "יתכן": POSSIBLE, "ייתכן כי": POSSIBLE,
    "יתכן כי": POSSIBLE, "יכול להיות": POSSIBLE, "אפשר": POSSIBLE, "ייתכן מאוד": EVEN,
}  # fmt: skip
"""Phrases that may stand before a statement without being part of it, and what they are worth."""

PHRASES = FRAMES | {
    "unlikely to": 0.25, "seems": SEEMING, "seem": SEEMING, "appears to": SEEMING,
    "appear to": SEEMING, "it is doubtful": UNCLEAR, "it's doubtful": UNCLEAR,
    "almost certain": 0.9, "i don't think": UNCLEAR, "i do not think": UNCLEAR,
    "i don't believe": UNCLEAR, "i do not believe": UNCLEAR, "אני לא חושב": UNCLEAR,
    "אני לא חושבת": UNCLEAR, "might": EVEN, "may": EVEN, "could": EVEN, "likely": LIKELY,
    "surely": 0.9,
    "i am not sure": UNCLEAR, "i'm not sure": UNCLEAR, "i am not certain": UNCLEAR,
    "i'm not certain": UNCLEAR, "i am unsure": UNCLEAR, "i don't know": UNCLEAR,
    "i do not know": UNCLEAR, "it is unclear": UNCLEAR, "it's unclear": UNCLEAR,
    "it remains unclear": UNCLEAR, "it is not clear": UNCLEAR, "it isn't clear": UNCLEAR,
    "it's not clear": UNCLEAR, "it is uncertain": UNCLEAR, "it is not certain": UNCLEAR,
    "it is unknown": UNCLEAR, "it is not known": UNCLEAR, "it is not impossible that": UNCLEAR,
    "לא ברור": UNCLEAR, "לא בטוח": UNCLEAR, "לא בטוחה": UNCLEAR, "לא ידוע": UNCLEAR,
    "אני לא יודע": UNCLEAR, "אני לא בטוח": UNCLEAR, "אני לא בטוחה": UNCLEAR,
    "עשוי": EVEN, "עשויה": EVEN, "עשויים": EVEN, "עשויות": EVEN, "עלול": EVEN, "עלולה": EVEN,
    "עלולים": EVEN, "עלולות": EVEN,
}  # fmt: skip
