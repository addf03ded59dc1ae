package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
)

// A verdict is a line of a file of findings that somebody has read, with the code
// around: facts only, and reasons in own words. A finding's id stays the same while its
// line does, so that verdicts of one revision count for the next.
type verdict struct {
	Repo, Commit   string
	ID, Rule       string
	Class          string // as it was given
	File, Function string
	Line           int
	// Set is "fresh" for the findings of modules that were listed before advice was asked
	// for any of them, and that no rule was written or mended after: these count for what
	// advice is worth elsewhere. "fresh-2" is the same of other modules, by the rules as they
	// were mended after "fresh", and "fresh-3" by those mended after "fresh-2". "fresh-4", which
	// has versions in place of commits, is of the first few of a list; nothing was mended
	// before it. "fresh-5" is of the modules in fresh-5.txt that have benchmarks and could be
	// built, by those rules, or with mends that no module of the list led to. "fresh-6" is of the
	// first 177 modules in fresh-6.txt or about, as two read the list in turns, by one binary
	// that was built as it was made; of these 114 could be profiled in the time given. "fresh-7" is
	// of 110 modules in fresh-7.txt, those first that were listed by name and not taken by lot of
	// all there are, of which 84 could be. "fresh-8" is of the first 174 modules in fresh-8.txt,
	// of which 143 could be. "" are those that rules were mended on.
	Set string
	// Verdict is "right" if what the finding says is true there and its rewrite does the
	// same in every case, builds and passes the tests; else "wrong". A module where nothing
	// of classes A and B was found has a line without an ID: "none".
	Verdict string
	Why     string
	// Now is what has become of it since: "silent", "advice" without a rewrite, or "right";
	// "" if nothing has.
	Now string
}

// verdicts are those read, by repository and id.
type verdicts map[string]verdict

func readVerdicts(name string) (verdicts, error) {
	all := make(verdicts)
	if name == "" {
		return all, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		var v verdict
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if v.Verdict != "right" && v.Verdict != "wrong" && v.Verdict != "none" {
			return nil, fmt.Errorf("%s:%d: verdict %q: want right, wrong or none", name, n, v.Verdict)
		}
		all[v.Repo+" "+v.ID] = v
	}
	return all, in.Err()
}

// know reports whether a finding of a repository was right when it was read; one that
// was wrong is told of.
func (all verdicts) know(repo, id string) bool {
	v, ok := all[repo+" "+id]
	if ok && v.Verdict == "wrong" {
		fmt.Printf("%s was judged wrong, and is here again: %s\n", id, v.Why)
	}
	return ok && (v.Verdict == "right" || v.Now == "right")
}

// print says, for each set, how many findings were right when they were read, and how
// many of those that the rules give now.
func (all verdicts) print() {
	sets := make(map[string][]verdict)
	for _, v := range all {
		sets[v.Set] = append(sets[v.Set], v)
	}
	for _, set := range slices.Sorted(maps.Keys(sets)) {
		fmt.Println(cmp.Or(set, "mended on") + ": " + counted(sets[set]))
	}
}

func counted(read []verdict) string {
	modules := make(map[string]bool)
	var all, right, now, given int
	for _, v := range read {
		modules[v.Repo] = true
		if v.Verdict == "none" {
			continue
		}
		all++
		if v.Verdict == "right" {
			right++
		}
		if v.Now == "silent" || v.Now == "advice" {
			continue
		}
		given++
		if v.Verdict == "right" || v.Now == "right" {
			now++
		}
	}
	return fmt.Sprintf("%d modules: right when read: %s; of those given now: %s", len(modules), share(right, all), share(now, given))
}

func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d (%.0f %%)", n, of, 100*float64(n)/float64(of))
}
