// Advice measures hone advise on real history: commits of public modules that made
// something faster, and places that only look as if they could.
//
//	go run ./bench/advice -hone bin/hone -repos DIR -cases FILE.jsonl,...
//	go run ./bench/advice -freeze FILE.jsonl
//	go run ./bench/advice -hone bin/hone -repos DIR -modules OWNER/NAME,... [-judged FILE.jsonl]
//	go run ./bench/advice -hone bin/hone -modules @FILE [-keep DIR] [-timeout 2m]
//	go run ./bench/advice -hone bin/hone -repos DIR -keep DIR -gains -cases FILE.jsonl,...
//	go run ./bench/advice -hone bin/hone -offers FOLDER,...
//	go run ./bench/advice -keep DIR -peer staticcheck,go-fix,perfguard,perfguard-optimize -cases FILE.jsonl,...
//
// With -keep, cases stay where they were laid out, with their profiles; with -again, hone
// gives advice on these once more, so that only what it makes of them can differ. With
// -gains, rewrites are measured beside what the authors did. With -peer, other tools are
// asked about the cases, which PATH has: see peers.go.
//
// DIR has git repositories as OWNER+NAME/repo or OWNER/NAME. A case is a line of JSON
// with facts only. Before hone is asked, reasons.txt beside the file says which rules say what
// the author did, and -freeze keeps a hash of that and of the cases; what is added later counts
// apart: see frozen.go. Of each, the parent revision is laid out in a
// temporary folder and its benchmark profiled by hone advise. A finding hits if it is
// among the first three and names the changed lines or their function, as its place or as
// what calls that (marked ^), up to three levels up where calls are passed on; it is right
// if its rule is one of those that say what the author did. Places to be silent at are
// missed if any finding with a rewrite, or one of the pattern they look like, is there.
//
// With -offers it counts, for each rule, the rewrites that hone offers in the packages of
// some folders when every line is hot: see offers.go.
//
// cases.jsonl beside this file has commits, and silent.jsonl places to be silent at.
//
// With -modules it shows what hone would rewrite in repositories as they are, or in the
// newest versions of modules, to be read: see modules.go. Files named fresh have modules, and
// precision.jsonl the findings that were read, with a verdict each; see precision.go. With -judged
// those known to be right are left out; -judged alone counts, those of modules that no
// rule was mended on apart.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A testCase is a line of a file of cases: a commit, or a place to be silent at.
type testCase struct {
	ID, Repo, Commit, Parent string
	File, Function           string
	ParentLines              []int    `json:"parent_lines"`
	Line                     int      // of a place to be silent at
	Pattern                  string   // what the author did
	Also                     []string // and besides in the same function
	Later                    []string // patterns that were seen when hone had been asked
	LooksLike                string   `json:"looks_like"`
	Expected                 string   // "silent" or "rank_very_low"
	Bench                    string
	BenchPkg                 string `json:"bench_pkg"`
	BenchFromCommit          bool   `json:"bench_from_commit"`
	Class                    string `json:"rewrite_class"`

	rules, rulesThen []string // that say what the author did: as known now, and as frozen; see frozen.go
	frozen           bool     // rulesThen were written before hone was asked
	looksLike        []string // rules that say LooksLike
}

// A finding is the part of hone's that is judged.
type finding struct {
	ID, Rule, Class, Function, File string
	Line                            int
	Evidence                        struct{ Callers []caller }
}

// A caller is a line that the function of a finding was called from.
type caller struct {
	Function, File string
	Line           int
	Callers        []caller // of it, where it passes the call on
}

type options struct {
	hone, repos string
	gains       bool
	keep        string
	again       bool
	timeout     time.Duration
	time        string
	sample      string
	judged      verdicts
}

