"""How people write in ten more languages that a text does not say something.

A form matches a whole sentence. Its group `x` is what the text does not say; without it the
sentence does not tell. `{of_texts}` opens one that has to name information or a text, or what an
answer looks for, such as a price: a key that was not found is a claim. There are no clauses here
but one behind a `but`: a sentence that says something else besides is a claim. So what the text
does not say may hold an `and` only where each side of it names something or asks: `der
Preis und die Dauer`, but not `der Eintritt kostet 10 Euro und das Alter`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groundwire_verifier.text.claims.wording.absence_forms import compiled
from groundwire_verifier.text.claims.wording.elsewhere import ANSWERED_ELSEWHERE
from groundwire_verifier.text.claims.wording.sentence import UNKNOWN_LANGUAGE, word_set

_X = r"(?P<x>[^,;:()–—،、，]{2,120}?)"
MAX_CHARACTERS = 400
"""A longer sentence is a claim."""
MAX_ARTICLE = 4
"""A first word of no more letters is an article or asks, and no name."""

_BACK = word_set(
    "das es dies cela ça le eso esto lo questo isso isto dat dit het это этого ذلك هذا"
)
"""What points to what was asked, and names nothing."""

_NOR = re.compile(r" (?:noch|ni|né|nem) ")
"""Between two things that are both missing."""

_DEALS = "(?:contrat|bail|facture|contrato|factura|fatura|contratto|fattura)"

_PLACES = re.compile(r"\{(\w+)\}")


def _joins(words: str) -> str:
    return rf"\s(?i:{words})\s"


def _side(articles: str, behind: str, asking: str, noun: str = r"[^\W\d_][\w-]*") -> str:
    """A noun behind its article, with what it is of (`behind` it), or a question."""
    word = rf"(?i:{articles}){noun}"
    return rf"{word}(?: (?i:{behind}){noun}){{0,2}}|(?i:{asking})\b[^0-9]{{0,120}}"


@dataclass(frozen=True, slots=True)
class Absences:
    """The forms of one language; `asked` says of `{}` that the sources state it.

    `joins` are the words that join what is missing to something else, or to a statement; `side` is
    what may stand on each side of one.
    """

    forms: Sequence[str]
    asked: str
    joins: str
    side: str

    def is_one(self, missing: str) -> bool:
        """Whether what is missing holds no statement beside it."""
        sides = compiled(self.joins).split(missing)
        named = len(sides) == 1 or all(compiled(self.side).fullmatch(side) for side in sides)
        return named and not ANSWERED_ELSEWHERE.search(missing)


def _of(asked: str, parts: Mapping[str, str], *forms: str) -> Absences:
    """A language's forms, in which a part stands as `{name}`; a part may hold parts before it."""
    known = {"x": _X}
    for name, part in {"sorry": "", **parts}.items():
        known[name] = f"(?:{_filled(part, known)})"
    things = known.get("things", known["info"])
    known.setdefault("of_texts", rf"(?=.*\b(?:{known['in']}|{known['info']}|{things})\b)")
    no_deal = ""
    if "includes" in known:
        includes, of_it = known["includes"], r"(?:\w{1,9} |l'){0,2}?"
        known["say"] = (
            rf"(?:{known['say']}|{includes}(?= {of_it}(?:{known['info']}|{things})(?!\w)))"
        )
        # A contract says itself what it does not include, but for information.
        no_deal = (
            rf"(?!(?:\S{{1,12}} )?{_DEALS} (?:\S{{1,4}} |n')?{includes}"
            rf"(?! {of_it}{known['info']}(?!\w)))"
        )
    lead, end = known["sorry"], r"[\s.!。！]*"
    return Absences(
        tuple(rf"(?i)(?:{lead}\s?)?{no_deal}{_filled(form, known)}{end}" for form in forms),
        asked,
        known["joins"],
        known["side"],
    )


def _filled(form: str, known: Mapping[str, str]) -> str:
    return _PLACES.sub(lambda place: known[place[1]], form)


