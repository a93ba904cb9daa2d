package groundwire

import (
	"slices"
	"unicode/utf8"
)

// Span is a range of characters of a text, half-open and never empty.
// Characters are Unicode code points, not bytes: [SpanOfBytes] makes a Span
// from positions in a Go string, and [Span.Of] reads one.
type Span struct {
	// Start is the first character, from 0.
	Start int
	// End is the character after the last one, above Start.
	End int
}

// SpanOfBytes returns the span of text[start:end], the positions being bytes,
// as those of package strings and regexp are. It panics, as slicing does, if
// they are not in the text.
func SpanOfBytes(text string, start, end int) Span {
	first := utf8.RuneCountInString(text[:start])
	return Span{Start: first, End: first + utf8.RuneCountInString(text[start:end])}
}

// Of returns the span's characters in the text; those beyond its end are left
// out.
func (s Span) Of(text string) string {
	characters := []rune(text)
	end := min(max(s.End, 0), len(characters))
	return string(characters[min(max(s.Start, 0), end):end])
}

// Claim is one statement of a text.
type Claim struct {
	// Content is the statement to judge: it stands alone and holds no citation.
	// It need not appear in the text, since a subject that two claims share is
	// repeated in both.
	Content string
	// Span is where the claim's own characters are in the text.
	Span Span
	// Citations are its citations, in order.
	Citations []Citation
	// Confidence is how sure it is, in [0, 1]: what the text says, or else the
	// confidence of claims that state none.
	Confidence float64 `pb:",set,share"`
	// ConfidenceSource says where the confidence is from.
	ConfidenceSource ConfidenceSource `pb:",set"`
	// NonAssertiveReason says why the claim asserts nothing that evidence could
	// support. Empty: it is an assertion.
	NonAssertiveReason NonAssertiveReason
	// Language is the language as a BCP 47 tag: "en" or "he".
	Language string
}