func main() {
	log.SetFlags(0)
	var o options
	flag.StringVar(&o.hone, "hone", "bin/hone", "hone's binary")
	flag.StringVar(&o.repos, "repos", "", "folder of git repositories")
	flag.StringVar(&o.keep, "keep", "", "lay cases out below this folder, and leave them there")
	flag.BoolVar(&o.again, "again", false, "with -keep: advise on the profiles that are there from before")
	flag.BoolVar(&o.gains, "gains", false, "with -keep: measure the rewrites of what hits, and what the authors did, each against the parent")
	flag.DurationVar(&o.timeout, "timeout", 10*time.Minute, "for one case; of a module, for profiling it, after which there is advice on what was profiled")
	flag.StringVar(&o.time, "profiletime", "1s", "of a benchmark")
	flag.StringVar(&o.sample, "benchtime", "500ms", "of a sample, of what -gains measures")
	only := flag.String("only", "", "cases whose id matches")
	modules := flag.String("modules", "", "show the rewrites for all benchmarks of these repositories or modules, to be read, and try to build and test each; @FILE has a line for each")
	peer := flag.String("peer", "", "with -keep: ask these tools instead of hone")
	offered := flag.String("offers", "", "count the rewrites that hone offers in these folders' packages if every line is hot")
	judged := flag.String("judged", "", "file of findings that were read; alone, it is counted")
	files := flag.String("cases", "", "files of cases, with commas between")
	toFreeze := flag.String("freeze", "", "freeze the new cases of this file, and the rules of reasons.txt beside it")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	if err == nil {
		o.hone, err = filepath.Abs(o.hone)
	}
	if err == nil && o.keep != "" {
		o.keep, err = filepath.Abs(o.keep)
	}
	if err == nil && (o.again || o.gains || *peer != "") && o.keep == "" {
		err = errors.New("-again, -gains and -peer want -keep: the folder that the cases are in")
	}
	if err == nil {
		o.judged, err = readVerdicts(*judged)
	}
	if err != nil {
		log.Fatal(err)
	}
	if *toFreeze != "" {
		if err := freeze(*toFreeze); err != nil {
			log.Fatal(err)
		}
		return
	}
	if *offered != "" {
		if err := countOffers(&o, *offered); err != nil {
			log.Fatal(err)
		}
		return
	}
	if *modules != "" {
		if err := readModules(&o, *modules); err != nil {
			log.Fatal(err)
		}
		return
	}
	if *files == "" {
		o.judged.print()
		return
	}
	var cases []testCase
	for _, file := range strings.Split(*files, ",") {
		more, left, err := readList(file)
		if err == nil && left > 0 {
			err = fmt.Errorf("%s: %d cases are not frozen: run -freeze %s before hone is asked", file, left, file)
		}
		if err != nil {
			log.Fatal(err)
		}
		cases = append(cases, more...)
	}
	cases = slices.DeleteFunc(cases, func(c testCase) bool { return !wanted.MatchString(c.ID) })
	if *peer != "" {
		judgePeers(&o, cases, strings.Split(*peer, ","))
		return
	}
	var total tally
	for _, c := range cases {
		total.judge(&o, &c)
	}
	total.print()
}

// readList reads a list with the rules of its cases. Left are the last ones, which are not
// frozen yet.
func readList(file string) (cases []testCase, left int, err error) {
	if cases, err = readCases(file); err != nil {
		return nil, 0, err
	}
	lines, parts, err := readFrozen(file)
	if err == nil {
		left, err = apply(cases, lines, parts)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", file, err)
	}
	if !slices.ContainsFunc(cases[len(cases)-left:], func(c testCase) bool { return c.Expected == "" }) {
		left = 0 // places to be silent at: no rule is right there
	}
	return cases, left, nil
}

func readCases(file string) ([]testCase, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var cases []testCase
	in := bufio.NewScanner(bytes.NewReader(text))
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		var c testCase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		cases = append(cases, c)
	}
	return cases, in.Err()
}

// A tally counts.
type tally struct {
	fixes, known         int // commits; of these, those whose pattern is in the rules
	hits, right          int // among the first three: the place; and the reason
	knownRight           int
	frozen, rightThen    int // commits whose rules were written before hone was asked; right by these
	silent, spoken, rest int // places to be silent at; spoken of; not measured
}

// folder returns where a case is laid out, and what to call when it is judged.
func (o *options) folder(c *testCase) (dir string, done func(), err error) {
	if o.keep == "" {
		dir, err = os.MkdirTemp("", "advice-")
		return dir, func() { os.RemoveAll(dir) }, err
	}
	dir = filepath.Join(o.keep, c.ID)
	return dir, func() {}, os.MkdirAll(dir, 0o777)
}

func (t *tally) judge(o *options, c *testCase) {
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout)
	defer cancel()
	start := time.Now()
	dir, done, err := o.folder(c)
	if err != nil {
		log.Fatal(err)
	}
	defer done()
	found, err := advise(ctx, o, c, dir)
	took := time.Since(start).Round(time.Second)
	if err != nil {
		t.rest++
		fmt.Printf("%-28s not measured: %v (%v)\n", c.ID, err, took)
		return
	}
	if c.Expected != "" {
		t.judgeSilent(c, found, dir, took)
		return
	}
	t.fixes++
	verdict, i := c.verdict(found, c.rules, dir)
	t.count(c, verdict)
	if c.frozen {
		t.frozen++
		if then, _ := c.verdict(found, c.rulesThen, dir); then == right {
			t.rightThen++
		}
	}
	rank := ""
	if i >= 0 {
		rank = fmt.Sprintf("#%d %s %s", i+1, found[i].ID, found[i].Class)
		if !c.changed(found[i].Function, found[i].File, found[i].Line, dir) {
			rank += " ^"
		}
	}
	fmt.Printf("%-28s %-8s %-22s %-44s of %d (%v)\n", c.ID, verdict, c.Pattern, rank, len(found), took)
	if verdict != right {
		for _, f := range found[:min(3, len(found))] {
			fmt.Printf("    %s %s:%d %s\n", f.ID, relative(dir, f.File), f.Line, f.Function)
		}
	}
	if o.gains && i >= 0 && found[i].Class != "C" {
		if err := gains(ctx, o, c, found[i], dir); err != nil {
			fmt.Printf("    not measured: %v\n", err)
		}
	}
}

