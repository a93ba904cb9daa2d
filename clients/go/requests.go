package groundwire

import (
	"fmt"
	"math"
	"unicode/utf8"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// writing encodes a request and collects what has no encoding in protobuf. Such
// a request cannot be sent to be refused, so the client answers for the server;
// everything else is left to the server.
type writing struct {
	// at is the field that the request itself is in, such as "request.".
	at         string
	reason     string
	violations []FieldViolation
}

// refuse notes a violation. An error has one reason: that of its first.
func (w *writing) refuse(reason, description, field string, args ...any) {
	if w.reason == "" {
		w.reason = reason
	}
	if w.reason == reason {
		w.violations = append(w.violations, FieldViolation{w.at + fmt.Sprintf(field, args...), description})
	}
}

// done returns the error of the request, if it has one.
func (w *writing) done() error {
	if w.violations == nil {
		return nil
	}
	return badRequest(w.reason, w.violations)
}

// text returns the text, which has to be valid UTF-8.
func (w *writing) text(value, field string, args ...any) string {
	if !utf8.ValidString(value) {
		w.refuse(ReasonMalformedRequest, "not valid UTF-8", field, args...)
	}
	return value
}

// texts returns the texts of one field.
func (w *writing) texts(values []string, field string) []string {
	for i, value := range values {
		w.text(value, "%s[%d]", field, i)
	}
	return values
}

// int32 returns the number, which must not wrap around.
func (w *writing) int32(value int, reason, field string, args ...any) int32 {
	if value < math.MinInt32 || value > math.MaxInt32 {
		w.refuse(reason, "beyond 32 bits", field, args...)
	}
	return int32(value)
}

// option returns an optional number of the options.
func (w *writing) option(value *int, field string) *int32 {
	if value == nil {
		return nil
	}
	return new(w.int32(*value, ReasonInvalidOption, "%s", field))
}

// enumNumber returns the number of an enum's value, 0 for the empty one.
func enumNumber[E ~string](w *writing, numbers map[string]int32, prefix string, value E, field string, args ...any) int32 {
	if value == "" {
		return 0
	}
	number := numbers[prefix+string(value)]
	if number == 0 {
		w.refuse(ReasonInvalidOption, fmt.Sprintf("%q is unknown", string(value)), field, args...)
	}
	return number
}

// message encodes the options, which are in the field.
func (o ExtractOptions) message(w *writing, field string) *pb.ExtractOptions {
	m := &pb.ExtractOptions{
		CitationPrefixes:       w.texts(o.CitationPrefixes, field+".citation_prefixes"),
		MinAssertionConfidence: o.MinAssertionConfidence,
		KeepCompounds:          o.KeepCompounds,
		Extractor: pb.Extractor(enumNumber(
			w, pb.Extractor_value, "EXTRACTOR_", o.Extractor, "%s.extractor", field)),
	}
	for i, style := range o.CitationStyles {
		m.CitationStyles = append(m.CitationStyles, pb.CitationStyle(enumNumber(
			w, pb.CitationStyle_value, "CITATION_STYLE_", style, "%s.citation_styles[%d]", field, i)))
	}
	return m
}

// message encodes the options.
func (o VerifyOptions) message(w *writing) *pb.VerifyOptions {
	m := &pb.VerifyOptions{
		Policy: pb.Policy(enumNumber(w, pb.Policy_value, "POLICY_", o.Policy, "options.policy")),
		Thresholds: &pb.Thresholds{
			DefaultConfidence:   o.Thresholds.DefaultConfidence,
			MinPosterior:        o.Thresholds.MinPosterior,
			PriorMargin:         o.Thresholds.PriorMargin,
			MaxGapBits:          o.Thresholds.MaxGapBits,
			MinContradiction:    o.Thresholds.MinContradiction,
			MinEvidenceUse:      o.Thresholds.MinEvidenceUse,
			ScoreBonusPosterior: o.Thresholds.ScoreBonusPosterior,
			MinGroundingScore:   o.Thresholds.MinGroundingScore,
			MinGroundedRatio:    o.Thresholds.MinGroundedRatio,

			MaxUnsupportedPosterior: o.Thresholds.MaxUnsupportedPosterior,
			MinMiscitation:          o.Thresholds.MinMiscitation,
			MaxContradicted:         w.option(o.Thresholds.MaxContradicted, "options.thresholds.max_contradicted"),
		},
		Strictness: pb.Strictness(enumNumber(
			w, pb.Strictness_value, "STRICTNESS_", o.Strictness, "options.strictness")),
		Marker:              o.Marker,
		AttributeCitations:  o.AttributeCitations,
		MaxClaims:           w.option(o.MaxClaims, "options.max_claims"),
		MaxContradicted:     w.option(o.MaxContradicted, "options.max_contradicted"),
		MinClaimCharacters:  w.option(o.MinClaimCharacters, "options.min_claim_characters"),
		IncludeNonAssertive: o.IncludeNonAssertive,
		Backend:             w.text(o.Backend, "options.backend"),
		SkipResultCache:     o.SkipResultCache,
		SplitLongContext:    o.SplitLongContext,
		Explain:             o.Explain,
		SkipNonEvidence:     o.SkipNonEvidence,
		Read:                pb.Read(enumNumber(w, pb.Read_value, "READ_", o.Read, "options.read")),
	}
	if o.Marker != nil {
		w.text(*o.Marker, "options.marker")
	}
	return m
}

// newVerifyClaimsRequest encodes a request.
func newVerifyClaimsRequest(claims []ClaimInput, evidence Evidence, options VerifyOptions) (*pb.VerifyClaimsRequest, error) {
	var w writing
	m := &pb.VerifyClaimsRequest{}
	for i, claim := range claims {
		m.Claims = append(m.Claims, &pb.ClaimInput{
			Text:       w.text(claim.Text, "claims[%d].text", i),
			CitedIds:   w.texts(claim.CitedIDs, fmt.Sprintf("claims[%d].cited_ids", i)),
			Confidence: claim.Confidence,
		})
	}
	m.Evidence = evidence.message(&w, "evidence")
	m.Options = options.message(&w)
	return m, w.done()
}

// message encodes the request, which is in the field.
func (r AnswerRequest) message(at string) (*pb.VerifyAnswerRequest, error) {
	w := writing{at: at}
	m := &pb.VerifyAnswerRequest{
		Answer:   w.text(r.Answer, "answer"),
		Evidence: r.Evidence.message(&w, "evidence"),
		Question: w.text(r.Question, "question"),
		Extract:  r.Extract.message(&w, "extract"),
		Options:  r.Options.message(&w),
		Corpus:   w.text(r.Corpus, "corpus"),
		Language: w.text(r.Language, "language"),
		Turns:    turnMessages(&w, r.Turns),
		Correct:  r.Correct,
	}
	return m, w.done()
}

// turnMessages encodes a conversation.
func turnMessages(w *writing, turns []Turn) []*pb.Turn {
	var messages []*pb.Turn
	for i, turn := range turns {
		messages = append(messages, &pb.Turn{
			Role: pb.TurnRole(enumNumber(w, pb.TurnRole_value, "TURN_ROLE_", turn.Role, "turns[%d].role", i)),
			Text: w.text(turn.Text, "turns[%d].text", i),
			Id:   w.text(turn.ID, "turns[%d].id", i),
			Name: w.text(turn.Name, "turns[%d].name", i),
		})
	}
	return messages
}
