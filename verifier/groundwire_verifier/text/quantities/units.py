"""Units, as several languages write them, with what one of each is in the base unit."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: one of it is `scale` of the base unit of its `dimension`."""

    dimension: str
    scale: Fraction = Fraction(1)

    @property
    def is_currency(self) -> bool:
        """Whether it is money."""
        return self.dimension in CURRENCIES


DOLLARS = {
    "australian": "a$ au$ aud", "canadian": "c$ ca$ cad", "new zealand": "nz$ nzd",
    "hong kong": "hk$ hkd", "singapore": "s$ sg$ sgd", "taiwan": "nt$ twd",
}  # fmt: skip
"""By the country; `$` alone may be any of them."""

CURRENCIES = frozenset(
    {
        "dollar", "euro", "pound", "shekel", "franc", "yen", "yuan", "rupee", "zloty", "rouble",
        "dinar", "real", "mexican peso", *DOLLARS,
    }
)  # fmt: skip
"""The dimensions that are money."""

_NAMES = {
    ("length", "1"): "m metre metres meter meters מ מטר מטרים",
    ("length", "1000"): 'km kms kilometre kilometres kilometer kilometers ק"מ קילומטר קילומטרים',
    ("length", "0.01"): 'cm centimetre centimetres centimeter centimeters ס"מ סנטימטר סנטימטרים',
    ("length", "0.001"): 'mm millimetre millimetres millimeter millimeters מ"מ מילימטר מילימטרים',
    ("length", "1609.344"): "mi mile miles מייל מיילים",
    ("length", "0.3048"): "ft foot feet רגל",
    ("length", "0.0254"): "inch inches אינץ",
    ("mass", "1"): "g gram grams גרם גרמים",
    ("mass", "1000"): 'kg kgs kilo kilos kilogram kilograms ק"ג קילו קילוגרם קילוגרמים',
    ("mass", "0.001"): 'mg milligram milligrams מ"ג מיליגרם',
    ("mass", "1000000"): "tonne tonnes ton tons טון טונות",
    ("volume", "1"): "l dm³ dm3 litre litres liter liters ליטר ליטרים",
    ("volume", "0.001"): 'ml millilitre millilitres milliliter milliliters מ"ל מיליליטר מיליליטרים',
    ("time", "1"): "s sec secs second seconds שנייה שניות שניה",
    ("time", "60"): "min mins minute minutes דקה דקות",
    ("time", "3600"): "h hr hrs hour hours שעה שעות",
    ("time", "86400"): "day days יום ימים",
    ("time", "604800"): "week weeks שבוע שבועות",
    ("months", "1"): "month months חודש חודשים",
    ("months", "12"): "year years שנה שנים",
    ("months", "120"): "decade decades עשור עשורים",
    ("celsius", "1"): "°c celsius צלזיוס",
    ("fahrenheit", "1"): "°f fahrenheit פרנהייט",
    ("angle", "1"): "° degree degrees מעלה מעלות",
    ("data", "0.001"): "kb kilobyte kilobytes",
    ("data", "1"): "mb megabyte megabytes",
    ("data", "1000"): "gb gigabyte gigabytes",
    ("data", "1000000"): "tb terabyte terabytes",
    ("time", "1209600"): "fortnight fortnights",
    ("area", "1"): 'm² m2 sqm מ"ר',
    ("area", "0.0001"): "cm² cm2",
    ("area", "0.000001"): "mm² mm2",
    ("area", "1000"): "dunam dunams דונם דונמים",
    ("area", "10000"): "ha hectare hectares הקטר",
    ("area", "1000000"): 'km² km2 קמ"ר',
    ("area", "4046.8564224"): "acre acres אקר",
    ("area", "0.09290304"): "ft² sqft",
    ("volume", "1000"): "m³ m3 קוב",
    ("speed", "1"): 'kmh kph קמ"ש',
    ("speed", "1.609344"): "mph",
    ("speed", "3.6"): "mps",
    ("percent", "1"): "% percent אחוז אחוזים",
    ("percent", "0.01"): "bp bps",
    ("dollar", "1"): "$ us$ usd dollar dollars דולר דולרים",
    ("dollar", "0.01"): "cent cents ¢ סנט סנטים",
    ("euro", "1"): "€ eur euro euros אירו יורו",
    ("pound", "1"): '£ gbp pound pounds ליש"ט',
    ("pound", "0.01"): "penny pence פני",
    ("franc", "1"): "chf franc francs פרנק פרנקים",
    ("yen", "1"): "¥ jpy yen ין",
    ("yuan", "1"): "cny rmb yuan יואן",
    ("rupee", "1"): "₹ inr rs rs. rupee rupees רופי",
    **{(country, "1"): names for country, names in DOLLARS.items()},
    ("real", "1"): "r$ brl reais",
    ("mexican peso", "1"): "mx$ mxn",
    ("zloty", "1"): "zł pln zloty zlotys",
    ("rouble", "1"): "₽ rouble roubles ruble rubles",
    ("dinar", "1"): "dinar dinars",
    ("shekel", "1"): '₪ nis ils shekel shekels שקל שקלים ש"ח',
    ("shekel", "0.01"): "agora agorot אגורה אגורות",
}

