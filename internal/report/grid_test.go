package report

import (
	"fmt"
	"testing"

	"github.com/hone-go/hone/profile"
)

// byEndpoint returns the sum of folded stacks, each with the label endpoint.
func byEndpoint(t *testing.T, stacks map[string]string) *profile.Profile {
	t.Helper()
	var parts []*profile.Profile
	for _, value := range []string{"/a", "/b"} {
		parts = append(parts, profile.WithLabel(folded(t, stacks[value]), "endpoint", value))
	}
	p, err := profile.Sum(t.Context(), parts...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func gridText(t *testing.T, p *profile.Profile, yours bool, by *Sampling) (text string) {
	t.Helper()
	r, err := New(p, "tags", "", DefaultOptions(), Env{})
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := r.Grid("endpoint", Page{Limit: 10}, 3, yours)
	if err != nil {
		t.Fatal(err)
	}
	if by != nil {
		g.Judge(*by)
	}
	tell := func(name string, q Quantity, base int64, noise bool) {
		text += fmt.Sprintf("%s %d %.0f%%", name, q.Value, q.Percent)
		if base != 0 {
			text += fmt.Sprintf(" from %d", base)
		}
		if noise {
			text += " noise"
		}
		text += "\n"
	}
	for _, c := range g.Cells {
		tell(c.Value, c.Sum, c.Base, c.Noise)
		for _, f := range c.Functions {
			tell("  "+f.Name, f.Cost, f.Base, f.Noise)
		}
	}
	return text
}

// TestGridFunctions: shares are of the total, as those of the values are, and functions are of your code where it is asked for.
func TestGridFunctions(t *testing.T) {
	p := byEndpoint(t, map[string]string{
		"/a": "main.main;main.f;strings.Fields;runtime.mallocgc 30\nmain.main;main.f 5\nmain.main;main.g;strings.Fields 10\nruntime.gcBgMarkWorker;runtime.gcDrain 5\n",
		"/b": "main.main;main.h 50\n",
	})
	for _, tt := range []struct {
		yours bool
		want  string
	}{
		{true, "/a 50 50%\n  main.f via strings.Fields 30 30%\n  main.g via strings.Fields 10 10%\n  main.f 5 5%\n/b 50 50%\n  main.h 50 50%\n"},
		{false, "/a 50 50%\n  runtime.mallocgc 30 30%\n  strings.Fields 10 10%\n  main.f 5 5%\n/b 50 50%\n  main.h 50 50%\n"},
	} {
		if got := gridText(t, p, tt.yours, nil); got != tt.want {
			t.Errorf("yours %v: got\n%swant\n%s", tt.yours, got, tt.want)
		}
	}
}

// TestGridJudge: what chance explains is told apart, of values and of functions.
func TestGridJudge(t *testing.T) {
	base := byEndpoint(t, map[string]string{"/a": "main.f 500\nmain.g 1000\n", "/b": "main.f 1000\n"})
	head := byEndpoint(t, map[string]string{"/a": "main.f 2000\nmain.g 1010\n", "/b": "main.f 1020\n"})
	p, err := Subtract(t.Context(), head, base, true, Scaling{})
	if err != nil {
		t.Fatal(err)
	}
	want := "/a 1510 60% from 1500\n  main.f 1500 60% from 500\n  main.g 10 0% from 1000 noise\n/b 20 1% from 1000 noise\n  main.f 20 1% from 1000 noise\n"
	if got := gridText(t, p, false, &Sampling{Chance: &Chance{Event: 1, BaseEvent: 1}, BaseScale: 1}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := gridText(t, p, false, &Sampling{Chance: &Chance{}, BaseScale: 1}); got == want {
		t.Error("where chance is unknown, nothing is noise")
	}
}
