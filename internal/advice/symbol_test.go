package advice

import "testing"

// TestParseName: names mean the same as Go 1.26 and as Go 1.27 write them.
func TestParseName(t *testing.T) {
	for name, want := range map[string]struct {
		declared, closure string
		inside            bool
	}{
		"example.com/m.v2/p.F":                     {"F", "", false},
		"example.com/m/p.(*T[...]).M.func1":        {"T.M", "func1", false},
		"example.com/m/p.T.M.func1.2":              {"T.M", "func1.2", false},
		"example.com/m/p.F-range1":                 {"F", "", true},
		"example.com/m/p.F-range1-range1":          {"F", "", true},
		"example.com/m/p.F.func1-range1":           {"F", "func1", true},
		"example.com/m/p.F-range1-range1.1":        {"F", "1", false},
		"example.com/m/p.F.func4":                  {"F", "func4", false},
		"example.com/m/p.(*T).M-range1.2.1":        {"T.M", "2.1", false},
		"example.com/m/p.F.gowrap1":                {"F", "", true},
		"example.com/m/p.F-range1.deferwrap1":      {"F", "", true},
		"example.com/m/p.F[...].1":                 {"F", "1", false},
		"example.com/m/p.init.func2.1":             {"init", "func2.1", false},
		"example.com/m/p.init.0.func1":             {"init", "0.func1", false},
		"example.com/m/p.F.F.seq.func3.F-range1":   {"F.F", "seq.func3.F", true},
		"example.com/m/p.(*T).M-fm":                {"T.M", "", false},
		"example.com/m/p.F[go.shape.[]a/b.X].1-fm": {"F", "1", false},
	} {
		if f := parseName(name); f.declared() != want.declared || f.closure != want.closure || f.inside != want.inside {
			t.Errorf("%s: declared %s, closure %q, inside %v; want %+v", name, f.declared(), f.closure, f.inside, want)
		}
	}
}
