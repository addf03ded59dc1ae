package main

import (
	"bytes"
	"compress/gzip"
	"context"
	encoding "encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/freeport"
)

// outcome is what a run of hone left.
type outcome struct {
	code           int
	stdout, stderr string
}

// hone runs hone in this process.
func hone(t *testing.T, args ...string) outcome {
	t.Helper()
	return honeWith(t, nil, "", args...)
}

// honeWith runs hone with variables of the environment and a standard input. It
// sees no other variables that begin with PPROF_.
func honeWith(t *testing.T, env map[string]string, stdin string, args ...string) outcome {
	t.Helper()
	var stdout bytes.Buffer
	var stderr sharedBuffer
	a := &app{stdin: strings.NewReader(stdin), stdout: &stdout, stderr: &stderr}
	a.getenv = func(name string) string {
		if v, ok := env[name]; ok {
			return v
		}
		switch name {
		case "PPROF_TMPDIR":
			return t.TempDir()
		case "PPROF_BINARY_PATH":
			return "/nonexistent"
		}
		return os.Getenv(name)
	}
	code := exitCode(t.Context(), a, args)
	return outcome{code, stdout.String(), stderr.b.String()}
}

// succeed is hone for a command that has nothing to complain of.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	o := hone(t, args...)
	if o.code != 0 {
		t.Fatalf("hone %s: exit code %d\n%s", strings.Join(args, " "), o.code, o.stderr)
	}
	return o.stdout
}

// A sharedBuffer takes messages from several goroutines.
type sharedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *sharedBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// testdata returns the path of one of the repository's profiles.
func testdata(name string) string { return filepath.Join("..", "..", "testdata", name) }

// TestMistypedFlags suggests the flag that was meant, for every verb.
func TestMistypedFlags(t *testing.T) {
	for args, want := range map[string]string{
		"top -nodecont=3 x": "-nodecount", "pprof -top -foucs=a x": "-focus", "flame -inverte x": "-inverted", "diff -normalise a b": "-normalize", "ui -veiw top": "-view",
		"bench -cuont 3": "-count", "check -bsae x": "-base", "compare -markdwon x": "-markdown", "gc -benhtime 1x -- x": "-benchtime", "wall -secnds 1 x": "-seconds",
		"runs -jsn": "-json", "serve -retenton 1d": "-retention", "query -recrods cpu": "-records", "push -servce x y": "-service", "token add -rol read x": "-role",
		"token add x -rol read": "-role", "store stats -jsom x": "-json", "tour -dri x": "-dir", "session list -srever x": "-server", "advise -josn x": "-json",
		"load http -rte 5 http://localhost:1": "-rate", "load kafka -tpic x localhost:1": "-topic", "fix -chekc x": "-check", "tune -clas A": "-class",
		"pgo -lats 1d x": "-last", "doctor -jsn": "-json", "wall -sec 1 x": "-seconds", "list main x -focsu a": "-focus", "serve -max_siez 1GB": "-max-size",
	} {
		hone(t, strings.Fields(args)...).failsWith(t, exitUsage, "flag provided but not defined: -", "; did you mean "+want+"?")
	}
	o := hone(t, "top", "-zzzzzz", "x")
	o.failsWith(t, exitUsage, "flag provided but not defined: -zzzzzz")
	if strings.Contains(o.stderr, "did you mean") {
		t.Errorf("a suggestion out of nothing: %s", o.stderr)
	}
}

// failsWith checks that a run failed the way hone fails: nothing on standard
// output, one line that begins with the program's name and holds each of wants,
// and for wrong usage where to read on. What a fetch reports is left aside.
func (o outcome) failsWith(t *testing.T, code int, wants ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d", o.code, code)
	}
	if o.stdout != "" {
		t.Errorf("standard output: %.200q", o.stdout)
	}
	var lines []string
	for line := range strings.Lines(o.stderr) {
		if !strings.HasPrefix(line, "Fetching profile over HTTP from ") {
			lines = append(lines, line)
		}
	}
	if code == exitUsage && len(lines) > 0 {
		if last := lines[len(lines)-1]; !strings.HasPrefix(last, "For help: hone help") {
			t.Errorf("no hint at the help: %q", last)
		}
		lines = lines[:len(lines)-1]
	}
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "hone: ") || !strings.HasSuffix(lines[0], "\n") {
		t.Fatalf("standard error is not one line that begins with hone:\n%s", o.stderr)
	}
	for _, want := range wants {
		if !strings.Contains(lines[0], want) {
			t.Errorf("error %q does not hold %q", lines[0], want)
		}
	}
}

