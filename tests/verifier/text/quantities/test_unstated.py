"""The values of a claim that its evidence does not state."""

import pytest

from groundwire_verifier.text.quantities.unstated import StatedValues


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("It cost 50,000 dollars.", "The price was $50k."),
        ("It cost $50,000.", "The price was fifty thousand dollars."),
        ("Some 50,000 people came.", "There were 49,812 visitors."),
        ("Some fifty thousand people came.", "There were 50,000 visitors."),
        ("The road is 5 km long.", "The road has 5,000 metres."),
        ("It grew by 12%.", "Growth: 12 percent."),
        ("Two of the 3 towers stand.", "Three towers were built."),
        ("המחיר הוא כחמישים אלף שקלים.", "המחיר: 50,000 שקלים."),
        ("It holds 205 people.", "It holds two hundred and five people."),
        ("The road is 12.3 km long.", "| length (km) | 12.3 | width (m) | 8 |"),
        ("It opened on 3 May 2019.", "It opened in 2019, on May 3rd."),
        ("It opened on 2019-05-03.", "The opening was on 3.5.2019."),
        ("It opened in May 2019.", "In May of that year, 2019, it opened."),
        ("The talks began in 1998.", "The talks (1998-2001) failed."),
        ("The train leaves at 15:30.", "Departure is at 3:30 pm."),
        ("המחיר הוא 50,000 שקלים.", "המחיר: חמישים אלף שקלים."),
        ("המחיר הוא 50 אלף ש\"ח.", "הם שילמו ₪50,000 על הדירה."),
        ("הוא נולד ב-3 במאי 1948.", "תאריך לידה: 3.5.1948"),
        ("The council met once and agreed.", "Nothing."),
        ("It cost $5m.", "The price was 5 million dollars."),
        ("It cost $5m.", "The price was five million dollars."),
        ("It cost 3M dollars.", "The price was $3,000,000."),
        ("It cost €1.2bn.", "The price was 1,200,000,000 euros."),
        ("Some 5m people came.", "There were 5 million visitors."),
        ("It grew by 5 per cent.", "Growth: 5%."),
        ("It grew by 5%.", "Growth was five per cent."),
        ("It cost half a million dollars.", "The price was $500,000."),
        ("It cost $500,000.", "The price was half a million dollars."),
        ("It cost 50\u202f000 dollars.", "The price was $50,000."),
        ("It cost $50,000.", "The price was 50 000 dollars."),
        ("Some 12 345 people came.", "There were 12,345 visitors."),
        ("It began in the 1990s.", "In the 1990s it began."),
        ("It began in the 1990s.", "It began in 1994."),
        ("It began in the 1990s.", "It began on 3 May 1994."),
        ("It began in the 1990s.", "It began in the '90s."),
        ("It began in the 1990s.", "It began in the nineties."),
        ("It began in the late 90s.", "It began long ago."),
        ("It was the 1990's best film.", "It was the best film of 1990."),
        ("It was the best film of 1990.", "It was the 1990's best film."),
        ("Das kostet 1.250,50 €.", "It costs 1,250.50 EUR."),
        ("It costs EUR 1,250.50.", "Preis: 1.250,50 EUR"),
        ("It costs 1.250 €.", "The fee is €1,250."),
        ("It costs 1 250,50 €.", "The fee is €1,250.50."),
        ("It costs 12,50,000 rupees.", "The fee is 12.5 lakh rupees."),
        ("It made 1,25 Mio. € a year.", "It made 1.25 million euros a year."),
        ("Growth was 3,5 %.", "Growth: 3.5 percent."),
        ("It is 0,125 m thick.", "It is 0.125 m thick."),
        ("It weighs 3.125 kg.", "Gewicht: 3,125 kg"),
        ("It has 1'250 seats.", "It has 1 250 seats."),
        ("It has 1\u2019250 seats.", "It has 1250 seats."),
        ("Take 1 and 2,3 of them.", "Take 1, 2 and 3 of them."),
        ("It closes at 5 pm.", "Open until 17:00."),
        ("It closes at 5 p.m.", "Open 9:00-17:00."),
        ("It closes at 5.30pm.", "Open until 17:30."),
        ("It opens at 9:30 am.", "Open 9:30 to 18:00."),
        ("It opens at nine o'clock.", "Open from 9:00."),
        ("It opens at half past nine.", "Open from 9:30."),
        ("It opens at 9:30.", "Open from 9.30."),
        ("It closes at noon.", "Open until 12:00."),
        ("It closes at 12 noon.", "Open until 12:00."),
        ("The B-52 and MI-6 are in it.", "Nothing."),
        ("It is open from 9 to 5 pm.", "Open 9:00-17:00."),
        ("זה נסגר ב-5 אחר הצהריים.", "פתוח עד 17:00."),
        ("זה נפתח בשעה תשע וחצי בבוקר.", "פתוח מ-9:30."),
        ("It opened on 25.03.2026.", "It opened on March 25, 2026."),
        ("It opened on 12.03.2026.", "It opened on 12 March 2026."),
        ("It opened on 2026-03-12.", "Opened: 2026-03-12T17:00"),
        ("Add ½ litre.", "Add half a litre."),
        ("Add half a litre.", "Add 0.5 l."),
        ("It takes 1 ½ hours.", "It takes 90 minutes."),
        ("It takes 2 1/2 hours.", "It takes 150 minutes."),
        ("It fills ¾ of it.", "It fills 3/4 of it."),
        ("מוסיפים חצי ליטר.", "מוסיפים 500 מ\"ל."),
        ("המחיר הוא 1.250,50 ש\"ח.", "המחיר: 1,250.50 ₪"),
        ("Louis XIV and Henry VIII ruled, says chapter IV.", "Nothing."),
        ("The 10-K says that COVID-19 hit the QX-7B and 5G sales.", "Nothing."),
        ("Her 401(k) and the 3D film are open 24/7.", "Nothing."),
        ("מחלת COVID-19 התפשטה.", "כלום."),
        ("It needs version 3.11.2.", "Version v3.11.2 is needed."),
        ("זה קרה בשנות ה-1990.", "זה קרה בשנות התשעים."),
        ("המחיר הוא 250 ₪.", "המחיר: מאתיים וחמישים שקל."),
        ("המחיר הוא מאתיים וחמישים שקל.", "המחיר: 250 ₪."),
        ("המחיר הוא 52,000 שקלים.", "המחיר: חמישים ושניים אלף שקלים."),
        ("באו 1,200 איש.", "באו אלף ומאתיים איש."),
        ("באו שלושה עשר איש.", "באו 13 איש."),
        ("המחיר הוא 20 אלפים.", "המחיר: 20,000"),
        ("המחיר הוא חצי מיליון שקל.", "המחיר: 500,000 ₪."),
        ("It opened on 2026-03-12.", "Eröffnung: 12. März 2026."),
        ("Abrió el 12 de marzo de 2026.", "It opened on March 12th, 2026."),
        ("Le 3 août 2019.", "3 August 2019"),
        ("It opens at 17h30.", "It opens at 5:30 pm."),
        ("They sold 3 dozen eggs.", "They sold 36 eggs."),
        ("It has 16 GB of memory.", "It has 16,000 MB of memory."),
        ("זה קרה במאה העשרים.", "זה קרה במאה ה-20."),
        ("50 percent of them left.", "Half of them left."),
        ("Some 33% of them left.", "A third of them left."),
        ("Some 67 percent voted.", "Two-thirds voted."),
        ("Some 66.7% voted.", "Two thirds voted."),
        ("75% of the homes burnt.", "Three quarters of the homes burnt."),
        ("20% of the homes burnt.", "One in five homes burnt."),
        ("33% of it is paid.", "1/3 of it is paid."),
        ("50% of it is paid.", "½ of it is paid."),
        ("50% מהתושבים עזבו.", "מחצית מהתושבים עזבו."),
        ("67% מהתושבים עזבו.", "שני שלישים מהתושבים עזבו."),
        ("25 אחוז מהתושבים עזבו.", "רבע מהתושבים עזבו."),
        ("It starts at 0900 hours.", "It starts at 9 am."),
        ("It starts at 9 am.", "It starts at 0900 hrs."),
        ("It ends at 1730 hours.", "It ends at 5:30 pm."),
        ("זה מתחיל ב-9:00.", "זה מתחיל בשעה 0900."),
        ("They trained for 2000 hours.", "Training: 2,000 hours."),
        ("It was minus 5 degrees.", "It was -5°."),
        ("It was -5 °C.", "It was minus five degrees Celsius."),
        ("It was -5 °C.", "It was 5 degrees below zero."),
        ("היו -5 מעלות.", "היו מינוס 5 מעלות."),
        ("היו -5 מעלות.", "היו חמש מעלות מתחת לאפס."),
        ("It takes 90 minutes.", "It takes 1 hour 30 minutes."),
        ("It takes 1 hour and 30 minutes.", "It takes 90 minutes."),
        ("It takes 90 minutes.", "It takes 1h30."),
        ("It takes 1h 30m.", "It takes 90 minutes."),
        ("It takes 90 minutes.", "It takes an hour and a half."),
        ("It takes 60 minutes.", "It takes an hour."),
        ("It takes 14 days.", "It takes a fortnight."),
        ("It is 71 inches high.", "It is 5 ft 11 inches high."),
        ("זה לוקח 90 דקות.", "זה לוקח שעה וחצי."),
        ("זה לוקח 90 דקות.", "זה לוקח שעה ו-30 דקות."),
        ("זה לוקח שעתיים.", "זה לוקח 120 דקות."),
        ("זה לוקח 14 ימים.", "זה לוקח שבועיים."),
        ("It costs 50p.", "It costs £0.50."),
        ("It costs £0.50.", "It costs 50 pence."),
        ("It costs 99¢.", "It costs $0.99."),
        ("It costs €0.99.", "It costs 99 cents."),
        ("It costs $1.50.", "It costs one dollar and fifty cents."),
        ("זה עולה 3.50 ש\"ח.", "זה עולה 3 שקלים ו-50 אגורות."),
        ("It has 1e6 rows.", "It has 1,000,000 rows."),
        ("It has 1,500 rows.", "It has 1.5e3 rows."),
        ("It has 3,000,000 rows.", "It has 3 × 10⁶ rows."),
        ("It has 10³ rows.", "It has 1,000 rows."),
        ("Es sind 1,5·10³ Zeilen.", "It has 1,500 rows."),
        ("It costs ₹12,34,567.", "It costs 1,234,567 rupees."),
        ("السعر ١٢٬٥٠٠ دولار.", "It costs $12,500."),
        ("الطول ٣٫٥ متر.", "It has 3.5 m."),
        ("It is 25 percent.", "النسبة ٢٥٪."),
        ("कीमत २५० रुपये है।", "It costs 250."),
        ("The wire has 3 mm².", "The wire has 3 mm2."),
        ("The i7-12700K and Llama-3.1-8B run on x86-64.", "They run."),
        ("It has 1,000 rows.", "It has 10³ rows."),
        ("It has 10¹² cells.", "It has a trillion cells."),
        ("It has 10² rows.", "It has 10 rows."),
        ("It covers 12 km2.", "It covers 12 km²."),
        ("It covers 12 km².", "It covers 12 square kilometres."),
        ("It holds 30 m3.", "It holds 30,000 litres."),
        ("The chip has 5 cm2.", "The chip has 5 cm²."),
        ("It waits 250 ms.", "It waits 0.25 seconds."),
        ("Take 0.5 mg.", "Take 500 µg."),
        ("The layer has 0.05 mm.", "The layer has 50 µm."),
        ("It draws 1.5 kW.", "It draws 1500 W."),
        ("It runs on 230 volts.", "It runs on 230 V."),
        ("The RTX-4090 is fast.", "It is fast."),
        ("The RTX 4090 is fast.", "The RTX-4090 is fast."),
        ("The iPhone 15 is light.", "The iPhone15 is light."),
        ("It has 3 x 10^6 rows.", "It has 3 million rows."),
        ("It rose by 0.5%.", "It rose by 50 basis points."),
        ("It sold 24 eggs.", "It sold two dozen eggs."),
        ("It was built in the nineteenth century.", "A 19th-century house."),
        ("It was built in the 18th century.", "It is of the 18th and 19th centuries."),
        ("It was built in the 19th century.", "It was built in 1867."),
        ("נבנה במאה ה-19.", "נבנה במאה התשע-עשרה."),
    ],
)  # fmt: skip
def test_a_value_that_is_stated_in_another_form_is_not_missing(claim: str, evidence: str) -> None:
    assert StatedValues([evidence]).unstated_in(claim).values == ()


