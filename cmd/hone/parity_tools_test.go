package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// parityTools are the two binaries and the environment they run in.
type parityTools struct {
	hone, oracle string
	oracleID     string // of this build of the oracle
	env          []string
	cache        string
	hashes       sync.Map // file name to hash of its contents
	workers      chan worker
}

// An answer is what a tool said.
type answer struct {
	stdout, stderr string
	failed         bool
}

func newTools(t *testing.T) *parityTools {
	// -n prints where the tool is, after building it if need be.
	out, err := exec.Command("go", "tool", "-n", "pprof").Output()
	if err != nil {
		t.Fatalf("go tool -n pprof: %v", err)
	}
	oracle := strings.TrimSpace(string(out))
	info, err := os.Stat(oracle)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PPROF_") })
	env = append(env, "TZ=UTC", "PPROF_BINARY_PATH=/nonexistent", "PPROF_TMPDIR="+home,
		"HOME="+home, "XDG_CONFIG_HOME="+home)
	p := &parityTools{hone: os.Getenv("HONE_PARITY_BINARY"), oracle: oracle, env: env, cache: os.Getenv("HONE_PARITY_CACHE"),
		oracleID: fmt.Sprint(oracle, info.Size(), info.ModTime().UnixNano())}
	if p.hone == "" {
		if p.hone, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
		p.env = append(p.env, "HONE_TEST_HONE=1") // see TestMain
	} else if p.hone, err = filepath.Abs(p.hone); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *parityTools) command(args []string) string {
	words := []string{"hone", "pprof"}
	for _, a := range args {
		if strings.ContainsAny(a, " ()[]*|$\\'\"\n;&<>") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

func (p *parityTools) runHone(t *testing.T, args []string) answer {
	return p.run(t, p.hone, append([]string{"pprof"}, args...))
}

// A worker is a process that runs one command line of hone after the other.
type worker struct {
	in  *gob.Encoder
	out *gob.Decoder
}

// startWorkers starts a worker for each test that runs at a time; they end with
// the test. A binary that is given by name has none.
func (p *parityTools) startWorkers(t *testing.T) {
	if os.Getenv("HONE_PARITY_BINARY") != "" {
		return
	}
	p.workers = make(chan worker, runtime.GOMAXPROCS(0))
	for range cap(p.workers) {
		cmd := exec.Command(p.hone)
		cmd.Env = append(slices.Clone(p.env), "HONE_TEST_WORKER=1")
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			in.Close()
			if err := cmd.Wait(); err != nil {
				t.Errorf("a worker: %v", err)
			}
		})
		p.workers <- worker{gob.NewEncoder(in), gob.NewDecoder(out)}
	}
}

// askWorker has a worker run hone, which takes a fifth of what a process does.
func (p *parityTools) askWorker(t *testing.T, args []string) answer {
	w := <-p.workers
	defer func() { p.workers <- w }()
	var a workerAnswer
	err := w.in.Encode(append([]string{"pprof"}, args...))
	if err == nil {
		err = w.out.Decode(&a)
	}
	if err != nil {
		t.Fatalf("a worker: %v", err)
	}
	return answer{string(a.Stdout), string(a.Stderr), a.Code != 0}
}

// runOracle returns the first known answer of the oracle.
func (p *parityTools) runOracle(t *testing.T, args []string) answer {
	if known := p.load(args); len(known) > 0 {
		return known[0]
	}
	a := p.run(t, p.oracle, args)
	p.save(args, []answer{a})
	return a
}

// rerunOracle runs the oracle again and returns all its different answers so
// far, the first one first.
func (p *parityTools) rerunOracle(t *testing.T, args []string) []answer {
	known := p.load(args)
	if a := p.run(t, p.oracle, args); !slices.ContainsFunc(known, func(k answer) bool { return k.stdout == a.stdout }) {
		known = append(known, a)
		p.save(args, known)
	}
	return known
}

