package prove

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hone-go/hone/internal/differ"
)

// TestHabits finds what a change does beside its results, and nothing in what was so before.
func TestHabits(t *testing.T) {
	const before = `package m

import (
	"os"
	"sync"
)

var table = [256]int{}

var cache, pool, count = map[string]int{}, sync.Pool{}, 0

var mu sync.Mutex

type T struct {
	all  []int
	last int
}

func init() { table[1] = 2 }

func Sum(s string) int { return len(s) + table[0] }

func Old() { count++ }

func (t *T) Get(i int) int { return t.all[i] }

func (t *T) Set(i int) { t.all[0] = i }

func (t *T) Both(i int) { t.Set(i) }

func Name() string { return os.Getenv("X") }
`
	for name, c := range map[string]struct{ now, want string }{
		"nothing":          {`func Sum(s string) int { n := table[0]; n++; count := n; count++; return count }`, "[]"},
		"a cache":          {`func Sum(s string) int { cache[s] = 1; return 1 }`, "[{1 cache 3}]"},
		"with a lock":      {`func Sum(s string) int { mu.Lock(); cache[s] = 1; mu.Unlock(); return 1 }`, "[{0 cache 3}]"},
		"a pool":           {`func Sum(s string) int { pool.Put(s); return 1 }`, "[{0 pool 3}]"},
		"a shared buffer":  {`func Sum(s string) int { b := append(buffer[:0], s...); return len(b) }`, "[{1 buffer 3}]"},
		"a shared row":     {`func Sum(s string) int { x := buffer[:2]; x[0] = 1; return len(x) }`, "[{1 buffer 3}]"},
		"a part to read":   {`func Sum(s string) int { x := buffer[:2]; return int(x[0]) }`, "[]"},
		"as before":        {`func Old() { count = count + 2 }`, "[]"},
		"a lazy value":     {`func (t *T) Get(i int) int { t.last = i; return t.all[i] }`, "[{2 (*T).Get 3}]"},
		"a value that was": {`func (t *T) Set(i int) { t.last = i }`, "[]"},
		"through another":  {`func (t *T) Both(i int) { t.last = i }`, "[]"},
		"a setting":        {`import "runtime/debug"; func init() { debug.SetGCPercent(-1) }`, "[{3 debug.SetGCPercent 3}]"},
		"a question":       {`import "testing"; func Sum(s string) int { if testing.Testing() { return 0 }; return 1 }`, "[{4 testing.Testing 3}]"},
		"a new variable":   {`func Sum(s string) int { cache := map[string]int{}; cache[s] = 1; return len(cache) }`, "[]"},
	} {
		variables := map[string]bool{"buffer": true}
		addVariables(variables, []byte(before))
		got := newHabits(differ.File{Before: []byte(before), Now: []byte("package m\n\n" + c.now)}, variables)
		if fmt.Sprint(got) != c.want && !(len(got) == 0 && c.want == "[]") {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
	right := Check{State: Right, Why: "tests pass"}
	if c := right.with(habit{keeps, "cache", 3}, "m.go:3"); c.State != Right || len(c.Notes) != 1 {
		t.Errorf("%+v", c)
	}
	for _, kind := range []habitKind{races, writes, sets, watches} {
		if c := right.with(habit{kind, "x", 3}, "m.go:3"); c.State != Untested || c.Why == right.Why {
			t.Errorf("%+v", c)
		}
	}
	if c := (Check{State: Different}).with(habit{races, "x", 3}, "m.go:3"); c.State != Different || !slices.ContainsFunc(c.Notes, func(n string) bool { return n != "" }) {
		t.Errorf("%+v", c)
	}
}
