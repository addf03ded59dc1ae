package symbol

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
	"github.com/ianlancetaylor/demangle"
)

// unsymbolized returns a profile of addresses in one mapping.
func unsymbolized(m profile.Mapping, addrs ...uint64) *profile.Profile {
	m.ID = 1
	p := &profile.Profile{
		SampleTypes: []profile.ValueType{{Type: "cpu", Unit: "nanoseconds"}},
		Strings:     []string{""},
		Mappings:    []profile.Mapping{m},
		Values:      [][]int64{nil},
	}
	for i, a := range addrs {
		p.Locations = append(p.Locations, profile.Location{ID: uint64(i + 1), Address: a, Mapping: 1})
		p.Frames = append(p.Frames, uint32(i))
		p.Stacks = append(p.Stacks, profile.Stack{Start: uint32(i), Len: 1})
		p.Values[0] = append(p.Values[0], 1)
	}
	return p
}

// functionsOf returns a profile of functions with the names and linker's names given.
func functionsOf(names ...[2]string) *profile.Profile {
	p := unsymbolized(profile.Mapping{File: "/bin/x", HasFunctions: true})
	for _, n := range names {
		f := profile.Function{Name: uint32(len(p.Strings))}
		p.Strings = append(p.Strings, n[0])
		f.SystemName = f.Name
		if n[1] != n[0] {
			f.SystemName = uint32(len(p.Strings))
			p.Strings = append(p.Strings, n[1])
		}
		p.Functions = append(p.Functions, f)
	}
	return p
}

// stack formats the lines of a location.
func stack(p *profile.Profile, l uint32) string {
	var names []string
	for _, line := range p.LocationLines(l) {
		f := p.Functions[line.Function]
		names = append(names, fmt.Sprintf("%s %s:%d", p.Strings[f.Name], filepath.Base(p.Strings[f.File]), line.Line))
	}
	return strings.Join(names, " < ")
}

func TestSymbolizeLocal(t *testing.T) {
	f := named("plain").open(t)
	syms, err := f.Symbols(regexp.MustCompile(`^main\.float$|area$`), 0)
	if err != nil {
		t.Fatal(err)
	}
	var call uint64 // an instruction of step, inlined
	for _, s := range syms {
		for pc := s.Start; pc <= s.End; pc++ {
			if frames, _ := f.Frames(pc); len(frames) == 3 {
				call = pc
			}
		}
	}
	i := slices.IndexFunc(syms, func(s Symbol) bool { return s.Name == "main.float" })
	p := unsymbolized(profile.Mapping{Start: 0x400000, Limit: 0x500000, File: f.Name()}, call, syms[i].Start, 1)
	p.Locations[0].Folded = true
	before := *p

	tests := []struct {
		mode   string
		compat bool
		want   [3]string
		mapped profile.Mapping
	}{
		{mode: "local", want: [3]string{
			"main.step main.go:33 < main.walk main.go:31 < main.(*square[go.shape.string]).area main.go:29", "main.float main.go:59", ""}},
		{mode: "", want: [3]string{
			"main.step main.go:33 < main.walk main.go:31 < main.(*square[go.shape.string]).area main.go:29", "main.float main.go:59", ""}},
		{mode: "local", compat: true, want: [3]string{"main.(*square[go.shape.string]).area main.go:33", "main.float main.go:59", ""}},
		{mode: "fastlocal", want: [3]string{"main.(*square[go.shape.string]).area .:0", "main.float .:0", ""}},
		{mode: "remote"},
		{mode: "none"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s compat=%t", test.mode, test.compat), func(t *testing.T) {
			got, err := Symbolize(t.Context(), p, test.mode, nil, Options{Compat: test.compat, Warn: func(s string) { t.Error(s) }})
			if err != nil {
				t.Fatal(err)
			}
			for l, want := range test.want {
				if s := stack(got, uint32(l)); s != want {
					t.Errorf("location %d: %s, want %s", l, s, want)
				}
			}
			changed := test.want[0] != ""
			if m := got.Mappings[0]; m.HasFunctions != changed || m.HasInlineFrames != changed || m.HasLineNumbers != (changed && test.mode != "fastlocal") {
				t.Errorf("mapping %+v", m)
			}
			if got.Locations[0].Folded == changed {
				t.Error("folded")
			}
			if (got == p) == changed {
				t.Errorf("same profile: %t", got == p)
			}
			if !slices.Equal(p.Locations, before.Locations) || !slices.Equal(p.Mappings, before.Mappings) || len(p.Functions) != 0 || len(p.Strings) != 1 {
				t.Error("the profile given was changed")
			}
		})
	}
}

