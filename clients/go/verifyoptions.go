package groundwire

// ClaimInput is a claim to verify.
type ClaimInput struct {
	// Text is the statement: at least one visible character, at most
	// [Limits.MaxClaimTokens] tokens.
	Text string
	// CitedIDs are the ids of the sources that it cites. Empty: it cites none,
	// and the prior is read with every source removed.
	CitedIDs []string
	// Confidence is how sure it is stated, in [0, 1]. Nil:
	// [Thresholds.DefaultConfidence].
	Confidence *float64
}

// AnswerRequest is what [Client.VerifyAnswer] verifies.
type AnswerRequest struct {
	// Answer is the answer: at least one visible character, at most
	// [Limits.MaxTextCharacters].
	Answer string
	// Evidence is what the answer is judged by. Required without a Corpus.
	Evidence Evidence
	// Corpus is the name of a corpus of the server's operator, whose passages are
	// the evidence in place of Evidence; [Report.Sources] has them. Empty: none.
	Corpus string
	// Language is the language of all warnings, "en" or "he". Empty: that of each
	// claim, and of the answer.
	Language string
	// Question is the question that was answered. Each claim is then read as an
	// answer to it. Empty: claims are read by themselves.
	Question string
	// Turns are the conversation before the answer, in its order. They are
	// evidence for nothing. A question that goes on with the one before is read
	// with it; without Question a claim that begins with a pronoun, and a short
	// answer, are read with the user's last turn.
	Turns []Turn
	// Correct asks to put the answer right, too: [Report.Correction]. It reads
	// more, and explains the claims as [VerifyOptions.Explain] does.
	Correct bool
	// Extract says how claims are found.
	Extract ExtractOptions
	// Options say how they are verified.
	Options VerifyOptions
}

// VerifyOptions say how claims are verified. The zero value is the server's
// defaults.
type VerifyOptions struct {
	// Policy is the rule for "grounded". Empty: the server's, by default
	// [PolicyBudget].
	Policy Policy
	// Thresholds are those that differ from the server's; nil ones do not.
	Thresholds Thresholds
	// Strictness is the operating point that claims without a confidence are
	// asked for; [Thresholds.DefaultConfidence] goes before it. Empty: the
	// server's, by default [StrictnessBalanced].
	Strictness Strictness
	// Marker stands in the place of removed evidence, at most 200 characters.
	// Nil: the server's, by default "[EVIDENCE REMOVED]".
	Marker *string
	// AttributeCitations asks to say of each citation of a claim whether the
	// claim stands on it. Costs up to two more prompts for each source that
	// the claim cites.
	AttributeCitations bool
	// MaxClaims is the most claims to verify, 1 to [Limits.MaxClaims]; the rest
	// is listed as skipped, and the answer is then not grounded. Nil: the
	// server's, by default 64, for an answer; no limit but that of the server
	// for claims.
	MaxClaims *int
	// MaxContradicted is the most contradicted claims with which an answer is
	// still grounded, at least 0; 0: one of them fails it. Nil:
	// [Thresholds.MaxContradicted], or the server's, by default any number.
	MaxContradicted *int
	// MinClaimCharacters is the length, at least 0, below which claims are
	// skipped. Nil: the server's, by default 8, for an answer; 0 for claims.
	MinClaimCharacters *int
	// IncludeNonAssertive asks to verify non-assertive claims, too.
	// [Client.VerifyClaims] always does.
	IncludeNonAssertive bool
	// Backend is the backend to ask, one of [ServerInfo.Backends]. Empty: the
	// server's default.
	Backend string
	// SkipResultCache asks to compute every reading anew, whatever the server's
	// result cache holds.
	SkipResultCache bool
	// SplitLongContext asks to read evidence that is too long in overlapping
	// chunks; each estimate is that of the chunk which supports the claim most,
	// and names it in [Estimate].Chunk.
	SplitLongContext bool
	// SkipNonEvidence asks to leave the sentences in [Run].NonEvidence out of
	// what the model reads; what stands around them is then read without them.
	// Nil: the server's, by default false.
	SkipNonEvidence *bool
	// Read is how much of the evidence each claim is read with. Empty: the
	// server's, by default [ReadAuto].
	Read Read
	// Explain asks why each claim has its verdict: DecidingPassages,
	// UnsupportedSpans and Conflicts of [VerifiedClaim]. They are read when the
	// verdicts are there, of which they change none; of a stream they stand in its
	// report. Only [Client.VerifyClaims], [Client.VerifyAnswer] and
	// [Client.VerifyAnswerStream] do it; elsewhere it has no effect.
	Explain bool
}