// CitedIDs returns the distinct ids of all citations, in order.
func (c Claim) CitedIDs() []string {
	var ids []string
	for _, citation := range c.Citations {
		for _, id := range citation.IDs {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Input returns the claim as [Client.VerifyClaims] takes it.
func (c Claim) Input() ClaimInput {
	return ClaimInput{Text: c.Content, CitedIDs: c.CitedIDs(), Confidence: c.statedConfidence()}
}

// statedConfidence returns what the text says itself. Nil: it does not say.
func (c Claim) statedConfidence() *float64 {
	if c.ConfidenceSource == ConfidenceStated || c.ConfidenceSource == ConfidenceInferred {
		return &c.Confidence
	}
	return nil
}

// Citation is a citation as it stands in the text.
type Citation struct {
	// Span is where it is.
	Span Span
	// IDs are the ids that it names, ranges written out.
	IDs []string
}

// ConfidenceSource says where a confidence was found. A newer server may send
// others than those named here.
type ConfidenceSource string

const (
	// ConfidenceStated: a number in the text, such as "80 % sure".
	ConfidenceStated ConfidenceSource = "STATED"
	// ConfidenceInferred: the wording, such as "probably".
	ConfidenceInferred ConfidenceSource = "INFERRED"
	// ConfidenceOfRequest: the request.
	ConfidenceOfRequest ConfidenceSource = "REQUEST"
	// ConfidenceDefault: the server's default for claims that state none.
	ConfidenceDefault ConfidenceSource = "DEFAULT"
)

// NonAssertiveReason says why a claim asserts nothing. A newer server may send
// others than those named here.
type NonAssertiveReason string

const (
	// NonAssertiveQuestion: a question.
	NonAssertiveQuestion NonAssertiveReason = "QUESTION"
	// NonAssertiveInstruction: an instruction. One that holds a figure, a flag, a
	// path or a name is read all the same, unless the server's verify_instructions
	// is off.
	NonAssertiveInstruction NonAssertiveReason = "INSTRUCTION"
	// NonAssertiveHedged: its confidence is below [ExtractOptions.MinAssertionConfidence].
	NonAssertiveHedged NonAssertiveReason = "HEDGED"
	// NonAssertiveCode: code. It is read as such an instruction is.
	NonAssertiveCode NonAssertiveReason = "CODE"
	// NonAssertiveHeading: a heading.
	NonAssertiveHeading NonAssertiveReason = "HEADING"
	// NonAssertiveLeadIn: talk about the answer: a greeting, or a line that
	// announces what follows.
	NonAssertiveLeadIn NonAssertiveReason = "LEAD_IN"
	// NonAssertiveAbsence: it says that the sources do not say something, or that
	// the answer does not know.
	NonAssertiveAbsence NonAssertiveReason = "ABSENCE"
)

// CitationStyle is a way to write a citation. IDS stands for one id, several
// with commas between, or a range such as "S0-S2".
type CitationStyle string

const (
	// CitationSquare is [IDS].
	CitationSquare CitationStyle = "SQUARE"
	// CitationCaret is [^IDS].
	CitationCaret CitationStyle = "CARET"
	// CitationLenticular is IDS in the corner brackets U+3010 and U+3011.
	CitationLenticular CitationStyle = "LENTICULAR"
)

// ExtractOptions say how a text is split into claims. The zero value is the
// defaults.
type ExtractOptions struct {
	// CitationStyles are the citation styles that count. Empty: all.
	CitationStyles []CitationStyle
	// CitationPrefixes are what may stand before the number of an id, at most
	// 16 of at most 16 characters each; an empty one is a bare number. Empty:
	// "S" and the bare number. The ids of the call's own sources are always
	// known, whatever they look like.
	CitationPrefixes []string
	// MinAssertionConfidence is the confidence, in [0, 1], below which a claim is marked as
	// hedged. Nil: 0.6.
	MinAssertionConfidence *float64
	// KeepCompounds keeps sentences whole instead of splitting those that make
	// several claims.
	KeepCompounds bool
	// Extractor is who finds the claims. Empty: the server's choice, the rules
	// unless its settings say otherwise. [ExtractorModel] fails with
	// [ErrNotEnabled] where the server's operator has named no model.
	Extractor Extractor
	// KnownIDs are ids and titles that cite as those of the call's own sources
	// do, such as those of a document in which nothing could be read. A claim
	// that cites one without a source in the call is not grounded.
	KnownIDs []string
}

// Extractor is a way to find the claims of a text. A newer server may send
// others than those named here.
type Extractor string

const (
	// ExtractorRules: rules, without a model.
	ExtractorRules Extractor = "RULES"
	// ExtractorModel: a model writes the claims, with pronouns resolved, and each
	// is traced to the text; the rules put back what it leaves out, and take over
	// where it fails.
	ExtractorModel Extractor = "MODEL"
)

// ExtractorFallback says why the rules found the claims where a model was to. A
// newer server may send others than those named here.
type ExtractorFallback string

const (
	// FallbackBackendFailed: the model's backend gave no answer.
	FallbackBackendFailed ExtractorFallback = "BACKEND_FAILED"
	// FallbackOutOfTime: the model was not done in its time, or would not have been.
	FallbackOutOfTime ExtractorFallback = "OUT_OF_TIME"
	// FallbackTooLong: the text is too long for the model.
	FallbackTooLong ExtractorFallback = "TOO_LONG"
	// FallbackCutShort: the model's answer was cut short.
	FallbackCutShort ExtractorFallback = "CUT_SHORT"
	// FallbackMalformed: the model's answer did not have the form that was asked for.
	FallbackMalformed ExtractorFallback = "MALFORMED"
	// FallbackNothingTraced: no claim of the model could be traced to the text.
	FallbackNothingTraced ExtractorFallback = "NOTHING_TRACED"
)

// Extraction says how the claims of a text were found.
type Extraction struct {
	// Extractor is who found them. Never empty.
	Extractor Extractor
	// Fallback is why the rules did where a model was asked for. Empty: otherwise.
	Fallback ExtractorFallback
	// DroppedClaims is the number of the model's claims that were dropped, since
	// they could not be traced to the text.
	DroppedClaims int `pb:",positive"`
	// RestoredClaims is the number of assertions that the model left out and the
	// rules put back; they are among the claims.
	RestoredClaims int `pb:",positive"`
	// Backend is the name of the backend that was asked. Empty: none was.
	Backend string
	// Model is the name of its model. Empty: none was asked.
	Model string
}

// ExtractedClaims is the answer to [Client.ExtractClaims].
type ExtractedClaims struct {
	// Claims are the claims in the order of the text, the non-assertive ones
	// included.
	Claims []Claim
	// Language is the text's language as a BCP 47 tag: "en" or "he".
	Language string
	// Extraction says how the claims were found.
	Extraction Extraction
}
