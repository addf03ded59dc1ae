package differ_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/differ"
)

// TestWrite checks which functions a program calls: exported ones that reach the change, and no file, process or network.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n",
		"m.go": `package m

import (
	"net"
	"os"
	"os/exec"

	"example.com/m/inner"
)

func changed(n int) int { return n }

func Direct(n int) int { return changed(n) }

func Generic[K comparable, V any](m map[K]V) int { return changed(len(m)) }

func Other(n int) int { return n }

func Removes(n int) error { changed(n); return os.RemoveAll("/") }

func RemovesBelow(n int) { changed(n); inner.Remove() }

func Runs(n int) error { changed(n); return command() }

var command = func() error { return exec.Command("true").Run() }

func Dials(n int) { changed(n); net.Dial("tcp", "localhost:1") }

func Parses(s string) int { return changed(len(net.ParseIP(s))) }

func Waits(c chan int) int { return changed(<-c) }

// A closer is called through an interface.
type closer interface{ Close() error }

type file struct{}

func (file) Close() error { return os.Remove("x") }

func Hidden(n int) { changed(n); var c closer = file{}; c.Close() }

var Empty = new(Set[int])

type Set[T comparable] struct{ m map[T]bool }

func (s *Set[T]) Add(v T) { changed(len(s.m)) }

func (s *Set[T]) Save() error { changed(1); return os.WriteFile("x", nil, 0o600) }

func (s Set[T]) Len() int { return len(s.m) }
`,
		"m_test.go":      "package m\n\nconst input = \"an input of tests\"\n",
		"inner/inner.go": "package inner\n\nimport \"os\"\n\nfunc Remove() { os.Remove(\"x\") }\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := differ.Changed{Packages: []string{"example.com/m"}, Functions: []string{differ.Name("example.com/m", "changed"), differ.Name("example.com/m", "Direct")}}
	programs, why, err := differ.Write(t.Context(), dir, nil, c)
	if err != nil || len(programs) != 1 {
		t.Fatalf("%d programs, %s, %v", len(programs), why, err)
	}
	if got, want := programs[0].Functions, []string{"Direct", "Generic", "Generic[string, float64]", "Generic[float64, uint64]", "Parses", "Set.Add", "Set[string].Add"}; !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
	list := string(programs[0].Files["list.go"])
	for _, want := range []string{"p.Generic[int, string]", "(*p.Set[int]).Add", `{"Direct", p.Direct, true, true}`, `{"Other", p.Other, false, false}`, `{"Empty", of(p.Empty), false, false}`, `"an input of tests"`} {
		if !strings.Contains(list, want) {
			t.Errorf("the list has no %s:\n%s", want, list)
		}
	}
}

