package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inApp has the current folder be a module with the program that the profiles of the
// test data are of. It returns where these are.
func inApp(t *testing.T) func(name string) string {
	t.Helper()
	data, err := filepath.Abs(filepath.Dir(testdata("x")))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(filepath.Join(data, "capture", "app"))); err != nil {
		t.Fatal(err)
	}
	write(t, "go.mod", "module example.com/app\n\ngo 1.26\n")
	return func(name string) string { return filepath.Join(data, name) }
}

func TestPGO(t *testing.T) {
	at := inApp(t)
	want := func(o outcome, code int, patterns ...string) {
		t.Helper()
		for _, p := range patterns {
			if !regexp.MustCompile(p).MatchString(o.stdout + o.stderr) {
				t.Errorf("no match of %q", p)
			}
		}
		if o.code != code || t.Failed() {
			t.Fatalf("exit code %d, want %d\n%s%s", o.code, code, o.stdout, o.stderr)
		}
	}
	want(hone(t, "pgo", at("cpu.tree.pb.gz")), 0, `(?m)^default\.pgo, new\n  now  2\.\d kB, \d+ stacks of \d+ functions, from cpu\.tree\.pb\.gz$`,
		`(?m)^fresh 100 %, based on \d+ hot calls in functions of example\.com/app`, "go build uses it automatically")
	want(hone(t, "pgo", at("cpu.tree.pb.gz")), 0, "default.pgo, not changed")
	o := hone(t, "pgo", at("cpu.tree.pb.gz"), at("cpu.inlining.pb.gz"), at("cpu.gofmt.pb.gz"))
	want(o, 0, "default.pgo, replaced\n  was .* from cpu.tree.pb.gz\n  now .* from cpu.inlining.pb.gz, cpu.tree.pb.gz\n   50.0 %",
		"hone: left out: cpu.gofmt.pb.gz: the profile belongs to another program")
	want(hone(t, "top", "default.pgo"), 0, "main.rotate")

	kept, err := os.ReadFile("default.pgo")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{at("heap.gc.pb.gz"), "heap.gc.pb.gz: it has no CPU samples, but alloc_objects/count.*: take a CPU profile"},
		{at("cpu.empty.pb.gz"), "cpu.empty.pb.gz: "},
		{at("cpu.gofmt.pb.gz"), "cpu.gofmt.pb.gz: the profile belongs to another program: it has no function of example.com/app; profile a build"},
		{at("no.pb.gz"), "no.pb.gz"}, {"latest", "no complete run"},
		{"-verify . -o no.pgo", "no.pgo doesn't exist: make it first, with hone pgo PROFILE"},
		{"-o go.mod " + at("cpu.tree.pb.gz"), "go.mod: .*the existing file is not a profile and was not replaced"},
	} {
		want(hone(t, append([]string{"pgo"}, strings.Fields(c.args)...)...), 1, c.want)
	}
	if now, err := os.ReadFile("default.pgo"); err != nil || string(now) != string(kept) {
		t.Errorf("errors have changed the file: %v", err)
	}

	// The source moves on.
	text, err := os.ReadFile("inlining.go")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "inlining.go", strings.NewReplacer("rotate", "turn", "mix", "blend", "unit(", "one(", "next(", "after(").Replace(string(text)))
	var out pgoJSON
	o = hone(t, "pgo", "-json", "-weights", "cpu", "-o", "other.pgo", at("cpu.inlining.pb.gz"))
	want(o, 0, "hone: other.pgo is stale: the source has changed since")
	if err := json.Unmarshal([]byte(o.stdout), &out); err != nil || out.File != "other.pgo" || !out.Changed || out.Before != nil || out.Fresh.Share > 0.8 || len(out.Fresh.Gone) == 0 {
		t.Errorf("%v %s", err, o.stdout)
	}
	if err := os.Mkdir("lib", 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir("lib")
	write(t, "lib.go", "package lib\n")
	want(hone(t, "pgo", at("cpu.tree.pb.gz")), 1, `no main package in .*: go build reads default\.pgo in the folder of the main package: run hone pgo there \(\.\.\)`)
	want(hone(t, "pgo", "-o", "../default.pgo", at("cpu.closures.pb.gz")), 0, "fresh 100 %")
}

func TestPGOUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "missing profile"}, {"-weights x a", "invalid -weights \"x\": use equal or cpu"}, {"-service api a", "-service can't be combined with sources"},
		{"-last 1h a", "-last needs -service"}, {"-count 3 a", "-count needs -verify PACKAGES"}, {"-verify . -count 0", "invalid -count 0: use at least 1"},
		{"-verfy . a", "did you mean -verify"},
	} {
		if o := hone(t, append([]string{"pgo"}, strings.Fields(c.args)...)...); o.code != exitUsage || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%s: %+v", c.args, o)
		}
	}
}

// TestPGOService makes a profile of what a server keeps.
func TestPGOService(t *testing.T) {
	at := inApp(t)
	d := startServe(t, t.TempDir())
	d.succeed("push", "-service", "api", "-version", "v1", "-time", "now", at("cpu.wordcount-v1.pb.gz"))
	d.succeed("push", "-service", "api", "-version", "v2", "-time", "now", at("cpu.wordcount-v2.pb.gz"))
	d.succeed("push", "-service", "web", "-time", "now", at("cpu.tree.pb.gz"))
	o := d.hone("pgo", "-service", "api,web", "-last", "1h")
	for _, want := range []string{"   50.0 %  web, 107 samples\n", "   25.0 %  api v1, ", "   25.0 %  api v2, "} {
		if o.code != 0 || !strings.Contains(o.stdout, want) {
			t.Errorf("want %q: %+v", want, o)
		}
	}
	if o := d.hone("pgo", "-service", "nobody"); o.code != exitFailure || !strings.Contains(o.stderr, `has no CPU profiles of {service="nobody"} in the last 7d`) {
		t.Errorf("%+v", o)
	}
	if o := d.hone("pgo", "-service", "api", "-last", "x"); o.code != exitUsage {
		t.Errorf("%+v", o)
	}
}

// TestPGOVerify measures benchmarks of a package with and without a profile of them.
func TestPGOVerify(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library for a profile")
	}
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module example.com/m\n\ngo 1.26\n")
	write(t, "m.go", "package main\n\nfunc main() {}\n\nfunc sum(n int) (s int) {\n\tfor i := range n {\n\t\ts += square(i)\n\t}\n\treturn s\n}\n\n//go:noinline\nfunc square(i int) int { return i * i }\n")
	write(t, "m_test.go", "package main\n\nimport \"testing\"\n\nvar sink int\n\nfunc BenchmarkSum(b *testing.B) {\n\tfor range b.N {\n\t\tsink = sum(1000)\n\t}\n}\n")
	succeed(t, "bench", "-count", "1", "-benchtime", "50ms", "-profile", "cpu", "-profiletime", "300ms")
	o := hone(t, "pgo", "latest", "-verify", ".", "-count", "6", "-benchtime", "1000x")
	for _, want := range []string{"default.pgo, new", "Sum", "with the profile default.pgo: time of 1 benchmark, geometric mean "} {
		if o.code != 0 && o.code != exitMissed || !strings.Contains(o.stdout, want) {
			t.Errorf("want %q: %+v", want, o)
		}
	}
	o = hone(t, "pgo", "-verify", ".", "-count", "6", "-benchtime", "1000x", "-json")
	var out pgoJSON
	if err := json.Unmarshal([]byte(o.stdout), &out); err != nil || out.Overall == nil || out.Overall.Benchmarks != 1 || out.After == nil || len(out.Verify) == 0 {
		t.Errorf("%v %+v", err, o)
	}
}
