package differ

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Difference is a call that another version answers otherwise.
type Difference struct {
	Function string `json:"function"`
	Input    string `json:"input,omitempty"`
	Base     string `json:"base"`
	Changed  string `json:"changed"`
	// Inside reports whether only fields differ that aren't exported: callers may never notice.
	Inside bool `json:"inside,omitempty"`
}

func (d Difference) String() string {
	return fmt.Sprintf("%s(%s): %s, now %s", d.Function, d.Input, d.Base, d.Changed)
}

// A Result says how far two versions were compared.
type Result struct {
	Calls       int          `json:"calls"`     // that the base answered, and always with the same
	Functions   []string     `json:"functions"` // that these were of
	Differences []Difference `json:"differences"`
}

// A record is what the command in calls writes.
type record struct {
	Function   string
	Call, Step int
	Status     string
	Method     string
	In, Out    string
	Hash, Bag  uint64
	Inside     string
	Layout     uint64
}

// Numbers of calls that stand for several, as in calls.
const (
	atOnce     = -1
	ends       = -3 // the program ended in a call, whose number is the step
	argument   = -5
	result     = -6
	shared     = -10
	unfinished = -11
	notAllLent = -12
)

// happenings are what calls of a function do, by the numbers of such records in calls without their sign: what it should be, and what it
// is.
var happenings = [...][2]string{
	2: {"results stay as they are", "a later call changes one"},
	4: {"a slice's array stays as it is after the slice's end", "writes there"},
	5: {"results don't share memory with arguments", "changing an argument later changes a result"},
	6: {"callers may change a result", "a change shows in a later result"},
	7: {"the same input has the same answer later", "another answer"},
	8: {"new contents in the same memory are a new input", "answers as for the old contents"},
	9: {"leaves no goroutine", "goroutines go on after it returns"},
}

// happening is what a record with a number says that calls do, empty if it says something else.
func happening(call int) (text [2]string) {
	if 0 < -call && -call < len(happenings) {
		text = happenings[-call]
	}
	return text
}

// concurrent is the first number with which calls from several goroutines begin, as in calls.
const concurrent = 1000

// Exit codes of a program: of one whose call takes too much time or memory, and of one that can't make the input for a call.
const (
	TooLarge = 3
	NoInput  = 4
)

type key struct {
	function   string
	call, step int
}

func parse(text []byte) map[key]record {
	all := make(map[key]record)
	for line := range bytes.Lines(text) {
		var r record
		if json.Unmarshal(line, &r) == nil && r.Status != "begin" { // the last line may be cut off
			all[key{r.Function, r.Call, r.Step}] = r
		}
	}
	return all
}

// Last is the number and name of the function that was begun last, -1 if none was, and the number of its last call.
func Last(text []byte) (n, call int, name string) {
	n = -1
	for line := range bytes.Lines(text) {
		var r record
		if json.Unmarshal(line, &r) == nil && r.Status == "begin" {
			n, call, name = r.Call, r.Step, r.Function
		}
	}
	return n, call, name
}

// Ended adds to what a program wrote that it ended in a call of a function.
func Ended(text []byte, function string, call int) []byte {
	if n := len(text); n > 0 && text[n-1] != '\n' {
		text = append(text, '\n')
	}
	line, _ := json.Marshal(record{Function: function, Call: ends, Step: call, Status: "ends"})
	return append(append(text, line...), '\n')
}

// mostDifferences bounds a result.
const mostDifferences = 50

