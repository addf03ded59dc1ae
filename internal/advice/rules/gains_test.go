package rules

import (
	"cmp"
	"os"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// matchGains are the gains of findings that have another one than their rule.
var matchGains = map[string]float64{
	"deep-equal/fields":             gainOfFields,
	"deep-equal/zero":               gainOfZero,
	"error-formatted/concatenated":  gainOfErrorText,
	"literal-per-call/array":        gainOfArray,
	"literal-per-call/written":      gainOfWritten,
	"reflect-first/switch":          gainOfSwitch,
	"reflect-first/function":        gainWithoutReflection,
	"regexp-engine/generated":       gainOfGenerated,
	"regexp-engine/loop":            gainOfLoop,
	"regexp-engine/places":          gainOfPlaces,
	"small-reads/binary":            gainOfRecords,
	"small-reads/pieces":            gainOfBuffer,
	"sort-slice/forwards":           gainOfForward,
	"sort-slice/natural":            gainOfNaturalOrder,
	"sort-slice/interface":          gainOfInterface,
	"sort-slice/ascending":          gainOfAscending,
	"sort-slice/sorted":             gainOfSorted,
	"string-concat-loop/statements": gainOfStatements,
	"text-copied/collected":         gainOfCollecting,
	"text-copied/rune":              gainOfRune,
}

// unmeasured are rules whose gain depends on more than the code, and why. They promise no number.
var unmeasured = map[string]string{
	"sql-prepare":     "a round trip takes as long as the database and the network take",
	"rwmutex-readers": "it grows with the number of processors that read at once",
	"password-hash":   "the advice is to hash less often, not faster",
}

// TestGains: no rule promises more than the committed measurement of its pattern shows.
func TestGains(t *testing.T) {
	measured := readGains(t, "testdata/gains.txt", "Gains/")
	promised := func(name string, gain float64) {
		switch shown, ok := measured[name]; {
		case !ok:
			t.Errorf("%s is not in testdata/gains.txt", name)
		case gain > shown:
			t.Errorf("%s promises %v, and testdata/gains.txt has %.2f", name, gain, shown)
		}
		delete(measured, name)
	}
	for _, r := range lineRules {
		switch _, no := unmeasured[r.ID]; {
		case no && r.Gain != 0:
			t.Errorf("%s promises %v, and can't be measured", r.ID, r.Gain)
		case !no && r.Gain != 0:
			promised(r.ID, r.Gain)
		}
	}
	for name, gain := range matchGains {
		promised(name, gain)
	}
	for name := range measured {
		t.Errorf("%s is measured, and no rule has it", name)
	}
}

// readGains returns by how much the better side of each benchmark in a file is faster.
func readGains(t *testing.T, file, prefix string) map[string]float64 {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	measured := make(map[string]float64)
	for r := benchfmt.NewReader(f, file); r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(rec)
		case *benchfmt.Result:
			name := strings.TrimPrefix(rec.Name.String(), prefix)
			if i := strings.LastIndexByte(name, '-'); i > 0 && strings.Trim(name[i+1:], "0123456789") == "" {
				name = name[:i] // the number of processors
			}
			var used, better float64
			for _, v := range rec.Values {
				switch cmp.Or(v.OrigUnit, v.Unit) {
				case "used-ns/call":
					used = v.Value
				case "better-ns/call":
					better = v.Value
				}
			}
			if used <= 0 || better <= 0 {
				t.Errorf("%s: want used-ns/call and better-ns/call", rec.Name)
			}
			measured[name] = used / better
		}
	}
	return measured
}
