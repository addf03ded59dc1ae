package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/pprof/profile"
)

// TestParity runs `hone pprof` and the `go tool pprof` of the installed
// toolchain with the same arguments, and compares what they print byte for
// byte. Its subtests are named TestParity/PROFILE/CASE:
//
//	go test ./cmd/hone -run 'Parity/cpu.json/top_cum'
//
// It runs a small sample of the cases with -short, and a sample on a Go of another minor version than that
// of equalFile. What that file says was equal before, and is printed again, is not compared
// again but in a sample; go test -update, with -run TestParity, compares everything and
// writes that file. It reads these variables:
//
//	HONE_PARITY_CACHE=DIR    keep the answers of go tool pprof in DIR
//	HONE_PARITY_BINARY=FILE  test this binary, and compare everything
//	HONE_PARITY_ALL=1        run every case on every profile
//
// Without HONE_PARITY_ALL, a case that is about an option rather than about a
// command runs on every sixth profile, another sixth for each case.
func TestParity(t *testing.T) {
	// A walk of a map of eight elements or fewer begins at one of eight slots, so
	// the rarer order of two neighbours comes once in eight runs. This many runs
	// miss it once in three thousand cases; few cases need more than one.
	const maxReruns = 120
	// Of few possible answers the rarer one comes in a third of the runs.
	const enoughReruns = 60
	tools := newTools(t)
	targets := parityTargets(t)
	equal := readEqual(t)
	tools.startWorkers(t)
	anew := *update || tools.workers == nil
	sample := testing.Short() || equal.foreign && !*update
	var compared, before, reruns, loose, accepted atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d comparisons over %d profiles, %d of them equal as before; go tool pprof ran %d times more; "+
			"%d answers equal none of its changing ones but in what does not change; %d differ as accepted",
			compared.Load(), len(targets), before.Load(), reruns.Load(), loose.Load(), accepted.Load())
		if *update {
			equal.write(t)
		}
	})
	for _, target := range targets {
		t.Run(target.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range parityCases(target) {
				if !c.chosen(target.name, sample) {
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					args := append([]string{"-symbolize=none"}, c.args...)
					compared.Add(1)
					if !anew {
						if got := tools.askWorker(t, args); equal.has(equal.sum(tools, args, got)) && !c.sampled(target.name) {
							before.Add(1)
							return
						}
					}
					got := tools.runHone(t, args)
					want := c.escaped(tools.runOracle(t, args))
					if err := c.compare(got, want); err == nil {
						equal.add(equal.sum(tools, args, got))
						return
					}
					if why := acceptedDifference(target.name, c, got, want); why != "" {
						accepted.Add(1)
						t.Logf("accepted: %s", why)
						return
					}
					all := []answer{want}
					for run := range maxReruns {
						reruns.Add(1)
						all = nil
						for _, a := range tools.rerunOracle(t, args) {
							all = append(all, c.escaped(a))
						}
						if slices.ContainsFunc(all, func(a answer) bool { return c.compare(got, a) == nil }) {
							equal.add(equal.sum(tools, args, got))
							return
						}
						verdict := c.looseVerdict(got, all)
						if verdict == "same" && len(all) > 1 || verdict == "near" && run >= 3 {
							loose.Add(1)
							return
						}
						if verdict == "" && run >= enoughReruns && len(all) <= 3 {
							break // hone is wrong, and no luck of the original would make it right
						}
					}
					t.Errorf("%s\n%v\n(%d different answers of go tool pprof)", tools.command(args), c.compare(got, want), len(all))
				})
			}
		})
	}
}

// chosen reports whether the case runs for the profile.
func (c parityCase) chosen(profile string, sample bool) bool {
	h := fnv32(profile + "/" + c.name)
	switch {
	case os.Getenv("HONE_PARITY_ALL") != "":
		return true
	case testing.Short():
		return h%160 == 0
	case sample:
		return h%40 == 0
	}
	return c.core || h%6 == 0
}

// sampled reports whether the case is compared with the original also if it was
// equal before.
func (c parityCase) sampled(profile string) bool { return fnv32(c.name+"/"+profile)%25 == 0 }

// fnv32 is the FNV-1a hash, finished so that its low bits are well mixed.
func fnv32(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	h ^= h >> 15
	return h * 0x2c1b3c6d >> 7
}

