// Load measures load generators: whether they tell the truth of a service that
// stands still by a schedule, and what a request costs them.
//
//	go run ./bench/load truth -hone bin/hone     # beside vegeta and hey, where they are
//	go run ./bench/load cost -hone bin/hone      # processor time, memory, rate: and wrk, ghz, Kafka's own
//	go run ./bench/load versus -hone bin/hone    # what -against says of two versions
//
// It starts the service itself, as a process of its own.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"time"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: load truth|cost|versus [flags]")
	}
	fs := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	hone := fs.String("hone", "bin/hone", "hone's binary")
	length := fs.Duration("for", 10*time.Second, "time of each measurement")
	rounds := fs.Int("rounds", 3, "of cost: measurements of each generator, interleaved")
	rate := fs.Int("rate", 3000, "of cost: requests per second where they are sent at a fixed rate")
	users := fs.Int("users", 32, "of cost: requests in flight at once, where each is sent as soon as one is answered")
	broker := fs.String("broker", "", "of cost: HOST:PORT of a Kafka broker (test/kafka/broker.sh run DIR starts one)")
	only := fs.String("only", "", "of cost: contests whose title contains this")
	every := fs.Duration("every", time.Second, "of truth: time between pauses of the service")
	pause := fs.Duration("pause", 100*time.Millisecond, "of truth: length of a pause")
	rates := fs.String("rates", "200,1000,4000", "of truth: requests per second")
	same := fs.Int("same", 60, "of versus: comparisons of versions that do the same work")
	slower := fs.Int("slower", 10, "of versus: comparisons with a version that takes 5 % more CPU time")
	sample := fs.Duration("sample", 300*time.Millisecond, "of versus: -duration of a sample; hone's own default is 5s")
	_ = fs.Parse(os.Args[2:])
	var err error
	switch os.Args[1] {
	case "serve": // what the others start
		err = serve(*every, *pause)
	case "serve-quick":
		err = serveQuick()
	case "serve-grpc":
		err = serveGRPC()
	case "truth":
		err = compareQuantiles(*hone, *rates, *length, *every, *pause)
	case "cost":
		err = cost(costing{hone: *hone, length: *length, rounds: *rounds, rate: *rate, users: *users, broker: *broker, only: *only})
	case "versus":
		err = versus(*hone, *same, *slower, *sample)
	default:
		err = fmt.Errorf("unknown command %q: it is truth, cost or versus", os.Args[1])
	}
	if err != nil {
		log.Fatal(err)
	}
}