func TestName(t *testing.T) {
	for name, want := range map[string]string{"Join": "m.Join", "Parser.Next": "m.Parser.Next", "(*Parser).Next": "m.Parser.Next", "(*Set[T]).Add": "m.Set.Add", "Set[K].Len": "m.Set.Len", "Join[T]": "m.Join"} {
		if got := differ.Name("m", name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestCompare compares what two versions wrote.
func TestCompare(t *testing.T) {
	const base = `{"Function":"F","Call":0,"Step":4,"Status":"begin"}
{"Function":"F","Call":0,"Status":"ok","In":"a longer input","Out":"1","Hash":1}
{"Function":"F","Call":1,"Status":"ok","In":"x","Out":"1","Hash":2}
{"Function":"F","Call":2,"Status":"error","In":"y","Hash":3}
{"Function":"F","Call":3,"Status":"panic","In":"z","Hash":4}
{"Function":"F","Call":-1,"Status":"ok"}
{"Function":"T","Call":0,"Status":"ok","Method":"T.Get","In":"Get() ","Out":"1","Hash":5}
{"Function":"New","Call":0,"Status":"ok","In":"n","Out":"{}","Hash":6,"Inside":"{1}","Layout":7}
`
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(base) }
	for name, c := range map[string]struct {
		again, changed, want string // the differences
	}{
		"same":              {base, base, ""},
		"another result":    {base, replace(`"Hash":1`, `"Hash":9`), "F(a longer input): 1, now 1"},
		"shortest":          {base, replace(`"1","Hash":1`, `"5","Hash":9`, `"1","Hash":2`, `"7","Hash":9`), "F(x): 1, now 7"},
		"another error":     {base, replace(`"Hash":3`, `"Hash":9`), ""},
		"no error":          {base, replace(`"error"`, `"ok"`), "F(y): an error, now "},
		"error":             {base, replace(`"ok","In":"x"`, `"error","In":"x"`), "F(x): 1, now an error"},
		"a panic":           {base, replace(`"ok","Method"`, `"panic","Method"`), "T.Get(Get() ): 1, now a panic"},
		"no panic":          {base, replace(`"panic"`, `"ok"`), ""},
		"unstable":          {replace(`"Hash":1`, `"Hash":9`), replace(`"Hash":1`, `"Hash":8`), ""},
		"fewer calls":       {base, base[:strings.Index(base, `{"Function":"F","Call":1`)], ""},
		"several at once":   {base, replace(`"Call":-1,"Status":"ok"`, `"Call":-1,"Status":"differs"`), "F(…): the same from several goroutines at once, now other results"},
		"a changing result": {base, base + `{"Function":"F","Call":-2,"Status":"differs","In":"1","Out":"2"}`, "F(…): results stay as they are: 1, now a later call changes one: 2"},
		"time for that":     {base + `{"Function":"T","Call":-11,"Status":"differs"}`, base + `{"Function":"T.Set","Call":-5,"Status":"differs","In":"1","Out":"2"}`, "T.Set(…): results don't share memory with arguments: 1, now changing an argument later changes a result: 2"},
		"no time to change": {base + `{"Function":"T","Call":-12,"Status":"differs"}`, base + `{"Function":"T.Set","Call":-5,"Status":"differs","In":"1","Out":"2"}`, ""},
		"no time for it":    {base + `{"Function":"T","Call":-11,"Status":"differs"}`, base + `{"Function":"T.Get","Call":-2,"Status":"differs","In":"1","Out":"2"}`, ""},
		"inside":            {base, replace("{1}", "{2}"), "New(n): {1}, now {2}"},
		"another type":      {base, replace(`"Inside":"{1}","Layout":7`, `"Inside":"{2}","Layout":8`), ""},
		"an end":            {base, string(differ.Ended([]byte(base+`{"cut`), "F", 0)), "F(…): returns, now ends the program"},
		"an end at once":    {base, string(differ.Ended([]byte(base), "F", 1000)), "F(…): returns, now ends the program"},
		"an end unanswered": {base, string(differ.Ended([]byte(base), "F", 4)), ""},
	} {
		r := differ.Compare([]byte(base), []byte(c.again), []byte(c.changed))
		got := ""
		for _, d := range r.Differences {
			got += d.String()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if name == "same" && (r.Calls != 5 || !slices.Equal(r.Functions, []string{"F", "New", "T.Get"})) {
			t.Errorf("%d calls of %q", r.Calls, r.Functions)
		}
	}
	for name, c := range map[string]struct{ base, again, changed, want string }{
		"a removed check": {`{"Function":"F","Status":"refuses","In":"x"}`, "", `{"Function":"F","Status":"ok","In":"x","Out":"1"}`, "F(x): a panic of its own, now 1"},
		"another check":   {`{"Function":"F","Status":"refuses","In":"x"}`, "", `{"Function":"F","Status":"panic","In":"x"}`, ""},
		"a random order":  {`{"Function":"F","Status":"ok","Hash":1,"Bag":5}`, `{"Function":"F","Status":"ok","Hash":2,"Bag":5}`, `{"Function":"F","Status":"ok","Hash":3,"Bag":5}`, ""},
		"an element less": {`{"Function":"F","Status":"ok","Out":"[1 2]","Hash":1,"Bag":5}`, `{"Function":"F","Status":"ok","Hash":2,"Bag":5}`, `{"Function":"F","Status":"ok","Out":"[1]","Hash":3,"Bag":6}`, "F(): [1 2], now [1]"},
		"a sentinel":      {`{"Function":"F","Status":"error","Out":"ErrA"}`, "", `{"Function":"F","Status":"error","Out":"ErrB"}`, "F(): an error ErrA, now an error ErrB"},
		"a new sentinel":  {`{"Function":"F","Status":"error"}`, "", `{"Function":"F","Status":"error","Out":"ErrA"}`, ""},
		"an end":          {`{"Function":"F","Status":"error"}`, "", `{"Function":"F","Status":"error","Out":"io.EOF"}`, "F(): an error, now an error io.EOF"},
		"a shared value":  {`{"Function":"T.F","Call":-10,"Status":"ok"}`, "", `{"Function":"T.F","Call":-10,"Status":"differs"}`, "T.F(…): the same from several goroutines that share a value, now other results"},
		"a goroutine":     {"", "", `{"Function":"F","Call":-9,"Status":"differs"}`, "F(…): leaves no goroutine, now goroutines go on after it returns"},
		"one before, too": {`{"Function":"F","Call":-9,"Status":"differs"}`, "", `{"Function":"F","Call":-9,"Status":"differs"}`, ""},
	} {
		if c.again == "" {
			c.again = c.base
		}
		r := differ.Compare([]byte(c.base), []byte(c.again), []byte(c.changed))
		got := ""
		for _, d := range r.Differences {
			got += d.String()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if n, call, function := differ.Last([]byte(base)); n != 0 || call != 4 || function != "F" {
		t.Errorf("the last function is %d, %q", n, function)
	}
}