_FRENCH = _of(
    "Les sources indiquent {}.",
    {
        "joins": _joins(
            r"et|ou|mais|alors qu\S+|tandis qu\S+|car|parce qu\S+|bien qu\S+|puisqu\S+|donc|or|ni|"
            r"sauf qu\S+|quoiqu\S+"
        ),
        "side": _side(
            r"(?:(?:l[ea]s?|une?|des|du|de la|son|sa|ses|leurs?|ce|cet|cette|ces|aux?) |"
            r"de l'|[ld]')",
            r"(?:(?:de|à|pour|en)(?: l[ea]s?)? |(?:du|des|aux?) |(?:de |à |pour )?l'|d')",
            r"quand|qui|combien|comment|où|si|pourquoi|quel\w*|ce qu\w*",
        ),
        "sorry": r"(?:désolée?|malheureusement|je suis désolée?),? (?:mais )?",
        "noun": "documents?|sources?|textes?|extraits?|passages?|contexte|manuel|notice|guide|"
        "rapport|contrat|bail|brochure|page|site|article|fichiers?|catalogue|dossier|lettre|courrier|facture",
        "source": r"(?:(?:les?|la|ces?|cette|vos|votre|aucune? (?:des|de ces)) |l'){noun}"
        r"(?: (?:fourni|disponible|donné|transmis|consulté)\w*| à disposition)?",
        "in": "(?:dans|parmi|d'après|selon) {source}",
        "info": "(?:d'|de |des |l'|la )?(?:informations?|mentions?|précisions?|indications?|"
        "renseignements?|détails?|données?)",
        "about": r"(?:sur|concernant|relative?s? (?:à|aux?)|quant (?:à|aux?)|"
        r"(?:à propos|au sujet) (?:des?|du|d'))",
        "say": "(?:précis|indiqu|mentionn|donn|évoqu|expliqu|spécifi|détaill|parl)(?:e|ent)|"
        "di(?:t|sent)|contien(?:t|nent)|fourni(?:t|ssent)",
        "includes": "inclu(?:t|ent)",
        "told": "(?:précisé|indiqué|mentionné|spécifié)e?s?",
        "able": "(?:capable|parvenue?|arrivée?)",
        "find": "(?:trouver|localiser|déterminer|dire|établir|répondre|préciser|confirmer|indiquer|"
        "savoir|identifier)",
        "things": "prix|coût|frais|date|heures?|horaires?|nom|adresse|numéro|durée|délai|montant|"
        "raison|cause|réponse|quand|qui|combien|comment|où|si|pourquoi",
    },
    "{source} (?:ne |n'){say} (?:pas|rien|aucune?)(?: {info})?(?: {about})?(?: {x})?",
    "{source} (?:ne |n'){say} ni (?:{about} )?{x}",
    "{of_texts}(?:je|nous) n'(?:ai|avons) (?:pas (?:pu )?|rien (?:pu )?|)(?:trouvée?s?|trouver)"
    "(?: aucune?)?(?: {info})?(?: {about})? {x}(?: {in})?",
    "(?:je|nous) ne (?:trouve|trouvons|vois|voyons) (?:pas|rien|aucune?)(?: {info})?"
    "(?: {about})? {x} {in}",
    "il n'y a (?:pas|aucune?) {info} {about} {x}(?: {in})?",
    "aucune? {info}(?: {about} {x})? (?:n'est|ne figure|n'apparaît|n'a été)(?: \\w+){0,2}"
    "(?: {in})?",
    "{x} (?:n'est|ne sont|n'a|n'ont) pas (?:été )?(?:{told} {in}|(?:précisé|mentionné|"
    "spécifié)e?s?)",
    "{in},? (?:il|on) (?:n'est|ne) (?:pas )?(?:{told}|{say})(?: pas)? {x}",
    "(?:cette|ces) informations? (?:n'est|ne figure|ne figurent|ne se trouve|ne sont) pas"
    r"(?: \w+){0,2} {in}",
    "cela ne (?:figure|se trouve|apparaît) pas {in}",
    "{source} ne permet(?:tent)? pas de (?:répondre|savoir|dire|déterminer|connaître)"
    "(?: à (?:cette|la) question| {x})?",
    "aucune? {noun} (?:ne |n'){say} {x}",
    "{source} (?:est|sont|reste|restent) mue(?:ts?|ttes?) sur {x}",
    # What only the one who answers says.
    "je (?:ne |n'|l')(?:le |la |l'|en )?(?:sais|ignore)(?: pas| rien)?",
    "(?:je ne sais pas|j'ignore|je ne peux pas dire) {x}",
    "je (?:ne (?:peux|parviens|suis)|n'ai|n'arrive) pas (?:pu |été |en mesure )?(?:{able} )?"
    "(?:à |de |d')?(?:y )?{find}(?: à)?(?: (?:cela|cette question|votre question))?",
    "{of_texts}je (?:ne (?:peux|parviens|suis)|n'ai|n'arrive) pas (?:pu |été |en mesure )?"
    "(?:{able} )?(?:à |de |d')?{find} {x}(?: {in})?",
    "{of_texts}(?:il )?m'(?:est|a été) impossible (?:de |d'){find} {x}",
    "(?:cette|ces) ?{info} ne m'(?:est|sont) pas (?:accessible|disponible|connue)s?",
    "je n'ai (?:pas |aucune? )?(?:accès à )?(?:cette |de |d')?{info}(?: {about} {x}| à ce sujet)?",
    "je ne dispose (?:pas|d'aucune?) ?(?:de |d')?(?:cette )?{info}(?: {about} {x})?",
    "{of_texts}je n'ai pas (?:trouvé|vu) {x}(?: {in})?",
    "{source} (?:passe|passent) sous silence {x}",
    "{source} (?:laisse|laissent) {x} (?:ouverte?s?|sans réponse|en suspens)",
)