@pytest.mark.parametrize(
    ("claim", "evidence", "missing"),
    [
        ("It cost 50,000 dollars.", "The price was $40k.", ("50,000 dollars",)),
        ("It opened on 2026-03-12.", "Eröffnung: 13. März 2026.", ("2026-03-12",)),
        ("It opens at 17h30.", "It opens at 7:30 pm.", ("17h30",)),
        ("They sold 3 dozen eggs.", "They sold 30 eggs.", ("3 dozen",)),
        ("It has 16 GB of memory.", "It has 16 MB of memory.", ("16 GB",)),
        ("It opened in 2020.", "It opened in 2019.", ("2020",)),
        ("It opened on 4 May 2019.", "It opened on 3 May 2019.", ("4 May 2019",)),
        ("It opened on 3 June 2019.", "It opened on 3 May 2019.", ("3 June 2019",)),
        ("It is 15.47 metres high.", "It is 15.5 m high.", ("15.47 metres",)),
        ("Some fifty thousand people came.", "Many came.", ("fifty thousand",)),
        ("The train leaves at 15:45.", "Departure is at 3:30 pm.", ("15:45",)),
        ("המחיר הוא 60,000 שקלים.", "המחיר: חמישים אלף שקלים.", ("60,000 שקלים",)),
        ("הוא נולד ב-4 במאי 1948.", "תאריך לידה: 3.5.1948", ("4 במאי 1948",)),
        ("It cost $5m.", "It is 5 m long.", ("$5m",)),
        ("It cost $5m.", "It is 5m long.", ("$5m",)),
        ("It is 5 m long.", "It cost $5m.", ("5 m",)),
        ("It cost $5m.", "It cost $5.", ("$5m",)),
        ("It grew by 5 per cent.", "It costs 5 cents.", ("5 per cent",)),
        ("It costs 5 cents.", "It grew by 5 per cent.", ("5 cents",)),
        ("It began in the 1990s.", "It took 1,990 seconds.", ("1990s",)),
        ("It began in the 1990s.", "It began in the 1980s.", ("1990s",)),
        ("It began in the 1990s.", "It began in 1989.", ("1990s",)),
        ("It began in 1990.", "It began in the 1990s.", ("1990",)),
        ("It began in the 1990s.", "It began in the 1900s.", ("1990s",)),
        ("It cost half a million dollars.", "It cost $1 million.", ("half a million dollars",)),
        ("It cost 50 000 dollars.", "It cost 50 dollars.", ("50 000 dollars",)),
        ("המחיר הוא מאתיים וחמישים שקל.", "המחיר: 200 ₪.", ("מאתיים וחמישים שקל",)),
        ("באו אלף ומאתיים איש.", "באו אלף איש.", ("אלף ומאתיים",)),
        ("Das kostet 1.250,50 €.", "It costs 1,250.05 EUR.", ("1.250,50 €",)),
        ("Growth was 3,5 %.", "Growth: 35 percent.", ("3,5 %",)),
        ("Growth was 3,5 %.", "Growth: 3 to 5 percent.", ("3,5 %",)),
        ("It has 1'250 seats.", "It has 1 520 seats.", ("1'250",)),
        ("It closes at 5 pm.", "Open until 5:00 am.", ("5 pm",)),
        ("It opens at 9:30 am.", "It opens at 21:30.", ("9:30 am",)),
        ("It opens at 9:30 pm.", "Open 9:30 to 18:00.", ("9:30 pm",)),
        ("זה נפתח ב-9:30 בבוקר.", "פתוח מ-21:30.", ("9:30 בבוקר",)),
        ("It opened on 25.03.2026.", "It opened on March 26, 2026.", ("25.03.2026",)),
        ("Add ½ litre.", "Add ¼ litre.", ("½ litre",)),
        ("It takes 1 ½ hours.", "It takes 1 hour.", ("1 ½ hours",)),
        ("The 10-K lists 10 risks.", "The 10-K is out.", ("10",)),
        ("The QX-7B has 7 parts.", "The QX-7B is out.", ("7",)),
        ("It has 14 kings.", "Louis XIV was one.", ("14",)),
        ("It uses 5g of salt.", "It uses 5G.", ("5g",)),
        ("It needs version 3.11.2.", "Version 3.11.4 is needed.", ("3.11.2",)),
        ("50 percent of them left.", "A third of them left.", ("50 percent",)),
        ("Some 33% of them left.", "Two thirds of them left.", ("33%",)),
        ("20% of the homes burnt.", "One in ten homes burnt.", ("20%",)),
        ("50% voted in 1920.", "It was the first half of 1920.", ("50%",)),
        ("50% מהתושבים עזבו.", "שליש מהתושבים עזבו.", ("50%",)),
        ("It starts at 0900 hours.", "It starts at 9 pm.", ("0900 hours",)),
        ("It starts at 9 am.", "It starts at 1900 hours.", ("9 am",)),
        ("It was minus 5 degrees.", "It was 5 degrees.", ("minus 5 degrees",)),
        ("It was 5 °C.", "It was 5 °C below zero.", ("5 °C",)),
        ("היו מינוס 5 מעלות.", "היו 5 מעלות.", ("מינוס 5 מעלות",)),
        ("It is 10 minus 5 dollars.", "It is 10 plus 6 dollars.", ("5 dollars",)),
        ("It takes 1 hour 30 minutes.", "It takes 80 minutes.", ("1 hour 30 minutes",)),
        ("It takes 30 minutes.", "It takes 1 hour 20 minutes.", ("30 minutes",)),
        ("It takes 1h30.", "It takes 1h20.", ("1h30",)),
        ("זה לוקח שעה וחצי.", "זה לוקח 60 דקות.", ("שעה וחצי",)),
        ("זה לוקח שעתיים.", "זה לוקח 60 דקות.", ("שעתיים",)),
        ("It sells 500 g packs.", "It sells 1 kg and 250 g packs.", ("500 g",)),
        ("It costs 50p.", "It costs £50.", ("50p",)),
        ("It costs €0.99.", "It costs 89 cents.", ("€0.99",)),
        ("זה עולה 3.50 שקלים.", "זה עולה 3 שקלים ו-80 אגורות.", ("3.50 שקלים",)),
        ("It has 1e6 rows.", "It has 100,000 rows.", ("1e6",)),
        ("It has 3 × 10⁶ rows.", "It has 3 × 10⁵ rows.", ("3 × 10⁶",)),
        ("It has 10³ rows.", "It has 10⁴ rows.", ("10³",)),
        ("Es sind 1,5·10³ Zeilen.", "It has 1,500,000 rows.", ("1,5·10³",)),
        ("It costs ₹12,34,567.", "It costs 12,345 rupees.", ("₹12,34,567",)),
        ("السعر ١٢٬٥٠٠ دولار.", "It costs $12.", ("١٢٬٥٠٠ دولار",)),
        ("الطول ٣٫٥ متر.", "It has 3 m and 5 g.", ("٣٫٥",)),
        ("It has 10¹² cells.", "It has 10 cells.", ("10¹²",)),
        ("It covers 12 km2.", "It covers 15 km².", ("12 km2",)),
        ("It waits 250 ms.", "It waits 250 seconds.", ("250 ms",)),
        ("It sold 4090 cards.", "It sold the RTX-4090.", ("4090",)),
        ("The RTX 4080 is fast.", "The RTX-4090 is fast.", ("4080",)),
        ("The iPhone 15 is light.", "The iPhone-150 is light.", ("15",)),
        ("It runs on 230 V.", "It runs on 110 V.", ("230 V",)),
        ("It rose by 50 basis points.", "It rose by 5%.", ("50 basis points",)),
        ("It was built in the nineteenth century.", "Built in 1795.", ("nineteenth century",)),
        ("It is a 19th-century house.", "Built in the 18th century.", ("19th-century",)),
        ("נבנה במאה ה-19.", "נבנה במאה השמונה-עשרה.", ("במאה ה-19",)),
        ("Of 17 towns, 9 fell in 1943.", "Towns fell in 1944.", ("17", "9", "1943")),
    ],
)
def test_a_value_that_stands_nowhere_is_named_as_the_claim_writes_it(
    claim: str, evidence: str, missing: tuple[str, ...]
) -> None:
    assert StatedValues([evidence]).unstated_in(claim).values == missing