// Compare compares what two runs of the base and one of another version wrote. What the base itself answers in two ways, or
// doesn't answer, isn't compared. A version may be slower, and answer less.
func Compare(base, again, other []byte) Result {
	first, second, changed := parse(base), parse(again), parse(other)
	var keys []key
	for k := range first {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.function != b.function {
			return bytes.Compare([]byte(a.function), []byte(b.function))
		}
		if a.call != b.call {
			return a.call - b.call
		}
		return a.step - b.step
	})
	r := Result{Functions: []string{}, Differences: []Difference{}}
	told := make(map[string]int) // where the difference of a function is
	unordered := make(map[string]bool)
	for k, b := range first {
		if s := second[k]; s.Bag == b.Bag && s.Hash != b.Hash && b.Bag != 0 {
			unordered[b.Function+" "+b.Method] = true
		}
	}
	for _, k := range keys {
		b, s := first[k], second[k]
		now, ok := changed[k]
		event := happening(k.call)[0] != "" || k.call == unfinished || k.call == notAllLent
		if !ok || event || b.Status != "ok" && b.Status != "error" && b.Status != "refuses" || s.Status != b.Status {
			continue
		}
		if unordered[b.Function+" "+b.Method] {
			b.Hash, s.Hash, now.Hash = b.Bag, s.Bag, now.Bag // the order is random, also where two runs agree
		}
		if s.Hash != b.Hash && b.Status == "ok" {
			continue
		}
		name := b.Function
		if b.Method != "" {
			name = b.Method
		}
		if k.call >= 0 {
			r.Calls++
		}
		if !slices.Contains(r.Functions, name) {
			r.Functions = append(r.Functions, name)
		}
		d, differs := difference(name, b, now)
		if !differs && b.Status == "ok" && b.Layout != 0 && b.Layout == now.Layout && b.Inside == s.Inside && b.Inside != now.Inside {
			d, differs = Difference{name, b.In, b.Inside, now.Inside, true}, true
		}
		if !differs {
			continue
		}
		at, before := told[b.Function]
		switch {
		case !before && len(r.Differences) < mostDifferences:
			told[b.Function] = len(r.Differences)
			r.Differences = append(r.Differences, d)
		case before && (r.Differences[at].Inside && !d.Inside || r.Differences[at].Inside == d.Inside && k.step == 0 && len(d.Input) < len(r.Differences[at].Input)):
			r.Differences[at] = d // what callers see, and of that the shortest
		}
	}
	r.Differences = append(r.Differences, onlyNow(first, second, changed)...)
	slices.Sort(r.Functions)
	return r
}

// onlyNow are what another version does with several calls, and the base doesn't.
func onlyNow(first, second, changed map[key]record) (all []Difference) {
	for k, now := range changed {
		_, before := first[k]
		_, again := second[k]
		switch {
		case before || again:
		case happening(k.call)[0] != "":
			if hadNoTime(first, k) || hadNoTime(second, k) {
				continue
			}
			text := happening(k.call)
			d := Difference{Function: k.function, Input: "…", Base: text[0], Changed: text[1]}
			if now.In+now.Out != "" {
				d.Base, d.Changed = d.Base+": "+now.In, d.Changed+": "+now.Out
			}
			all = append(all, d)
		case k.call == ends && answers(first, k.function, k.step) && answers(second, k.function, k.step):
			all = append(all, Difference{Function: k.function, Input: "…", Base: "returns", Changed: "ends the program"})
		}
	}
	slices.SortFunc(all, func(a, b Difference) int { return strings.Compare(a.Function, b.Function) })
	return all
}

// hadNoTime reports whether not all calls of a function, or of a method's type, were made that may show a happening.
func hadNoTime(all map[key]record, happens key) bool {
	which := unfinished
	if happens.call == argument || happens.call == result {
		which = notAllLent
	}
	of, _, _ := strings.Cut(happens.function, ".")
	_, cut := all[key{happens.function, which, 0}]
	_, typeCut := all[key{of, which, 0}]
	return cut || typeCut
}

// answers reports whether a version answers a call, or the first one of a sequence: without a record, it may have taken too long.
func answers(all map[key]record, function string, call int) bool {
	if call >= concurrent {
		call = atOnce
	}
	r, ok := all[key{function, call, 0}]
	return ok && r.Status != "panic"
}

// difference compares the answers to a call.
func difference(name string, base, now record) (Difference, bool) {
	d := Difference{Function: name, Input: base.In, Base: base.Out, Changed: now.Out}
	switch {
	case now.Call == atOnce && now.Status != base.Status:
		d.Input, d.Base, d.Changed = "…", "the same from several goroutines at once", "other results"
	case now.Call == shared && now.Status != base.Status:
		d.Input, d.Base, d.Changed = "…", "the same from several goroutines that share a value", "other results"
	case base.Status == "refuses":
		d.Base = "a panic of its own"
		return d, now.Status == "ok" || now.Status == "error"
	case base.Status == "error" && now.Status == "error":
		d.Base, d.Changed = strings.TrimSpace("an error "+base.Out), strings.TrimSpace("an error "+now.Out)
		return d, !sameErrors(base.Out, now.Out)
	case base.Status == "error":
		d.Base = "an error"
	case now.Status == "panic", now.Status == "refuses", now.Status == "error":
		d.Changed = "a panic"
		if now.Status == "error" {
			d.Changed = "an error"
		}
	case now.Status == "invalid":
		d.Changed = "no such value can be made"
	case base.Hash == now.Hash:
		return d, false
	}
	return d, true
}

// sameErrors reports whether an error is still each one that callers may ask for. A new one may come, but none that ends a loop.
func sameErrors(base, now string) bool {
	had, has := strings.Fields(base), strings.Fields(now)
	return !slices.ContainsFunc(had, func(kind string) bool { return !slices.Contains(has, kind) }) && slices.Contains(had, "io.EOF") == slices.Contains(has, "io.EOF")
}
