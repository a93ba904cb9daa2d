"""English words by what they do in a sentence. Data only."""

from groundwire_verifier.text.claims.wording.sentence import word_set

DAYS = word_set(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Eastern Pacific Central EST EDT "
    "CET GMT UTC PST PDT"
)
NUMBER_ABBREVIATIONS = word_set(
    "approx. ca. circa. est. min. max. art. sec. ch. ver. v. par. nr. vol. vols. fig. figs. eq. "
    "pp. p. app. ex."
)
"""Abbreviations that the sentence library does not know: a number follows them."""
TITLES = word_set(
    "Ms. Mrs. Mr. Mx. Dr. Prof. Messrs. Mmes. Mme. Mlle. Dres. Sta. Ste. Ing. Sr. Fr. M. Fam. Hr."
)
"""Titles that a name follows, which the sentence library ends a sentence behind or may."""

BE = word_set("is are was were am isn't aren't wasn't weren't")
HAVE = word_set("has have had hasn't haven't hadn't")
DO = word_set("do does did don't doesn't didn't")
MODALS = word_set(
    "can could will would shall should may might must can't couldn't won't wouldn't shouldn't "
    "cannot"
)
AUXILIARIES = BE | HAVE | DO | MODALS
SURE_FINITE = (BE | word_set("has had does did hasn't hadn't doesn't didn't") | MODALS) - word_set(
    "will can may might must"
)
"""Auxiliaries that are never an infinitive, a name or a noun."""

PRONOUNS = word_set(
    "i you he she it we they there anyone someone everyone somebody anybody everybody"
)
DETERMINERS = word_set(
    "the a an this that these those my your his her its our their each every all any some no "
    "both another one"
)
OBJECTS = word_set("it them him me us yourself itself everything anything nothing")
PREPOSITIONS = word_set(
    "in on at by for from to with of as into onto over under after before during since until "
    "through within without between against about near along across behind"
)
SUBORDINATORS = word_set(
    "that which who whom whose where when while whether if unless because although though since "
    "so as until before after once than how why what"
)
CONDITIONALS = word_set("if unless when whenever provided assuming suppose once until lest")
BIRTH_PARTICIPLES = word_set(
    "raised educated bred buried baptized baptised christened brought reared named adopted "
    "trained schooled recorded registered killed given"
)
"""Participles that go on from `was born`, where other past forms start a predicate."""

REPORTING = word_set(
    "said says say claim claims claimed think thinks thought believe believes believed argued "
    "argues suggested suggests reported reports stated states told assumed assumes denied "
    "denies"
)
CLAUSE_VERBS = word_set(
    "admit admits hold feel find finds hear hears know note notes say show shows suggest insist "
    "warn fear hope hopes imply agree agrees believe reveal claim report state think prove argue"
)
"""Verbs that may take a clause without `that`: `Records show the mill was sold.`"""

PASTS = word_set(
    "became began bit blew broke brought built bought came caught chose crept dealt did drank "
    "drew drove dug ate fed fell felt fled flew forgot fought found froze gave got grew had "
    "heard held hid kept knew laid led left lent lost made meant met paid ran rang rode rose "
    "said sang sank sat saw sent shone shot shook slept sold sought spent spoke sprang stole "
    "stood struck swam swore swung taught told took thought threw understood went withdrew woke "
    "won wore wove wrote"
)
"""Irregular past forms that differ from the base form."""

PURE_PASTS = word_set(
    "became began blew broke came chose drank drew drove ate fell flew forgot froze gave grew "
    "knew ran rang rode rose sang sank saw shook spoke sprang stole swam swore took threw went "
    "withdrew woke wore wove wrote died lived arrived emerged graduated emigrated remained "
    "appeared disappeared belonged consisted existed happened occurred resigned retired "
    "returned travelled traveled fled stood slept sat"
)
"""Past forms that are no participle of a passive, so they start a predicate of their own."""

NOT_PASTS = word_set(
    "need indeed speed seed feed breed bleed weed reed red bed hundred sacred naked wicked "
    "embed exceed proceed succeed shed wed sled united limited advanced unlimited so-called"
)

SURE_THIRD = word_set(
    "absorbs accepts accommodates achieves adopts affects allows appears applies argues assigns "
    "assumes attracts avoids becomes begins behaves belongs boils borrows breeds brings buys "
    "carries collects comes communicates competes computes concludes conducts confirms connects "
    "considers consists consumes contains contributes converts cools corresponds creates "
    "declares defines deletes delivers demonstrates denies depends describes deserves detects "
    "determines develops differs directs disables discusses dissolves distributes divides "
    "dominates earns eats emerges emits emphasises emphasizes employs enables encodes ensures "
    "enters equals establishes evaluates evolves examines exceeds executes exists expands "
    "expires explains extends fails fetches finishes follows freezes generates gets gives goes "
    "governs grows guarantees happens has hunts ignores illustrates implements implies improves "
    "includes indicates informs inhabits inherits initialises initializes inspires installs "
    "integrates interacts interprets introduces invokes involves joins keeps knows lacks lasts "
    "lays learns lets listens loses maintains makes manages melts migrates notifies observes "
    "obtains occurs operates organises organizes owns parses performs possesses prefers "
    "preserves prevents produces promotes proposes protects proves provides publishes qualifies "
    "reaches reacts reboots receives recognises recognizes recommends reconnects recovers "
    "reduces refers reflects refuses regulates rejects relates relies remains removes renders "
    "replaces represents requires resembles resides resists resolves responds restarts restores "
    "restricts retains retries retrieves reveals rotates says seems selects sells sends "
    "separates serves simplifies simulates solves speaks specialises specializes specifies "
    "spends submits sues suggests surrounds survives symbolises symbolizes takes teaches tells "
    "tends throws transforms translates transmits transports understands validates varies wakes "
    "warns weighs writes"
)
"""Third-person forms that are no plural noun."""
THIRD = SURE_THIRD | word_set(
    "acts adds aims answers awards bans bears binds blocks borders breaks builds burns calls "
    "causes combines controls cooks copies costs counts covers cuts deals displays drives ends "
    "exits exports extracts falls features feeds finds fits flies flows forces forms forwards "
    "functions guards handles heats helps holds hosts houses imports increases influences "
    "inserts launches leads leaves lies limits links lives loads locks logs looks lowers maps "
    "marks matches means measures meets mixes monitors moves names needs nests offers opens "
    "orbits outputs passes pays permits places plays points presents processes raises ranges "
    "reads records registers releases repeats replies resets returns rewards rises rules runs "
    "saves scales searches shares shows signs sits sleeps sorts spans splits stands starts stays "
    "stems stops stores stretches supplies supports switches targets tests tracks travels treats "
    "triggers triples turns updates uses wants wins works wraps yields"
)