@pytest.mark.parametrize("claim", ["As source 1 says, it is open.", "לפי מקור 1 המקום פתוח."])
def test_the_number_of_a_source_is_no_value(claim: str) -> None:
    assert StatedValues(["It is open. המקום פתוח."]).unstated_in(claim).values == ()


def test_any_of_the_texts_may_state_a_value() -> None:
    texts = ["It opened in 2019.", "It cost 40 euros."]

    assert StatedValues(texts).unstated_in("Opened in 2019, it cost 40 euros.").values == ()


def test_a_value_that_is_said_twice_is_named_once() -> None:
    assert StatedValues([""]).unstated_in("12 came and 12 left.").values == ("12",)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("借书期限为30天。", "期限：三十天。"),
        ("入館料は900円です。", "入館料は９００円。"),
        ("价格是3万元。", "价格是30,000元。"),
        ("图书馆上午九点开门。", "图书馆9:00开门。"),
        ("営業は2024年5月3日からです。", "Open from 3 May 2024."),
        ("El contrato dura 24 meses.", "Duración: 2 años."),
        ("Le bail dure trois ans.", "Le bail dure 3 ans."),
        ("Die Frist beträgt sechs Monate.", "Frist: 6 Monate."),
        ("Le musée ouvre à 10 h.", "Ouverture : 10:00."),
        ("De winkel opent om 9 uur.", "Open vanaf 9:00."),
        ("Bilet kosztuje 52 złotych.", "Bilet: 52 zł."),
        ("The tea costs 1 pound 50.", "Tea: £1.50."),
        ("It costs two euros fifty for a cup.", "A cup is 2.50 €."),
        ("The train leaves at twenty to six.", "Departure: 5:40."),
        ("It was closed for two decades.", "It was closed for 20 years."),
        ("המסלול היה סגור שני עשורים.", "המסלול היה סגור 20 שנה."),
        ("It costs from 60 to 75 euros.", "The price is 60 to 75 euros."),
        ("A cup costs $5–$6$.", "A cup costs 5 to 6 dollars."),
        ("The room costs S$80.", "Room: 80 SGD"),
        ("The room costs $80.", "Room: NT$80"),
        ("El paquete pesa 4,5 kilogramos.", "Weight: 4,500 g"),
        ("The Boeing 747 has four engines.", "A Boeing-747 has 4 engines."),
        ("The RTX 4090 is fast.", "Card: rtx-4090"),
        ("It takes 330 m of rope.", r"Rope: $330\,\mathrm{m}$"),
        ("The bond pays $1{,}250$ a year.", "1,250 a year"),
        (r"The mass is $4.2 \times 10^{3}$ kg.", "Mass: 4,200 kg"),
        (r"The yield rose to $92\%$.", "Yield: 92 percent"),
        ("La obra cuesta 5 mil euros.", "Cost: EUR 5,000"),
        ("Le budget est de 3,2 milliards d'euros.", "Budget: €3.2bn"),
        ("As taxas são de 1,5 milhão de reais.", "R$ 1.500.000"),
        ("Бюджет — 5 тыс. руб.", "Budget: 5,000 roubles"),
        ("يبلغ عدد السكان 3 ملايين نسمة.", "Population: 3,000,000"),
        ("人口は1億2500万人です。", "Population: 125 million"),
        ("Use version 3.10.", "Python 3.10 is needed."),
        ("Version 1.5 is out.", "v1.5 was released."),
        ("Version 2.0 is out.", "In May came version 2."),
        ("The valves release 4.50 mg.", "Dose: 4.5 mg"),
        ("The dam can release 2.5 million litres.", "2,500,000 litres"),
        ("It takes 330 m of rope.", "It takes $330$ m of rope."),
        ("The bag weighs 2.5 kg.", r"A bag of \(2.5\;\text{kg}\) is sold."),
        ("It grew by 4%.", r"It grew by $4\%$ again."),
        ("It costs 330 dollars.", "The price: $330"),
        ("The Section 5 exemption applies.", "Under section 5 it is free."),
        ("Engineers sent a Level 3 alert.", "A level 3 alert was sent."),
        ("The Room 12 sensor failed.", "The sensor of room 12 failed."),
        ("The US 50 states voted.", "All 50 states voted."),
        ("The Day 3 report is out.", "It took 3 days."),
        ("Trials of phase 2 ended.", "The Phase 2 trial ended."),
        ("Passengers left from platform 9.", "The Platform 9 was full."),
        ("Version 3.10 is out.", "Python 3.10 came in May."),
        ("Sales fell in Q3.", "Sales fell in the third quarter."),
        ("המכירות ירדו ברבעון השלישי.", "Q3: sales fell"),
        ("Sales fell in Q4.", "Sales fell from October on."),
        ("It raised $5 mil.", "It raised 5 million dollars."),
        ("Il treno parte alle 6:45 di sera.", "Partenza 18:45"),
        ("Die Frist beträgt vierzehn Tage.", "Frist: 14 Tage"),
        ("The elf lost a shoe.", "The shoe of the elf is lost."),
        ("The elf lost a shoe.", "It lost a shoe."),
        ("Il a soixante et onze ans.", "Il a 71 ans."),
        ("It sank in May. 8 boats sank.", "8 boats sank in May."),
        ("La obra dura cuarenta y cinco días.", "Dura 45 días."),
        ("A obra dura trinta e dois dias.", "Dura 32 dias."),
        ("Ils ont trente et un jours.", "Ils ont 31 jours."),
        ("Deux cent cinquante personnes sont là.", "250 personnes"),
        ("It costs five cents.", "It costs 5 cents."),
        ("Sales grew 4-fold.", "Sales grew fourfold."),
        ("Sales grew 4-fold.", "Sales quadrupled."),
        ("Sales grew fourfold.", "Sales rose from 10 to 40."),
        ("The ratio is 60:40.", "60 % and 40 %"),
        ("There are 1,250 seats.", "There are $1{,}250$ seats."),
        # What belongs to a greater number is none by itself.
        ("La obra cuesta ciento sesenta y dos euros.", "Cuesta 162 euros."),
        ("Vieram duzentos e quarenta e cinco alunos.", "Vieram 245 alunos."),
        ("Deux cent trente et un livres y sont.", "231 livres"),
        ("Deux cent quatre-vingts arbres y sont.", "280 arbres"),
        ("Vinieron sesenta y dos mil personas.", "62 000 personas"),
        ("Trois cent mille abeilles y vivent.", "300 000 abeilles"),
        ("Man gab zwanzig Millionen Euro aus.", "20 Mio. Euro"),
        ("Guests:60,000 came.", "60,214 guests"),
    ],
)
def test_a_value_in_another_script_or_wording_is_not_missing(claim: str, evidence: str) -> None:
    assert StatedValues([evidence]).unstated_in(claim).values == ()