_GERMAN = _of(
    "In den Quellen steht: {}.",
    {
        "joins": _joins(
            "und|oder|noch|aber|doch|sondern|während|wobei|obwohl|obgleich|weil|denn|da|sowie|wohingegen"
        ),
        "side": _side(
            r"(?:(?:d(?:er|ie|as|en|em|es)|k?eine?[nmrs]?|ihre?[nmrs]?|seine?[nmrs]?) "
            r"(?-i:[a-zäöüß]+e[nrs]? )?)?",
            r"(?:(?:der|des|von|für|im|zum|zur|am|in|an)(?: d(?:er|ie|as|en|em|es))?) ",
            r"wann|wer|we[nm]|wie|was|wo\w*|ob|warum|weshalb|wieso|welche\w*",
            r"[A-ZÄÖÜ][\w-]*",
        ),
        "sorry": "(?:leider|tut mir leid|entschuldigung),? (?:aber )?",
        "noun": "dokument(?:e[ns]?)?|quellen?|unterlagen?|texte?n?|auszügen?|abschnitte?n?|kontext|"
        "handbuch|anleitung|bericht|vertrag|mietvertrag|broschüre|seite|artikel|materiali?e?n?|"
        "passagen?|dateien|katalog|schreiben|brief|rechnung|protokoll",
        "source": r"(?:die|der|das|diese[rs]?|ihre|keine[rs]? (?:der|dieser)) (?:\w+en? )?{noun}",
        "in": r"(?:(?:in|aus|laut|nach|anhand)(?: (?:den|der|dem|diese[nmr]|ihren))?|im)"
        r"(?: \w+en)? {noun}",
        "info": "(?:information(?:en)?|angaben?|hinweise?|auskunft|details?|daten|aussagen?|"
        "erwähnung)",
        "about": "(?:über|zu|zur|zum|bezüglich|hinsichtlich)",
        "none": "(?:nichts|keine?n?r?)",
        "told": "(?:erwähnt|genannt|angegeben|aufgeführt|vermerkt|beschrieben)",
        "find": "(?:finden|ermitteln|feststellen|bestimmen|sagen|beantworten|angeben|nennen|"
        "ausmachen|herausfinden|beurteilen|bestätigen|entnehmen|auffinden|beurteilen)",
        "things": "preis|kosten|gebühr|datum|termin|uhrzeit|zeiten|namen?|adresse|nummer|höhe|"
        "dauer|frist|antwort|grund|ursache|betrag|wann|wer|wie|was|wo|ob|warum",
    },
    "{in} (?:steht|stehen|findet sich|finden sich|gibt es|sind|ist) (?:leider )?{none}"
    "(?: {info})?(?: (?:{about}|darüber,|dazu,) {x})?(?: {told}| enthalten| zu finden)?",
    "{in} (?:steht|wird|ist) nicht(?: {told})?, {x}",
    "{in} (?:wird|werden|ist|sind) {x} nicht {told}",
    "{source} (?:sagt|sagen|nennt|nennen|enthält|enthalten|erwähnt|erwähnen|gibt|geben|macht|"
    "machen|liefert|liefern) {none}(?: {info})?(?: (?:{about}|darüber,|dazu,) {x})?",
    "(?:enthält|enthalten|gibt|geben|macht|machen|liefert|liefern) {source} keine {info}"
    "(?: {about} {x})?",
    "(?!\\S+ (?:miet)?(?:vertrag|rechnung) enth){source} (?:sagt|sagen|nennt|nennen|erwähnt|"
    "erwähnen|gibt|geben|(?:enthält|enthalten)(?= (?:\\w{3,5} )?{things})) (?:{x} )?nicht(?: an)?",
    "{source} (?:sagt|sagen|gibt|geben|erklärt|erklären) nicht(?: an)?, {x}",
    "{source} (?:nennt|nennen|erwähnt|erwähnen|gibt|geben) nicht (?=d(?:ie|en|as) |eine?n? ){x}"
    "(?: an)?",
    "{source} (?:nennt|nennen|erwähnt|erwähnen|gibt|geben) weder {x}(?: an)?",
    "(?:ich|wir) (?:konnten?|habe|haben|kann|können)(?: dazu| darüber)?(?: {in})? (?:leider )?"
    "{none}(?: {info})?"
    "(?: {about} {x})?(?: {in})? (?:finden|gefunden|entnehmen)",
    "{of_texts}(?:ich|wir) (?:konnten?|habe|haben) {x}(?: {in})? nicht (?:finden|gefunden)",
    "{x},? (?:geht|gehen) (?:{in} nicht|nicht {in}) hervor",
    "{x},? (?:wird|werden|ist|sind)(?: {in})? nicht {told}",
    "{x},? (?:steht|stehen) (?:{in} nicht|nicht {in})",
    "(?:es|dazu) (?:gibt es|gibt|finden sich|sind) (?:{in} )?keine {info}"
    "(?: (?:{about}|auf) {x})?(?: {in})?",
    "keine {info} {about} {x}(?: {in})?(?: (?:gefunden|vorhanden|enthalten))?",
    "{source} (?:enthält|enthalten|gibt|geben|macht|machen|liefert|liefern) (?:dazu|hierzu|"
    "darüber) "
    "keine {info}",
    "{about} {x} (?:finden|findet|gibt|stehen|liegen)(?: sich| es| mir| uns)?(?: {in})? {none}"
    "(?: {info})?(?: vor)?",
    "(?:dazu|hierzu|darüber) liegen (?:mir|uns) keine {info} vor",
    "diese {info} (?:ist|sind|steht|stehen)(?: {in})? nicht(?: {in})?"
    "(?: {told}| enthalten| zu finden| vorhanden)?",
    "{in} (?:geht nicht hervor|wird nicht (?:gesagt|erklärt)), {x}",
    "{source} (?:nennt|nennen|erwähnt|erwähnen) keine[nmrs]? {x}",
    # What only the one who answers says.
    "(?:das|dies|es|darüber|(?:diese|die) frage) (?:weiß|kann) ich (?:leider )?(?:{in} )?"
    "(?:nicht|nichts)(?: {find})?",
    "ich (?:weiß|kann) (?:das|es|dies|darüber|dazu|diese frage)?(?: leider)? ?(?:nicht|nichts)"
    "(?: {find})?",
    "(?:ich )?(?:kann|konnte)(?: ich)? (?:leider )?(?:das|es|dies|(?:diese|die) frage) "
    "(?:leider )?(?:{in} )?nicht {find}",
    "ich weiß (?:leider )?nicht,? {x}",
    "{of_texts}(?:ich )?(?:kann|konnte)(?: ich)?(?: leider)? {x}(?: {in})? nicht {find}",
    "{of_texts}ich (?:kann|konnte) (?:leider )?nicht {find},? {x}",
    "(?:(?:dazu|darüber) )?(?:ich habe|habe ich) (?:dazu |darüber |leider ){0,2}keine {info}"
    "(?: {about} {x}| dazu| darüber)?",
    "(?:diese|die|solche|die \\w{1,16}) {info} (?:steht|stehen|liegt|liegen|ist|sind) (?:mir|uns) "
    "(?:leider )?nicht (?:zur verfügung|vor|bekannt|zugänglich)",
    "{x} ist mir (?:leider )?nicht bekannt",
    "(?:mir|uns) liegen (?:dazu |hierzu |darüber )?keine {info}(?: {about} {x})? vor",
    "{source} (?:schweigt|schweigen)(?: sich)? (?:{about}|darüber,|dazu,) {x}(?: aus)?",
    "{source} (?:lässt|lassen) (?:es )?offen,? {x}",
    "{source} (?:lässt|lassen) {x} (?:offen|unerwähnt|ungesagt)",
)