// Verdicts of a case.
const (
	right  = "right"   // the place, and the reason
	place  = "place"   // that alone
	tooLow = "too low" // behind the first three
	missed = "missed"
)

// verdict judges findings by the rules that say what the author did, and returns the one
// that counts, -1 for none.
func (c *testCase) verdict(found []finding, rules []string, dir string) (verdict string, i int) {
	said := slices.IndexFunc(found, func(f finding) bool { return c.at(f, dir) && slices.Contains(rules, f.Rule) })
	at := slices.IndexFunc(found, func(f finding) bool { return c.at(f, dir) })
	switch {
	case said >= 0 && said < 3:
		return right, said
	case at >= 0 && at < 3:
		return place, at
	case at >= 0:
		return tooLow, at
	}
	return missed, -1
}

// count counts a case by its verdict.
func (t *tally) count(c *testCase, verdict string) {
	if len(c.rules) > 0 {
		t.known++
	}
	switch verdict {
	case right:
		t.hits++
		t.right++
		t.knownRight++
	case place:
		t.hits++
	}
}

func (t *tally) judgeSilent(c *testCase, found []finding, dir string, took time.Duration) {
	t.silent++
	for i, f := range found {
		if !c.same(f.File, dir) || f.Line < c.Line-1 || f.Line > c.Line+1 {
			continue
		}
		if f.Class != "C" || slices.Contains(c.looksLike, f.Rule) && (c.Expected == "silent" || i < 3) {
			t.spoken++
			fmt.Printf("%-28s spoken   %-22s #%d %s %s (%v)\n", c.ID, c.LooksLike, i+1, f.ID, f.Class, took)
			return
		}
	}
	fmt.Printf("%-28s silent   %-22s of %d (%v)\n", c.ID, c.LooksLike, len(found), took)
}

func (t *tally) print() {
	fmt.Printf("\nplace and reason among the first three: %s; of patterns in the rules: %s\n", share(t.right, t.fixes), share(t.knownRight, t.known))
	fmt.Printf("the same without reasons from after hone was asked, of cases frozen before: %s\n", share(t.rightThen, t.frozen))
	fmt.Printf("place alone: %s\nspoken of though it only looks like it: %s\nnot measured: %d\n", share(t.hits, t.fixes), share(t.spoken, t.silent), t.rest)
}

func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d (%.0f %%)", n, of, 100*float64(n)/float64(of))
}

func (c *testCase) same(file, dir string) bool {
	return filepath.ToSlash(relative(dir, file)) == c.File
}

// patterns are all that the author did.
func (c *testCase) patterns() []string { return slices.Concat([]string{c.Pattern}, c.Also, c.Later) }

// at reports whether a finding is on the changed lines, or in their function, or called
// from there.
func (c *testCase) at(f finding, dir string) bool {
	return c.changed(f.Function, f.File, f.Line, dir) || c.calledFrom(f.Evidence.Callers, dir)
}

func (c *testCase) calledFrom(callers []caller, dir string) bool {
	return slices.ContainsFunc(callers, func(by caller) bool {
		return c.changed(by.Function, by.File, by.Line, dir) || c.calledFrom(by.Callers, dir)
	})
}

func (c *testCase) changed(function, file string, line int, dir string) bool {
	if !c.same(file, dir) {
		return false
	}
	if len(c.ParentLines) == 2 && c.ParentLines[0]-1 <= line && line <= c.ParentLines[1]+1 {
		return true
	}
	name, _, _ := strings.Cut(c.Function, " ")
	return function != "" && function == name
}

func relative(dir, file string) string {
	if rel, err := filepath.Rel(dir, file); err == nil {
		return rel
	}
	return file
}

