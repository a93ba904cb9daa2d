// Package groundwire is the Go client of Groundwire, a self-hosted gRPC server
// that reads, from a local language model, the probability that a claim is true
// given its evidence, and says which claims of an answer its sources carry.
//
// A [Client] holds one gRPC channel, is safe for concurrent use, and is meant
// to be made once and kept:
//
//	client, err := groundwire.New("127.0.0.1:50051")
//	if err != nil {
//		return err
//	}
//	defer client.Close()
//	probabilities, err := client.BatchEstimate(ctx, claims, evidence)
//
// # Calls
//
// The interface [Estimator] has the two calls that most programs need and that a
// test can fake: they answer with plain numbers. [Client.Estimate] and
// [Client.Estimates] make the same calls and answer with everything that was
// read: label mass, log-probabilities, tokens, times, and the model's name.
// [Client.ServerInfo] tells which model answers, how its probabilities are
// calibrated, and which limits are in force. [Estimate.RawProbability] is what
// was read before any calibration.
//
// # Answers
//
// [Client.VerifyAnswer] splits an answer into claims, verifies each against the
// evidence that the answer was given, and reports on every claim and on the
// answer. [Client.VerifyAnswerStream] yields each claim as its verdict is known,
// and [Client.VerifyDraft] does so while the answer is still being written:
//
//	report, err := client.VerifyAnswer(ctx, groundwire.AnswerRequest{
//		Answer: "The Rhine rises in the Alps [S0].",
//		Evidence: groundwire.DocumentEvidence(
//			groundwire.Document{ID: "S0", Text: "The Rhine rises in the Swiss Alps."},
//		),
//	})
//	if err != nil {
//		return err
//	}
//	for _, claim := range report.Claims {
//		fmt.Println(claim.Content, claim.Verdict, claim.GapBits())
//	}
//
// [Client.ExtractClaims] and [Client.VerifyClaims] are the two halves of it, for
// programs that have their claims already or change them in between. Look at
// [VerifiedClaim.Grounded], or at [VerifiedClaim.Verdict] for what is known:
// [VerdictNotVerified] is neither supported nor unsupported. Optional numbers
// are pointers, which new(0.8) makes. Positions in texts are characters, not
// bytes; see [Span].
//
// A response whose verdicts do not follow from its own numbers is never passed
// on: it is an error for which errors.Is(err, [ErrInternal]) holds.
//
// # Facts
//
// [Client.CheckFacts] decides which facts may be stored, and with which
// confidence. A [MemoryGate] stands in front of a store and never holds it up:
//
//	gate := groundwire.MemoryGate{Client: client}
//	written, err := gate.Write(ctx, facts, evidence, store)
//	if err != nil {
//		return err // the store's own
//	}
//	if errors.Is(written.Err(), groundwire.ErrFactNotGrounded) {
//		fmt.Println(len(written.Rejected), "facts were not stored")
//	}
//
// # Traces
//
// [Client.AuditTrace] says at which step a chain of reasoning leaves its
// evidence, and whether its answer follows from its steps:
//
//	audit, err := client.AuditTrace(ctx, groundwire.Trace{
//		Steps:    []string{"A ticket costs 12 dollars.", "Three cost 36 dollars."},
//		Evidence: groundwire.ContextEvidence("Tickets are 12 dollars each."),
//		Answer:   "36 dollars",
//	})
//
// # Similarity
//
// [Client.CheckSimilarity] says which sentences of an answer are like none of the
// texts that it was given. It costs next to nothing, and is no verdict.
//
// # Responses
//
// [Client.AssessResponse] says how likely a response is made up, given the tool
// calls that were made for it, and what to do about it:
//
//	found, err := client.AssessResponse(ctx, groundwire.Exchange{
//		Question:  "What is the weather in Chamonix?",
//		Response:  "It's currently 12 °C with light snow.",
//		ToolCalls: []groundwire.ToolCall{{Name: "get_weather", Result: &result}},
//	})
//
// # A corpus
//
// [Client.AnalyzeText] says what a corpus of the server has on the claims of a
// text. Its verdicts are signals: people decide where it matters.
//
//	analysis, err := client.AnalyzeText(ctx, groundwire.Text{
//		Content: "Python 3.12 completely removed the GIL.",
//		Corpus:  "python",
//	})
//
// [Client.SearchCorpus] finds passages without reading them.
//
// # No answer is not a low probability
//
// The model may be unable to answer a claim. Such a claim is neither supported
// nor unsupported. Its probability is NaN, [Estimate.OK] is false, and the
// Estimator calls also return an error for which errors.Is(err,
// [ErrNoProbability]) holds, so that a program that looks only at the error
// never takes a missing answer for a good one.
//
// # Errors
//
// A call that fails returns an [*Error]. Test it with errors.Is against the
// sentinels of this package, such as [ErrInvalidRequest] or [ErrServerBusy];
// [Error.Reason] has the exact reason and [Error.Violations] names the fields.
// The client checks no limits, the server is the one place that does.
// google.golang.org/grpc/status reads these errors as it reads any other.
//
// # Deadlines and retries
//
// Every call has a deadline: the one of its context or, if it has none, the one
// that follows from [WithTimeout]. A call that fails with UNAVAILABLE is tried
// up to four times in all within that deadline, after waits of about 0.2, 0.4
// and 0.8 seconds. Nothing else is tried again, nor is a stream that has begun.
// Retries have a budget, one for each [Client]: after four or five failures in a
// row there are none until calls have succeeded, ten for each.
//
// # Transport security
//
// Without an option the client talks plaintext, and only to loopback and Unix
// socket targets. [WithTLS], [WithCAFile] and [WithClientCertificate] turn TLS
// on, each of them alone too. [WithPlaintextAllowed] permits plaintext to any
// target, for networks that protect the traffic by other means.
//
// # Tracing
//
// The client brings no telemetry of its own. To send the trace context with
// each call and to record spans, pass the OpenTelemetry stats handler:
//
//	groundwire.WithDialOptions(grpc.WithStatsHandler(otelgrpc.NewClientHandler()))
//
// where otelgrpc is
// go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc.
package groundwire
