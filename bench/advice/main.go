// Advice measures hone advise on real history: commits of public modules that made
// something faster, and places that only look as if they could.
//
//	go run ./bench/advice -hone bin/hone -repos DIR -cases FILE.jsonl,...
//	go run ./bench/advice -freeze FILE.jsonl
//	go run ./bench/advice -hone bin/hone -repos DIR -modules OWNER/NAME,... [-judged FILE.jsonl]
//	go run ./bench/advice -hone bin/hone -modules @FILE [-keep DIR] [-timeout 2m]
//	go run ./bench/advice -hone bin/hone -repos DIR -keep DIR -gains -cases FILE.jsonl,...
//	go run ./bench/advice -hone bin/hone -repos DIR -cases FILE.jsonl,... -outcomes bench/advice/outcomes.jsonl
//	go run ./bench/advice -hone bin/hone -repos DIR -tune FILE [-timeout 3m] [-for 30m]
//	go run ./bench/advice -hone bin/hone -offers FOLDER,...
//	go run ./bench/advice -hone bin/hone -large FOLDER,generated:500 [-runs 5] [-gocold]
//	go run ./bench/advice -keep DIR -peer staticcheck,go-fix,perfguard,perfguard-optimize -cases FILE.jsonl,...
//
// With -keep, cases stay where they were laid out, with their profiles; with -again, hone
// gives advice on these once more, so that only what it makes of them can differ. With
// -gains, rewrites are measured beside what the authors did. With -peer, other tools are
// asked about the cases, which PATH has: see peers.go.
//
// With -parallel, that many cases or modules are done at once. With -for, none begins after that time, and cases come
// in an order that their IDs alone give. With -tune, hone tune is tried on repositories. Both print the load.
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
// With -outcomes it keeps, for each finding of each case, whether it was right: see outcomes.go.
// go test ./internal/advice/rules -run TestOutcomes -update has hone order findings by that.
//
// With -offers it counts, for each rule, the rewrites that hone offers in the packages of
// some folders when every line is hot: see offers.go.
//
// With -large it measures what hone advise takes on large modules: see large.go.
//
// cases.jsonl beside this file has commits, and silent.jsonl places to be silent at. world.jsonl
// and sealed.jsonl have commits of modules that are in no other list here, split by module before
// anything was tried: world.jsonl to work with, and sealed.jsonl to be scored once, when the rules
// of a version are done. Nothing may be mended because of a case in it. scores.txt has what came of it.
// sealed.jsonl has been scored. sealed2.jsonl, sealed3.jsonl and then sealed4.jsonl are its successors, each from
// modules that the other lists lack. silent4.jsonl has places to be silent at in the modules of sealed4.jsonl.
//
// tune.txt has repositories, each with a revision, to try hone tune on. tune-sealed.txt has as many to be
// tried once, when the rewrites of a version are done. tune-sealed2.txt and then tune-sealed3.txt are its successors.
// tune.frozen has the SHA-256 of all, as sha256sum -c wants it.
//
// With -modules it shows what hone would rewrite in repositories as they are, or in the
// newest versions of modules, to be read: see modules.go. Files named fresh have modules, and
// precision.jsonl the findings that were read, with a verdict each; see precision.go. With -judged
// those known to be right are left out; -judged alone counts, those of modules that no
// rule was mended on apart.
package main

import (
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
	flag.DurationVar(&o.within, "for", 0, "begin no case or module after this time; 0: no limit")
	flag.IntVar(&o.parallel, "parallel", 1, "cases or modules at once")
	flag.StringVar(&o.time, "profiletime", "1s", "of a benchmark")
	flag.StringVar(&o.sample, "benchtime", "500ms", "of a sample, of what -gains measures")
	only := flag.String("only", "", "cases whose id matches")
	modules := flag.String("modules", "", "show the rewrites for all benchmarks of these repositories or modules, to be read, and try to build and test each; @FILE has a line for each")
	peer := flag.String("peer", "", "with -keep: ask these tools instead of hone")
	large := flag.String("large", "", "measure hone advise on the modules in these folders; generated:500 makes one with 500 packages")
	runs := flag.Int("runs", 5, "with -large: how often to measure; the least counts")
	goCold := flag.Bool("gocold", false, "with -large: also measure once with an empty cache of the go command")
	offered := flag.String("offers", "", "count the rewrites that hone offers in these folders' packages if every line is hot")
	judged := flag.String("judged", "", "file of findings that were read; alone, it is counted")
	toTune := flag.String("tune", "", "try hone tune on the repositories of this file, at their revisions")
	files := flag.String("cases", "", "files of cases, with commas between")
	flag.StringVar(&o.outcomes, "outcomes", "", "keep what became of each finding in this file")
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
	if *large != "" {
		if err := measureLarge(&o, *large, *runs, *goCold); err != nil {
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
	if *toTune != "" {
		if err := tuneAll(&o, *toTune); err != nil {
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
	total := judgeAll(&o, cases)
	if o.outcomes != "" {
		if err := keepOutcomes(o.outcomes, total.outcomes); err != nil {
			log.Fatal(err)
		}
	}
	total.print()
}
