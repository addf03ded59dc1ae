package rules

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/advice"
)

var (
	rewriteCount = flag.Int("rewrites", 0, "functions with a rewrite to compare for each rule; 0 is a few of each")
	rewriteRule  = flag.String("rule", "", "compare rewrites of rules that match this regular expression only")
	rewriteSeed  = flag.Uint64("seed", 1, "another seed makes other functions")
)

const (
	fewRewrites = 12  // of each rule, where the tests run
	batch       = 800 // functions of a program
	runs        = 40  // calls of each function
)

// TestRewrites generates functions around the pattern of each rule, rewrites them, and calls
// both forms with the same inputs. Of a rewrite of class A nothing may differ; what differs
// after one of class B its text has to announce. See doc/design/0016-rewrites.md.
func TestRewrites(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // little is alive
	selected := regexp.MustCompile(*rewriteRule)
	p := readPrelude(t)
	var all []*advice.Rule
	for _, r := range rewriting() {
		if selected.MatchString(r.ID) {
			all = append(all, r)
		}
	}
	var campaigns []*campaign
	var mixed []*rewritten // of all rules, where a program for each would cost too much
	for i, r := range all {
		if cores[r.ID] == nil {
			t.Errorf("%s has rewrites, and no generator in cores", r.ID)
			continue
		}
		n := *rewriteCount
		if n == 0 {
			n = fewRewrites
		}
		c := &campaign{t: t, prelude: p, rule: r, tally: new(tally), seed: *rewriteSeed, first: i * 1_000_000}
		campaigns = append(campaigns, c)
		begin := time.Now()
		for c.rewritten() < n && !c.stopped() {
			group := c.some(min(batch, n-c.rewritten()))
			if *rewriteCount == 0 {
				mixed = append(mixed, group...)
				continue
			}
			c.judge(p.compare(t, group, runs))
		}
		if *rewriteCount > 0 {
			t.Logf("%s: %v", c.tally.row(r.ID), time.Since(begin).Round(time.Second))
		}
	}
	if *rewriteCount == 0 {
		found := p.compare(t, mixed, runs)
		for _, c := range campaigns {
			c.judge(slices.DeleteFunc(slices.Clone(found), func(d difference) bool { return d.rule != c.rule.ID }))
		}
	}
	var table strings.Builder
	for _, c := range campaigns {
		table.WriteString(c.row(c.rule.ID) + "\n")
	}
	t.Logf("\n%s\n%s", tallyHead, table.String())
}

// rewriting are those that may have rewrites.
func rewriting() []*advice.Rule {
	return slices.DeleteFunc(slices.Clone(lineRules), func(r *advice.Rule) bool { return r.Class >= advice.AdviceOnly })
}

// A tally counts functions of a rule.
type tally struct {
	generated, invalid int // functions, and those that don't compile as they are
	classA, classB     int // rewritten
	differA            int // should be none
	said               int // functions of class B that differ, which its reason says
	unsaid             int // should be none
}

const tallyHead = "| rule | generated | class A | class B | differ in A | announced in B | not announced |\n|---|---|---|---|---|---|---|"

func (t *tally) row(rule string) string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d |", rule, t.generated, t.classA, t.classB, t.differA, t.said, t.unsaid)
}

// A campaign is the functions of one rule.
type campaign struct {
	*prelude
	*tally
	t      *testing.T
	rule   *advice.Rule
	seed   uint64
	first  int // number of its functions, which are those of no other rule
	shown  int
	missed bool
}

func (c *campaign) rewritten() int { return c.classA + c.classB }

// stopped says when a rule has too few rewrites to go on.
func (c *campaign) stopped() bool {
	if c.generated > 200 && c.rewritten()*20 < c.generated {
		if !c.missed {
			c.missed = true
			c.t.Errorf("%s: %d of %d functions are rewritten: its generator misses the pattern, or lookedFor its Frames", c.rule.ID, c.rewritten(), c.generated)
		}
		return true
	}
	return c.shown > 40
}

// some returns a number of functions that are rewritten.
func (c *campaign) some(n int) (group []*rewritten) {
	for len(group) < n && !c.stopped() {
		h := fnv.New64a()
		fmt.Fprint(h, c.rule.ID, c.generated)
		fn, err := generate(c.rule.ID, c.first+c.generated, nil, rand.New(rand.NewPCG(c.seed, h.Sum64())))
		if err != nil {
			c.t.Fatal(err)
		}
		c.generated++
		r, err := c.rewrite(c.rule, fn)
		switch {
		case r == nil && err != nil:
			if c.invalid++; os.Getenv("HONE_INVALID") != "" {
				c.t.Logf("%v\n%s", err, fn.source)
			}
		case err != nil:
			c.count(r)
			c.judge([]difference{{rewritten: *r, kinds: []string{"build"}, new: trace{Panic: err.Error()}}})
		case r != nil:
			c.count(r)
			group = append(group, r)
		}
	}
	return group
}

func (c *campaign) count(r *rewritten) {
	if r.class == advice.Safe {
		c.classA++
	} else {
		c.classB++
	}
}

// judge counts functions that differ, and reports, shrunk, those that may not.
func (c *campaign) judge(found []difference) {
	of := make(map[int][]difference)
	var numbers []int
	for _, d := range found {
		if of[d.number] == nil {
			numbers = append(numbers, d.number)
		}
		of[d.number] = append(of[d.number], d)
	}
	for _, n := range numbers {
		i := slices.IndexFunc(of[n], func(d difference) bool { return !d.announced() })
		if i < 0 {
			c.said++
			continue
		}
		d := of[n][i]
		if d.class == advice.Safe {
			c.differA++
		} else {
			c.unsaid++
		}
		if c.shown++; c.shown > 3 {
			c.t.Fail()
			continue
		}
		c.t.Errorf("%s", c.shrink(d).report(c.seed))
	}
}

