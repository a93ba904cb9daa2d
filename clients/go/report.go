package groundwire

// VerifiedClaims is the answer to [Client.VerifyClaims].
type VerifiedClaims struct {
	// Claims are the claims in the order of the request.
	Claims []VerifiedClaim `pb:"-"`
	// Run says what was done.
	Run Run `pb:",set"`
}

// Report is the answer to [Client.VerifyAnswer].
type Report struct {
	// Claims are all claims of the answer, in its order, the skipped ones
	// included.
	Claims []AnswerClaim `pb:"-"`
	// Summary is about the answer as a whole.
	Summary AnswerSummary `pb:",set"`
	// Run says what was done.
	Run Run `pb:",set"`
	// Extraction says how the claims were found.
	Extraction Extraction
	// Sources are the passages that the claims were judged by, where the request
	// named a corpus.
	Sources []RetrievedSource
	// Correction is the answer put right. Nil unless [AnswerRequest.Correct]
	// asks.
	Correction *Correction
}

// Correction is an answer put right. Each claim that was edited, and not left
// out, is [VerdictSupported] with its edits.
type Correction struct {
	// CorrectedAnswer is the answer with all edits made. Empty: nothing of it
	// could stay.
	CorrectedAnswer string
	// Edits are the edits in the order of the answer, without overlap. Empty: no
	// claim had to be corrected, or none that was read.
	Edits []Edit
	// Summary is that of the corrected answer, verified as the answer was. Nil:
	// the time ended, or the engine failed, before that could begin.
	Summary *AnswerSummary
	// UntriedClaims are the indexes of claims for which not all was tried: the
	// time, or the readings of one answer, ended first.
	UntriedClaims []int
}

// EditKind says what an edit does. A newer server may send others.
type EditKind string

const (
	// EditValueReplaced replaces a number, an amount, a date or a time.
	EditValueReplaced EditKind = "VALUE_REPLACED"
	// EditNameReplaced replaces a name.
	EditNameReplaced EditKind = "NAME_REPLACED"
	// EditWordReplaced replaces a small word, puts one in or leaves one out:
	// "all", "not", "must", "before".
	EditWordReplaced EditKind = "WORD_REPLACED"
	// EditClauseLeftOut leaves out a part of a sentence.
	EditClauseLeftOut EditKind = "CLAUSE_LEFT_OUT"
	// EditCitationChanged changes the cited id, or adds the right one.
	EditCitationChanged EditKind = "CITATION_CHANGED"
	// EditSentenceLeftOut leaves out a sentence, or a row of a table, with its
	// citations.
	EditSentenceLeftOut EditKind = "SENTENCE_LEFT_OUT"
	// EditRewritten writes a claim anew, by the model of its backend, if that can
	// write.
	EditRewritten EditKind = "REWRITTEN"
)

// Edit is one change of an answer.
type Edit struct {
	// Span is what is replaced, in the answer as it was sent. Where a sentence is
	// left out it has the blanks, the line end and the mark of a list item that go
	// with it.
	Span Span
	// Replacement is what stands there instead. Empty: nothing.
	Replacement string
	// Kind is what it does.
	Kind EditKind `pb:",set"`
	// ClaimIndex is the index of the claim that it corrects, in [Report.Claims].
	ClaimIndex int
	// SourceID is the source whose sentence carries it. Empty where something is
	// left out, and of a context where no range has the sentence.
	SourceID string
	// SourceSpan is that sentence: in the document's text, or in the context. Nil
	// where something is left out.
	SourceSpan *Span `pb:",elsewhere"`
	// Probability is that of the claim with this edit, in [0, 1]. Nil where its
	// sentence is left out.
	Probability *float64 `pb:",share"`
}

