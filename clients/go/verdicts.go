package groundwire

import "math"

// Verdict is what is known of a claim. A newer server may send others than
// those named here; such a claim is never grounded.
type Verdict string

const (
	// VerdictSupported: the evidence speaks for the claim, and pays for its
	// confidence. Or the sources that it cites do so by themselves, while others
	// say the same.
	VerdictSupported Verdict = "SUPPORTED"
	// VerdictUncertain: the evidence neither confirms the claim nor leaves it
	// without support. Not grounded: every policy and gate takes it as
	// VerdictUnsupported, and its reasons are the same.
	VerdictUncertain Verdict = "UNCERTAIN"
	// VerdictUnsupported: the evidence does not carry the claim, or not with
	// this confidence, and p1 is at most [Thresholds.MaxUnsupportedPosterior],
	// or the evidence speaks against it.
	VerdictUnsupported Verdict = "UNSUPPORTED"
	// VerdictContradicted: the evidence speaks against the claim.
	VerdictContradicted Verdict = "CONTRADICTED"
	// VerdictMiscited: the claim rests on another source than those it cites,
	// which do not carry it by themselves; [VerifiedClaim.CarriedBy] names it.
	VerdictMiscited Verdict = "MISCITED"
	// VerdictPriorKnowledge: the model believes the claim as much without the
	// evidence, and without any source, if there are others: true or not, the
	// evidence was not what it stands on.
	VerdictPriorKnowledge Verdict = "PRIOR_KNOWLEDGE"
	// VerdictNotVerified: nothing is known.
	VerdictNotVerified Verdict = "NOT_VERIFIED"
)

// VerdictReason says how a verdict came about. A newer server may send others
// than those named here.
type VerdictReason string

const (
	// VerdictReasonBudgetCovered, supported: the observed bits cover the required ones.
	VerdictReasonBudgetCovered VerdictReason = "BUDGET_COVERED"
	// VerdictReasonScoreReached, supported: the grounding score is high enough and the
	// evidence is used.
	VerdictReasonScoreReached VerdictReason = "SCORE_REACHED"
	// VerdictReasonBudgetExceeded, unsupported or uncertain: the evidence speaks for the claim, but the
	// required bits exceed the observed ones.
	VerdictReasonBudgetExceeded VerdictReason = "BUDGET_EXCEEDED"
	// VerdictReasonLowPosterior, unsupported or uncertain: p1 is below [Thresholds.MinPosterior].
	VerdictReasonLowPosterior VerdictReason = "LOW_POSTERIOR"
	// VerdictReasonScoreMissed, unsupported or uncertain: the grounding score is too low.
	VerdictReasonScoreMissed VerdictReason = "SCORE_MISSED"
	// VerdictReasonEvidenceAgainst, unsupported: the evidence makes the claim less likely
	// than it was without.
	VerdictReasonEvidenceAgainst VerdictReason = "EVIDENCE_AGAINST"
	// VerdictReasonEvidenceUnused, unsupported or uncertain: the evidence changes too little to count as
	// used.
	VerdictReasonEvidenceUnused VerdictReason = "EVIDENCE_UNUSED"
	// VerdictReasonModelSaysNo, contradicted: asked for YES, NO or UNSURE, the model says NO.
	VerdictReasonModelSaysNo VerdictReason = "MODEL_SAYS_NO"
	// VerdictReasonHighPrior, prior knowledge: p0 is near or above the confidence.
	VerdictReasonHighPrior VerdictReason = "HIGH_PRIOR"
	// VerdictReasonOtherSource, miscited: p0 is near or above the confidence, the
	// cited sources alone do not carry the claim, and without any source it is low.
	VerdictReasonOtherSource VerdictReason = "OTHER_SOURCE"
	// VerdictReasonUnknownCitation, not verified: the claim cites an id that no source has.
	VerdictReasonUnknownCitation VerdictReason = "UNKNOWN_CITATION"
	// VerdictReasonLabelMassBelowFloor, not verified: the model put too little
	// probability on YES and NO.
	VerdictReasonLabelMassBelowFloor VerdictReason = "LABEL_MASS_BELOW_FLOOR"
	// VerdictReasonNonAssertive, not verified: the claim asserts nothing.
	VerdictReasonNonAssertive VerdictReason = "NON_ASSERTIVE"
	// VerdictReasonTooShort, not verified: fewer characters than
	// [VerifyOptions.MinClaimCharacters].
	VerdictReasonTooShort VerdictReason = "TOO_SHORT"
	// VerdictReasonBeyondMaxClaims, not verified: beyond [VerifyOptions.MaxClaims].
	VerdictReasonBeyondMaxClaims VerdictReason = "BEYOND_MAX_CLAIMS"
	// VerdictReasonTooLong, not verified: more tokens than
	// [Limits.MaxClaimTokens]. [Client.VerifyClaims] refuses such a claim
	// instead.
	VerdictReasonTooLong VerdictReason = "TOO_LONG"
	// VerdictReasonOutOfTime, not verified: not read before the call had to be
	// answered, so that what was known came in time. More time, or fewer claims,
	// would have read it.
	VerdictReasonOutOfTime VerdictReason = "OUT_OF_TIME"
	// VerdictReasonBackendFailed, not verified: not read before the server's
	// engine died or hung.
	VerdictReasonBackendFailed VerdictReason = "BACKEND_FAILED"
	// VerdictReasonIntervalTooWide, not verified: p1 and p0 were not read exactly,
	// and somewhere in their ranges the claim would not be supported.
	VerdictReasonIntervalTooWide VerdictReason = "INTERVAL_TOO_WIDE"
	// VerdictReasonTooFewSamples, not verified: too few sampled answers came back
	// from an endpoint.
	VerdictReasonTooFewSamples VerdictReason = "TOO_FEW_SAMPLES"
	// VerdictReasonIncomplete, not verified: the answer ends in the middle of the
	// claim, or seems to, and the model says NO to it.
	VerdictReasonIncomplete VerdictReason = "INCOMPLETE"
	// VerdictReasonCorroborated, supported: p0 is near or above the confidence,
	// since other sources say the same, and the cited sources alone carry the claim.
	VerdictReasonCorroborated VerdictReason = "CORROBORATED"
	// VerdictReasonFalseAbsence, contradicted: it says that the sources do not say
	// something, and they do.
	VerdictReasonFalseAbsence VerdictReason = "FALSE_ABSENCE"
	// VerdictReasonUnstatedCode, unsupported: it has a flag, a parameter, a path
	// or a version of code that no source has: between back-ticks, or anywhere in
	// an instruction or in code.
	VerdictReasonUnstatedCode VerdictReason = "UNSTATED_CODE"
	// VerdictReasonCellSaysOtherwise, contradicted: it says yes where the cell of
	// that row and column in a table says no, or no where it says yes.
	VerdictReasonCellSaysOtherwise VerdictReason = "CELL_SAYS_OTHERWISE"
)

