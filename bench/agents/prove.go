package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/gocmd"
)

// A proof is what hone prove says of one patch.
type proof struct {
	Candidates []struct {
		State, Why, Speed, How, Allocations string
		Changes                             []struct {
			Benchmark, Unit string
			Ratio           float64
		}
		Compared *struct {
			Calls int
			Why   string
		}
	}
	Seconds float64
}

// prove asks hone prove about what a tag changes of another.
func (o *options) prove(ctx context.Context, r *repository, f *fact, from, to string) (*proof, error) {
	args := []string{"prove", "-json", "-short", "-vet=off", "-bench", f.Bench}
	if !o.patient {
		args = append(args, "-count", "8", "-benchtime", "20ms")
	}
	cmd := exec.CommandContext(ctx, o.hone, append(args, from+".."+to)...)
	cmd.Dir = r.module
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	out, err := cmd.Output()
	p := new(proof)
	if jsonErr := json.Unmarshal(out, p); jsonErr != nil || len(p.Candidates) != 1 {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			err = errors.New(gocmd.LastLine(exit.Stderr))
		}
		return nil, fmt.Errorf("hone prove: %w", errors.Join(err, ctx.Err()))
	}
	return p, nil
}

// A verdict is a line of the results: what hone said of a patch.
type verdict struct {
	ID    string `json:"id"` // of a commit or an edit
	State string `json:"state"`
	Speed string `json:"speed"`
	// Time is the ratio that hone measured, 0 if it has none: the first benchmark's.
	Time        float64 `json:"time,omitempty"`
	Allocations string  `json:"allocations,omitempty"`
	Calls       int     `json:"calls"` // with generated inputs, that were compared
	Why         string  `json:"why"`
	Seconds     float64 `json:"seconds"`
	// Load is the machine's when it was asked, as 1 minute of /proc/loadavg has it.
	Load string `json:"load,omitempty"`
}

func (p *proof) verdict(id string) verdict {
	c := &p.Candidates[0]
	v := verdict{ID: id, State: c.State, Speed: c.Speed, Allocations: c.Allocations, Why: c.Why + "; " + c.How, Seconds: p.Seconds, Load: load()}
	for _, change := range c.Changes {
		if v.Time == 0 && (change.Unit == "sec/op" || change.Unit == "ns/op") {
			v.Time = rounded(change.Ratio)
		}
	}
	if c.Compared != nil {
		v.Calls = c.Compared.Calls
		if c.Compared.Why != "" {
			v.Why += "; not compared: " + c.Compared.Why
		}
	}
	return v
}

func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