@pytest.mark.parametrize(
    ("claim", "evidence", "missing"),
    [
        ("借书期限为60天。", "借书期限30天。", "60天"),
        ("入館料は900円です。", "入館料は800円。", "900円"),
        ("价格是3万元。", "价格是20,000元。", "3万元"),
        ("图书馆上午九点开门。", "图书馆10:00开门。", "上午九点"),
        ("営業は2024年5月3日からです。", "Open from 2 May 2024.", "2024年5月3日"),
        ("El contrato dura 24 meses.", "Duración: 1 año.", "24 meses"),
        ("Le bail dure six ans.", "Le bail dure 3 ans.", "six ans"),
        ("Die Frist beträgt sechs Monate.", "Frist: 3 Monate.", "sechs Monate"),
        ("Le musée ouvre à 10 h.", "Ouverture : 11:00.", "10 h"),
        ("Доставка занимает 8 дней.", "Доставка занимает 5 дней.", "8 дней"),
        ("سعر التذكرة 51 دينارا.", "سعر التذكرة 15 دينارا.", "51 دينارا"),
        ("The tea costs 1 pound 80.", "Tea: £1.50.", "1 pound 80"),
        ("It costs two euros fifty for a cup.", "A cup is 2.80 €.", "two euros fifty"),
        ("The train leaves at twenty to six.", "Departure: 6:20.", "twenty to six"),
        ("It was closed for two decades.", "It was closed for 10 years.", "two decades"),
        ("המסלול היה סגור שני עשורים.", "המסלול היה סגור 10 שנים.", "שני עשורים"),
        ("She paid 20 euros 15 times.", "She paid 20 euros 12 times.", "15"),
        ("The flight takes 10 h.", "It leaves at 10:00.", "10 h"),
        ("A cup costs $5-$6.", "A cup costs $5 or $7.", "$6"),
        ("A cup costs CA$5-CA$6.", "A cup costs 5 or 7 CAD.", "CA$6"),
        ("A cup costs 5€-6€.", "A cup costs 5 or 7 euros.", "6€"),
        ("The room costs NZ$450.", "The room costs US$450.", "NZ$450"),
        ("The room costs HK$1,200.", "Room: 2,100 HKD", "HK$1,200"),
        ("O quarto custa R$ 1.250,50.", "Quarto: 1.520,50 BRL", "R$ 1.250,50"),
        ("Das Paket wiegt 45 Kilogramm.", "Weight: 4.5 kg", "45 Kilogramm"),
        ("Il fiume è lungo 20 chilometri.", "Length: 20 m", "20 chilometri"),
        ("The Gate 5 was closed.", "Then gate 7 was closed.", "5"),
        ("The bond pays $1{,}250$ a year.", "1,520 a year", "$1{,}250$"),
        (r"Its mass is $4.2 \times 10^{4}$ kg.", "4,200 kg", r"$4.2 \times 10^{4}$ kg"),
        (r"The yield rose to $93\%$.", "Yield: 92 percent", r"$93\%$"),
        ("Il contratto vale 4 milioni di euro.", "EUR 3m", "4 milioni di euro"),
        ("Бюджет — 6 тыс. руб.", "Budget: 5,000 roubles", "6 тыс. руб"),
        ("人口は1億3500万人です。", "Population: 125 million", "1億3500万"),
        ("דרושה גרסה 3.10.", "נדרש Python 3.1", "3.10"),
        ("Version 2.0 is out.", "In May came version 2.1 with 2 parts.", "2.0"),
        ("The dam can release 2.5 million litres.", "Version 2.5", "2.5 million litres"),
        ("It costs 330 dollars.", r"Rope: $330\,\mathrm{m}$", "330 dollars"),
        ("It costs 330 dollars.", "It takes $330$ m of rope.", "330 dollars"),
        ("The fee is $2.50.", r"A bag of \(2.5\;\text{kg}\) is sold.", "$2.50"),
        ("The fee is $4.", r"It grew by $4\%$ again.", "$4"),
        ("It takes 330 m of rope.", "The price: $330", "330 m"),
        ("The Flight 370 was lost.", "A flight 380 was lost.", "370"),
        ("A BMI 40 is too high.", "A bmi of 30 is too high.", "40"),
        ("The Article 12 forbids it.", "It is forbidden by article 14.", "12"),
        ("Il Prezzo 400 è alto.", "Il prezzo 500 è alto.", "400"),
        ("The Last 20 seats are sold.", "The last 30 seats are sold.", "20"),
        ("An Additional 500 jobs went.", "Another 300 jobs went.", "500"),
        ("The Platform 9 was full.", "Everyone left from platform 4.", "9"),
        ("A Chapter 11 filing followed.", "They filed under chapter 7.", "11"),
        ("She flies a Boeing 747.", "She flies a Boeing 737.", "747"),
        ("In Rome 300 people met.", "In Rome 200 people met.", "300"),
        ("Version 3.10 is out.", "The ticket costs $3.10.", "3.10"),
        ("גרסה 2.50 יצאה.", "מחיר: 2.50 שקל", "2.50"),
        ("Sales fell in Q4.", "Sales fell in Q3.", "Q4"),
        ("המכירות ירדו ברבעון הרביעי.", "המכירות ירדו ברבעון השלישי.", "ברבעון הרביעי"),
        ("Der Umsatz sank im 1. Quartal.", "Umsatz im 2. Quartal", "1. Quartal"),
        ("Son 3 millones de dólares.", "Son 3 millones de euros.", "3 millones de dólares"),
        ("It raised $6 mil.", "It raised 5 million dollars.", "$6 mil"),
        ("Il treno parte alle 6:45.", "Partenza 18:45", "6:45"),
        ("Die Frist beträgt vierzig Tage.", "Frist: 14 Tage", "vierzig Tage"),
        ("Il a soixante ans.", "Il a 71 ans.", "soixante ans"),
        ("La obra dura cuarenta y cinco días.", "Dura 40 días.", "cuarenta y cinco días"),
        ("A obra dura trinta e dois dias.", "Dura 2 dias.", "trinta e dois dias"),
        ("Il faut trois cents grammes.", "Il faut 400 g.", "trois cents grammes"),
        ("It costs five cents.", "It costs 6 cents.", "five cents"),
        ("Sales grew 4-fold.", "Sales grew sevenfold.", "4-fold"),
        ("Sales grew 2-fold.", "Sales tripled.", "2-fold"),
        ("She ran it in 40:30.", "She ran it in 41:30.", "40"),
        ("Vinieron sesenta y dos mil personas.", "62 personas", "sesenta y dos mil"),
        ("Trois cent mille abeilles y vivent.", "400 000 abeilles", "Trois cent mille"),
        ("Thirty tenants came.", "Sixty came.", "Thirty"),
        ("It starts on the 3rd of May.", "It starts on 4 May.", "3rd of May"),
        ("There are 1,251 seats.", "There are $1{,}250$ seats.", "1,251"),
        ("The well is 34 m deep.", r"The well is $33\,\mathrm{m}$ deep.", "34 m"),
    ],
)
def test_another_value_in_another_script_or_wording_is_named_whole(
    claim: str, evidence: str, missing: str
) -> None:
    assert StatedValues([evidence]).unstated_in(claim).values == (missing,)


