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
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

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

// A tally counts.
type tally struct {
	fixes, known         int // commits; of these, those whose pattern is in the rules
	hits, right          int // among the first three: the place; and the reason
	knownRight           int
	frozen, rightThen    int // commits whose rules were written before hone was asked; right by these
	silent, spoken, rest int // places to be silent at; spoken of; not measured
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