func (p *parityTools) run(t *testing.T, tool string, args []string) answer {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Env = p.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return answer{stdout.String(), stderr.String(), err != nil}
}

// The answers of the oracle are kept in memory for the run of the test and, if
// there is a cache, in a file named by a hash of all that they depend on.

var answers sync.Map // key to []answer

func (p *parityTools) key(args []string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", p.oracleID, args)
	p.hashFiles(h, args)
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// hashFiles adds the contents of the files among args.
func (p *parityTools) hashFiles(h io.Writer, args []string) {
	for _, a := range args {
		_, file, isFlag := strings.Cut(a, "base=")
		if !isFlag {
			file = a
		}
		if strings.HasPrefix(file, "-") {
			continue
		}
		sum, ok := p.hashes.Load(file)
		if !ok {
			data, _ := os.ReadFile(file) // an absent file is part of some cases
			sum, _ = p.hashes.LoadOrStore(file, sha256.Sum256(data))
		}
		fmt.Fprintf(h, "%x\n", sum)
	}
}

func (p *parityTools) load(args []string) []answer {
	key := p.key(args)
	if known, ok := answers.Load(key); ok {
		return known.([]answer)
	}
	if p.cache == "" {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(p.cache, key))
	if err != nil {
		return nil
	}
	var stored []storedAnswer
	if json.Unmarshal(data, &stored) != nil {
		return nil
	}
	var known []answer
	for _, s := range stored {
		known = append(known, answer{string(s.Stdout), string(s.Stderr), s.Failed})
	}
	answers.Store(key, known)
	return known
}

type storedAnswer struct {
	Stdout, Stderr []byte // not strings: a profile is not UTF-8
	Failed         bool
}

func (p *parityTools) save(args []string, known []answer) {
	key := p.key(args)
	answers.Store(key, known)
	if p.cache == "" {
		return
	}
	var stored []storedAnswer
	for _, a := range known {
		stored = append(stored, storedAnswer{[]byte(a.stdout), []byte(a.stderr), a.failed})
	}
	data, err := json.Marshal(stored)
	if err != nil {
		return
	}
	if os.MkdirAll(p.cache, 0o777) == nil {
		os.WriteFile(filepath.Join(p.cache, key), data, 0o666)
	}
}

// replay runs the driver cases and returns how many are identical.
func (p *parityTools) replay(script string) (int, error) {
	cmd := exec.Command("bash", script, p.hone, "pprof")
	cmd.Env = p.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", script, err, out)
	}
	m := regexp.MustCompile(`(\d+) identical`).FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("%s printed %q", script, out)
	}
	return strconv.Atoi(string(m[1]))
}

// acceptedDifference returns why hone may differ from the original in a case,
// or "". Each reason stands in doc/reference/pprof-differences.md too.
func acceptedDifference(profile string, c parityCase, got, want answer) string {
	switch {
	case c.command() == "list" && strings.Contains(want.stdout, " Error:") && !strings.Contains(got.stdout, " Error:"):
		return "hone finds source text that the original does not"
	case c.command() == "list" && strings.Contains(want.stdout, " Error:") && strings.Contains(got.stdout, "the file and the program have different versions"):
		return "hone finds a file that the original does not, and that it is not the source"
	case strings.HasPrefix(profile, "legacy.") && strings.HasPrefix(c.name, "merge_") && strings.HasSuffix(c.args[1], ".cpu"):
		return "the original takes the first of two profiles for a program, as a CPU profile in the old format begins like a COFF object"
	case count(c.args, "-base=") > 1, count(c.args, "-diff_base=") > 1:
		return "the original subtracts the last of several bases, hone all of them"
	}
	return ""
}

// count returns how many of args begin with prefix.
func count(args []string, prefix string) int {
	n := 0
	for _, a := range args {
		if strings.HasPrefix(a, prefix) {
			n++
		}
	}
	return n
}