_SPANISH = _of(
    "Las fuentes indican {}.",
    {
        "joins": _joins("y|e|o|u|pero|mientras|aunque|porque|pues|sino|ni|así que|ya que"),
        "side": _side(
            "(?:el|la|los|las|una?|unos|unas|sus?) ",
            "(?:(?:de|para|en|a|por)(?: la| el| los| las)?|del|al) ",
            r"cuándo|quién\w*|cuánt\w+|cómo|dónde|si|por qué|qué|cuál\w*",
        ),
        "sorry": "(?:lo siento|lamentablemente|desafortunadamente),? (?:pero )?",
        "noun": "documentos?|fuentes?|textos?|fragmentos?|pasajes?|contexto|manual|guía|informe|"
        "contrato|folleto|página|artículo|materiale?s?|archivos?|catálogo|carta|correo|factura",
        "source": r"(?:los|las|el|la|est[eao]s?|esta|sus?|ningun[oa]? de (?:los|las)) {noun}"
        r"(?: (?:proporcionad|disponible|facilitad|consultad|aportad)\w*)?",
        "in": "(?:en|entre|según) {source}",
        "info": "(?:información|datos|detalles|mención|indicación|indicaciones|referencias?)"
        "(?: alguna?)?",
        "about": "(?:sobre|acerca de|acerca del|respecto a|respecto al|relativ[oa]s? (?:a|al))",
        "none": "(?:nada|ning[uú]n[oa]?)",
        "say": "(?:indica|menciona|dice|especifica|precisa|contiene|ofrece|aclara|explica|"
        "señala|detalla|habla|proporciona)n?",
        "includes": "incluyen?",
        "able": "(?:puedo|pude|he podido|he logrado|logré|consigo|conseguí|(?:soy|fui) capaz de)",
        "find": "(?:encontrar|localizar|determinar|decir|establecer|responder|precisar|confirmar|"
        "indicar|saber|hallar|contestar)",
        "things": "precio|coste|tarifa|fecha|horas?|horario|nombre|dirección|número|duración|"
        "plazo|importe|motivo|causa|respuesta|cuándo|quién|cuánto|cómo|dónde|si|por qué",
    },
    "{source} no {say}(?: {none}| ni)?(?: {info})?(?: {about}| de)?(?: {x})?",
    "{of_texts}no (?:(?:he|hemos)(?: podido)? encontr(?:ado|ar)|(?:pude|pudimos) encontrar|"
    "encuentro|encontré|"
    "encontramos)(?: {none})?(?: {info})?(?: {about})? {x}(?: {in})?",
    "(?:{in},? )?no (?:hay|existen?|aparece|consta)(?: {none})? {info}(?: {about} {x})?(?: {in})?",
    "{in},? no (?:se {say}|consta|aparece|figura)(?: {none})? {x}",
    "no se {say} {x} {in}",
    "{x} no (?:se (?:menciona|especifica|precisa)n?|(?:se indican?|constan?|están? indicad[oa]s?)"
    " {in})(?: {in})?",
    "{x} no (?:aparece|figura)n? {in}",
    "no se (?:encontró|encontraron|(?:ha|han) encontrado)(?: {none})? {info}(?: {about} {x})?"
    "(?: {in})?",
    # What only the one who answers says.
    "(?:eso |esto |yo )?no (?:lo )?sé(?: {x})?",
    "(?:desconozco|ignoro) {x}",
    "no {able} {find}(?:lo)?(?: (?:a )?(?:eso|esto|(?:esa|esta) pregunta|(?:la|tu|su) pregunta))?",
    "{of_texts}no {able} {find} {x}(?: {in})?",
    "no l[oa]s? (?:he encontrado|encontré|encuentro|veo) {in}",
    "no (?:tengo|dispongo de)(?: acceso a)? (?:es[ae] |esta |la )?{info}(?: {about} {x})?",
    "es[ae] {info} no (?:está|me es) (?:a mi alcance|disponible|accesible)(?: para mí)?",
    "{source} (?:guarda silencio|calla) {about} {x}",
    "{source} (?:deja|dejan) (?:abierto|sin aclarar|sin respuesta) {x}",
)

_ITALIAN = _of(
    "Le fonti indicano {}.",
    {
        "joins": _joins("ed?|o|ma|mentre|perché|anche se|benché|sebbene|quindi|però|né|poiché"),
        "side": _side(
            r"(?:(?:il|lo|la|i|gli|le|una?|uno|suo|sua) |(?:un|l)')",
            r"(?:(?:di|per|in|al?|alla|d[ei]i|d?el|dell[aoe]|degli|nel|nella) |(?:d|dell|all)')",
            r"quando|chi|quant\w+|come|dove|se|perché|qual\w*|che cosa|cosa",
        ),
        "sorry": "(?:mi dispiace|purtroppo|spiacente),? (?:ma )?",
        "noun": "document[io]|font[ie]|test[io]|estratt[io]|bran[io]|contesto|manuale|guida|"
        "rapporto|contratto|opuscolo|pagina|articolo|materiale|file|catalogo|lettera|fattura|verbale",
        "given": r"(?: (?:fornit|disponibil|consultat|indicat)\w| a disposizione)?",
        "source": "(?:(?:i|il|le|la|gli|questi|questo|queste|questa|nessun[oa]? (?:dei|delle)) |l')"
        "{noun}{given}",
        "in": "(?:(?:nei|nel|nelle|nella|in|in quest[eio]) |nell'){noun}{given}",
        "info": "(?:informazioni|informazione|indicazioni|indicazione|dati|dettagli|riferimenti|"
        "menzione)",
        "about": "sull'|(?:su|sul|sulla|sui|sulle|sugli|riguardo al?|circa|relative al?) ",
        "none": "(?:nulla|niente|alcun[oa]?|nessun[oa]?)",
        "say": "(?:indica|menziona|specifica|precisa|riporta|parla|spiega)(?:no)?|dice|dicono|"
        "contiene|contengono|fornisc(?:e|ono)|chiarisc(?:e|ono)",
        "includes": "includ(?:e|ono)",
        "told": "(?:indicat|specificat|menzionat|precisat|riportat)[oaie]",
        "able": "(?:posso|ho potuto|riesco a|sono riuscit[oa] a|sono (?:stat[oa] )?in grado di)",
        "find": "(?:trovare|localizzare|determinare|dire|stabilire|rispondere|precisare|confermare|"
        "indicare|sapere|individuare)",
        "things": "prezzo|costo|tariffa|data|ore|ora|orari|orario|nome|indirizzo|numero|durata|"
        "termine|importo|motivo|causa|risposta|quando|chi|quanto|come|dove|se|perché",
    },
    "{source} non {say}(?: {none}| né)?(?: {info})?(?: {about}?{x})?",
    "{of_texts}non (?:ho|abbiamo) (?:trovato|potuto trovare)(?: {none})?(?: {info})?(?: "
    "{about}?{x})"
    "(?: {in})?",
    "{of_texts}non (?:sono riuscit[oa]|siamo riusciti) a trovare(?: {none})?(?: {info})?"
    "(?: {about}?{x})(?: {in})?",
    "(?:{in},? )?non (?:ci sono|c'è|si trovano|esistono)(?: {none})? {info}(?: {about}{x})?"
    "(?: {in})?",
    "{in},? non (?:è|sono|viene|vengono) {told} {x}",
    "{x} non (?:è|sono|viene|vengono) (?:{told} {in}|(?:specificat|menzionat|precisat)[oaie])",
    "{in},? non si (?:dice|parla d\\w{1,4}|indica|specifica) {x}",
    "quest[ae] informazion[ei] non (?:è|sono|si trova|si trovano|compare)(?: \\w+){0,2} {in}",
    "non (?:è|viene) {told} (?=quant|quando|chi |come |dove |se |perché ){x}(?: {in})?",
    # What only the one who answers says.
    "(?:questo |io )?non (?:lo )?so(?: {x})?",
    "non {able} {find}(?:lo)?(?: (?:questo|a questa domanda|alla domanda|alla tua domanda))?",
    "{of_texts}non {able} {find} {x}(?: {in})?",
    "non (?:ho|dispongo di)(?: accesso a)? (?:quest[ae] |queste )?{info}"
    "(?: {about} ?{x}| su questo punto| al riguardo)?",
    "quest[ae] {info} non (?:mi )?(?:è|sono) (?:disponibil[ei]|accessibil[ei]|not[ae])(?: per me)?",
    "{source} (?:tace|tacciono) {about} ?{x}",
    "{source} (?:lascia|lasciano) (?:aperto|senza risposta|in sospeso) {x}",
)

