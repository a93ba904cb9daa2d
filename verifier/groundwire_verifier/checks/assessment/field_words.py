"""What fields of tools are mostly called in English, and the same in other languages.

A response in Hebrew says what an English field holds: `מהירות הרוח` is of `wind_speed`.
"""

from collections.abc import Iterable

from groundwire_verifier.domain.titles import stem

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