SURE_IMPERATIVES = word_set(
    "dilute dissolve inhale inject swallow chew ask add adjust allow apply assume attach avoid "
    "bring choose configure connect consider continue convert create delete deploy describe "
    "determine disable disconnect discard enable ensure enter erase evaluate examine execute "
    "expand explain fasten follow forget generate give grab identify ignore include inform "
    "initialize insert install invoke keep learn let locate modify multiply navigate obtain "
    "perform proceed protect provide reinstall remember remove rename replace resize retry "
    "rotate see select send serve specify stir subtract take tell tighten toggle translate "
    "uninstall unlock unmount unplug untie unzip upload validate verify wipe compile compare "
    "calculate confirm declare define"
)
"""Imperatives that no noun or adjective at the start of a sentence is mistaken for."""
IMPERATIVES = SURE_IMPERATIVES | word_set(
    "rinse accept access activate assign back bake be begin boil book browse build buy call "
    "cancel change charge check clean clear click clone close collect combine comment commit "
    "complete consult contact cook copy count cover cut dab decrease divide do download drag "
    "drain draw drink drive drop dry eat edit eject empty enjoy exit export extract feel fetch "
    "fill find fix flush fold format get go grant hang heat help hide hit hold import increase "
    "inspect join launch lay leave lift list listen load lock log look lower make mark measure "
    "merge mix monitor mount move name note notice open order organize park pass paste pay peel "
    "pick place plan play plug pour practice prepare press print publish pull push put quit "
    "raise read reboot rebuild receive recommend record reduce refer refresh register release "
    "reload repeat reply report request reset rest restart restore resume return review roll run "
    "save scan schedule scroll search season sell separate set share shut sign simmer sit skip "
    "slice smile sort spend split spread sprinkle start stay stop store study submit subscribe "
    "switch tag tap test think tie touch track transfer try turn type update upgrade use view "
    "visit wait wake walk warm wash watch wear work wrap write zip blot chill chop crack dice "
    "dip drizzle flip freeze fry grate grease knead mince poach speak swap talk preheat roast "
    "scrub sift soak steam sterilize toast toss trim whisk double-check"
)

SCREEN_VERBS = word_set("click press tap hit type open run see choose select enter")
"""Verbs that names of buttons and keys follow: `Click Save.`"""

_VERB_PARTICLES = word_set(
    "click-on log-in log-out log-into look-at look-for turn-on turn-off back-up search-for "
    "sign-in sign-up sign-out refer-to plug-in go-to scroll-down wait-for wait-until fill-in "
    "fill-out tap-on listen-to think-of shut-down start-by begin-by begin-with try-to speak-to "
    "speak-with talk-to talk-with write-to start-with swap-in"
)
VERB_PARTICLES = frozenset(tuple(pair.split("-")) for pair in _VERB_PARTICLES)
PARTICLES = word_set("down up out off away together back aside")
"""Words that a verb may have before its object: `Write down your goals.`"""

NUMBERS = word_set("two three four five six seven eight nine ten")

CLAUSE_IMPERATIVES = word_set(
    "ensure check verify remember note see assume suppose consider confirm"
)
"""Imperatives that take a whole clause: its verb says nothing about the sentence."""

IMPERATIVE_LEADS = word_set(
    "first second third then next now finally also just simply and so otherwise instead always "
    "never alternatively lastly afterwards kindly again carefully"
)
CLAUSE_LEADS = word_set(
    "if when whenever whatever once after before to for in on from at under with while unless "
    "until by"
)

PLURAL_VERBS = word_set(
    "sell vary meet matter help last work apply exist occur remain differ depend include contain "
    "show rise fall grow cost take make use need require have provide support allow cause become"
)
"""Verbs that may follow a plural: `Contact lenses help.`"""

WH = word_set("what who whom where when why how which whose")
NAME_LIKE = word_set("will may can do might must")
"""Auxiliaries that may be a name: `Will Smith`, `Do Kwon`."""

GREETINGS = frozenset(
    {
        "sure", "sure thing", "certainly", "of course", "absolutely", "hello", "hi", "hi there",
        "hello there", "hey", "hey there", "thanks", "thank you", "great question", "good question",
        "that's a great question", "yes", "no", "ok", "okay", "you're welcome", "welcome",
        "first things first", "fingers crossed", "long story short", "emphasis mine",
        "emphasis added", "got it", "understood",
        "no problem", "happy to help", "glad to help", "goodbye", "bye",
    }
)  # fmt: skip
CLOSINGS = (
    "i hope this helps", "i hope that helps", "hope this helps", "let me know if", "feel free to",
    "i'd be happy to", "i would be happy to", "i'm happy to help", "please let me know if",
    "thank you for", "thanks for",
)  # fmt: skip