_PORTUGUESE = _of(
    "As fontes indicam {}.",
    {
        "joins": _joins("e|ou|mas|enquanto|porque|embora|pois|porém|nem|já que|ainda que"),
        "side": _side(
            "(?:os?|as?|uma?|seus?|suas?) ",
            "(?:(?:de|d[oa]s?|para|em|n[oa]s?|ao)(?: os?| as?)?) ",
            r"quando|quem|quant\w+|como|onde|se|por que|qua(?:l|is)|o que",
        ),
        "sorry": "(?:desculpe|lamento|infelizmente),? (?:mas )?",
        "noun": "documentos?|fontes?|textos?|trechos?|passagens|contexto|manual|guia|relatório|"
        "contrato|folheto|página|artigo|materia(?:l|is)|arquivos?|ficheiros?|catálogo|carta|fatura",
        "given": r"(?: (?:fornecid|disponíve|apresentad|consultad)\w*)?",
        "source": "(?:os|as|o|a|este|esta|estes|estas|esses|nenhuma? d[oa]s) {noun}{given}",
        "in": "(?:nos|nas|no|na|nestes|nestas|neste|nesta|em) {noun}{given}",
        "info": "(?:informaç(?:ões|ão)|dados|detalhes|menção|indicaç(?:ões|ão)|referências?)",
        "about": "(?:sobre|acerca d[eoa]s?|a respeito d[eoa]s?|quanto [aà]s?|relativ[oa]s? [aà]s?)",
        "none": "(?:nada|nenhuma?|qualquer)",
        "say": "(?:indica|informa|menciona|especifica|fornece|esclarece|explica|refere|cita|fala|"
        "aborda)m?|diz|dizem|cont[ée]m|contêm",
        "includes": "incluem|inclui|trazem|traz",
        "told": "(?:indicad|informad|mencionad|especificad|referid)[oa]s?",
        "able": "(?:posso|pude|consigo|consegui|(?:fui|sou) capaz de)",
        "find": "(?:encontrar|localizar|determinar|dizer|estabelecer|responder|precisar|confirmar|"
        "indicar|saber|achar)",
        "things": "preço|custo|tarifa|data|horas?|horário|nome|endereço|número|duração|prazo|"
        "valor|motivo|causa|resposta|quando|quem|quanto|como|onde|se|por que",
    },
    "{source} não {say}(?: {none}| nem)?(?: {info})?(?: {about})?(?: {x})?",
    "{of_texts}(?:eu )?não (?:encontrei|encontramos|consegui encontrar|foi possível encontrar|"
    "achei)"
    "(?: {none})?(?: {info})?(?: {about})? {x}(?: {in})?",
    "(?:{in},? )?não (?:há|existem?|constam?)(?: {none})? {info}(?: {about} {x})?(?: {in})?",
    "{in},? não (?:é|são|está|consta|se {say}) (?:{told} )?{x}",
    "{x} não (?:é|são|está|estão|foi|foram) (?:{told} {in}|(?:mencionad|especificad)[oa]s?)",
    "{x} não consta {in}",
    "es[st]as? informaç(?:ão|ões) não (?:está|estão|constam?|aparecem?)(?: \\w+){0,2} {in}",
    "não (?:foi|foram) encontrad[oa]s? {info}(?: {about} {x})?(?: {in})?",
    "não (?:é|está) {told} (?=quant|quando|quem |como |onde |se |qual |o que |por que ){x}(?: "
    "{in})?",
    # What only the one who answers says.
    "(?:isso |eu )?não sei(?: {x})?",
    "(?:eu )?não {able} {find}(?: (?:a )?(?:isso|isto|es[st]a pergunta|a pergunta))?",
    "{of_texts}(?:eu )?não {able} {find} {x}(?: {in})?",
    "(?:eu )?não (?:tenho|disponho de)(?: acesso a)? (?:es[st][ae]s? )?{info}(?: {about} {x})?",
    "ess[ae]s? {info} não (?:está|estão) (?:disponíve(?:l|is)|acessíve(?:l|is))(?: para mim)?",
    "{source} (?:silencia|cala) {about} {x}",
    "{source} (?:deixa|deixam) em aberto {x}",
)

