// Fleet fills a running hone serve with the history of three services: three weeks,
// five versions of each, several instances. It is for tests and for looking at pages.
// The same -end makes the same profiles. web/e2e/weeks.mjs starts a server and fills it:
//
//	node web/e2e/weeks.mjs
//	go run ./bench/fleet -server http://localhost:9090
//
// # What is in it
//
// Each service has profiles of CPU time, heap, goroutines, mutexes and blocking, whose
// samples have the label endpoint, and its requests are counted. Load follows the hour and the day of the week.
//
//	shop    4 instances. v1.4.0, two days old, made pricing.(*Engine).Discounts slower.
//	        On the day before the last, from 14:05 to 14:20 UTC, /checkout on instance
//	        shop-b compiled regular expressions: CPU time about tripled.
//	search  3 instances. v2.3.0 kept what index.(*Cache).Put put in: memory grew until
//	        v2.4.0, which also made rank.Score faster.
//	ledger  2 instances. v0.9.2 waits more for the lock of journal.(*Log).Append. Its last
//	        version changed nothing. In the last six hours, Report was asked for more often.
//
// The files of package main, from the ground up: program.go has what the services run,
// history.go what they did when, profiles.go makes the profiles.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("fleet", flag.ContinueOnError)
	server := flags.String("server", "http://localhost:9090", "`URL` of the hone serve to fill")
	token := flags.String("token", "", "`token` that may write")
	end := flags.String("end", "", "`time` the history ends, such as 2006-01-02T15:04:05Z (default now)")
	days := flags.Int("days", 21, "`days` of history")
	if err := flags.Parse(args); err != nil {
		return err
	}
	last := time.Now().UTC()
	if *end != "" {
		t, err := time.Parse(time.RFC3339, *end)
		if err != nil {
			return fmt.Errorf("invalid -end %q: use a time such as 2006-01-02T15:04:05Z", *end)
		}
		last = t.UTC()
	}
	if *days < 3 {
		return fmt.Errorf("invalid -days %d: use at least 3", *days)
	}
	h := history{end: last.Truncate(time.Minute), days: *days}
	return send(&sender{url: strings.TrimSuffix(*server, "/"), token: *token}, h)
}

// parallel is how many profiles are on their way at once: a server waits for its disk,
// and takes several profiles in one write.
const parallel = 24

// send sends all profiles of a history, the oldest first, and returns the first error.
func send(to *sender, h history) error {
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	pushes := make(chan push, parallel)
	var wait sync.WaitGroup
	for range parallel {
		wait.Go(func() {
			for p := range pushes {
				if ctx.Err() != nil {
					continue
				}
				if err := to.send(ctx, p); err != nil {
					stop(err)
				}
			}
		})
	}
	for p := range h.pushes() {
		pushes <- p
		if ctx.Err() != nil {
			break
		}
	}
	close(pushes)
	wait.Wait()
	return context.Cause(ctx)
}

// A push is a profile and who sends it.
type push struct {
	service, kind, version, zone, instance string
	at                                     time.Time
	lasts                                  time.Duration
	seed                                   uint64
	hourly
}

func (p push) query() string {
	q := url.Values{
		"service": {p.service}, "kind": {p.kind}, "version": {p.version}, "zone": {p.zone}, "instance": {p.instance},
		"time": {strconv.FormatInt(p.at.UnixNano(), 10)}, "duration": {p.lasts.String()},
	}
	return q.Encode()
}

type sender struct{ url, token string }

func (s *sender) send(ctx context.Context, p push) error {
	var body bytes.Buffer
	if err := profileOf(p).EncodeUncompressed(&body); err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/v1/profiles?"+p.query(), &body)
	if err != nil {
		return err
	}
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 4096))
	if err == nil && res.StatusCode != http.StatusNoContent {
		err = errors.New(res.Status + ": " + strings.TrimSpace(string(text)))
	}
	return err
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: parallel}}