@pytest.mark.parametrize(
    ("claim", "source", "values", "derived"),
    [
        ("Two thirds of the members voted.", "66.7 % of the members voted.", (), 0),
        ("A third of the members voted.", "66.7 % of them voted.", ("A third",), 0),
        ("A quarter of the 80 seats are taken.", "Of the 80 seats, 20 are taken.", (), 1),
        ("Half of the 80 seats are taken.", "Of the 80 seats, 20 are taken.", ("Half",), 0),
        ("Half the staff left.", "50 percent of the staff left.", (), 0),
        ("Three quarters of the land is forest.", "57 % is forest.", ("Three quarters",), 0),
        ("Half of all homes have gas.", "One in two homes has gas.", (), 0),
        ("One in four pupils walks.", "25 % of the pupils walk.", (), 0),
        ("One in three pupils walks.", "25 % of the pupils walk.", ("One in three",), 0),
        ("Two out of five seats are taken.", "40 % of the seats are taken.", (), 0),
        ("רבע מהעובדים עזבו.", "25% מהעובדים עזבו.", (), 0),
        ("מחצית העובדים עזבו.", "25% מהעובדים עזבו.", ("מחצית",), 0),
        ("שני שלישים מהעובדים עזבו.", "67% מהעובדים עזבו.", (), 0),
        ("שליש מהתקציב הוקצה.", "מתוך 300 שקלים הוקצו 100 שקלים.", (), 1),
    ],
)
def test_a_share_in_words_is_compared_with_percentages_and_counts(
    claim: str, source: str, values: tuple[str, ...], derived: int
) -> None:
    unstated = StatedValues([source]).unstated_in(claim)
    assert unstated.values == values
    assert len(unstated.derived) == derived