// CitationStatus says what a claim cites. A newer server may send others than
// those named here.
type CitationStatus string

const (
	// CitationsNone: no citation; the prior has every source removed.
	CitationsNone CitationStatus = "NONE"
	// CitationsKnown: every cited id is a source.
	CitationsKnown CitationStatus = "KNOWN"
	// CitationsUnknown: at least one cited id is no source.
	CitationsUnknown CitationStatus = "UNKNOWN"
)

// VerifiedClaim is a claim with its verdict and every number behind it. p1 is
// its probability with the evidence and p0 that without the cited evidence.
type VerifiedClaim struct {
	// Content is the statement that was judged.
	Content string `pb:"-"`
	// Verdict is what is known of it. Never empty.
	Verdict Verdict `pb:",set"`
	// Reason says how it came about. Never empty.
	Reason VerdictReason `pb:",set"`
	// ReasonText is the same in English words, with the numbers.
	ReasonText string
	// Grounded reports whether the claim is grounded under [Run.Policy]. It is
	// true exactly if Verdict is [VerdictSupported].
	Grounded bool
	// Warning is a warning for the reader, in the claim's language. Empty when
	// grounded, and for claims that were skipped because they assert nothing or
	// are too short.
	Warning string
	// CitationStatus says whether the sources that it cites are there. Never
	// empty.
	CitationStatus CitationStatus `pb:",set"`
	// CitedIDs are the cited ids, distinct, in order.
	CitedIDs []string
	// UnknownIDs are those of CitedIDs that no source has.
	UnknownIDs []string
	// Posterior is the reading with the evidence: p1 is its probability. Nil:
	// not read.
	Posterior *Estimate
	// Prior is the reading with the cited evidence removed: p0 is its
	// probability. Nil: not read.
	Prior *Estimate
	// Confidence is what the evidence has to pay for, in [0, 1].
	Confidence float64 `pb:",share"`
	// ConfidenceSource says where Confidence is from.
	ConfidenceSource ConfidenceSource
	// Budget is what the claim needs and gets, in bits. Nil without p1 and p0.
	Budget *Budget
	// GroundingScore is the grounding score, in [0, 1], whatever the policy: of
	// p1 and p0, and of a corroborated claim of CitedAlone and ClosedBook. Nil
	// without p1 and p0.
	GroundingScore *float64 `pb:",share"`
	// EvidenceUse is p1 - p0, in [-1, 1]. Nil without p1 and p0.
	EvidenceUse *float64 `pb:",difference"`
	// Stance is what the model said when asked for YES, NO or UNSURE. Nil: not
	// asked, since p1 speaks for the claim or is not known.
	Stance *Stance
	// CitationRoles are the cited sources one by one. Empty unless
	// [VerifyOptions.AttributeCitations] asks.
	CitationRoles []CitationRole
	// ClosedBook is the reading without any source. Nil unless p0 is high, the
	// claim cites, and there are other sources.
	ClosedBook *Estimate
	// CitedAlone is the reading with the cited sources alone. Nil without
	// ClosedBook, or from an older server.
	CitedAlone *Estimate
	// PriorTitleIDs are the sources whose titles were removed for the prior,
	// too, since they state the claim.
	PriorTitleIDs []string
	// UnstatedValues are numbers, amounts, dates and times of the claim, as it
	// writes them, that its evidence does not state, behind the flags,
	// parameters, paths and versions of code that it does not have.
	UnstatedValues []string
	// OtherSources are sources that the claim does not cite, each read alone.
	// Empty without ClosedBook.
	OtherSources []OtherSource
	// ReadPassages are the passages of the evidence that it was read with.
	// Empty: all of it, or not read.
	ReadPassages []ReadPassage
	// DecidingPassages are sentences of the sources that decide the claim, each
	// read alone, the surest first. Empty unless [VerifyOptions.Explain] asks, as
	// are the next two.
	DecidingPassages []DecidingPassage
	// UnsupportedSpans are the words that the evidence does not bear out, in the
	// order of the text.
	UnsupportedSpans []UnsupportedSpan
	// Conflicts are sources that say otherwise though the claim is supported, or
	// stated by another source. They change no verdict.
	Conflicts []SourceConflict
	// Explained reports whether all that explains the claim was read. False: not
	// asked for, the claim was not read, or the time or the 64 readings of an
	// answer ended first.
	Explained bool
}