// Read is how much of its evidence a claim is read with.
type Read string

const (
	// ReadAuto: passages where the evidence has more tokens than the server
	// gives to the passages of a claim, by default 1,500. Where it has not, all,
	// or all but the rows of a table beside the one whose values a claim says.
	ReadAuto Read = "AUTO"
	// ReadPassages: the passages that can matter for the claim, found by its
	// words: at least one of each source that it cites.
	ReadPassages Read = "PASSAGES"
	// ReadWhole: all of the evidence.
	ReadWhole Read = "WHOLE"
)

// Policy is a rule that says when a claim is grounded. A newer server may send
// others than those named here.
type Policy string

const (
	// PolicyBudget: grounded is what is supported: the evidence pays for the
	// stated confidence in bits, and the model did not believe the claim
	// without it.
	PolicyBudget Policy = "BUDGET"
	// PolicyGroundingScore: grounded is what scores above
	// [Thresholds.MinGroundingScore] while its evidence is used.
	PolicyGroundingScore Policy = "GROUNDING_SCORE"
)

// Thresholds are the numbers behind a verdict. In [VerifyOptions] a nil one
// takes the server's value; in [Run] none is nil, unless it says so.
type Thresholds struct {
	// DefaultConfidence is the confidence, in [0, 1], of claims that state
	// none. Default: the operating point of [VerifyOptions.Strictness], or 0.95
	// where the model's calibration has none.
	DefaultConfidence *float64 `pb:",set,share"`
	// MinPosterior is p1 from which the evidence speaks for a claim, in [0, 1].
	// Default 0.5, or the operating point in use where that is lower.
	MinPosterior *float64 `pb:",set,share"`
	// PriorMargin is a margin in [0, 1]: a claim whose p0 is at or above its
	// confidence less the margin is prior knowledge, or miscited, if its p1
	// speaks for it.
	// Default 0.1.
	PriorMargin *float64 `pb:",set,share"`
	// MaxGapBits is the gap in bits that is still supported, at least 0.
	// Default 0.
	MaxGapBits *float64 `pb:",set,unbounded"`
	// MinContradiction is P(NO) among YES, NO and UNSURE, in [0, 1], from which
	// a claim whose p1 is below MinPosterior is contradicted. Default: what the
	// model's calibration chose, else 0.5.
	MinContradiction *float64 `pb:",set,share"`
	// MinEvidenceUse is p1 - p0 above which evidence counts as used, in [0, 1]. Also
	// what a citation has to carry. Default 0.15.
	MinEvidenceUse *float64 `pb:",set,share"`
	// ScoreBonusPosterior, of the grounding score, is the posterior above which a
	// claim gets its bonus, in [0, 1]. Default 0.7.
	ScoreBonusPosterior *float64 `pb:",set,share"`
	// MinGroundingScore, of the grounding score, is the score above which a claim
	// is grounded, in [0, 1]. Default 0.45.
	MinGroundingScore *float64 `pb:",set,share"`
	// MinGroundedRatio is the share of grounded claims, in [0, 1], from which an
	// answer is grounded as a whole. 0: from the first grounded one. Default 0.7.
	MinGroundedRatio *float64 `pb:",set,share"`
	// MaxUnsupportedPosterior is the p1, in [0, 1], up to which a claim without
	// enough evidence is unsupported; above it such a claim is uncertain.
	// Default: what the model's calibration chose, else 0.5. Nil in a [Run] of
	// an older server.
	MaxUnsupportedPosterior *float64 `pb:",share"`
	// MinMiscitation is p0 less the closed-book probability, in [0, 1], above
	// which a claim that other sources carry is miscited; up to it such a claim
	// is uncertain. Default: what the model's calibration chose, else 0.15. Nil
	// in a [Run] of an older server.
	MinMiscitation *float64 `pb:",share"`
	// MaxContradicted is the most contradicted claims with which an answer is
	// still grounded. [VerifyOptions.MaxContradicted] goes before it. In [Run]
	// nil: any number.
	MaxContradicted *int
}