@pytest.mark.parametrize(
    "claim",
    [
        "The second half of the game was dull.",
        "He came in the last half of the year.",
        "In the third quarter of 2024 sales rose.",
        "More than half of the seats are taken.",
        "About a third of the seats are taken.",
        "כמעט מחצית מהמושבים תפוסים.",
    ],
)
def test_a_part_of_a_time_and_a_rough_share_are_not_looked_up(claim: str) -> None:
    assert StatedValues(["Nothing is said."]).unstated_in(claim).values in ((), ("2024",))


@pytest.mark.parametrize(
    ("claim", "source", "values"),
    [
        ("The plot measures 2,400 m².", "It has an area of 0.24 ha.", ()),
        ("The plot measures 4,200 m².", "It has 2400 sq m.", ("4,200 m²",)),
        ('שטח הדירה 85 מ"ר.', "שטח הדירה 85 מטרים רבועים.", ()),
        ('שטח הדירה 58 מ"ר.', "שטח הדירה 85 מטרים רבועים.", ('58 מ"ר',)),
        ("The wind blows at 18 km/h.", "The wind blows at 5 m/s.", ()),
        ("The wind blows at 81 km/h.", "Wind: 18 kilometres an hour.", ("81 km/h",)),
        ("The parcel weighs 2 lb 3 oz.", "It weighs 35 ounces.", ()),
        ("The parcel weighs 3 lb 2 oz.", "It weighs 35 ounces.", ("3 lb 2 oz",)),
        ("The parcel weighs 5 pounds.", "It weighs 5 lb.", ()),
        ("The stamp costs 5 pounds.", "It costs £6.", ("5 pounds",)),
        ("The bolts are tightened to 52 Nm.", "Torque: 25 Nm.", ("52 Nm",)),
        ("The heater draws 2000 watts.", "It has 2 kW.", ()),
        ("הלחץ הוא 3 בר.", "הלחץ בצינור: 2 בר.", ("3 בר",)),
    ],
)
def test_areas_speeds_weights_and_other_measures_are_compared_with_their_units(
    claim: str, source: str, values: tuple[str, ...]
) -> None:
    assert StatedValues([source]).unstated_in(claim).values == values


