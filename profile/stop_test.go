package profile

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"testing"
)

// countdown is a context that is cancelled once it was looked at so many times.
type countdown struct {
	context.Context
	looks, most int
}

func (c *countdown) Err() error {
	if c.looks++; c.looks > c.most {
		return context.Canceled
	}
	return nil
}

// TestLoopsEnd cancels each long loop over samples in the middle: it ends with the context's
// error, and looks at the context no more.
func TestLoopsEnd(t *testing.T) {
	const samples = 8 * stopEvery
	b := NewBuilder(ValueType{Type: "cpu", Unit: "nanoseconds"})
	var at []uint32
	for i := range 40 {
		at = append(at, b.Location(uint64(i+1), 0, Line{Function: b.Function(fmt.Sprint("main.f", i), "", "f.go", 1), Line: 1}))
	}
	key := b.String("id")
	for i := range samples {
		b.Sample([]uint32{at[i%40], at[(i+7)%40]}, []Label{{Key: key, Str: b.String(fmt.Sprint(i))}}, 1)
	}
	p := b.Profile()
	other := Scale(p, 2)
	for name, run := range map[string]func(ctx context.Context) error{
		"sum": func(ctx context.Context) error {
			_, err := Sum(ctx, p, other)
			return err
		},
		"merger": func(ctx context.Context) error {
			m := Merger{Context: ctx}
			return errors.Join(m.Add(p), m.Add(other))
		},
		"focus": func(ctx context.Context) error {
			_, _, err := FilterNames(ctx, p, NameFilter{Focus: regexp.MustCompile("f1")})
			return err
		},
		"hide": func(ctx context.Context) error {
			_, _, err := FilterNames(ctx, p, NameFilter{Hide: regexp.MustCompile("f1")})
			return err
		},
		"label frames": func(ctx context.Context) error {
			_, _, _, err := AddLabelFrames(ctx, p, []string{"id"}, nil, false, nil)
			return err
		},
		"fold": func(ctx context.Context) error {
			_, _, err := FoldForeign(ctx, p, func(f uint32) bool { return f%2 == 0 }, false)
			return err
		},
		"tree": func(ctx context.Context) error {
			_, err := NewTree(p, TreeOptions{Context: ctx})
			return err
		},
		"tree of a difference": func(ctx context.Context) error {
			_, err := NewDiffTree(p, other, TreeOptions{Context: ctx})
			return err
		},
	} {
		all := &countdown{t.Context(), 0, samples}
		if err := run(all); err != nil || all.looks == 0 {
			t.Errorf("%s: %v after %d looks", name, err, all.looks)
		}
		if least := samples / stopEvery; all.looks < least && name[:4] != "tree" { // steps are nodes there
			t.Errorf("%s looks at its context %d times, want at least %d", name, all.looks, least)
		}
		for most := range all.looks {
			c := &countdown{t.Context(), 0, most}
			// Of the two that the merger is asked for, each may look once.
			if err := run(c); !errors.Is(err, context.Canceled) || c.looks > most+2 {
				t.Errorf("%s, cancelled after %d of %d looks: %v after %d", name, most, all.looks, err, c.looks)
			}
		}
	}
}
