// Command agent is one turn of an agent that checks its memory, its reasoning and its
// output; what its own model would say is written down here: agent 127.0.0.1:50051
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	gw "github.com/groundwire/groundwire/clients/go"
)

var found = []gw.Document{
	{ID: "S0", Text: "The Mill Tower in Ashford is 48 m high. It was built in 1871 of red brick."},
	{ID: "S1", Text: "The Clock Tower in Ashford is 62 m high. It has four faces."},
}

func main() {
	ctx, evidence := context.Background(), gw.DocumentEvidence(found...)
	client, err := gw.New(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	facts := []gw.Fact{{Text: "The Mill Tower is 48 m high."}, {Text: "The Clock Tower has nine bells made of gold."}}
	gate := &gw.MemoryGate{Client: client}
	written, err := gate.Write(ctx, facts, evidence, func(_ context.Context, fact gw.CheckedFact) error {
		_, err := fmt.Printf("remembered at %.2f, %s: %s\n", fact.Confidence, fact.Decision, fact.Text)
		return err
	})
	for _, fact := range written.Rejected {
		fmt.Printf("not remembered, %s: %s\n", fact.Reason, fact.Text)
	}
	report(err)
	audit, err := client.AuditTrace(ctx, gw.Trace{
		Steps: []string{"The Mill Tower is 48 m high.", "The Clock Tower is 62 m high."}, Evidence: evidence})
	if report(err); err == nil {
		fmt.Println("reasoned, soundly:", audit.Sound)
	}
	output := "The Clock Tower is 62 m high [S1]. The Mill Tower was built in 1650 [S0]."
	fmt.Println("said:", output) // The user has it by now; the agent corrects itself if there is a reason.
	sent, err := client.SubmitVerification(ctx, gw.Output{Response: output, Documents: found})
	if report(err); err == nil {
		for sent, err = range client.WatchVerification(ctx, sent.ID) {
			report(err)
		}
	}
	if err == nil && sent.Result != nil && sent.Result.Instruction != "" {
		fmt.Printf("to correct, %.1f bits: %s\n", sent.Result.RiskBits, sent.Result.Instruction)
	}
}

// report tells of a check that failed; the agent goes on without it.
func report(err error) {
	if err != nil {
		log.Print("not verified: ", err)
	}
}
