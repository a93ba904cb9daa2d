package groundwire_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	groundwire "github.com/groundwire/groundwire/clients/go"
	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// exampleClient is a client of an in-memory server. A program calls
// groundwire.New with the address of its server instead.
func exampleClient(s *scripted) *groundwire.Client {
	dial, _ := serve(s)
	client, err := groundwire.New(inMemoryTarget, dial)
	if err != nil {
		log.Fatal(err)
	}
	return client
}

func ExampleClient_BatchEstimate() {
	client := exampleClient(answering(read(0.97), read(0.04)))
	defer client.Close()

	claims := []string{"The Rhine rises in the Alps.", "The Rhine rises in Norway."}
	evidence := "The Rhine rises in the Swiss Alps."
	probabilities, err := client.BatchEstimate(context.Background(), claims, evidence)
	if err != nil {
		log.Fatal(err)
	}
	for i, probability := range probabilities {
		fmt.Printf("%.2f %s\n", probability, claims[i])
	}
	// Output:
	// 0.97 The Rhine rises in the Alps.
	// 0.04 The Rhine rises in Norway.
}

func ExampleClient_BatchEstimate_noProbability() {
	client := exampleClient(answering(read(0.97), unread()))
	defer client.Close()

	claims := []string{"The Rhine rises in the Alps.", "Colourless ideas sleep."}
	probabilities, err := client.BatchEstimate(context.Background(), claims, "The Rhine rises in the Swiss Alps.")
	var missing *groundwire.NoProbabilityError
	switch {
	case errors.As(err, &missing):
		fmt.Println("not verified:", missing.Indices)
	case err != nil:
		log.Fatal(err)
	}
	fmt.Println(probabilities)
	// Output:
	// not verified: [1]
	// [0.97 NaN]
}

func ExampleClient_Estimates() {
	client := exampleClient(answering(read(0.97), unread()))
	defer client.Close()

	claims := []string{"The Rhine rises in the Alps.", "Colourless ideas sleep."}
	batch, err := client.Estimates(context.Background(), claims, "The Rhine rises in the Swiss Alps.")
	if err != nil {
		log.Fatal(err)
	}
	for i, estimate := range batch.Estimates {
		if estimate.OK {
			fmt.Printf("%.2f %s\n", estimate.Probability, claims[i])
		} else {
			fmt.Printf("%s (label mass %.2f) %s\n", estimate.Reason, estimate.LabelMass, claims[i])
		}
	}
	// Output:
	// 0.97 The Rhine rises in the Alps.
	// LABEL_MASS_BELOW_FLOOR (label mass 0.01) Colourless ideas sleep.
}

func ExampleClient_VerifyAnswer() {
	client := exampleClient(reporting(report()))
	defer client.Close()

	report, err := client.VerifyAnswer(context.Background(), groundwire.AnswerRequest{
		Answer: "The Rhine rises in the Alps [S0]. It is warm [S9]. Is it?",
		Evidence: groundwire.DocumentEvidence(
			groundwire.Document{ID: "S0", Text: "The Rhine rises in the Swiss Alps."},
		),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, claim := range report.Claims {
		fmt.Println(claim.Verdict, claim.Reason, claim.Content)
	}
	fmt.Printf("%d of %d grounded, %.0f %% of the text verified\n",
		report.Summary.GroundedClaims, report.Summary.TotalClaims, 100*report.Summary.VerifiedShare)
	for _, left := range report.Summary.Unverified {
		fmt.Println("not verified:", left.Claims, left.Reason)
	}
	// Output:
	// SUPPORTED BUDGET_COVERED The Rhine rises in the Alps.
	// NOT_VERIFIED UNKNOWN_CITATION It is warm.
	// NOT_VERIFIED NON_ASSERTIVE Is it?
	// 1 of 2 grounded, 75 % of the text verified
	// not verified: 1 UNKNOWN_CITATION
	// not verified: 1 NON_ASSERTIVE
}

func ExampleClient_VerifyAnswerStream() {
	client := exampleClient(streaming(codes.OK, pieces()...))
	defer client.Close()

	request := groundwire.AnswerRequest{
		Answer: "The Rhine rises in the Alps [S0]. It is warm [S9]. Is it?",
		Evidence: groundwire.DocumentEvidence(
			groundwire.Document{ID: "S0", Text: "The Rhine rises in the Swiss Alps."},
		),
	}
	for event, err := range client.VerifyAnswerStream(context.Background(), request) {
		if err != nil {
			log.Fatal(err)
		}
		switch event := event.(type) {
		case *groundwire.ClaimsFound:
			fmt.Println(len(event.Claims), "claims")
		case *groundwire.ClaimKnown:
			fmt.Println(event.Index, event.Claim.Verdict, event.Claim.Content)
		case *groundwire.Report:
			fmt.Println("grounded:", event.Summary.OverallGrounded)
		}
	}
	// Output:
	// 3 claims
	// 2 NOT_VERIFIED Is it?
	// 1 NOT_VERIFIED It is warm.
	// 0 SUPPORTED The Rhine rises in the Alps.
	// grounded: false
}

func ExampleError() {
	client := exampleClient(&scripted{
		estimate: func(context.Context, *pb.EstimateProbabilityRequest) (*pb.EstimateProbabilityResponse, error) {
			return nil, status.Error(codes.InvalidArgument, "the claim is empty")
		},
	})
	defer client.Close()

	_, err := client.EstimateProbability(context.Background(), "", "The Rhine rises in the Swiss Alps.")
	var failure *groundwire.Error
	switch {
	case errors.Is(err, groundwire.ErrServerBusy) && errors.As(err, &failure):
		fmt.Println("try again in", failure.RetryAfter)
	case errors.Is(err, groundwire.ErrInvalidRequest) && errors.As(err, &failure):
		fmt.Println("refused:", failure.Message, failure.Violations)
	case err != nil:
		fmt.Println("not verified:", err)
	}
	// Output:
	// refused: the claim is empty []
}

func ExampleNew() {
	client, err := groundwire.New("verifier.example:50051",
		groundwire.WithCAFile("/etc/groundwire/ca.pem"),
		groundwire.WithToken(os.Getenv("GROUNDWIRE_CLIENT_TOKEN")),
		groundwire.WithTimeout(10*time.Second),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
}