_NAMES_AT_NUMBERS = {
    ("factor", "1"): "fold",
    ("mass", "453.59237"): "lb lbs",
    ("mass", "28.349523125"): "oz ounce ounces",
    ("energy", "1"): "kwh",
    ("energy", "1000"): "mwh",
    ("time", "0.001"): "ms msec millisecond milliseconds",
    ("length", "0.000001"): "µm μm micrometre micrometres micrometer micrometers micron microns",
    ("volume", "0.001"): "cm³ cm3",
    ("mass", "0.000001"): "mcg µg μg microgram micrograms",
    ("power", "1"): "kw kilowatt kilowatts קילוואט",
    ("power", "0.001"): "watt watts ואט וואט",
    ("voltage", "1"): "volt volts וולט",
    ("torque", "1"): "nm",
    ("pressure", "1"): "bar bars בר",
    ("pressure", "0.0689476"): "psi",
    ("frequency", "1"): "hz",
    ("frequency", "1000"): "khz",
    ("frequency", "1000000"): "mhz",
    ("frequency", "1000000000"): "ghz",
    ("rate of data", "1"): "mbps",
    ("rate of data", "1000"): "gbps",
    ("food energy", "1"): "kcal",
    ("time", "60"): "minuten minuut minuti minutos minuto minuta minut minuty минут минуты минуту "
    "دقيقة دقائق 分钟 分鐘 分間",
    ("time", "3600"): "stunde stunden uur heure heures horas ore godzin godziny час часа часов "
    "ساعة ساعات 小时 小時 時間",
    ("time", "86400"): "tag tage tagen dag dagen jour jours día dias días giorno giorni dzień dni "
    "день дня дней يوما أيام 天 日間",
    ("time", "604800"): "woche wochen weken semaine semaines semana semanas settimana settimane "
    "tydzień tygodnie tygodni неделя неделю недели недель أسبوع أسابيع 周 週間",
    ("months", "1"): "monat monate monaten maand maanden mois mes meses mês mesi miesiąc miesiące "
    "miesięcy месяц месяца месяцев شهر شهرا أشهر 个月 個月 か月 ヶ月 カ月",
    ("months", "12"): "jahr jahre jahren jaar ans année années año años ano anos anni lata lat год "
    "года лет سنة سنوات",
    ("length", "1"): "mètre mètres metros метр метра метров 米 メートル",
    ("length", "0.01"): "zentimeter centimètre centimètres centímetro centímetros centimetri "
    "сантиметр сантиметра сантиметров 厘米 センチ",
    ("length", "1000"): "kilomètre kilomètres kilómetro kilómetros chilometro chilometri "
    "quilômetro quilômetros километр километра километров 公里 キロメートル",
    ("mass", "1"): "gramm gramme grammes gramo gramos grammo grammi grama gramas грамм грамма "
    "граммов 克 グラム",
    ("mass", "1000"): "kilogramm kilogramme kilogrammes kilogramo kilogramos "
    "chilogrammo chilogrammi quilo quilos quilograma quilogramas килограмм килограмма "
    "килограммов 公斤 千克 キログラム",
    (
        "mass",
        "1000000",
    ): "tonnen tonnes tonelada toneladas tonnellata tonnellate тонна тонну тонны тонн 吨 トン",
    ("volume", "1"): "litro litros litri литр литра литров 升 リットル",
    ("percent", "1"): "pp prozent procent процент процента процентов بالمئة",
    ("dollar", "1"): "dólar dólares dollaro dollari доллар доллара долларов دولار دولارا 美元 ドル",
    ("euro", "1"): "евро يورو 欧元 ユーロ",
    ("franc", "1"): "franken franco francos franchi франк франка франков",
    ("yen", "1"): "円 日元",
    ("yuan", "1"): "元 人民币",
    ("zloty", "1"): "złoty złote złotych",
    ("rouble", "1"): "rub рубль рубля рублей руб",
    ("dinar", "1"): "دينار دينارا دنانير",
}
"""They stand at a number only: a `bar` alone is none, and `ore` no hour."""


