// Agents measures what a coding agent gets from hone prove and hone advise, on real history: commits of public modules that made
// something faster.
//
//	go run ./bench/agents -hone bin/hone -repos DIR
//	go run ./bench/agents -hone bin/hone -repos DIR -wrong
//	go run ./bench/agents -hone bin/hone -repos DIR -loop
//	go run ./bench/agents -repos DIR -gains -commits FILE.jsonl
//	go run ./bench/agents -hone bin/hone -tools FOLDER
//	go run ./bench/agents -summary
//
// DIR has git repositories as OWNER+NAME/repo or OWNER/NAME. commits.jsonl beside this file has a commit on each line, as facts. For
// each, hone prove judges what the author did: it should be right, and faster if the gain is over 3 %.
//
// With -wrong it judges the patches of wrong.jsonl: small edits of the authors' versions, or of their parents, that return wrong
// results, are slower, or change nothing. None may be right and faster.
//
// With -loop a program without a model follows what hone says, from the parent on: it takes the rewrites of hone advise as a patch,
// and keeps it if hone prove says that it is right and faster. The share of the author's gain that it reaches is its result.
//
// With -gains it measures what the authors gained, with go test alone, and prints the commits with that.
//
// With -tools it asks hone mcp in a large module that bench/advice has made, and prints what each tool takes.
//
// Verdicts are kept in results.jsonl, in place of those of the same patches. -summary counts them.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

type options struct {
	hone, repos string
	timeout     time.Duration
	patient     bool // hone prove's own number and length of samples
	only        *regexp.Regexp
	results     string
}

func main() {
	log.SetFlags(0)
	var o options
	flag.StringVar(&o.hone, "hone", "bin/hone", "hone's binary")
	flag.StringVar(&o.repos, "repos", "", "folder of git repositories")
	flag.DurationVar(&o.timeout, "timeout", 6*time.Minute, "for one patch")
	flag.BoolVar(&o.patient, "patient", false, "measure as long as hone prove does without flags, not 8 samples of 20 ms")
	flag.StringVar(&o.results, "results", "bench/agents/results.jsonl", "file of verdicts")
	facts := flag.String("commits", "bench/agents/commits.jsonl", "file of commits")
	edits := flag.String("edits", "bench/agents/wrong.jsonl", "file of wrong patches")
	only := flag.String("only", ".", "commits and patches whose id matches")
	gains := flag.Bool("gains", false, "measure what the authors gained, with go test, and print the commits with that")
	wrong := flag.Bool("wrong", false, "judge wrong patches")
	loop := flag.Bool("loop", false, "follow what hone says, and compare with what the authors gained")
	tools := flag.String("tools", "", "folder that bench/advice -large generated:500 -keep has made: ask hone mcp there")
	summary := flag.Bool("summary", false, "count the verdicts that were kept")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err == nil {
		o.hone, err = filepath.Abs(o.hone)
	}
	if err != nil {
		log.Fatal(err)
	}
	all, err := readLines[fact](*facts)
	if err != nil {
		log.Fatal(err)
	}
	switch {
	case *tools != "":
		err = o.measureTools(context.Background(), *tools)
	case *gains:
		o.each(all, o.printGain)
	case *loop:
		o.each(all, o.follow)
	case *wrong:
		err = o.judgeEdits(all, *edits)
	case *summary:
		err = o.summarize(all, *edits)
	default:
		o.each(all, o.judgeAuthor)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// each lays commits out, one after the other.
func (o *options) each(all []fact, do func(ctx context.Context, r *repository, f *fact) error) {
	for _, f := range all {
		if !o.only.MatchString(f.ID) {
			continue
		}
		if err := o.with(&f, func(ctx context.Context, r *repository) error { return do(ctx, r, &f) }); err != nil {
			log.Printf("%s: not measured: %v", f.ID, err)
		}
	}
}

// with lays a commit out for a time.
func (o *options) with(f *fact, do func(ctx context.Context, r *repository) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout)
	defer cancel()
	dir, err := os.MkdirTemp("", "agents-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, err := layOut(ctx, o.repos, dir, f)
	if err != nil {
		return err
	}
	return do(ctx, r)
}

// judgeAuthor asks hone prove about the author's change.
func (o *options) judgeAuthor(ctx context.Context, r *repository, f *fact) error {
	p, err := o.prove(ctx, r, f, parentTag, authorTag)
	if err != nil {
		return err
	}
	return o.keep(p.verdict(f.ID))
}

// judgeEdits asks hone prove about wrong patches.
func (o *options) judgeEdits(all []fact, name string) error {
	edits, err := readLines[edit](name)
	if err != nil {
		return err
	}
	for _, e := range edits {
		if !o.only.MatchString(e.ID) {
			continue
		}
		f, err := factOf(all, e.Fact)
		if err != nil {
			return err
		}
		err = o.with(f, func(ctx context.Context, r *repository) error {
			if err := r.apply(ctx, &e, "wrong"); err != nil {
				return err
			}
			p, err := o.prove(ctx, r, f, parentTag, "wrong")
			if err != nil {
				return err
			}
			return o.keep(p.verdict(e.ID))
		})
		if err != nil {
			log.Printf("%s: not measured: %v", e.ID, err)
		}
	}
	return nil
}

func factOf(all []fact, id string) (*fact, error) {
	for i := range all {
		if all[i].ID == id {
			return &all[i], nil
		}
	}
	return nil, fmt.Errorf("no commit %s", id)
}