// PassageRelation is what a passage of a source is to a claim. A newer server
// may send others than those named here.
type PassageRelation string

const (
	// PassageSupports: it carries the claim by itself.
	PassageSupports PassageRelation = "SUPPORTS"
	// PassageContradicts: it speaks against the claim.
	PassageContradicts PassageRelation = "CONTRADICTS"
)

// DecidingPassage is a sentence, or a line, of a source that decides a claim.
type DecidingPassage struct {
	// SourceID is the source that it is of; of a context with ranges the first
	// one that has a part of it, or empty.
	SourceID string
	// Span is where it stands: in the document's text, or in the context.
	Span Span `pb:",elsewhere"`
	// Text is the sentence.
	Text string
	// Relation is what it is to the claim. Never empty.
	Relation PassageRelation `pb:",set"`
	// Probability is that of the claim with this passage alone, in [0, 1]. Nil:
	// the label mass is below the floor.
	Probability *float64 `pb:",share"`
}

// SpanKind says what words are that the evidence does not bear out. A newer
// server may send others than those named here.
type SpanKind string

const (
	// SpanNumber is a number, an amount or a measure.
	SpanNumber SpanKind = "NUMBER"
	// SpanDate is a date or a time.
	SpanDate SpanKind = "DATE"
	// SpanName is the name of a person, a place or a thing.
	SpanName SpanKind = "NAME"
	// SpanRelation is how two things stand to each other: before, more, including.
	SpanRelation SpanKind = "RELATION"
	// SpanQuantifier is how many or how often: all, only, always.
	SpanQuantifier SpanKind = "QUANTIFIER"
	// SpanNegation is that something is so, or is not.
	SpanNegation SpanKind = "NEGATION"
	// SpanModality is that something must, may or will be so.
	SpanModality SpanKind = "MODALITY"
	// SpanCause is why something is so, or what for.
	SpanCause SpanKind = "CAUSE"
	// SpanDetail is something else that is said besides.
	SpanDetail SpanKind = "DETAIL"
)

// UnsupportedSpan is words that the evidence does not bear out.
type UnsupportedSpan struct {
	// Span is where they stand: in the answer, or, of [Client.VerifyClaims], in
	// the claim.
	Span Span
	// Kind is what they are. Empty: the claim as a whole, of which nothing could
	// be singled out.
	Kind SpanKind
}

// SourceConflict is a source that says otherwise than a claim which is
// supported.
type SourceConflict struct {
	// Passage is the sentence that speaks against the claim.
	Passage DecidingPassage
	// NewerID is the id of the newer source, this one or that of the first
	// deciding passage. Empty: not known.
	NewerID string
}

// ReadPassage is a passage of the evidence that a claim was read with.
type ReadPassage struct {
	// SourceID is the source that it is of; of a context with ranges the first
	// one that has a part of it, or empty.
	SourceID string
	// Span is where it stands: in the document's text, or in the context.
	Span Span `pb:",elsewhere"`
}