@pytest.mark.parametrize(
    ("claim", "values"),
    [
        ("Revenue rose from 1.2 to 1.5 million dollars.", ()),
        ("Revenue rose from $1.2 to $1.5 million.", ()),
        ("Revenue rose from 1.3 to 1.5 million dollars.", ("1.3",)),
        ("Revenue rose from 1.2 to 1.8 million dollars.", ("1.8 million dollars",)),
    ],
)
def test_the_beginning_of_a_range_has_the_scale_of_its_end(
    claim: str, values: tuple[str, ...]
) -> None:
    source = "Revenue was $1,200,000 in 2024 and $1,500,000 in 2025."
    assert StatedValues([source]).unstated_in(claim).values == values


@pytest.mark.parametrize(
    ("claim", "right", "wrong", "named"),
    [
        (
            "Turnout fell by 4 pp.",
            "Turnout fell by 4 percentage points.",
            "It fell by 6 %.",
            "4 pp",
        ),
        ("A bed costs A$80.", "A bed: 80 Australian dollars", "A bed: 90 AUD", "A$80"),
        ("A bed costs A$80.", "A bed: 80 A$", "A bed: 80 US$", "A$80"),
        ("A bed costs 80 C$.", "A bed: C$80", "A bed: A$80", "80 C$"),
        ("A bed costs $80.", "A bed: A$80", "A bed: A$90", "$80"),
        ("A bed costs A$80.", "A bed: 80 dollars", "A bed: 90 dollars", "A$80"),
        ("A bed costs C$ 80.", "A bed: CAD 80", "A bed: 90 Canadian dollars", "C$ 80"),
        ("A bed costs Rs. 8,000.", "A bed: \u20b98,000", "A bed: 9,000 rupees", "Rs. 8,000"),
        (
            "La visite dure 2 h 15.",
            "The visit takes 135 minutes.",
            "It takes 150 minutes.",
            "2 h 15",
        ),
        ("The set has 48 pp.", "It has 48 pages.", "It has 84 pages.", "48 pp"),
    ],
)
def test_a_value_in_a_short_unit_is_read_with_it(
    claim: str, right: str, wrong: str, named: str
) -> None:
    found = [StatedValues([text]).unstated_in(claim).values for text in (right, wrong)]
    assert found == [(), (named,)]