_DUTCH = _of(
    "In de bronnen staat: {}.",
    {
        "joins": _joins("en|of|noch|maar|terwijl|hoewel|omdat|want|dus|zodat"),
        "side": _side(
            "(?:(?:de|een|zijn|haar|hun) )?",
            "(?:(?:van|voor|in|op|aan|bij)(?: de| het| een)?) ",
            "wanneer|wie|hoeveel|hoe|waar|waarom|of|wat|welke?",
        ),
        "sorry": "(?:helaas|sorry|het spijt me),? (?:maar )?",
        "noun": "documenten|document|bronnen|bron|teksten|tekst|fragmenten|passages?|context|"
        "handleiding|rapport|contract|folder|pagina|artikel|materiaal|bestanden|catalogus|brief|factuur|verslag",
        "source": r"(?:de|het|deze|dit|geen van de) (?:\w+e )?{noun}",
        "in": r"(?:in|uit) (?:de|het|deze|dit|mijn) (?:\w+e )?{noun}",
        "info": "(?:informatie|gegevens|vermelding|details|aanwijzing|aanwijzingen)",
        "about": "(?:over|omtrent|betreffende|van)",
        "told": "(?:vermeld|genoemd|aangegeven|beschreven|opgenomen)",
        "say": "vermeldt|vermelden|noemt|noemen|zegt|zeggen|bevat|bevatten|geeft|geven",
        "find": "(?:vinden|bepalen|zeggen|vaststellen|beantwoorden|noemen|bevestigen|achterhalen|"
        "terugvinden|aangeven)",
        "things": "prijs|kosten|tarief|datum|tijd|tijden|naam|adres|nummer|duur|termijn|bedrag|"
        "reden|oorzaak|antwoord|wanneer|wie|hoeveel|hoe|waar|of|waarom",
    },
    "{in} (?:staat|staan|is|zijn|wordt) (?:er )?(?:niets|niet|geen)(?: {info})?(?: {about})?"
    "(?: {told},?)? ?{x}?",
    "{in} blijkt niet,? {x}",
    "{source} (?:{say}) (?:niets|niet|geen|noch)(?: {info})?(?: {about})? ?{x}?",
    "{source} (?:{say}) {x} niet",
    "(?:ik|we|wij) (?:kon|konden|kan|heb|hebben)(?: {in})? (?:geen|niets)(?: {info})?"
    "(?: {about} {x})?(?: {in})? (?:vinden|gevonden)",
    "{of_texts}(?:ik|we|wij) (?:kon|konden|heb|hebben) {x}(?: {in})? niet (?:vinden|"
    "terugvinden|gevonden)(?: {in})?",
    "{x} (?:wordt|worden|is|zijn|staat)(?: {in})? niet {told}(?: {in})?",
    "{x} staat niet {in}",
    "er (?:is|zijn|staat)(?: {in})? geen {info}(?: {about} {x})?(?: {in})?(?: te vinden)?",
    "er staat (?:{in} niet|niet {in}) {x}",
    # What only the one who answers says.
    "(?:dat|dit|het) (?:weet|kan) ik (?:helaas )?niet(?: {find})?",
    "ik (?:weet|kan) (?:dat|dit|het|deze vraag) (?:helaas )?niet(?: {find})?",
    "ik weet (?:helaas )?niet,? {x}",
    "{of_texts}(?:ik )?(?:kan|kon)(?: ik)? {x}(?: {in})? niet {find}",
    "{of_texts}ik kan (?:helaas )?niet {find},? {x}",
    "(?:die|deze) {info} (?:is|zijn) (?:voor )?mij niet (?:beschikbaar|bekend|toegankelijk)",
    "(?:daar|hier) heb ik (?:helaas )?geen {info} over",
    "(?:daarover |hierover )?(?:ik heb|heb ik) (?:helaas )?geen {info}(?: {about} {x}| daarover)?",
    "{of_texts}ik heb {x}(?: {in})? niet (?:gevonden|kunnen {find})",
    "{source} (?:zwijgt|zwijgen) over {x}",
    "{source} (?:laat|laten) {x} (?:open|in het midden)",
)

