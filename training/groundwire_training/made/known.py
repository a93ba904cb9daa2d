"""What everybody knows, where a text says it and where it does not.

A model that has read the world says YES to what is true anywhere. Here a well-known fact is
supported by a text that states it, and not by one that speaks of something else.
"""

import random
from collections.abc import Sequence

from groundwire_training.made.twins import Twins, between, part_of, told_apart

FACTS: Sequence[str] = (
    "Rome is the capital of Italy.", "Madrid is the capital of Spain.",
    "Tokyo is the capital of Japan.", "Berlin is the capital of Germany.",
    "Cairo is the capital of Egypt.", "Ottawa is the capital of Canada.",
    "Vienna is the capital of Austria.", "The Nile flows through Egypt.",
    "The Danube flows through Budapest.", "Mount Everest is the highest mountain in the world.",
    "The Pacific is the largest ocean.", "Africa is a continent.",
    "Australia is surrounded by water.", "The Sahara is a desert.",
    "Venice is known for its canals.", "Iceland is an island.", "The Alps are mountains in Europe.",
    "Ice melts when it gets warm.", "Water freezes at 0 degrees Celsius.",
    "The Moon goes around the Earth.", "Mars is a planet.", "Light travels faster than sound.",
    "Iron rusts in wet air.", "Gold is a metal.", "Diamonds are very hard.", "Oil floats on water.",
    "Salt dissolves in water.", "Helium is a gas.", "Plants need light to grow.",
    "Cats are animals.", "Whales are mammals.", "Sharks are fish.", "Bees make honey.",
    "Cows eat grass.", "Spiders have eight legs.", "Birds have feathers.", "Penguins cannot fly.",
    "Elephants have trunks.", "Frogs can live in water and on land.", "Snakes have no legs.",
    "Hens lay eggs.", "The heart pumps blood.", "Humans breathe with their lungs.",
    "The skin is the largest organ of the body.", "Adults have up to 32 teeth.",
    "Vitamin C is found in oranges.", "A day has 24 hours.", "An hour has sixty minutes.",
    "A minute has sixty seconds.", "A century has a hundred years.",
    "February is the shortest month.", "Summer follows spring.", "The sun rises in the east.",
    "A triangle has three sides.", "A square has four equal sides.", "Ten is an even number.",
    "A kilometre has a thousand metres.", "A dozen is twelve.", "Cheese is made from milk.",
    "Wine is made from grapes.", "Beer is brewed from grain.",
    "Chocolate is made from cocoa beans.", "Paper is made from wood.", "Glass is made from sand.",
    "Butter is made from cream.", "Raisins are dried grapes.", "Rice is eaten in many countries.",
    "Tea is made from leaves.", "Coffee contains caffeine.", "Lemons taste sour.",
    "Sugar tastes sweet.", "Bananas are yellow when they are ripe.", "Carrots grow in the ground.",
    "Apples grow on trees.", "Leonardo da Vinci painted the Mona Lisa.",
    "Jane Austen wrote Pride and Prejudice.", "Beethoven was a composer.",
    "Albert Einstein was a physicist.", "Isaac Newton described gravity.",
    "Columbus sailed to America in 1492.", "The Second World War ended in 1945.",
    "Neil Armstrong walked on the Moon.", "Marie Curie won two Nobel Prizes.",
    "Homer is said to have written the Odyssey.", "A piano has black and white keys.",
    "A violin has four strings.", "A football team has eleven players.",
    "Chess is played on a board with 64 squares.", "The Olympic Games are held every four years.",
    "A bicycle has two wheels.", "Trains run on rails.", "Aeroplanes have wings.",
    "Ships float on water.", "A compass points to the north.",
    "A thermometer measures temperature.", "HTML describes web pages.",
    "Python is a programming language.", "A byte has eight bits.", "Linux is an operating system.",
    "SQL is used to query databases.", "The euro is a currency.", "English is spoken in Ireland.",
    "Portuguese is spoken in Brazil.", "A doctor treats patients.", "Bakers bake bread.",
    "Teachers work in schools.", "Judges work in courts.", "Firefighters put out fires.",
    "Fire needs oxygen.", "Smoke rises from fire.", "Rain falls from clouds.", "Snow is cold.",
    "Deserts are dry.", "Rivers flow downhill.", "The sea is salty.",
)  # fmt: skip
HEBREW_FACTS: Sequence[str] = (
    "רומא היא בירת איטליה.", "מדריד היא בירת ספרד.", "ברלין היא בירת גרמניה.",
    "טוקיו היא בירת יפן.", "קהיר היא בירת מצרים.", "אתונה היא בירת יוון.", "הנילוס הוא נהר.",
    "אפריקה היא יבשת.", "איסלנד היא אי.", "הסהרה היא מדבר.", "האוורסט הוא ההר הגבוה בעולם.",
    "הירח מקיף את כדור הארץ.", "מאדים הוא כוכב לכת.", "ביממה יש 24 שעות.", "בשעה יש שישים דקות.",
    "בדקה יש שישים שניות.", "במאה יש מאה שנים.", "למשולש יש שלוש צלעות.", "בקילומטר יש אלף מטרים.",
    "עשר הוא מספר זוגי.", "חתולים הם בעלי חיים.", "לווייתנים הם יונקים.", "כרישים הם דגים.",
    "דבורים מייצרות דבש.", "פרות אוכלות עשב.", "לעכביש יש שמונה רגליים.", "לציפורים יש נוצות.",
    "תרנגולות מטילות ביצים.", "הלב מזרים דם.", "בני אדם נושמים אוויר.", "גבינה עשויה מחלב.",
    "יין עשוי מענבים.", "לחם נאפה בתנור.", "נייר עשוי מעץ.", "שוקולד עשוי מקקאו.",
    "לימון הוא פרי חמוץ.", "הסוכר מתוק.", "הזהב הוא מתכת.", "השמן צף על המים.", "המלח נמס במים.",
    "המים קופאים באפס מעלות.", "השלג קר.", "הגשם יורד מהעננים.", "מי הים מלוחים.",
    "השמש זורחת במזרח.", "איינשטיין היה פיזיקאי.", "בטהובן היה מלחין.",
    "מלחמת העולם השנייה הסתיימה בשנת 1945.", "לאופניים יש שני גלגלים.", "רכבות נוסעות על מסילה.",
    "מצפן מורה על הצפון.", "תל אביב שוכנת לחוף הים.", "ים המלח מלוח מאוד.", "השקל הוא מטבע.",
    "רופאים מטפלים בחולים.", "מורים עובדים בבתי ספר.",
)  # fmt: skip
AROUND = 4
"""Sentences of a context beside the fact, at most."""
FACTS_APART = 3
"""Facts that each of the twins states, at most."""


def known(sentences: Sequence[str], facts: Sequence[str], rng: random.Random) -> Twins:
    """Some of these sentences with well-known facts between them, and in the twin with others."""
    around = part_of(sentences, AROUND, rng)
    count = rng.randint(1, FACTS_APART)
    drawn = rng.sample([fact for fact in facts if fact not in around], k=2 * count)
    first, second = drawn[:count], drawn[count:]
    contexts = between(around, first, second, rng)
    return Twins(contexts, tuple(told_apart("stated", first, second)))
