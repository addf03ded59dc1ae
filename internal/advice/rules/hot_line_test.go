package rules

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/hone-go/hone/internal/advice"
)

// TestHotLineRecorded has the rule look at real profiles, with what the compiler says of the source: alone,
// with each line, and with all other rules, as users see it. The profiles are of
//
//	go test -bench . -cpuprofile cpu.pb.gz -memprofile mem.pb.gz -memprofilerate 65536
func TestHotLineRecorded(t *testing.T) {
	const data = "testdata/hot-line-recorded"
	dir := recordedModule(t, data, "module example.com/hotlines\n\ngo 1.24\n")
	var inputs []advice.Input
	for _, kind := range []string{"cpu", "mem"} {
		inputs = append(inputs, advice.Input{Profile: recordedProfile(t, filepath.Join(data, kind+".pb.gz")), Kind: kind, Subject: "All"})
	}
	for _, c := range []struct {
		golden string
		o      advice.Options
	}{
		{"alone.txt", advice.Options{Rules: []*advice.Rule{hotLineAlone}, MinHotLine: 0.01, MaxHotLines: -1}},
		{"two.txt", advice.Options{Rules: All(), MaxHotLines: 2}},
		{"hottest.txt", advice.Options{Rules: All(), MinHotLine: 0.2}},
	} {
		c.o.Dir, c.o.Compiler = dir, true
		report, err := advice.Advise(t.Context(), inputs, c.o)
		if err != nil {
			t.Fatal(err)
		}
		checkText(t, filepath.Join(data, c.golden), report, dir)
	}
}

// TestFactsBeside: a finding of a rule says what else is known of its line, but not what its reason says.
func TestFactsBeside(t *testing.T) {
	const name, text = "facts.go", `package facts

type machine struct {
	states []int
	limit  int
}

func (m *machine) sum(n int) (sum int) {
	for i := 0; i < n; i++ {
		sum += m.states[i] + m.limit // hot
	}
	return sum
}
`
	f, p := check(t, name, []byte(text))
	report := examinePackage(p, marked(t, f, name, []byte(text)), loopInvariantLoad, hotLineAlone)
	if len(report.Findings) != 1 {
		t.Fatalf("%d findings, want one", len(report.Findings))
	}
	facts := report.Findings[0].Facts
	if want := []string{"The loop on line 9 handles one element (int) of m.states per iteration."}; !slices.Equal(facts, want) {
		t.Errorf("facts are %q, want %q", facts, want)
	}
}
