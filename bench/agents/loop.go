package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/hone-go/hone/bench/history"
	"github.com/hone-go/hone/internal/gocmd"
)

const mostRounds = 3

// loopID is the id of the verdict on what the loop made of a commit's parent.
func loopID(f *fact) string { return "loop:" + f.ID }

// A finding of hone advise.
type finding struct {
	ID, Class string
	Fix       *struct{ Diff string }
}

// follow does what hone says, from the parent on: in each round, the rewrites of the first findings become patches, and the first
// that hone prove calls right and faster is kept. Then the loop's last state is judged against the parent.
func (o *options) follow(ctx context.Context, r *repository, f *fact) error {
	if err := r.checkOut(ctx, parentTag); err != nil {
		return err
	}
	from, keptSome, tried := parentTag, 0, 0
	var last *proof
	for round := range mostRounds {
		found, err := o.advise(ctx, r, f)
		if err != nil {
			return err
		}
		to := ""
		for i, one := range found {
			tag := fmt.Sprintf("round%d-%d", round, i)
			if err := r.patch(ctx, from, one.Fix.Diff, tag); err != nil {
				continue // it has been made, or lies on another one
			}
			tried++
			p, err := o.prove(ctx, r, f, parentTag, tag)
			if err != nil {
				return err
			}
			if c := &p.Candidates[0]; c.State == right && (c.Speed == faster || c.Allocations == "fewer" && c.Speed != "slower") {
				to, last = tag, p
				keptSome++
				break
			}
		}
		if to == "" {
			break
		}
		from = to
		if err := r.checkOut(ctx, from); err != nil {
			return err
		}
	}
	v := verdict{ID: loopID(f), State: "unchanged", Why: "no rewrite was kept", Load: load()}
	if last != nil {
		v = last.verdict(loopID(f))
	}
	v.Why = fmt.Sprintf("kept %d of %d rewrites; %s", keptSome, tried, v.Why)
	return o.keep(v)
}

// mostTried bounds the rewrites of a round.
const mostTried = 2

// advise returns the first findings with a rewrite.
func (o *options) advise(ctx context.Context, r *repository, f *fact) ([]finding, error) {
	cmd := exec.CommandContext(ctx, o.hone, "advise", "-json", "-vet=off", "-bench", f.Bench, "-profiletime", "1s", r.pkg)
	cmd.Dir = r.module
	out, err := cmd.Output()
	var report struct{ Findings []finding }
	if jsonErr := json.Unmarshal(out, &report); jsonErr != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			err = errors.New(gocmd.LastLine(exit.Stderr))
		}
		return nil, fmt.Errorf("hone advise: %w", errors.Join(err, ctx.Err()))
	}
	var with []finding
	for _, one := range report.Findings {
		if one.Fix != nil && len(with) < mostTried {
			with = append(with, one)
		}
	}
	return with, nil
}

// patch applies a rewrite to a state, and commits it under a tag.
func (r *repository) patch(ctx context.Context, from, diff, tag string) error {
	if err := r.checkOut(ctx, from); err != nil {
		return err
	}
	name := filepath.Join(r.dir, ".git", "rewrite.patch")
	if err := os.WriteFile(name, []byte(diff), 0o666); err != nil {
		return err
	}
	defer os.Remove(name)
	if out, err := history.Run(ctx, r.module, "git", "apply", "--whitespace=nowarn", name); err != nil {
		return fmt.Errorf("git apply: %s", history.FirstLine(out))
	}
	return commit(ctx, r.dir, tag)
}