_RUSSIAN = _of(
    "В источниках указано: {}.",
    {
        "joins": _joins("и|или|но|а|хотя|потому что|так как|пока|тогда как|однако|зато"),
        "things": "цен[ау]|стоимост[ьи]|дат[ау]|врем[яи]|имя|адрес|номер|срок|сумм[ау]|причин[ау]|"
        "ответа?|когда|кто|сколько|как|где|ли|почему",
        # `срок аренды`, but not `цена высока`, which states something.
        "side": r"(?!\w*(?i:[еёияю]т|ут|ат|л[аои]?|ся|сь|но)\Z)[^\W\d_]+"
        r"|(?i:{things}) (?!\w*(?:ны|[ыя]ты|л[аи]|ги|нов|готов|здоров|суров)\Z)"
        r"\w*(?:[ыи]|ия|ов|[ое]ра|[её]та|кта|[нр]та|аза)"
        r"|(?i:когда|кто|что|сколько|как|где|почему|какой\w*|каков\w*|куда)\b[^0-9]{0,120}",
        "sorry": "(?:к сожалению|извините|простите),? (?:но )?",
        "in": r"в (?:\w+(?:ых|ом|ах) )?(?:документ(?:ах|е)|источник(?:ах|е)|текст(?:ах|е)|"
        "материал(?:ах|е)|отрывк(?:ах|е)|контексте|руководстве|инструкции|отч[её]те|договоре|"
        "статье|брошюре|каталоге)",
        "source": "(?:контекст|документы?|источники?|тексты?|материалы|руководство|инструкция|"
        "договор)",
        "info": "(?:информаци[июя]|ответа|сведени[йя]|данных|упоминани[йя]|ничего)",
        "about": "(?:об?|про|по|относительно|насч[её]т)",
        "told": "(?:указан[аоы]?|сказано|говорится|упомина[ею]тся|упомянут[аоы]?|сообща[ею]тся|"
        "привед[её]н[аоы]?|описан[аоы]?|уточня[ею]тся)",
        "find": "(?:найти|определить|сказать|установить|ответить|подтвердить|указать|выяснить|"
        "обнаружить)",
    },
    "{in} (?:ничего )?не {told},? (?:{about} )?{x}",
    "{in} (?:нет|не содержится|отсутству[ею]т) (?:никакой )?{info}(?: {about} {x})?",
    "{of_texts}(?:я |мы )?не (?:наш[её]л|нашла|нашли|удалось найти|смог(?:ла)? найти)(?: {in})?"
    "(?: {info})?(?: {about})? {x}(?: {in})?",
    "{source} не (?:содержат|содержит|указывают|указывает|сообща[ею]т|упомина[ею]т|говор[яи]т),? "
    "(?:{info} )?(?:{about} )?{x}",
    "{x},? (?:{in} )?не {told}(?: {in})?",
    "нет {info} {about} {x}(?: {in})?",
    "(?:этой|такой) информации (?:нет|не содержится) {in}",
    "{of_texts}(?:мне|нам) не удалось найти(?: {in})?(?: {info})?(?: {about})? {x}(?: {in})?",
    # What only the one who answers says.
    "(?:я )?(?:этого )?не знаю(?:,? {x})?",
    "(?:мне|нам) (?:это )?(?:неизвестно|не известно)(?:,? {x})?",
    "(?:я )?не (?:могу|смог(?:ла)?) (?:это )?{find}(?: (?:это|на этот вопрос))?",
    "{of_texts}(?:я )?не (?:могу|смог(?:ла)?) {find},? {x}",
    "{of_texts}мне не удалось {find},? {x}",
    "эта информация мне (?:недоступна|неизвестна)",
    "у меня нет (?:доступа к )?(?:этой |такой |никакой )?{info}(?: {about} {x})?",
    "{source} умалчивает {about} {x}",
)

_ARABIC = _of(
    "تذكر المصادر {}.",
    {
        "joins": r"\sو(?!قت|زن|ثيق|ثائق|صف|سيل|جود|فاة|لاد|حد|ضع|رق)(?=\S\S\S)"
        r"|\s(?:لكن|بينما|لأن|أو)\s",
        "sorry": "(?:عذرا|عذرًا|للأسف|آسف)[،,]? (?:لكن |ولكن |لكنني )?",
        "source": r"(?:هذه |هذا )?ال(?:مستندات|مستند|مصادر|مصدر|وثائق|وثيقة|نصوص|نص|مقاطع|"
        r"سياق|دليل|"
        r"تقرير|عقد|مقال|كتيب)(?: (?:المقدمة|المتاحة|المتوفرة|المرفقة|المذكورة|المقدم|المرفق))?",
        "in": "في {source}",
        "info": "(?:أي |أية )?(?:معلومات|معلومة|ذكر|إشارة|بيانات|تفاصيل)",
        "about": "(?:عن|حول|بشأن|بخصوص|إلى|على)",
        "say": "[تيُ]{1,2}(?:ذكر|حدد|وضح|شير|تضمن|حتوي|قدم|بين|تطرق|شر)",
        "e": "ّ?",
        "find": "(?:العثور|إيجاد|تحديد|معرفة|الإجابة|قول|تأكيد)",
        "things": "(?:ال)?(?:سعر|تكلفة|تاريخ|وقت|موعد|اسم|عنوان|رقم|مدة|مبلغ|سبب|إجابة|جواب)|متى|"
        "من|كم|كيف|أين|هل|لماذا",
        # `مدة العقد`: of the contract. Behind a thing with its article stands what is said of it.
        "side": r"ال\w+|(?!ال){things} ال\w+"
        r"|(?:متى|من|كم|كيف|أين|هل|لماذا|ما) [^0-9]{0,120}",
    },
    "(?:لا|لم) {say} {source}(?: إلى| على| عن)?(?: {info})?(?: {about})? {x}",
    "{source} (?:لا|لم) {say}(?: إلى| على| عن)?(?: {info})?(?: {about})? {x}",
    "{of_texts}(?:لم|لا) (?:أجد|نجد|أعثر|أتمكن من العثور|أتمكن من إيجاد)(?: على)?(?: {in})"
    "?(?: على)?"
    "(?: {info})?(?: {about})? {x}(?: {in})?",
    "لا (?:توجد|يوجد)(?: {in})? {info}(?: {about} {x})?(?: {in})?",
    "(?:لم|لا) (?:ي|ت|يُ|تُ)(?:ذكر|رد|حدد) {x} {in}",
    "{x} غير (?:مذكور|محدد|مذكورة|محددة) {in}",
    "هذه (?:المعلومات|المعلومة) غير (?:موجودة|متوفرة|واردة|مذكورة) {in}",
    "لم يتم (?:ذكر|تحديد|توضيح) {x} {in}",
    "لا (?:يوجد|توجد) {in} (?:ما|أي شيء) (?:يشير|يدل|ينص) (?:إلى|على) {x}",
    # What only the one who answers says.
    "(?:أنا )?(?:لا|لست) (?:أعرف|أعلم|أدري|متأكدا?ً?)(?: (?:ذلك|هذا|الإجابة))?",
    "(?:أنا )?لا (?:أعرف|أعلم|أدري) {x}",
    "(?:لم|لا) (?:أتمكن|أستطع|أستطيع|يمكنني) (?:من )?{find}(?: (?:ذلك|هذا|على هذا السؤال))?",
    "{of_texts}(?:لم|لا) (?:أتمكن|أستطع|أستطيع|يمكنني) (?:من )?{find}(?: على)? {x}",
    "(?:ليس|ليست|لا توجد|لا تتوفر) لدي{e} {info}(?: {about} {x})?",
    "هذه المعلوم(?:ات|ة) غير (?:متاحة|متوفرة|معروفة) لي",
)