func TestSymbolizeWarnings(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no program"), 0o666); err != nil {
		t.Fatal(err)
	}
	const missing = "Some binary filenames not available. Symbolization may be incomplete.\nTry setting PPROF_BINARY_PATH to the search path for local binaries."
	tests := []struct {
		name string
		m    profile.Mapping
		mode string
		want []string
	}{
		{"no file", profile.Mapping{}, "", []string{"Main binary filename not available."}},
		{"no binary", profile.Mapping{File: text, BuildID: "ab"}, "local", []string{
			"Local symbolization failed for text (build ID ab): open " + text + ": unrecognized object file", missing}},
		{"missing", profile.Mapping{File: "/none/x"}, "", []string{
			"Local symbolization failed for x: open /none/x: no such file or directory", missing}},
		{"has functions", profile.Mapping{File: "/none/x", HasFunctions: true}, "", nil},
		{"has files, forced", profile.Mapping{File: "/none/x", HasFilenames: true}, "force", []string{
			"Local symbolization failed for x: open /none/x: no such file or directory", missing}},
		{"vdso", profile.Mapping{File: "[vdso]"}, "", nil},
		{"url", profile.Mapping{File: "http://host/debug/pprof/heap"}, "", nil},
		{"none", profile.Mapping{}, "none", nil},
		{"unknown", profile.Mapping{HasFunctions: true}, "Fast:local", []string{
			"ignoring unrecognized symbolization option: Fast:local",
			"expecting -symbolize=[local|fastlocal|remote|none][:force][:demangle=[none|full|templates|default]"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			p := unsymbolized(test.m, 5)
			q, err := Symbolize(t.Context(), p, test.mode, nil, Options{Warn: func(s string) { got = append(got, s) }})
			if err != nil || q != p {
				t.Errorf("%v, changed %t", err, q != p)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("warnings %q, want %q", got, test.want)
			}
		})
	}
}

func TestSymbolizeRemote(t *testing.T) {
	var asked, path, kind string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		asked, path, kind = string(b), r.URL.String(), r.Header.Get("Content-Type")
		if strings.HasPrefix(path, "/fail") {
			http.Error(w, "no", http.StatusTeapot)
			return
		}
		fmt.Fprint(w, "num_symbols: 1\n0x1010 main.f\n0x1020\tmain.g h\n0x1030 main.f\n0x1040 cut")
	}))
	defer srv.Close()

	m := profile.Mapping{Start: 0x5000, Limit: 0x6000, File: "srv"}
	p := unsymbolized(m, 0x5010, 0x5020, 0x5030, 0x5040, 0)
	ask := func(profilePath, mode string) (*profile.Profile, error) {
		sources := MappingSources{"srv": {{Source: "not a url"}, {Source: srv.URL + profilePath, Start: 0x1000}}}
		return Symbolize(t.Context(), p, mode, sources, Options{})
	}
	got, err := ask("/debug/pprof/profile?seconds=5", "remote")
	if err != nil {
		t.Fatal(err)
	}
	if asked != "0x1010+0x1020+0x1030+0x1040" || path != "/debug/pprof/symbol" || kind != "application/octet-stream" {
		t.Errorf("asked %s for %s, %s", path, asked, kind)
	}
	for l, want := range []string{"main.f .:0", "main.g h .:0", "main.f .:0", "", ""} {
		if s := stack(got, uint32(l)); s != want {
			t.Errorf("location %d: %q, want %q", l, s, want)
		}
	}
	if len(got.Functions) != 2 || !got.Mappings[0].HasFunctions || got.Mappings[0].HasInlineFrames {
		t.Errorf("functions %v, mapping %+v", got.Functions, got.Mappings[0])
	}
	for _, want := range []string{"/pprof/heap /pprof/symbol", "/x/y /x/symbolz"} {
		from, to, _ := strings.Cut(want, " ")
		if _, err := ask(from, "remote"); err != nil || path != to {
			t.Errorf("%s asks %s, want %s (%v)", from, path, to, err)
		}
	}
	if _, err := ask("/fail/x", "remote"); err == nil || !strings.Contains(err.Error(), "418") {
		t.Errorf("error %v", err)
	}
	if q, err := ask("/fail/x", "local"); err != nil || q != p {
		t.Errorf("local asked the server: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Symbolize(ctx, p, "remote", MappingSources{"srv": {{Source: srv.URL}}}, Options{}); err == nil {
		t.Error("ignores the context")
	}
}