// CarriedBy returns the ids of the sources that the claim rests on without
// citing them.
func (c VerifiedClaim) CarriedBy() []string {
	var ids []string
	for _, other := range c.OtherSources {
		if other.Carries {
			ids = append(ids, other.ID)
		}
	}
	return ids
}

// P1 returns the probability with the evidence, in [0, 1]. NaN: there is none.
func (c VerifiedClaim) P1() float64 {
	return probabilityOf(c.Posterior)
}

// P0 returns the probability without the cited evidence, in [0, 1]. NaN: there
// is none.
func (c VerifiedClaim) P0() float64 {
	return probabilityOf(c.Prior)
}

// GapBits returns the bits that the evidence falls short by, below 0 where it
// gives more than is asked for. NaN: there is no budget.
func (c VerifiedClaim) GapBits() float64 {
	if c.Budget == nil {
		return math.NaN()
	}
	return c.Budget.GapBits
}

func probabilityOf(estimate *Estimate) float64 {
	if estimate == nil {
		return math.NaN()
	}
	return estimate.Probability
}

// AnswerClaim is a verified claim of an answer, with its place there.
type AnswerClaim struct {
	VerifiedClaim
	// Span is where the claim's own characters are in the answer.
	Span Span
	// Citations are its citations with their places, in order.
	Citations []Citation
	// TextConfidence is how sure the answer is of it, in [0, 1], as
	// [Claim.Confidence]. Nil: it does not say, and Confidence is that of a
	// plain claim.
	TextConfidence *float64
	// NonAssertiveReason says why it asserts nothing that evidence could
	// support. Empty: it is an assertion.
	NonAssertiveReason NonAssertiveReason
	// Language is the language as a BCP 47 tag: "en" or "he".
	Language string
}

// Budget is the information that a claim needs and gets, in bits and in nats.
// KL is the divergence of two Bernoulli distributions; probabilities are
// clipped to [1e-12, 1 - 1e-12].
type Budget struct {
	// RequiredBits is KL(confidence || p0): what the confidence asks the
	// evidence for.
	RequiredBits float64
	// ObservedBits is KL(p1 || p0): what the evidence gave.
	ObservedBits float64
	// GapBits is RequiredBits - ObservedBits.
	GapBits float64
	// RequiredExceedsObserved reports whether RequiredBits exceeds
	// ObservedBits. It says nothing of the direction: evidence against a claim
	// is observed, too.
	RequiredExceedsObserved bool
	// RequiredNats is RequiredBits x ln 2.
	RequiredNats float64
	// ObservedNats is ObservedBits x ln 2.
	ObservedNats float64
	// GapNats is GapBits x ln 2.
	GapNats float64
	// MinGapBits and MaxGapBits are the smallest and the largest gap over the
	// ranges of p1 and p0. Nil: both were read exactly, and GapBits is the gap.
	MinGapBits, MaxGapBits *float64
}

// Stance is the model's choice among YES, NO and UNSURE.
type Stance struct {
	// Yes is P(YES), renormalised over the three, in [0, 1].
	Yes float64 `pb:",share"`
	// No is P(NO), likewise.
	No float64 `pb:",share"`
	// Unsure is P(UNSURE), likewise.
	Unsure float64 `pb:",share"`
	// LabelMass is the probability of all forms of the three before
	// renormalising, in [0, 1].
	LabelMass float64 `pb:",share"`
}

// CitationRole says whether a claim stands on one of its sources.
type CitationRole struct {
	// ID is the source's id.
	ID string
	// Role is what it is to the claim. Empty: it could not be read.
	Role Role
	// Drop is p1 less the probability with only this source removed, in
	// [-1, 1]. Nil if a probability is missing.
	Drop *float64 `pb:",difference"`
	// Alone is the probability with all other cited sources removed, less p0,
	// in [-1, 1]. Nil if a probability is missing.
	Alone *float64 `pb:",difference"`
}

// OtherSource is a source that a claim does not cite, read alone.
type OtherSource struct {
	// ID is the source's id.
	ID string
	// Probability is that of the claim with this source alone, in [0, 1]. Nil:
	// the label mass is below the floor.
	Probability *float64 `pb:",share"`
	// Carries reports whether it carries the claim: its probability is at least
	// [Thresholds.MinPosterior], and above that of ClosedBook by more than
	// [Thresholds.MinEvidenceUse].
	Carries bool
}

// Role is what a cited source is to a claim. A newer server may send others
// than those named here.
type Role string

const (
	// RoleCarries: without it the claim loses more than
	// [Thresholds.MinEvidenceUse].
	RoleCarries Role = "CARRIES"
	// RoleRedundant: the claim does not need it, but it alone would carry the
	// claim.
	RoleRedundant Role = "REDUNDANT"
	// RoleDecoration: it adds nothing.
	RoleDecoration Role = "DECORATION"
)