_CHINESE = _of(
    "资料中说明了{}。",
    {
        "joins": "而|但|且|并且|並且|(?<!是否)同[时時]|所以|因[为為](?!什么|什麼|何)|虽然|雖然",
        "side": r"(?!)",
        "sorry": "(?:很?抱歉|对不起|對不起|很遗憾|遗憾的是|不好意思)[，,]?(?:但是?)?",
        "noun": "文档|文檔|文件|资料|資料|来源|來源|材料|文本|上下文|原文|手册|手冊|说明书|"
        "說明書|报告|"
        "報告|合同|文章|内容|內容|文(?=中)",
        "source": "(?:(?:所|您|你)?(?:提供|给出|給出)的|这些|這些|上述|现有的?)?{noun}(?:中|"
        "里|裡|内|內)?",
        "in": "(?:在|根据|根據|从|從){source}",
        "not": "(?:并|並|都|均)?(?:没有|沒有|未能?|不曾|无法|無法|没|不)(?:明确|明確|具体|具體)?",
        "say": "说明|說明|提到|提及|提供|写明|寫明|指出|包含|涉及|记载|記載|列出|给出|給出|"
        "介绍|介紹",
        "info": "(?:相关)?(?:的)?(?:信息|資訊|资讯|资料|資料|内容|內容|说明|說明|记载|数据)",
        # What was looked for in the world may be called so, too: `没有发现资料泄露`.
        "of_texts": "(?=我?(?:们)?(?:{not})?(?:{in}|{noun}(?:中|里|裡|内|內))|"
        r".*(?:关于|關於|有关|有關|相关|相關).*{info}[\s.!。！]*\Z)",
    },
    "(?:在|根据|根據)?{source}[，,]?{not}(?:{say})(?:任何)?(?:关于|關於|有关|有關)?{x}(?:{info})?",
    "{of_texts}我?(?:们)?(?:{in}|{source})?{not}(?:{in})?(?:找到|查到|发现|發現|看到)(?:任何)?"
    "(?:关于|關於|有关|有關)?{x}(?:{info})?",
    "(?:在|根据)?{source}[，,]?(?:没有|沒有)(?:任何)?(?:关于|關於|有关|有關){x}{info}",
    "{x}{in}{not}(?:{say})",
    "(?:在|根据|根據)?{source}[，,]?(?:没有|沒有)(?:任何)?(?:相关|相關)(?:的)?{info}",
    "我(?:们)?不(?:知道|清楚)",
    "(?:根据|根據|依据|从|從){source}[，,]?(?:无法|無法|不能)(?:确定|確定|知道|回答|判断|判斷)"
    "(?:(?:这个|该|此)问题|{x})",
)

_JAPANESE = _of(
    "資料には{}の記載があります。",
    {
        "joins": "(?:だ|です|ます|た|い)(?:が|けど|けれど|し|ので|から)",
        "side": r"(?!)",
        "sorry": "(?:申し訳ありません(?:が)?|申し訳ございません(?:が)?|残念ながら|"
        "すみません(?:が)?)、?",
        "noun": "資料|文書|ドキュメント|情報源|ソース|出典|本文|テキスト|文脈|マニュアル|"
        "説明書|契約書|"
        "報告書|記事|文章",
        "source": r"(?:(?:提供|提示|参照)された|ご?提供の|この|これらの|取扱)?{noun}(?:の中|内)?",
        "in": "{source}(?:には|に|では|で|からは|から)、?",
        "about": "(?:に関する|についての|に関して(?:は)?|について(?:は)?|の)",
        "info": "(?:記載|情報|説明|言及|記述)",
        "not": "(?:ありません(?:でした)?|見つかりません(?:でした)?|見つけられません(?:でした)?|"
        "ない|なかった|含まれていません|されていません|されていない|書かれていません|"
        "記載されていません|述べられていません|示されていません)",
    },
    "{in}{x}{about}{info}[はがも]?{not}",
    "{in}{x}[はがも]{not}",
    "{x}(?:は|{about})、?{in}(?:{info}[はがも]?)?{not}",
    "{x}{about}{info}[はがも]?、?(?:{in})?{not}",
    "(?:その|この){info}は見つかりません(?:でした)?",
    "(?:(?:{source}|提供された情報)では、?)?(?:(?:この|その|ご)質問に)?は?"
    "(?:わかりません|分かりません|(?:お答え|回答)(?:でき|いたしかね)ません)",
    "{source}(?:から|では)は?、?{x}[はが](?:わかりません|分かりません|不明です|判断できません)",
)

OPPOSING = word_set("aber doch jedoch mais pero ma però mas maar но однако لكن ولكن")
"""What begins a statement behind a comma and an absence."""

ABSENCES: Mapping[str, Absences] = {
    "ar": _ARABIC,
    "de": _GERMAN,
    "es": _SPANISH,
    "fr": _FRENCH,
    "it": _ITALIAN,
    "ja": _JAPANESE,
    "nl": _DUTCH,
    "pt": _PORTUGUESE,
    "ru": _RUSSIAN,
    "zh": _CHINESE,
}
"""By language tag, without a region."""


def missing_in(content: str, language: str) -> str | None:
    """What a sentence says that the sources do not say, as a claim that they do say it.

    Empty where it does not tell what; None if it is no such sentence, or of another language. One
    of an unknown language may be of any.
    """
    known = ABSENCES.get(language.partition("-")[0])
    tried = [known] if known else [*ABSENCES.values()] if language == UNKNOWN_LANGUAGE else []
    if len(content) > MAX_CHARACTERS:
        return None
    content = content.replace("’", "'")
    for absences in tried:
        for form in absences.forms:
            match = compiled(form).fullmatch(content)
            if match is None:
                continue
            missing = (match.groupdict().get("x") or "").strip()
            if not absences.is_one(missing):
                continue
            missing = _NOR.sub(", ", missing)
            back = missing.lower() in _BACK
            return absences.asked.format(_inside(missing)) if missing and not back else ""
    return None


def _inside(text: str) -> str:
    """Words as they stand within a sentence: `Der Preis`, but not `VAT`."""
    first, _, _ = text.partition(" ")
    return text[0].lower() + text[1:] if first.istitle() and len(first) <= MAX_ARTICLE else text