// badFiles writes files that are no profiles into a new directory.
func badFiles(t *testing.T) (dir string) {
	dir = t.TempDir()
	good, err := os.ReadFile(testdata("cpu.generics.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	corrupt := bytes.Clone(good)
	copy(corrupt[len(corrupt)/2:], "\xff\xff\xff\xff\xff\xff\xff\xff")
	noise := make([]byte, 4000)
	for i := range noise {
		noise[i] = byte(i*i>>3 ^ i*31 | 3) // no field begins with such a byte
	}
	// A type, and the strings that it needs.
	types := field(1, varint(1, 1), varint(2, 2))
	strs := append(append(field(6), field(6, []byte("cpu"))...), field(6, []byte("ns"))...)
	record := func(num int, parts ...[]byte) []byte { return join(types, field(num, parts...), strs) }

	for name, data := range map[string][]byte{
		"truncated.gz":     good[:len(good)/2],
		"corrupt.gz":       corrupt,
		"trailing.gz":      append(bytes.Clone(good), "this is not gzip data"...),
		"noise":            noise,
		"empty":            nil,
		"text":             []byte("Dear diary,\ntoday I profiled nothing.\n"),
		"page.html":        []byte("<!DOCTYPE html>\n<html><body>Log in</body></html>\n"),
		"bomb.gz":          bomb(t, join(types, strs), 256),
		"no-types":         strs,
		"twice-location":   join(record(4, varint(1, 7)), field(4, varint(1, 7))),
		"twice-function":   join(record(5, varint(1, 7)), field(5, varint(1, 7))),
		"twice-mapping":    join(record(3, varint(1, 7)), field(3, varint(1, 7))),
		"zero-location":    record(4, varint(1, 0)),
		"absent-location":  record(2, varint(1, 1<<63+1), varint(2, 5)),
		"absent-function":  record(4, varint(1, 1), field(4, varint(1, 1<<40), varint(2, 1))),
		"absent-string":    join(field(1, varint(1, 99)), strs),
		"negative-string":  join(field(1, varint(1, 1<<64-1)), strs),
		"group":            join(types, []byte{3<<3 | 3, 3<<3 | 4}, strs),
		"long-varint":      join(types, []byte{9 << 3}, bytes.Repeat([]byte{0xff}, 11), strs),
		"values-missing":   join(field(1, varint(1, 1)), types, field(2, varint(2, 5)), strs),
		"cut-off":          join(types, strs)[:len(types)+3],
		"huge-claim":       join(types, strs, encoding.AppendUvarint(encoding.AppendUvarint(nil, 100<<3|2), 1<<62)),
		"good.pb.gz":       good,
		"dir/with/a/file":  nil,
		"unreadable.pb.gz": good,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o666)
		if name == "unreadable.pb.gz" {
			mode = 0
		}
		if err := os.WriteFile(file, data, mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// field encodes a field that holds bytes, or a message.
func field(num int, parts ...[]byte) []byte {
	b := encoding.AppendUvarint(nil, uint64(num)<<3|2)
	all := join(parts...)
	return append(encoding.AppendUvarint(b, uint64(len(all))), all...)
}

// varint encodes a field that holds a number.
func varint(num int, v uint64) []byte {
	return encoding.AppendUvarint(encoding.AppendUvarint(nil, uint64(num)<<3), v)
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// bomb compresses a profile followed by a field no one knows, with so many
// megabytes of zeros. Members of gzip files are put together as they are.
func bomb(t *testing.T, profile []byte, megabytes int) []byte {
	member := func(data []byte) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	head := encoding.AppendUvarint(profile, 100<<3|2)
	head = encoding.AppendUvarint(head, uint64(megabytes)<<20)
	return join(member(head), bytes.Repeat(member(make([]byte, 1<<20)), megabytes))
}

func TestBadFiles(t *testing.T) {
	dir := badFiles(t)
	offset := "at byte "
	tests := []struct {
		file string
		want []string // besides the file's name
	}{
		{"truncated.gz", []string{"cut off"}},
		{"corrupt.gz", []string{"corrupt"}},
		{"trailing.gz", []string{"something follows the gzip data"}},
		{"noise", []string{"malformed profile", offset}},
		{"empty", []string{"empty file"}},
		{"text", []string{"this is text"}},
		{"page.html", []string{"HTML page"}},
		{"no-types", []string{"no sample types"}},
		{"twice-location", []string{offset, "location id 7 is used twice"}},
		{"twice-function", []string{offset, "function id 7 is used twice"}},
		{"twice-mapping", []string{offset, "mapping id 7 is used twice"}},
		{"zero-location", []string{offset, "id 0"}},
		{"absent-location", []string{offset, "location 9223372036854775809"}},
		{"absent-function", []string{offset, "function 1099511627776"}},
		{"absent-string", []string{"string 99"}},
		{"negative-string", []string{"string"}},
		{"group", []string{offset, "wire type"}},
		{"long-varint", []string{offset}},
		{"values-missing", []string{offset, "value"}},
		{"cut-off", []string{offset}},
		{"huge-claim", []string{offset, "claims 4611686018427387904 bytes"}},
		{"dir", []string{"is a directory"}},
		{"missing.pb.gz", []string{"no such file or directory"}},
		{"unreadable.pb.gz", []string{"permission denied"}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			if test.file == "unreadable.pb.gz" && (os.Geteuid() == 0 || runtime.GOOS == "windows") {
				t.Skip("SKIPPED: this user can read every file")
			}
			file := filepath.Join(dir, test.file)
			wants := append(test.want, file)
			hone(t, "top", file).failsWith(t, exitFailure, wants...)
			hone(t, "pprof", "-top", file).failsWith(t, exitFailure, wants...)
			hone(t, "flame", file).failsWith(t, exitFailure, wants...)
			hone(t, "diff", file, testdata("cpu.generics.pb.gz")).failsWith(t, exitFailure, wants...)
			hone(t, "top", "-base", file, testdata("cpu.generics.pb.gz")).failsWith(t, exitFailure, wants...)
			if data, err := os.ReadFile(file); err == nil {
				honeWith(t, nil, string(data), "top", "-").failsWith(t, exitFailure, append(test.want, "-: ")...)
			}
		})
	}
}

// TestZipBomb feeds 256 MB of zeros to a hone that is to take one.
func TestZipBomb(t *testing.T) {
	file := filepath.Join(badFiles(t), "bomb.gz")
	var before, after runtime.MemStats
	for _, args := range [][]string{{file}, {"-"}} {
		runtime.ReadMemStats(&before)
		data := ""
		if args[0] == "-" {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			data = string(b)
		}
		o := honeWith(t, nil, data, append([]string{"top", "-max-bytes", "1MB"}, args...)...)
		runtime.ReadMemStats(&after)
		o.failsWith(t, exitFailure, args[0])
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 32 {
			t.Errorf("%s: %d MB allocated for a profile of 1 MB", args[0], mb)
		}
	}
	o := hone(t, "top", "-max-bytes", "1MB", file, testdata("cpu.generics.pb.gz"))
	if o.code != 0 || !strings.Contains(o.stderr, file) {
		t.Errorf("beside another source: exit code %d, %s", o.code, o.stderr)
	}
	hone(t, "top", "-max-bytes", "1000", testdata("cpu.generics.pb.gz")).failsWith(t, exitFailure, "1000")
}

// TestBrokenAmongSources checks that what can be loaded is reported.
func TestBrokenAmongSources(t *testing.T) {
	dir := badFiles(t)
	good := testdata("cpu.generics.pb.gz")
	want := succeed(t, "top", good)
	for _, name := range []string{"truncated.gz", "noise", "empty", "text", "no-types", "missing.pb.gz", "dir"} {
		t.Run(name, func(t *testing.T) {
			bad := filepath.Join(dir, name)
			for _, args := range [][]string{{good, bad}, {bad, good}} {
				o := hone(t, append([]string{"pprof", "-top"}, args...)...)
				if o.code != 0 || o.stdout != want {
					t.Errorf("exit code %d, output\n%s", o.code, o.stdout)
				}
				if !strings.Contains(o.stderr, bad) || !strings.Contains(o.stderr, "loaded 1 of 2 sources") {
					t.Errorf("warnings %q", o.stderr)
				}
			}
		})
	}
	o := hone(t, "top", filepath.Join(dir, "empty"), filepath.Join(dir, "noise"))
	if o.code != exitFailure || o.stdout != "" || !strings.Contains(o.stderr, "hone: none of the 2 sources could be loaded\n") {
		t.Errorf("all broken: %+v", o)
	}
}

func TestBadServers(t *testing.T) {
	release := make(chan struct{})
	hang := func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html><h1>Log in</h1></html>") })
	mux.HandleFunc("/fails", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "out of\nluck", 500) })
	mux.HandleFunc("/nothing", func(w http.ResponseWriter, r *http.Request) {})
	mux.HandleFunc("/hangs", hang)
	mux.HandleFunc("/stalls", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "\x1f\x8b")
		w.(http.Flusher).Flush()
		hang(w, r)
	})
	mux.HandleFunc("/breaks", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100000")
		io.WriteString(w, "\x1f\x8b\x08")
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(release) })
	free, err := freeport.Addresses(1)
	if err != nil {
		t.Fatal(err)
	}
	refused := "http://" + free[0]

	tests := []struct {
		name, url string
		want      []string
	}{
		{"html", srv.URL + "/page", []string{"HTML page"}},
		{"404", srv.URL + "/debug/pprof/heap", []string{"404", "net/http/pprof"}},
		{"500", srv.URL + "/fails", []string{"500"}},
		{"empty", srv.URL + "/nothing", []string{"empty"}},
		{"refused", refused + "/debug/pprof/heap", []string{"connection refused"}},
		{"breaks off", srv.URL + "/breaks", []string{"the connection broke after 3 bytes of 100000"}},
		{"no such scheme", "gopher://localhost/profile", []string{"scheme"}},
		{"hangs", srv.URL + "/hangs", []string{"-timeout"}},
		{"stalls", srv.URL + "/stalls", []string{"-timeout", "after 2 B"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			o := hone(t, "top", "-timeout", "1", test.url)
			o.failsWith(t, exitFailure, append(test.want, test.url)...)
			// The timeout, and five seconds for a server that is about to answer; else it would take for ever.
			if d := time.Since(start); d > time.Minute {
				t.Errorf("took %v", d)
			}
		})
	}
}