def _units(names_of: Mapping[tuple[str, str], str]) -> Iterator[tuple[str, Unit]]:
    for (dimension, scale), names in names_of.items():
        for name in names.split():
            yield name, Unit(dimension, Fraction(scale))


ALONE = dict(_units(_NAMES))
"""The units that may stand without a number, as in `an hour`, by each of their names and signs."""

UNITS = ALONE | dict(_units(_NAMES_AT_NUMBERS))
"""The units by each of their names and signs, in lower case."""

WORDS_LIKE_UNITS = (
    "克拉 克朗 克隆 吨位 升降 升级 升級 升学 升至 升到 升为 升為 升值 升幅 米其林 米饭 米飯 "
    "元素 元件 元组 元老 元帅 周年 周岁 周歲 円形 円周 円盤 円卓 時間帯 トンネル ドルフィン"
)
"""Words of scripts that part no words, which begin with a unit: a carat is no gram. Such a one
must not begin what often stands behind the unit: `3天才能` is three days."""

_SQUARE = {
    "m": "m²",
    "metre": "m²",
    "meter": "m²",
    "km": "km²",
    "kilometre": "km²",
    "kilometer": "km²",
    "ft": "ft²",
    "foot": "ft²",
    "feet": "ft²",
}

TWO_WORDS = {
    **{
        (square, name + plural): UNITS[unit]
        for square in ("sq", "square")
        for name, unit in _SQUARE.items()
        for plural in ("", "s")
    },
    ("cubic", "metre"): UNITS["m³"],
    ("cubic", "metres"): UNITS["m³"],
    ("cubic", "meters"): UNITS["m³"],
    ("מטר", "רבוע"): UNITS["m²"],
    ("מטרים", "רבועים"): UNITS["m²"],
    ("per", "cent"): UNITS["%"],
    ("percentage", "point"): UNITS["%"],
    ("percentage", "points"): UNITS["%"],
    ("basis", "point"): UNITS["bp"],
    **{
        (country.replace(" ", ""), name): UNITS[names.rpartition(" ")[2]]
        for country, names in DOLLARS.items()
        for name in ("dollar", "dollars")
    },
    ("basis", "points"): UNITS["bp"],
}
"""Units of which neither word is one by itself."""

DUALS = {
    "שעתיים": UNITS["שעות"],
    "יומיים": UNITS["ימים"],
    "שבועיים": UNITS["שבועות"],
    "חודשיים": UNITS["חודשים"],
    "שנתיים": UNITS["שנים"],
}
"""Hebrew words that are two of a unit."""
