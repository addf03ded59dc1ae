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
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
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
	users := fs.Int("users", 32, "of cost: requests under way at once where they are sent as fast as they are answered")
	broker := fs.String("broker", "", "of cost: HOST:PORT of a Kafka broker (test/kafka/broker.sh run DIR starts one)")
	only := fs.String("only", "", "of cost: contests whose title contains this")
	every := fs.Duration("every", time.Second, "of truth: the service stands still as often")
	pause := fs.Duration("pause", 100*time.Millisecond, "of truth: and for so long")
	rates := fs.String("rates", "200,1000,4000", "of truth: requests per second")
	same := fs.Int("same", 60, "of versus: comparisons of versions that do the same")
	slower := fs.Int("slower", 10, "of versus: and of one that takes 5 % more processor time")
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
		err = truth(*hone, *rates, *length, *every, *pause)
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

// quantiles are those that are compared.
var quantiles = []float64{.99, .999, .9999}

// truth compares quantiles with those that the service knows of itself, by when
// requests were due. That is a pause, and what the requests that waited for its end
// then take of the processors: of requests at regular times, the share that waits
// longer than x is (pause-x)/every, to which that comes. hey sends no request while it
// waits for an answer, so for it the service knows only what became of the requests
// that were sent, and the truth is the schedule's.
func truth(hone, rates string, length, every, pause time.Duration) error {
	url, stop, err := startService(every, pause)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Printf("%-8s %6s", "", "rate")
	for _, q := range quantiles {
		fmt.Printf("%32s", "p"+strconv.FormatFloat(100*q, 'f', -1, 64))
	}
	fmt.Println()
	for text := range strings.SplitSeq(rates, ",") {
		rate, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("-rates: %w", err)
		}
		var schedule []time.Duration
		for _, q := range quantiles {
			schedule = append(schedule, max(0, pause-time.Duration((1-q)*float64(every))))
		}
		row("schedule", rate, schedule, nil)
		for _, g := range []func(string, string, int, time.Duration) (string, []time.Duration, error){honeTimes, vegetaTimes, heyTimes} {
			if _, err := truthOf(url, rate); err != nil { // from here on
				return err
			}
			name, times, err := g(hone, url, rate, length)
			if errors.Is(err, exec.ErrNotFound) {
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			want, err := truthOf(url, rate)
			if err != nil {
				return err
			}
			if name == "hey" {
				want = schedule
			}
			row(name, rate, times, want)
		}
	}
	return nil
}

// row prints quantiles, and how far they are from what they ought to be.
func row(name string, rate int, times, want []time.Duration) {
	fmt.Printf("%-8s %6d", name, rate)
	for i := range quantiles {
		switch {
		case i >= len(times):
			fmt.Printf("%32s", "–")
		case i >= len(want):
			fmt.Printf("%32v", times[i])
		default:
			fmt.Printf("%12v of %8v %+6.2f %%", times[i].Round(10*time.Microsecond), want[i].Round(10*time.Microsecond), 100*(float64(times[i])/float64(want[i])-1))
		}
	}
	fmt.Println()
}

func honeTimes(hone, url string, rate int, length time.Duration) (string, []time.Duration, error) {
	out, err := exec.Command(hone, "load", "http", "-rate", strconv.Itoa(rate), "-duration", length.String(), "-count", "1", "-warmup", "0s",
		"-json", "-o", os.TempDir(), url).Output()
	var r struct {
		Response map[string]*time.Duration
	}
	if err != nil {
		return "hone", nil, err
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return "hone", nil, err
	}
	var times []time.Duration
	for _, name := range []string{"p99", "p99.9", "p99.99"} {
		times = append(times, *r.Response[name])
	}
	return "hone", times, nil
}

func vegetaTimes(_, url string, rate int, length time.Duration) (string, []time.Duration, error) {
	vegeta, err := exec.LookPath("vegeta")
	if err != nil {
		return "vegeta", nil, err
	}
	cmd := exec.Command("sh", "-c", fmt.Sprintf("echo GET %s | %s attack -rate=%d -duration=%v | %s encode --to=csv", url, vegeta, rate, length, vegeta))
	out, err := cmd.Output()
	if err != nil {
		return "vegeta", nil, err
	}
	var all []time.Duration
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(line, ",") // time, code, latency in ns, …
		ns, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return "vegeta", nil, err
		}
		all = append(all, time.Duration(ns))
	}
	return "vegeta", exact(all), nil
}

var heyLine = regexp.MustCompile(`(?m)^([0-9.]+),`)

func heyTimes(_, url string, rate int, length time.Duration) (string, []time.Duration, error) {
	hey, err := exec.LookPath("hey")
	if err != nil {
		return "hey", nil, err
	}
	out, err := exec.Command(hey, "-z", length.String(), "-c", "20", "-q", strconv.Itoa(rate/20), "-o", "csv", url).Output()
	var all []time.Duration
	for _, m := range heyLine.FindAllSubmatch(out, -1) {
		s, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			return "hey", nil, err
		}
		all = append(all, time.Duration(s*1e9))
	}
	return "hey", exact(all), err
}
