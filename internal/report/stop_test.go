package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/profile"
)

// lastingContext is cancelled once it was looked at so many times.
type lastingContext struct {
	context.Context
	left int
}

func (c *lastingContext) Err() error {
	if c.left <= 0 {
		return context.Canceled
	}
	c.left--
	return nil
}

func (c *lastingContext) Deadline() (time.Time, bool) { return time.Time{}, false }

// TestReportsEnd cancels each report at every moment that it looks at its
// context: it has to fail with the context's error, and look often.
func TestReportsEnd(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	var at []uint32
	for i := range 20 {
		f := b.Function(fmt.Sprintf("main.f%d", i), "", "f.go", 1)
		at = append(at, b.Location(uint64(i+1), 0, profile.Line{Function: f, Line: int64(i)}))
	}
	key := b.String("id")
	const samples = 3*stopEvery + 1
	for i := range samples {
		label := []profile.Label{{Key: key, Str: b.String(fmt.Sprint("v", i))}}
		b.Sample([]uint32{at[i%20], at[(i+7)%20]}, label, 10)
	}
	p := b.Profile()
	once := []string{"comments", "proto"} // written at once, after the filters
	for _, command := range []string{
		"top", "tree", "peek", "list", "weblist", "traces", "tags", "raw", "dot", "callgrind", "topproto", "comments", "proto", "json:traces", "json:raw", "json:dot", "json:top",
	} {
		t.Run(command, func(t *testing.T) {
			run := func(ctx *lastingContext) error {
				name, asJSON := strings.CutPrefix(command, "json:")
				param := ""
				if name == "peek" || name == "list" || name == "weblist" {
					param = "main"
				}
				r, err := New(p, name, param, DefaultOptions(), Env{Context: ctx})
				if err != nil {
					return err
				}
				if asJSON {
					return r.WriteJSON(io.Discard)
				}
				return r.WriteText(io.Discard)
			}
			all := &lastingContext{t.Context(), math.MaxInt}
			if err := run(all); err != nil {
				t.Fatal(err)
			}
			looks := math.MaxInt - all.left
			if least := samples / stopEvery; looks < least && !slices.Contains(once, command) {
				t.Errorf("looks at its context %d times, want at least %d", looks, least)
			}
			for i := 0; i < looks; i += 1 + looks/10 {
				if err := run(&lastingContext{t.Context(), i}); !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled after %d of %d looks: %v", i, looks, err)
				}
			}
		})
	}
}

// TestComparisonsEnd is the same for what has no report.
func TestComparisonsEnd(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	const samples = 3*stopEvery + 1
	for i := range samples {
		f := b.Function(fmt.Sprint("main.f", i), "", "f.go", 1)
		b.Sample([]uint32{b.Location(uint64(i+1), 0, profile.Line{Function: f, Line: 1})}, []profile.Label{{Key: b.String("id"), Str: b.String("x")}}, 10)
	}
	p := b.Profile()
	for name, run := range map[string]func(ctx context.Context) error{
		"diff": func(ctx context.Context) error {
			_, err := NewDiff(ctx, []*profile.Profile{p}, []*profile.Profile{p}, DefaultOptions(), Scaling{})
			return err
		},
		"difference": func(ctx context.Context) error {
			_, err := Subtract(ctx, p, p, true, Scaling{})
			return err
		},
		"selection": func(ctx context.Context) error {
			o := DefaultOptions()
			o.Focus, o.TagRoot, o.Mine = "f1", "id", "f2"
			_, err := Select(p, o, Env{Context: ctx, Warn: func(Warning) {}})
			return err
		},
	} {
		all := &lastingContext{t.Context(), math.MaxInt}
		if err := run(all); err != nil {
			t.Fatal(err)
		}
		looks := math.MaxInt - all.left
		if least := 2 * (samples / stopEvery); looks < least {
			t.Errorf("%s looks at its context %d times, want at least %d", name, looks, least)
		}
		for i := range looks {
			if err := run(&lastingContext{t.Context(), i}); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled after %d of %d looks: %v", name, i, looks, err)
			}
		}
	}
}

func TestTreesEnd(t *testing.T) {
	p := graphProfile(func(what string) string { return what })
	_, err := profile.NewTree(p, profile.TreeOptions{Context: &lastingContext{t.Context(), 0}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
