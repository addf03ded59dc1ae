// Package notify tells other systems about regressions that open and resolve: Alertmanagers, and
// what takes JSON, such as Slack.
//
// It has no queue that could overflow. Each target is compared with the regressions that exist,
// and what it doesn't know yet is sent, oldest first:
//
//	target  where notifications go: configuration, and what is wrong with it
//	told    what a target was told, in a file, so that a restart doesn't tell it again
//	plan    what a target isn't told yet
//	text    events in words
//	body    events in the format of a target
//	send    a signed request, and its answer
//	retry   when to try again, and when to give up
//	deliver runs the stages for a target
//
// A message can arrive twice if its answer is lost. Alertmanagers drop the second one; in JSON,
// both have the same key.
package notify

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/regress"
)

// Config configures a notifier.
type Config struct {
	Targets []Target
	// Page is the address of hone's web UI, for links.
	Page string
	// File is where it is kept what targets were told; "" is nowhere.
	File string
	// List returns all regressions.
	List func() ([]regress.Entry, error)
	Log  func(string)

	// Transport and Getenv are for tests; nil uses the network and the environment.
	Transport http.RoundTripper
	Getenv    func(string) string
}

// A Notifier tells targets about regressions. Its methods may be called concurrently.
type Notifier struct{ deliveries []*delivery }

// New returns a notifier. Run starts it.
func New(cfg Config) (*Notifier, error) {
	if cfg.Getenv == nil {
		cfg.Getenv = os.Getenv
	}
	n, told := &Notifier{}, &memory{file: cfg.File, log: cfg.Log}
	for _, t := range cfg.Targets {
		t = t.withDefaults()
		s, err := newSender(&t, cfg.Transport, cfg.Getenv)
		if err != nil {
			return nil, fmt.Errorf("target %q: %w", t.Name, err)
		}
		n.deliveries = append(n.deliveries, &delivery{
			target: &t, sender: s, body: bodyOf(&t, cfg.Page), list: cfg.List, told: told, log: cfg.Log,
			sent: map[string]int64{}, tried: map[eventID]bool{}, refused: map[eventID]bool{},
		})
	}
	return n, nil
}

// Run sends notifications until ctx is done. It returns at once without targets.
func (n *Notifier) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, d := range n.deliveries {
		all.Go(func() { d.run(ctx) })
	}
	all.Wait()
}

// Status says how it goes with a target, since the process started.
type Status struct {
	Name, Format string
	Sent         int64  // events that the target took; alerts that are repeated don't count
	Failed       int64  // requests
	Dropped      int64  // events that were given up
	Waiting      int64  // events that the target isn't told yet
	Error        string // of the last request; "" if it succeeded
}

// Status returns the state of each target, in the order of the configuration.
func (n *Notifier) Status() []Status {
	out := []Status{}
	for _, d := range n.deliveries {
		out = append(out, d.state())
	}
	return out
}

// A Result is what came of a test.
type Result struct {
	Name, Format string
	Code         int    // of the answer; 0 if none came
	Text         string // the start of the answer
	Took         time.Duration
	Err          error // nil if the target took it
}

// Test sends a test to the target with a name, or to all targets if name is "". It returns no
// results if that target is unknown.
func (n *Notifier) Test(ctx context.Context, name string) []Result {
	chosen := slices.DeleteFunc(slices.Clone(n.deliveries), func(d *delivery) bool { return name != "" && d.target.Name != name })
	out := make([]Result, len(chosen))
	var all sync.WaitGroup
	for i, d := range chosen {
		all.Go(func() { out[i] = d.test(ctx) })
	}
	all.Wait()
	return out
}
