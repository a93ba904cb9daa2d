// Command answer verifies an answer against the texts in files and prints a
// report, each verdict as it is known.
//
//	answer -target 127.0.0.1:50051 -answer answer.txt first.txt second.txt
//
// The answer cites the files as [S0], [S1] and so on, in their order. It takes a
// bearer token from the variable GROUNDWIRE_CLIENT_TOKEN, if that is set. It
// exits with 0 if the answer is grounded, 1 if it is not, and 2 on an error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	groundwire "github.com/groundwire/groundwire/clients/go"
)

// arguments is what the command line asks for.
type arguments struct {
	target, answerFile, question, caFile string
	timeout                              time.Duration
	files                                []string
}

func main() {
	var a arguments
	flag.StringVar(&a.target, "target", "127.0.0.1:50051", "the server's gRPC `target`")
	flag.StringVar(&a.answerFile, "answer", "", "the `file` with the answer")
	flag.StringVar(&a.question, "question", "", "the `text` of the question that was answered; none: claims are read by themselves")
	flag.StringVar(&a.caFile, "ca", "", "the PEM `file` with the server's authority; turns TLS on")
	flag.DurationVar(&a.timeout, "timeout", groundwire.DefaultTimeout, "the `time` that the call may take")
	flag.Parse()
	a.files = flag.Args()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	grounded, err := run(ctx, os.Stdout, a)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "answer:", err)
		os.Exit(2)
	case !grounded:
		os.Exit(1)
	}
}

// run makes the call, prints the report and returns whether the answer is
// grounded as a whole.
func run(ctx context.Context, out io.Writer, a arguments) (grounded bool, err error) {
	request, err := newRequest(a)
	if err != nil {
		return false, err
	}
	client, err := groundwire.New(a.target, options(a)...)
	if err != nil {
		return false, err
	}
	defer client.Close()
	for event, err := range client.VerifyAnswerStream(ctx, request) {
		if err != nil {
			return false, err
		}
		switch event := event.(type) {
		case *groundwire.ClaimKnown:
			printClaim(out, event.Claim)
		case *groundwire.Report:
			printSummary(out, event)
			grounded = event.Summary.OverallGrounded
		}
	}
	return grounded, nil
}

// newRequest reads the files.
func newRequest(a arguments) (groundwire.AnswerRequest, error) {
	if a.answerFile == "" || len(a.files) == 0 {
		return groundwire.AnswerRequest{}, errors.New("give -answer and at least one file as an argument")
	}
	answer, err := os.ReadFile(a.answerFile)
	if err != nil {
		return groundwire.AnswerRequest{}, err
	}
	var documents []groundwire.Document
	for i, file := range a.files {
		text, err := os.ReadFile(file)
		if err != nil {
			return groundwire.AnswerRequest{}, err
		}
		documents = append(documents, groundwire.Document{
			ID: fmt.Sprintf("S%d", i), Title: filepath.Base(file), Text: string(text),
		})
	}
	return groundwire.AnswerRequest{
		Answer:   string(answer),
		Question: a.question,
		Evidence: groundwire.DocumentEvidence(documents...),
	}, nil
}

// options turns the command line and the environment into client options.
func options(a arguments) []groundwire.Option {
	chosen := []groundwire.Option{groundwire.WithTimeout(a.timeout)}
	if a.caFile != "" {
		chosen = append(chosen, groundwire.WithCAFile(a.caFile))
	}
	if token, ok := os.LookupEnv("GROUNDWIRE_CLIENT_TOKEN"); ok {
		chosen = append(chosen, groundwire.WithToken(token))
	}
	return chosen
}

// printClaim prints a claim with its verdict.
func printClaim(out io.Writer, claim groundwire.AnswerClaim) {
	fmt.Fprintf(out, "%-15s %s\n", claim.Verdict, claim.Content)
	if len(claim.CitedIDs) > 0 {
		fmt.Fprintf(out, "%-15s cites %s\n", "", strings.Join(claim.CitedIDs, ", "))
	}
	fmt.Fprintf(out, "%-15s %s\n", "", claim.ReasonText)
	if budget := claim.Budget; budget != nil {
		fmt.Fprintf(out, "%-15s p1 %.3f, p0 %.3f, needs %.2f bits and gets %.2f\n", "",
			claim.P1(), claim.P0(), budget.RequiredBits, budget.ObservedBits)
	}
}

// printSummary prints what is known of the answer as a whole.
func printSummary(out io.Writer, report *groundwire.Report) {
	summary, usage := report.Summary, report.Run.Usage
	fmt.Fprintf(out, "\n%d of %d claims grounded, %d skipped, %.0f%% of the text verified\n",
		summary.GroundedClaims, summary.TotalClaims, summary.SkippedClaims, math.Floor(100*summary.VerifiedShare))
	if summary.Warning != "" {
		fmt.Fprintln(out, summary.Warning)
	}
	fmt.Fprintf(out, "%s, %s: %d tokens (%d computed), %v in the server\n", report.Run.Model, report.Run.PromptVersion,
		usage.PromptTokens, usage.ComputedTokens, report.Run.Timing.Total.Round(time.Millisecond))
}
