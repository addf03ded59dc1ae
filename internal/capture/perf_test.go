package capture

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// fakePerf puts a program in the place of perf. It writes what perf script
// writes about a file that begins with the magic.
func fakePerf(t *testing.T, name, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+"/usr/bin"+string(os.PathListSeparator)+"/bin")
}

const perfScript = `[ "$1 $2 $3" = "script -f -i" ] || exit 7
[ "$(head -c 8 "$4")" = PERFILE2 ] || exit 8
printf 'app 1/2 1.5: 100 cycles:\n\t12 main+0x2 (/bin/app)\n\n'
`

func TestPerfData(t *testing.T) {
	fakePerf(t, "perf", perfScript)
	dir := t.TempDir()
	data := []byte("PERFILE2 and more")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(data)
	w.Close()
	plain, gz := filepath.Join(dir, "perf.data"), filepath.Join(dir, "perf.data.gz")
	for name, content := range map[string][]byte{plain: data, gz: packed.Bytes()} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l := &Loader{Fetcher: &Fetcher{}}
	for _, sources := range [][]string{{plain}, {gz}, {plain, gz}} {
		p, err := l.Load(t.Context(), sources)
		if err != nil {
			t.Errorf("%q: %v", sources, err)
			continue
		}
		if got := p.Values[1]; len(got) != 1 || got[0] != 100*int64(len(sources)) || p.SampleTypes[1].Type != "cycles" {
			t.Errorf("%q: %+v %v", sources, p.SampleTypes, p.Values)
		}
	}
	// What was sent is never given to a program.
	if _, err := l.Decode(bytes.NewReader(data), &Source{Name: "upload"}); !errors.Is(err, profile.ErrPerfData) {
		t.Errorf("an upload: %v", err)
	}
}

func TestPerfFails(t *testing.T) {
	fakePerf(t, "perf", "echo 'file is truncated' >&2\nexit 3\n")
	file := filepath.Join(t.TempDir(), "perf.data")
	if err := os.WriteFile(file, []byte("PERFILE2"), 0o644); err != nil {
		t.Fatal(err)
	}
	l := &Loader{Fetcher: &Fetcher{}}
	if _, err := l.Load(t.Context(), []string{file}); err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "file is truncated") {
		t.Errorf("got %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := l.Load(t.Context(), []string{file}); !errors.Is(err, profile.ErrPerfData) || !strings.Contains(err.Error(), "install perf") {
		t.Errorf("without perf: %v", err)
	}
}

// TestRealPerfToProfile has the real converter read what the real perf recorded. No package has
// it: its sources, github.com/google/perf_data_converter, are built with Bazel, or with g++,
// Debian's libprotobuf-dev, libabsl-dev, libelf-dev, libcap-dev and libssl-dev, -DGITHUB_BAZEL and
// -Isrc -Isrc/quipper -Isrc/quipper/compat/non_cros.
func TestRealPerfToProfile(t *testing.T) {
	for _, program := range []string{"perf", "perf_to_profile"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIPPED: %v", err)
		}
	}
	file := filepath.Join(t.TempDir(), "perf.data")
	// The shell counts for as long as it takes for some samples.
	record := exec.CommandContext(t.Context(), "perf", "record", "-e", "cpu-clock", "-F", "999", "-g", "-o", file, "sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
	if out, err := record.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: perf may not record here: %v\n%s", err, out)
	}
	p, err := (&Loader{Fetcher: &Fetcher{}}).Load(t.Context(), []string{file})
	if err != nil {
		t.Fatal(err)
	}
	if p.NumSamples() == 0 || !slices.ContainsFunc(p.SampleTypes, func(v profile.ValueType) bool { return v.Type == "cpu-clock_event" }) {
		t.Errorf("%d samples of %v", p.NumSamples(), p.SampleTypes)
	}
	if !slices.ContainsFunc(p.Comments, func(c string) bool { return strings.HasPrefix(c, "perf-command:") }) {
		t.Errorf("comments %q: the converter tells the command, perf script does not", p.Comments)
	}
}

// TestPerfToProfile puts a program in the place of perf_to_profile, which takes the flags
// that go tool pprof gives it: -i FILE -o FILE -f. perf is there, too, and is not asked.
func TestPerfToProfile(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "cycles", Unit: "count"})
	b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: b.Function("f", "f", "f.c", 1)})}, nil, 7)
	var encoded bytes.Buffer
	if err := b.Profile().Encode(&encoded); err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(t.TempDir(), "made.pb.gz")
	if err := os.WriteFile(made, encoded.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	const flags = `[ "$1 $3 $5 $#" = "-i -o -f 5" ] && [ "$(head -c 8 "$2")" = PERFILE2 ] || exit 9
`
	for name, test := range map[string]struct{ script, want string }{
		"converts":    {flags + "cp '" + made + "' \"$4\"\n", ""},
		"chatters":    {flags + "echo 'W1 converter.cc: no build id' >&2\ncp '" + made + "' \"$4\"\n", ""},
		"fails":       {flags + "echo 'F1 converter.cc: bad magic' >&2\nexit 3\n", "perf_to_profile failed: exit status 3: F1 converter.cc: bad magic"},
		"is killed":   {flags + "kill -9 $$\n", "perf_to_profile failed: signal: killed"},
		"is silent":   {flags, "perf_to_profile wrote no profile"},
		"complains":   {flags + "echo 'E1 no events' >&2\n", "perf_to_profile wrote no profile: E1 no events"},
		"is cut off":  {flags + "head -c 20 '" + made + "' >\"$4\"\n", "reading what perf_to_profile made of it: "},
		"leaves none": {flags + ": >\"$4\"\n", "reading what perf_to_profile made of it: empty file"},
	} {
		t.Run(name, func(t *testing.T) {
			temporary := t.TempDir()
			t.Setenv("TMPDIR", temporary)
			fakePerf(t, "perf_to_profile", test.script)
			programs, _, _ := strings.Cut(os.Getenv("PATH"), string(os.PathListSeparator))
			if err := os.WriteFile(filepath.Join(programs, "perf"), []byte("#!/bin/sh\nexit 8\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "-i perf.data") // no program takes it for a flag
			if err := os.WriteFile(file, []byte("PERFILE2 and more"), 0o644); err != nil {
				t.Fatal(err)
			}
			p, err := (&Loader{Fetcher: &Fetcher{}}).Load(t.Context(), []string{file})
			switch {
			case test.want == "" && (err != nil || p.Values[0][0] != 7):
				t.Errorf("%v, %+v", err, p)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), file+": "+test.want)):
				t.Errorf("%v, want %q", err, test.want)
			}
			if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
				t.Errorf("%v were left behind, %v", left, err)
			}
		})
	}
}

func TestCompressedTrace(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "trace.go127.trace"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(data)
	w.Close()
	file := filepath.Join(t.TempDir(), "trace.gz")
	if err := os.WriteFile(file, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	l := &Loader{Fetcher: &Fetcher{}}
	p, err := l.Load(t.Context(), []string{file})
	if err != nil || p.NumSamples() == 0 {
		t.Fatalf("a file: %v", err)
	}
	if _, err := l.Load(t.Context(), []string{file, file}); err != nil {
		t.Errorf("two files: %v", err)
	}
	q, err := l.Decode(bytes.NewBuffer(packed.Bytes()), &Source{Name: "stream"})
	if err != nil || q.NumSamples() != p.NumSamples() {
		t.Errorf("a stream: %v", err)
	}
}