func TestInterrupt(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer srv.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var stdout bytes.Buffer
	var stderr sharedBuffer
	code := execute(ctx, []string{"top", srv.URL}, strings.NewReader(""), &stdout, &stderr)
	outcome{code, stdout.String(), stderr.b.String()}.failsWith(t, exitFailure, "interrupted")
}

func TestBadUsage(t *testing.T) {
	good := testdata("cpu.generics.pb.gz")
	tests := []struct {
		args string
		want string
	}{
		{"nosuch", `unknown command "nosuch"`},
		{"tops " + good, `did you mean "top"`},
		{good, "hone pprof " + good},
		{"help nosuch", `unknown verb "nosuch"`},
		{"tpo " + good, `did you mean "top"`},
		{"benchmark", `did you mean "bench"`},
		{"help tpo", `did you mean "top"`},
		{"top", "missing source"},
		{"pprof", "no profile source"},
		{"pprof -top", "no profile source"},
		{"flame", "missing source"},
		{"list", "missing regular expression"},
		{"list main", "missing source"},
		{"top -nosuch " + good, "-nosuch"},
		{"flame -nosuch " + good, "-nosuch"},
		{"diff -nosuch " + good, "-nosuch"},
		{"pprof -nosuch " + good, "-nosuch"},
		{"pprof -top -tree " + good, "at most one output format"},
		{"top -tree " + good, "at most one output format"},
		{"pprof -lines -files -top " + good, "conflicting options"},
		{"top -nodecount=many " + good, "-nodecount"},
		{"top -nodefraction=x " + good, "-nodefraction"},
		{"top -timeout=soon " + good, "-timeout"},
		{"top -max-bytes=1XB " + good, "-max-bytes"},
		{"top -base=" + good + " -diff_base=" + good + " " + good, "-base and -diff_base"},
		{"top -normalize " + good, "base"},
		{"pprof -json " + good, "-json"},
		{"top -http=: " + good, "-http"},
		{"pprof -no_browser " + good, "-no_browser"},
		{"pprof " + good + " -top", "put flags first"},
		{"flame -format=bmp " + good, `"bmp"`},
		{"flame -color=sound " + good, `"sound"`},
		{"flame -widths=left " + good, `"left"`},
		{"diff " + good, "two sources"},
		{"diff " + strings.Repeat(good+" ", 3), "two sources"},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			hone(t, strings.Fields(test.args)...).failsWith(t, exitUsage, test.want)
		})
	}
}

