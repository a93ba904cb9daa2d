// Command batch scores claims against the text in a file and prints a table.
//
//	batch -target 127.0.0.1:50051 -context evidence.txt "First claim." "Second claim."
//
// It takes a bearer token from the variable GROUNDWIRE_CLIENT_TOKEN, if that is set.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"text/tabwriter"
	"time"

	groundwire "github.com/groundwire/groundwire/clients/go"
)

// arguments is what the command line asks for.
type arguments struct {
	target, contextFile, caFile string
	timeout                     time.Duration
	claims                      []string
}

func main() {
	var a arguments
	flag.StringVar(&a.target, "target", "127.0.0.1:50051", "the server's gRPC `target`")
	flag.StringVar(&a.contextFile, "context", "", "the `file` with the text to judge the claims by; none: an empty text")
	flag.StringVar(&a.caFile, "ca", "", "the PEM `file` with the server's authority; turns TLS on")
	flag.DurationVar(&a.timeout, "timeout", groundwire.DefaultTimeout, "the `time` that the call may take")
	flag.Parse()
	a.claims = flag.Args()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, a)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "batch:", err)
		os.Exit(1)
	}
}

// run makes the call and prints the table.
func run(ctx context.Context, out io.Writer, a arguments) error {
	if len(a.claims) == 0 {
		return errors.New("give at least one claim as an argument")
	}
	var evidence []byte
	if a.contextFile != "" {
		var err error
		if evidence, err = os.ReadFile(a.contextFile); err != nil {
			return err
		}
	}
	client, err := groundwire.New(a.target, options(a)...)
	if err != nil {
		return err
	}
	defer client.Close()
	batch, err := client.Estimates(ctx, a.claims, string(evidence))
	if err != nil {
		return err
	}
	return printTable(out, a.claims, batch)
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

// printTable prints one line for each claim and one for the call.
func printTable(out io.Writer, claims []string, batch *groundwire.BatchEstimation) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PROBABILITY\tLABEL MASS\tSOURCE\tCLAIM")
	for i, estimate := range batch.Estimates {
		probability := "none"
		if estimate.OK {
			probability = fmt.Sprintf("%.3f", estimate.Probability)
		}
		fmt.Fprintf(table, "%s\t%.3f\t%s\t%s\n", probability, estimate.LabelMass, estimate.Source, claims[i])
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s, %s: %d tokens (%d cached), %v in the server\n", batch.Model, batch.PromptVersion,
		batch.Usage.PromptTokens, batch.Usage.CachedTokens, batch.Timing.Total.Round(time.Millisecond))
	return err
}
