"""Answers whose fate by the scripted model of `tests/outside/evaluators/server.py` is known."""

CONTEXTS = ["The Galata Tower has nine floors.", "It was built by the Genoese in 1348."]
GROUNDED = "The Galata Tower has nine floors. It was built by the Genoese."
HALF = "The Galata Tower has nine floors. It was built by the Romans."
MADE_UP = "The Galata Tower was built by the Romans."
UNREADABLE = "The Galata Tower has nine unreadable floors."
ENDLESS = "The Galata Tower has endless floors."
PARTLY_ENDLESS = "It was built by the Genoese. The Galata Tower has endless floors."
DENIED = "It has a denied door. "
HEBREW_CONTEXTS = ["במגדל יש תשע קומות.", "הוא נבנה בשנת 1348."]
HEBREW_HALF = "במגדל יש תשע קומות. הוא נבנה בידי הרומאים."