func TestBadOptions(t *testing.T) {
	good := testdata("cpu.labels.pb.gz")
	tests := []struct {
		args string
		want string
	}{
		{"top -sample_index=nosuch", `"nosuch" must be one of: [samples cpu]`},
		{"top -sample_index=7", "7"},
		{"top -divide_by=0", "divisor"},
		{"list (", "missing closing )"},
		{"peek (", "missing closing )"},
		{"disasm (", "missing closing )"},
		{"weblist (", "missing closing )"},
		{"list nosuch", "no matches found for regexp: nosuch"},
		{"peek nosuch", "no matches found for regexp: nosuch"},
		{"disasm nosuch", "no matches found for regexp nosuch"},
		{"weblist nosuch", "no matches found for regexp: nosuch"},
		{"top -tagfocus=bytes=99999999999999999999kb", "99999999999999999999"},
		{"top -tagfocus=99999999999999999999kb:", "99999999999999999999"},
		{"top -tagignore=:99999999999999999999kb", "99999999999999999999"},
		{"top -tls_cert=nosuch.pem -base=https://localhost:1/", "-tls_key"},
		{"top -tls_ca=nosuch.pem -base=https://localhost:1/", "nosuch.pem"},
		{"top -o=" + filepath.Join("nosuch", "file"), "nosuch"},
		{"flame -o=" + filepath.Join("nosuch", "file.svg"), "nosuch"},
		{"flame -sample_index=nosuch", "nosuch"},
	}
	for _, option := range []string{
		"focus", "ignore", "hide", "show", "show_from", "prune_from", "tagfocus", "tagignore", "tagshow", "taghide",
	} {
		for _, verb := range []string{"top", "flame", "dot"} {
			tests = append(tests, struct{ args, want string }{verb + " -" + option + "=(", "parsing " + option + " regexp"})
		}
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			o := hone(t, append(strings.Fields(test.args), good)...)
			o.failsWith(t, exitFailure, test.want)
		})
	}
}