// RetrievedSource is a passage of a corpus that claims were judged by.
type RetrievedSource struct {
	// ID is the id under which it was read, such as "P1".
	ID string
	// Document is its document: the path in the corpus, or what an evidence
	// provider calls it.
	Document string
	// Title is the document's title. Empty: it has none.
	Title string
	// Text is the text that was read.
	Text string
	// Span is where it stands in the document's text.
	Span Span `pb:",elsewhere"`
	// Similarity is the cosine of the vectors of passage and claim, in [-1, 1].
	// Nil: it was found by its words.
	Similarity *float64 `pb:",cosine"`
	// Dated is the day of the document, as YYYY-MM-DD. Empty: it is not known.
	Dated string `pb:",day"`
	// DatedBy is what told that day, such as "front matter" or "file time".
	DatedBy string
}

// AnswerSummary is the report on an answer as a whole.
type AnswerSummary struct {
	// OverallGrounded reports whether GroundingRatio is at least
	// [Thresholds.MinGroundedRatio], at least one claim is grounded, no more than
	// [Thresholds.MaxContradicted] are contradicted, and none is left unread
	// (Complete). It speaks for the claims that count; what else there is stands
	// in Unverified, UnclaimedLines and Warning.
	OverallGrounded bool
	// GroundedClaims is the number of claims that are grounded.
	GroundedClaims int
	// TotalClaims is the number of claims that count: all but those that were
	// skipped. A claim with an unknown citation, without a reading or with too
	// many tokens counts and is not grounded.
	TotalClaims int
	// GroundingRatio is GroundedClaims / TotalClaims, in [0, 1]; 0 without
	// claims.
	GroundingRatio float64 `pb:",share"`
	// Warning is a warning for the reader, in the answer's language, which names
	// with their numbers what is not grounded and every kind of what was not
	// verified. Empty when every claim was verified and is grounded, and no line
	// is unclaimed.
	Warning string
	// Language is the answer's language as a BCP 47 tag.
	Language string
	// SkippedClaims is the number of claims that were skipped or left unread,
	// each with its reason.
	SkippedClaims int
	// Unverified is every claim that is [VerdictNotVerified], counted by its
	// reason, each reason once.
	Unverified []UnverifiedClaims
	// VerifiedShare is the share of the answer's text, in [0, 1], that verified
	// claims cover: of the letters and digits outside of citations, those within
	// the span of a claim with another verdict than [VerdictNotVerified].
	VerifiedShare float64 `pb:",share"`
	// UnclaimedLines is the number of lines of the answer with a letter or a
	// digit and without any part of a claim or of a citation, such as the
	// address that a link leads to.
	UnclaimedLines int `pb:",positive"`
	// UncertainClaims is the number of claims that are [VerdictUncertain]. They
	// count, and are not grounded.
	UncertainClaims int
	// ReviewOrder has the indexes of the claims that assert something, likeliest
	// wrong first, whatever their verdicts are: by 1 - p1, of equal ones those
	// that are contradicted or miscited first. Claims without p1 follow in the
	// order of the text. Empty from an older server.
	ReviewOrder []int
	// Thoughts is the number of thoughts of a reasoning model in the answer, such
	// as "<think> ... </think>". They are no part of it, and no claim is in them.
	Thoughts int
	// Complete reports whether no claim was left unread: beyond
	// [VerifyOptions.MaxClaims], out of time, or since the server's engine failed.
	// False from an older server, which does not say it.
	Complete bool
	// Abstained reports whether the answer abstains: it says that the sources do
	// not answer, and nothing else that counts. Nothing in it is made up, and
	// OverallGrounded is false.
	Abstained bool
	// PlainInstructions is the number of instructions that were not read, since
	// they hold nothing to check ("Open the door.").
	PlainInstructions int
	// ConflictingClaims is the number of claims that are [VerdictSupported] while
	// another source says otherwise. They count as grounded. 0 unless
	// [VerifyOptions.Explain] asks.
	ConflictingClaims int
	// UnexplainedClaims is the number of claims that were read and are not
	// explained whole: the time or the 64 readings of an answer ended first. 0
	// unless [VerifyOptions.Explain] asks.
	UnexplainedClaims int
}