func TestDemangle(t *testing.T) {
	tests := []struct {
		name, system                   string
		usual, templates, full, linker string // of demangle=default, templates, full, none
	}{
		{"main.f", "main.f", "main.f", "main.f", "main.f", "main.f"},
		{"main.(*T).M", "main.(*T).M", "main.(*T).M", "main.(*T).M", "main.(*T).M", "main.(*T).M"},
		{"main.F[...]", "main.F[...]", "main.F[...]", "main.F[...]", "main.F[...]", "main.F[...]"},
		{"main.(*T[...]).M", "main.(*T[...]).M", "main.(*T[...]).M", "main.(*T[...]).M", "main.(*T[...]).M", "main.(*T[...]).M"},
		{"main.(*T).Do.F[...].func1", "main.(*T).Do.F[...].func1", "main..Do.F[...].func1", "main..Do.F[...].func1", "main.(*T).Do.F[...].func1", "main.(*T).Do.F[...].func1"},
		{"_ZN3foo3barIiEEvT_", "_ZN3foo3barIiEEvT_", "foo::bar", "foo::bar<int>", "void foo::bar<int>(int)", "_ZN3foo3barIiEEvT_"},
		{"__ZN3foo3barEi", "__ZN3foo3barEi", "foo::bar", "foo::bar", "foo::bar(int)", "__ZN3foo3barEi"},
		{"_start", "_start", "_start", "_start", "_start", "_start"},
		{"", "_Z1fi", "f", "f", "f(int)", ""},
		{"", "plain", "plain", "plain", "plain", ""},
		{"foo::bar<int>(int)", "foo::bar<int>(int)", "foo::bar", "foo::bar<int>", "foo::bar<int>(int)", "foo::bar<int>(int)"},
		{"class.<init>(x)", "class.<init>(x)", "class.<init>(x)", "class.<init>(x)", "class.<init>(x)", "class.<init>(x)"},
		{"f(int)", "f(int)", "f(int)", "f(int)", "f(int)", "f(int)"},
		{"a::b)c(d)", "a::b)c(d)", "a::b)c(d)", "a::b)c(d)", "a::b)c(d)", "a::b)c(d)"},
		{"a::b(c)(d(e))f(", "a::b(c)(d(e))f(", "a::bf(", "a::bf(", "a::b(c)(d(e))f(", "a::b(c)(d(e))f("},
		{"known", "_Z1fi", "known", "f", "f(int)", "_Z1fi"},
		{"known", "", "known", "known", "known", "known"},
	}
	var names [][2]string
	for _, test := range tests {
		names = append(names, [2]string{test.name, test.system})
	}
	p := functionsOf(names...)
	for _, mode := range []string{"", "demangle=templates", "demangle=full", "demangle=none", "demangle=default"} {
		got, err := Symbolize(t.Context(), p, "remote:"+mode, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, test := range tests {
			want := test.usual
			switch mode {
			case "demangle=templates":
				want = test.templates
			case "demangle=full":
				want = test.full
			case "demangle=none":
				want = test.linker
			}
			if s := got.Strings[got.Functions[i].Name]; s != want {
				t.Errorf("%s: %q (%q) became %q, want %q", mode, test.name, test.system, s, want)
			}
			if p.Strings[p.Functions[i].Name] != test.name || got.Strings[got.Functions[i].SystemName] != test.system {
				t.Errorf("%s: %q: the profile given, or the linker's name, was changed", mode, test.name)
			}
		}
	}
}

// FuzzDemangle checks that the names skipped would not change.
func FuzzDemangle(f *testing.F) {
	for _, s := range []string{"main.(*T).M", "_ZN3fooE", "___Z1f_block_invoke", "a::b<c>(d)", "_RNvC6_123foo3bar", "__GLOBAL__I_x", "]><("} {
		f.Add(s)
	}
	options := []demangle.Option{demangle.NoParams, demangle.NoEnclosingParams, demangle.NoTemplateParams}
	f.Fuzz(func(t *testing.T, name string) {
		if got := readable(name, "", options); got != name && !mayChange(name) {
			t.Errorf("%q becomes %q", name, got)
		}
	})
}

func TestSymbolizeNothing(t *testing.T) {
	var names [][2]string
	for i := range 1000 {
		name := fmt.Sprintf("example.com/pkg/sub.(*Type%d).Method.func%d", i, i)
		names = append(names, [2]string{name, name})
	}
	p := functionsOf(names...)
	allocs := testing.AllocsPerRun(10, func() {
		if q, err := Symbolize(context.Background(), p, "", nil, Options{}); q != p || err != nil {
			t.Fatal("changed", err)
		}
	})
	if allocs > 5 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkSymbolizeNothing(b *testing.B) {
	var names [][2]string
	for i := range 50000 {
		name := fmt.Sprintf("example.com/pkg/sub.(*Type%d).Method.func%d", i, i)
		names = append(names, [2]string{name, name})
	}
	p := functionsOf(names...)
	for b.Loop() {
		if _, err := Symbolize(b.Context(), p, "", nil, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestLocateBinaries(t *testing.T) {
	binary := named("plain").path(t)
	content, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	f := named("plain").open(t)
	id := f.BuildID()
	tests := []struct {
		name   string
		file   string // created under the search path
		m      profile.Mapping
		want   string // "" for the mapping's own file, else relative
		warned string
	}{
		{"by name", "app", profile.Mapping{File: "/srv/app"}, "app", ""},
		{"by path", "srv/app", profile.Mapping{File: "/srv/app"}, "srv/app", ""},
		{"debug", "usr/lib/debug/srv/app.debug", profile.Mapping{File: "/srv/app"}, "usr/lib/debug/srv/app.debug", ""},
		{"by build ID", id + "/other", profile.Mapping{File: "/srv/app", BuildID: id}, id + "/other", ""},
		{"LLVM", id[:2] + "/" + id[2:] + ".debug", profile.Mapping{BuildID: id}, id[:2] + "/" + id[2:] + ".debug", ""},
		{"Go build ID", "app", profile.Mapping{File: "app", BuildID: f.img.goBuildID}, "app", ""},
		{"mismatch", "app", profile.Mapping{File: "/srv/app", BuildID: "abc"}, "", "build-id mismatch (abc != " + id + ")"},
		{"short build ID", "app", profile.Mapping{File: "/srv/app", BuildID: "a"}, "", "build-id mismatch (a != " + id + ")"},
		{"none", "other", profile.Mapping{File: "/srv/app"}, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, filepath.FromSlash(test.file))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
			var warned string
			p := unsymbolized(test.m, 5)
			search := filepath.Join(dir, "none") + string(filepath.ListSeparator) + dir
			got := LocateBinaries(p, "", "", search, func(s string) { warned += s })
			want := test.m.File
			if test.want != "" {
				want = filepath.Join(dir, filepath.FromSlash(test.want))
			}
			if got.Mappings[0].File != want {
				t.Errorf("file %s, want %s", got.Mappings[0].File, want)
			}
			if !strings.Contains(warned, test.warned) || (warned == "") != (test.warned == "") {
				t.Errorf("warned %q, want %q", warned, test.warned)
			}
			if (got == p) != (test.want == "") || p.Mappings[0].File != test.m.File {
				t.Error("the profile given was changed, or copied for nothing")
			}
		})
	}
}

func TestLocateBinariesOverride(t *testing.T) {
	p := unsymbolized(profile.Mapping{File: "a"}, 5)
	if q := LocateBinaries(p, "b", "id", "", nil); q.Mappings[0].File != "b" || q.Mappings[0].BuildID != "id" || p.Mappings[0].File != "a" {
		t.Errorf("mapping %+v", q.Mappings[0])
	}
	p.Mappings[0].BuildID = "own"
	if q := LocateBinaries(p, "", "id", "", nil); q != p {
		t.Errorf("mapping %+v", q.Mappings[0])
	}
	p = unsymbolized(profile.Mapping{}, 5, 6)
	p.Mappings, p.Locations[0].Mapping, p.Locations[1].Mapping = nil, 0, 0
	q := LocateBinaries(p, "b", "", "", nil)
	if len(q.Mappings) != 1 || q.Mappings[0].ID != 1 || q.Mappings[0].File != "b" || q.Locations[1].Mapping != 1 || p.Locations[1].Mapping != 0 {
		t.Errorf("mappings %+v, locations %+v", q.Mappings, q.Locations)
	}
}

func TestSources(t *testing.T) {
	const u = "http://host:80/debug/pprof/profile"
	p := unsymbolized(profile.Mapping{Start: 5}, 6)
	q, sources := CollectSources(p, u)
	if q.Mappings[0].File != u || p.Mappings[0].File != "" || !slices.Equal(sources[u], []MappingSource{{u, 5}}) {
		t.Errorf("%+v, %v", q.Mappings, sources)
	}
	if r := DropSources(q); r.Mappings[0].File != "" || q.Mappings[0].File != u {
		t.Errorf("%+v", r.Mappings)
	}
	p = unsymbolized(profile.Mapping{File: "/bin/x", BuildID: "id", Start: 7}, 8)
	q, sources = CollectSources(p, u)
	if q != p || !slices.Equal(sources["id"], []MappingSource{{u, 7}}) || DropSources(q) != q {
		t.Errorf("%+v, %v", q.Mappings, sources)
	}
}