// TestNothingMeasured checks that a profile without samples is no error.
func TestNothingMeasured(t *testing.T) {
	empty := testdata("cpu.empty.pb.gz")
	for _, verb := range []string{"top", "tree", "traces", "tags", "raw", "comments", "proto", "topproto", "dot", "svg", "callgrind", "flame"} {
		if o := hone(t, verb, empty); o.code != 0 || o.stderr != "" {
			t.Errorf("%s: exit code %d, %s", verb, o.code, o.stderr)
		}
	}
	out := succeed(t, "top", empty)
	if !regexp.MustCompile(`(?m)^Duration: .*, Total samples = 0 \n`).MatchString(out) || !strings.Contains(out, "Showing nodes accounting for 0") {
		t.Errorf("top:\n%s", out)
	}
	succeed(t, "diff", empty, empty)
	hone(t, "list", "main", empty).failsWith(t, exitFailure, "no matches")
}

// TestHugeIDs checks that ids are names, not sizes.
func TestHugeIDs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "huge")
	const id = 1<<64 - 1
	data := join(
		field(1, varint(1, 1), varint(2, 2)),
		field(2, varint(1, id), varint(2, 5)),
		field(4, varint(1, id), field(4, varint(1, id-1), varint(2, 3))),
		field(5, varint(1, id-1), varint(2, 3)),
		field(6), field(6, []byte("cpu")), field(6, []byte("nanoseconds")), field(6, []byte("main.f")))
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if out := succeed(t, "top", file); !strings.Contains(out, fmt.Sprintf("%10s", "5ns")+"   100%   100%        5ns   100%  main.f") {
		t.Errorf("top:\n%s", out)
	}
}