// compare returns nil if the two answers are the same, or else says where they
// begin to differ. Only standard output counts, and whether the tool failed.
func (c parityCase) compare(got, want answer) error {
	if got.failed != want.failed {
		return fmt.Errorf("hone failed: %v, go tool pprof failed: %v\nhone: %s\ngo tool pprof: %s",
			got.failed, want.failed, firstLines(got.stderr, 3), firstLines(want.stderr, 3))
	}
	if got.stdout == want.stdout {
		return nil
	}
	if c.decode {
		g, err := profile.ParseData([]byte(got.stdout))
		if err != nil {
			return fmt.Errorf("output of hone: %v", err)
		}
		w, err := profile.ParseData([]byte(want.stdout))
		if err != nil {
			return fmt.Errorf("output of go tool pprof: %v", err)
		}
		if c.command() == "proto" && len(got.stdout) > len(want.stdout)+max(64, len(want.stdout)/100) {
			return fmt.Errorf("the profile has %d bytes, and that of go tool pprof %d: at most 1 %% or 64 bytes more is promised", len(got.stdout), len(want.stdout))
		}
		return firstDifference(g.String(), w.String())
	}
	return firstDifference(got.stdout, want.stdout)
}

// escaped is an answer of the original with the texts of the profiles in testdata that it
// writes as they are, and hone escapes: doc/reference/pprof-differences.md says why. What the command
// line asked for is written back as it came.
func (c parityCase) escaped(want answer) answer {
	newline := `line\nbreak`
	switch c.command() {
	case "proto", "topproto", "comments":
		return want
	case "dot":
		newline = `line\lbreak`
		want.stdout = strings.ReplaceAll(want.stdout, `quote"d key`, `quote\"d key`)
	}
	var asked []string
	for _, arg := range c.args {
		if strings.Contains(arg, "line\nbreak") {
			filter := strings.TrimPrefix(arg, "-")
			asked = append(asked, filter, filter)
		}
	}
	want.stdout = strings.NewReplacer(append(asked, "line\nbreak", newline)...).Replace(want.stdout)
	return want
}

// firstDifference shows the first lines from where two texts differ.
func firstDifference(got, want string) error {
	if got == want {
		return nil
	}
	g, w := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	i := 0
	for i < len(g) && i < len(w) && g[i] == w[i] {
		i++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "line %d of %d (want %d lines)\n", i+1, len(g), len(w))
	for k := max(0, i-2); k < i; k++ {
		fmt.Fprintf(&b, "    %q\n", g[k])
	}
	for k := i; k < i+3; k++ {
		if k < len(w) {
			fmt.Fprintf(&b, "  - %q\n", w[k])
		}
	}
	for k := i; k < i+3; k++ {
		if k < len(g) {
			fmt.Fprintf(&b, "  + %q\n", g[k])
		}
	}
	return fmt.Errorf("%s", b.String())
}

func firstLines(s string, n int) string {
	lines := strings.SplitAfterN(s, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "")
}

// TestParityDriver replays google/pprof's own driver cases. Two of the fifty
// need mock binaries (disasm and weblist), so 48 is all there is to reach.
func TestParityDriver(t *testing.T) {
	dir := sharedParity(t)
	tools := newTools(t)
	same, err := tools.replay(filepath.Join(dir, "replay.sh"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d cases identical", same)
	if same < 48 {
		t.Errorf("%d of 50 driver cases are identical, want at least 48 (replay.sh -v lists the others)", same)
	}
}

// TestParityLegacy compares dumps of profiles in the formats before protobuf
// with the texts that google/pprof keeps for them.
func TestParityLegacy(t *testing.T) {
	dir := filepath.Join(sharedParity(t), "legacy")
	tools := newTools(t)
	texts, err := filepath.Glob(filepath.Join(dir, "*.string"))
	if err != nil || len(texts) == 0 {
		t.Fatalf("no texts in %s (%v)", dir, err)
	}
	for _, text := range texts {
		name := strings.TrimSuffix(filepath.Base(text), ".string")
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(text)
			if err != nil {
				t.Fatal(err)
			}
			got := tools.runHone(t, []string{"-symbolize=none", "-raw", filepath.Join(dir, name)})
			if got.failed {
				t.Fatal(got.stderr)
			}
			dump := got.stdout
			if strings.HasSuffix(string(want), "Mappings\n") {
				// The command line tool, but not the text, gives a profile
				// without mappings an empty one.
				dump = strings.ReplaceAll(dump, " M=1 ", " ")
				dump = strings.Replace(dump, "Mappings\n1: 0x0/0x0/0x0   \n", "Mappings\n", 1)
			}
			if err := firstDifference(dump, string(want)); err != nil {
				t.Error(err)
			}
		})
	}
}

// repository returns the root of this repository.
func repository(t *testing.T) string {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// sharedParity returns the folder with google/pprof's test data, which is kept
// outside of this repository, and skips the test when it is absent.
func sharedParity(t *testing.T) string {
	dir := filepath.Join(repository(t), "..", "shared", "parity")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("SKIPPED: google/pprof's test data is not beside the repository: %v", err)
	}
	return dir
}