TRUNKS = "| Trunk | Mass (kg) | Length [cm] | Code |\n|---|---|---|---|\n| A | 14 | 2019 | 5 |"
TRUNKS_HE = '| תיבה | משקל (ק"ג) |\n|---|---|\n| א | 14 |'


@pytest.mark.parametrize(
    ("claim", "text", "named"),
    [
        ("Trunk A weighs 14 kg.", TRUNKS, ()),
        ("Trunk A weighs 14,000 g.", TRUNKS, ()),
        ("Trunk A weighs 14 g.", TRUNKS, ("14 g",)),
        ("Trunk A is 20.19 m long.", TRUNKS, ()),
        ("Trunk A is 14 cm long.", TRUNKS, ("14 cm",)),
        ("Trunk A has 5 locks.", TRUNKS, ()),
        ('התיבה שוקלת 14 ק"ג.', TRUNKS_HE, ()),
        ("התיבה שוקלת 14 גרם.", TRUNKS_HE, ("14 גרם",)),
        ("Trunk A weighs 14 g.", TRUNKS + "\n\nThe 14 others follow.", ()),
    ],
)
def test_a_number_in_a_column_has_the_unit_of_its_header(
    claim: str, text: str, named: tuple[str, ...]
) -> None:
    assert StatedValues([text]).unstated_in(claim).values == named


@pytest.mark.parametrize(
    ("right", "wrong", "text", "named"),
    [
        ("Заявки до 3 июля 2028 года.", "Заявки до 4 июля 2028 года.", "03.07.2028", "4 июля 2028"),
        ("Wnioski do 21 maja 2028 r.", "Wnioski do 22 maja 2028 r.", "21 May 2028", "22 maja 2028"),
    ],
)
def test_months_are_read_as_dates_have_them_in_russian_and_polish(
    right: str, wrong: str, text: str, named: str
) -> None:
    found = [StatedValues([text]).unstated_in(claim).values for claim in (right, wrong)]
    assert found == [(), (named,)]


def test_a_second_header_without_a_line_between_names_its_own_units() -> None:
    text = "| Fee (EUR) | A |\n| 14 | x |\n| Mass (kg) | B |\n| 15 | y |"
    claims = ("It weighs 15 kg.", "It costs 15 euros.")
    assert [StatedValues([text]).unstated_in(each).values for each in claims] == [(), ("15 euros",)]