// UnverifiedClaims counts the claims of an answer that are not verified for one
// reason.
type UnverifiedClaims struct {
	// Reason is the reason, one of those of [VerdictNotVerified]. Never empty.
	Reason VerdictReason `pb:",set"`
	// NonAssertiveReason is of what kind those are that
	// [VerdictReasonNonAssertive] names. Empty with every other reason.
	NonAssertiveReason NonAssertiveReason
	// Claims is how many there are, at least 1.
	Claims int
}

// Run says what was done and what it cost.
type Run struct {
	// Policy is the policy that decided. Never empty.
	Policy Policy `pb:",set"`
	// Thresholds are the thresholds that were used. None is nil.
	Thresholds Thresholds
	// Strictness is the operating point that Thresholds.DefaultConfidence is of.
	// Empty: a request or a setting chose a number, or the calibration has no
	// such point.
	Strictness Strictness
	// Model is the name of the model that answered. Empty if nothing was read.
	Model string
	// PromptVersion is the version of the prompts, such as "yes-no/1".
	PromptVersion string
	// Backend is the name of the backend that answered.
	Backend string
	// Usage is what it cost in tokens.
	Usage SharedUsage
	// Timing is where the server's time went.
	Timing Timing
	// NonEvidence are the sentences of the evidence that are questions or
	// instructions, and so evidence for nothing: the first 10,000 of them, in
	// the order of the sources.
	NonEvidence []NonEvidence
	// SkipNonEvidence reports whether these sentences, all of them, were left
	// out of what the model read.
	SkipNonEvidence bool
	// DetectionID is the id of what this call found, which the server's log,
	// traces and audit record have, too, and which [Client.RecordFeedback] takes.
	// Empty: the server is older than these ids.
	DetectionID string
	// Uncalibrated reports whether the model that read has no calibration.
	Uncalibrated bool
}

// NonEvidence is a sentence of the evidence that asks or instructs.
type NonEvidence struct {
	// SourceID is the source that it stands in; of a context with ranges the
	// first one that has a part of it, or empty.
	SourceID string
	// Span is where it stands: in the document's text, or in the context.
	Span Span `pb:",elsewhere"`
	// Kind is [NonAssertiveQuestion] or [NonAssertiveInstruction].
	Kind NonAssertiveReason `pb:",set"`
}

// SharedUsage counts the tokens of a call whose prompts share prefixes.
type SharedUsage struct {
	// DistinctPrompts are the distinct prompts that were read.
	DistinctPrompts int64
	// PromptTokens are the tokens of these prompts, before any sharing.
	PromptTokens int64
	// ComputedTokens are the tokens that the engine computed: PromptTokens less
	// those from its cache.
	ComputedTokens int64
	// MinimalTokens are the fewest tokens that an engine with an empty cache
	// could compute: each shared prefix once, in whole blocks of BlockTokens.
	MinimalTokens int64
	// BlockTokens are the tokens of one block of the engine's prefix cache.
	BlockTokens int
}

// Event is one piece of [Client.VerifyAnswerStream]: a [*ClaimsFound], a
// [*ClaimKnown] or a [*Report].
type Event interface{ event() }

// ClaimsFound lists the claims of an answer before any of them is read. It is
// the first event.
type ClaimsFound struct {
	// Claims are all claims in the order of the answer, those that will be
	// skipped included.
	Claims []Claim
}

// ClaimKnown is one claim, now with its verdict. There is one for each claim:
// first those that are skipped, at once, then the others in any order.
type ClaimKnown struct {
	// Index is the claim's index in [ClaimsFound.Claims].
	Index int
	// Claim is the claim with its verdict, as the report will hold it.
	Claim AnswerClaim
}

func (*ClaimsFound) event() {}
func (*ClaimKnown) event()  {}
func (*Report) event()      {}