// layOut writes the revision that a case's commit changed, ready to be built.
func (o *options) layOut(ctx context.Context, c *testCase, dir string) error {
	repo, err := o.find(c.Repo)
	if err != nil {
		return err
	}
	if err := checkout(ctx, repo, cmp.Or(c.Parent, c.Commit), dir); err != nil {
		return err
	}
	if c.BenchFromCommit {
		if err := overlayTests(ctx, repo, c, dir); err != nil {
			return err
		}
	}
	return ensureModule(ctx, c, dir)
}

// ensureModule makes a case's folder a module, if its revision is older than these.
func ensureModule(ctx context.Context, c *testCase, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, moduleOf(dir, c.BenchPkg), "go.mod")); err == nil {
		return nil
	}
	return makeModule(ctx, cmp.Or(paths[c.Repo], "github.com/"+c.Repo), dir, requires[c.Repo]...)
}

// makeModule gives a folder what it takes to be built: a go.mod by a name, if it is older than
// modules, and what its packages and tests import, some in given versions.
func makeModule(ctx context.Context, name, dir string, versions ...string) error {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		if out, err := run(ctx, dir, "go", "mod", "init", name); err != nil {
			return fmt.Errorf("go mod init: %s", out)
		}
	}
	if len(versions) > 0 {
		if out, err := run(ctx, dir, "go", append([]string{"get"}, versions...)...); err != nil {
			return fmt.Errorf("go get: %s", firstLine(out))
		}
	}
	if out, err := run(ctx, dir, "go", "mod", "tidy"); err != nil {
		return fmt.Errorf("go mod tidy: %s", firstLine(out))
	}
	return nil
}

// advise lays out a case's revision and asks hone for advice on its benchmark.
func advise(ctx context.Context, o *options, c *testCase, dir string) ([]finding, error) {
	args := []string{"advise", "-json", "latest"}
	if !o.again {
		if err := o.layOut(ctx, c, dir); err != nil {
			return nil, err
		}
		pkg, err := filepath.Rel(moduleOf(dir, c.BenchPkg), filepath.Clean(c.BenchPkg))
		if err != nil {
			return nil, err
		}
		args = []string{"advise", "-json", "-vet=off", "-bench", c.Bench, "-profiletime", o.time, "./" + filepath.ToSlash(pkg)}
	}
	var report struct{ Findings []finding }
	err := ask(ctx, o, filepath.Join(dir, moduleOf(dir, c.BenchPkg)), &report, args...)
	return report.Findings, err
}

// find returns the git directory of a repository.
func (o *options) find(repo string) (string, error) {
	for _, name := range []string{strings.Replace(repo, "/", "+", 1) + "/repo", repo} {
		if _, err := os.Stat(filepath.Join(o.repos, name)); err == nil {
			return filepath.Join(o.repos, name), nil
		}
	}
	return "", fmt.Errorf("no repository %s in %s", repo, o.repos)
}

// checkout writes the files of a revision without touching the repository.
func checkout(ctx context.Context, repo, revision, dir string) error {
	index := filepath.Join(dir, ".index")
	defer os.Remove(index)
	for _, args := range [][]string{{"read-tree", revision}, {"checkout-index", "--all", "--force"}} {
		cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir=" + repo, "--work-tree=" + dir}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index)
		out, err := cmd.CombinedOutput()
		// A snapshot may lack large files, which are no source.
		if err != nil && !(args[0] == "checkout-index" && bytes.Contains(out, []byte("unable to read sha1 file"))) {
			return fmt.Errorf("git %s: %s", args[0], firstLine(out))
		}
	}
	return nil
}

// overlayTests puts the commit's tests over those of its parent.
func overlayTests(ctx context.Context, repo string, c *testCase, dir string) error {
	out, err := run(ctx, dir, "git", "--git-dir="+repo, "diff", "--name-only", "--diff-filter=d", c.Parent, c.Commit, "--", "*_test.go")
	if err != nil {
		return fmt.Errorf("git diff: %s", firstLine(out))
	}
	for name := range strings.FieldsSeq(string(out)) {
		text, err := run(ctx, dir, "git", "--git-dir="+repo, "show", c.Commit+":"+name)
		if err != nil {
			return fmt.Errorf("git show: %s", firstLine(text))
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, text, 0o666)); err != nil {
			return err
		}
	}
	return nil
}

// moduleOf returns the folder of the module that a package is in.
func moduleOf(dir, pkg string) string {
	for at := filepath.Clean(pkg); ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(dir, at, "go.mod")); err == nil || at == "." {
			return at
		}
	}
}

func run(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	return cmd.CombinedOutput()
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line
}

func lastLine(text []byte) string {
	s := strings.TrimSpace(string(text))
	return s[strings.LastIndexByte(s, '\n')+1:]
}