// announcements are the kinds of difference that a rewrite of class B may make, by the words
// that its reason has then, and where the kind can be seen first. What else differs follows
// from that: a result that is another one decides what is called next.
var announcements = []struct {
	kind  string
	words *regexp.Regexp
	in    []string
}{
	{"nil or empty", regexp.MustCompile(`(?i)\bnil\b.*\bempty\b|\bempty\b.*\bnil\b|returns nil|is now nil|is nil then`), []string{"result", "state", "calls"}},
	{"panic", regexp.MustCompile(`(?i)panic|is never nil|never is`), []string{"panic", "result", "calls", "state"}},
	{"order", regexp.MustCompile(`(?i)(has|have) no (side )?effect|(another|different) order|in that order|evaluated|between the writes|run between`), []string{"result", "calls", "state", "panic"}},
	{"memory", regexp.MustCompile(`(?i)share|overlap|spare|capacity|same memory|keeps `), []string{"result", "state", "calls"}},
	{"change", regexp.MustCompile(`(?i)chang`), []string{"result", "state", "calls", "panic"}},
	{"writes", regexp.MustCompile(`(?i)\bWrite|writes|WriteString`), []string{"calls", "state", "result"}},
	{"methods", regexp.MustCompile(`method|String\(\)`), []string{"result", "calls", "state", "panic"}},
	{"order of equal elements", regexp.MustCompile(`(?i)compare equal|equal elements`), []string{"result", "state"}},
	{"room", regexp.MustCompile(`(memory|room) for all elements is allocated`), []string{"panic", "calls", "state", "result"}},
	{"NaN", regexp.MustCompile(`NaN`), []string{"result", "state", "calls"}},
	{"rounding", regexp.MustCompile(`last (bit|digit) of the result`), []string{"result", "state", "calls"}},
	{"identity", regexp.MustCompile(`(by|with) ==|compares it`), []string{"result", "calls"}},
	{"a method of the user's", regexp.MustCompile(`Check that this Sum appends`), []string{"result", "state", "calls"}},
	{"invalid address", regexp.MustCompile(`is valid: String returns`), []string{"result", "state", "calls"}},
	{"letters", regexp.MustCompile(`letters outside of ASCII`), []string{"result", "calls"}},
}

// announced reports whether a rewrite says what differs. One of class A never does.
func (d difference) announced() bool {
	why := strings.Join(d.whys, "\n")
	return d.class != advice.Safe && slices.ContainsFunc(d.kinds, func(kind string) bool {
		for _, a := range announcements {
			if slices.Contains(a.in, kind) && a.words.MatchString(why) {
				return true
			}
		}
		return false
	})
}

func (d difference) report(seed uint64) string {
	var hostile []string
	for k := range d.hostile {
		hostile = append(hostile, k)
	}
	slices.Sort(hostile)
	var s strings.Builder
	fmt.Fprintf(&s, "%s, class %s, seed %d, tape %v, with %s: differs in %s\nwhy: %s\n--- was\n%s--- is\n%s", d.rule, d.class, seed, d.tape, strings.Join(hostile, ", "), strings.Join(d.kinds, ", "), strings.Join(d.whys, "\n     "), d.source, d.text)
	fmt.Fprintf(&s, "--- inputs\n%s\n", d.old.Inputs)
	for _, k := range []struct{ name, old, new string }{{"result", d.old.Result, d.new.Result}, {"panic", d.old.Panic, d.new.Panic}, {"calls", d.old.Calls, d.new.Calls}, {"state", d.old.State, d.new.State}} {
		if k.old != k.new {
			fmt.Fprintf(&s, "--- %s was\n%s\n--- %s is\n%s\n", k.name, k.old, k.name, k.new)
		}
	}
	return s.String()
}

// shrink makes the function of a difference simpler as long as it differs, by plainer choices.
func (c *campaign) shrink(d difference) difference {
	for range 12 {
		var group []*rewritten
		tried := make(map[string]bool)
		try := func(tape []int) {
			for len(tape) > 0 && tape[len(tape)-1] == 0 {
				tape = tape[:len(tape)-1]
			}
			fn, err := generate(c.rule.ID, len(group), tape, nil)
			if err != nil || fn.source == strings.ReplaceAll(d.source, fmt.Sprint("F", d.number), fmt.Sprint("F", fn.number)) || tried[strings.ReplaceAll(fn.source, fmt.Sprint("F", fn.number), "F")] {
				return
			}
			tried[strings.ReplaceAll(fn.source, fmt.Sprint("F", fn.number), "F")] = true
			if r, err := c.rewrite(c.rule, fn); r != nil && err == nil && r.class == d.class {
				group = append(group, r)
			}
		}
		for _, width := range []int{16, 8, 4, 2, 1} {
			for i := 0; i < len(d.tape); i += width {
				tape := slices.Clone(d.tape)
				for j := i; j < min(i+width, len(tape)); j++ {
					tape[j] = 0
				}
				try(tape)
				try(slices.Delete(slices.Clone(d.tape), i, min(i+width, len(d.tape))))
			}
		}
		best, simplest := d, len(d.source)
		for _, next := range c.compare(c.t, group, runs) {
			if slices.Equal(next.kinds, d.kinds) && !next.announced() && len(next.source) < simplest {
				best, simplest = next, len(next.source)
			}
		}
		if simplest == len(d.source) {
			break
		}
		d = best
	}
	return d
}
