package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// A counter counts the lines with a word or phrase in them, in whatever case.
type counter func(ctx context.Context, query string) (int64, error)

const procedure = "/shakespeare.v1.Works/CountLines"

// handler serves a counter over gRPC, and the program's profiles.
func handler(count counter) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.Handle(procedure, connect.NewUnaryHandler(procedure,
		func(ctx context.Context, r *connect.Request[wrapperspb.StringValue]) (*connect.Response[wrapperspb.Int64Value], error) {
			q := r.Msg.Value
			if q == "" || strings.Contains(q, "\n") {
				return nil, connect.NewError(connect.CodeInvalidArgument, fmt.Errorf("%q is not a word or phrase", q))
			}
			n, err := count(ctx, q)
			if err != nil {
				return nil, err
			}
			return connect.NewResponse(wrapperspb.Int64(n)), nil
		}))
	return mux
}

// queries are the questions of a round, in their order.
var queries = []string{
	"hello", "world", "to be, or not to be", "insolence", "love", "the king", "night", "my lord",
	"friend", "thou art", "sleep", "crown and", "to", "ghost", "sweet", "heart of", "sea", "death", "o", "morrow",
}

// client returns a counter that asks the service at an address.
func client(address string) counter {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	c := connect.NewClient[wrapperspb.StringValue, wrapperspb.Int64Value](&http.Client{Transport: transport}, address+procedure, connect.WithGRPC())
	return func(ctx context.Context, query string) (int64, error) {
		r, err := c.CallUnary(ctx, connect.NewRequest(wrapperspb.String(query)))
		if err != nil {
			return 0, err
		}
		return r.Msg.Value, nil
	}
}

// simulate asks the service all queries, round after round.
func simulate(ctx context.Context, address string, rounds int, out io.Writer) error {
	ask := client(address)
	for round := range rounds {
		start := time.Now()
		for _, q := range queries {
			if _, err := ask(ctx, q); err != nil {
				return fmt.Errorf("round %d, %q: %w", round+1, q, err)
			}
		}
		took := time.Since(start)
		fmt.Fprintf(out, "round %d: %d requests in %v, %.2f a second\n", round+1, len(queries), took.Round(10*time.Microsecond), float64(len(queries))/took.Seconds())
	}
	return nil
}
