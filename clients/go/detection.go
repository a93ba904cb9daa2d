package groundwire

import (
	"context"
	"unicode/utf8"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// ExtractClaims splits a text into claims. The source ids are those that count
// as citations beside numbered ones. It needs no model and is answered while
// the server loads. Errors are of type [*Error].
func (c *Client) ExtractClaims(ctx context.Context, text string, options ExtractOptions, sourceIDs ...string) (*ExtractedClaims, error) {
	var w writing
	request := &pb.ExtractClaimsRequest{
		Text:      w.text(text, "text"),
		SourceIds: w.texts(sourceIDs, "source_ids"),
		Options:   options.message(&w, "options"),
	}
	if err := w.done(); err != nil {
		return nil, err
	}
	ctx, cancel := c.withDeadline(ctx)
	defer cancel()
	response, err := c.detection.ExtractClaims(ctx, request)
	if err != nil {
		return nil, newError(err)
	}
	return newExtractedClaims(response, utf8.RuneCountInString(text))
}

// VerifyClaims verifies claims that are already apart from each other, such as
// those of [Claim.Input], and returns one verdict for each, in their order. A
// claim that could not be verified is no error here: its verdict is
// [VerdictNotVerified]. Errors are of type [*Error], and then nothing was
// verified: the server refuses or answers the claims as a whole.
func (c *Client) VerifyClaims(ctx context.Context, claims []ClaimInput, evidence Evidence, options VerifyOptions) (*VerifiedClaims, error) {
	request, err := newVerifyClaimsRequest(claims, evidence, options)
	if err != nil {
		return nil, err
	}
	ctx, cancel := c.withDeadline(ctx)
	defer cancel()
	response, err := c.detection.VerifyClaims(ctx, request)
	if err != nil {
		return nil, newError(err)
	}
	return newVerifiedClaims(response, len(claims))
}

// VerifyAnswer extracts the claims of an answer, verifies them against the
// evidence that the answer was given, and reports on each claim and on the
// answer as a whole. A claim that could not be verified is no error here: its
// verdict is [VerdictNotVerified]. Errors are of type [*Error], and then
// nothing was verified.
func (c *Client) VerifyAnswer(ctx context.Context, request AnswerRequest) (*Report, error) {
	message, err := request.message("")
	if err != nil {
		return nil, err
	}
	ctx, cancel := c.withDeadline(ctx)
	defer cancel()
	response, err := c.detection.VerifyAnswer(ctx, message)
	if err != nil {
		return nil, newError(err)
	}
	return newReport(response, utf8.RuneCountInString(request.Answer))
}
