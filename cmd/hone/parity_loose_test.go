package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"
)

// The original walks maps where several orders are as good, so some of its
// reports differ from run to run:
//
//   - nodes with the same name and values (-files, -call_tree) change places,
//     and with them the node numbers and the sum% column;
//   - edges of weights that differ in sign alone (-base, -diff_base) change
//     places, and so do tags of the same value;
//   - callgrind numbers functions of one name in any order;
//   - scores that are sums of floats in any order choose other nodes to show.
//
// Where it is seen to do so, and only there, hone's answer need not be one of
// the few that were seen: what a loose form keeps of both must be the same, or
// not much further apart than the original's answers are from each other.

// A looseForm is the lines of an output, without what may change from run to
// run, and how often each stands in it.
type looseForm map[string]int

// looseForms are by command; other commands have one output.
var looseForms = map[string]func(string) looseForm{
	"top":       looseText,
	"text":      looseText,
	"tree":      looseText,
	"peek":      looseText,
	"tags":      looseText,
	"dot":       looseDot,
	"callgrind": looseCallgrind,
	"topproto":  looseProfile,
}

func (f looseForm) add(line string) { f[line]++ }

// distance is how many lines stand in one form only.
func (f looseForm) distance(g looseForm) int {
	d := 0
	for line, n := range f {
		d += max(n-g[line], 0)
	}
	for line, n := range g {
		d += max(n-f[line], 0)
	}
	return d
}

// looseVerdict tells how an answer that equals none of the original's answers
// stands to them: "same" in their loose form, "near", or "" if it differs.
func (c parityCase) looseVerdict(got answer, all []answer) string {
	form := looseForms[c.command()]
	if form == nil {
		return ""
	}
	var theirs []looseForm
	for _, a := range all {
		if a.failed != got.failed {
			return ""
		}
		theirs = append(theirs, form(a.stdout))
	}
	mine := form(got.stdout)
	nearest, widest := mine.distance(theirs[0]), 0
	for i, f := range theirs {
		nearest = min(nearest, mine.distance(f))
		for _, g := range theirs[:i] {
			widest = max(widest, f.distance(g))
		}
	}
	switch {
	case nearest == 0:
		return "same"
	case nearest <= 2*widest: // few of many possible answers were seen
		return "near"
	}
	return ""
}

// command returns the report command of the case.
func (c parityCase) command() string {
	command, _, _ := strings.Cut(strings.TrimPrefix(c.args[0], "-"), "=")
	return command
}

var sumColumn = regexp.MustCompile(`^( *\S+ +\S+%) +\S+%( +\S+ +\S+%)`)

func looseText(s string) looseForm {
	f := looseForm{}
	for line := range strings.Lines(s) {
		f.add(sumColumn.ReplaceAllString(line, "$1 sum%$2"))
	}
	return f
}

var dotNumber = regexp.MustCompile(`\bN+\d+(_\d+)*\b|\bid="node\d+"`)

func looseDot(s string) looseForm {
	f := looseForm{}
	for line := range strings.Lines(s) {
		f.add(dotNumber.ReplaceAllString(line, "N"))
	}
	return f
}

var (
	callgrindName  = regexp.MustCompile(`^(c?)(ob|fl|fn)=\((\d+)\)(?: (.*))?$`)
	callgrindTwins = regexp.MustCompile(` \[\d+/\d+\]$`)
)

// looseCallgrind undoes the compression of names and addresses. A line keeps
// the function and the callee it stands under.
func looseCallgrind(s string) looseForm {
	f := looseForm{}
	names := map[string]string{}   // kind and number to name
	current := map[string]string{} // kind to name
	var address uint64
	resolve := func(word string) string {
		switch {
		case strings.HasPrefix(word, "0x"):
			address, _ = strconv.ParseUint(word[2:], 16, 64)
		case strings.HasPrefix(word, "+"), strings.HasPrefix(word, "-"):
			n, _ := strconv.ParseInt(word, 10, 64)
			address += uint64(n)
		}
		return fmt.Sprintf("%#x", address)
	}
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		if m := callgrindName.FindStringSubmatch(line); m != nil {
			key := m[2] + m[3]
			if m[4] != "" {
				names[key] = callgrindTwins.ReplaceAllString(m[4], "")
			}
			current[m[1]+m[2]] = names[key]
			continue
		}
		place := current["ob"] + " " + current["fl"] + " " + current["fn"]
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.Contains(line, ": "):
			f.add(line)
		case strings.HasPrefix(line, "calls="):
			// The position of the callee, whose address may be that of a twin.
			resolve(words[1])
			current["call"] = fmt.Sprintf(" calls %s %s %s", current["cob"], current["cfl"], current["cfn"])
		case words[0] == "*" && current["call"] != "":
			f.add(place + current["call"] + " " + strings.Join(words[2:], " "))
			current["call"] = ""
		default:
			if words[0] != "*" {
				words[0] = resolve(words[0])
			}
			f.add(place + " " + strings.Join(words, " "))
		}
	}
	return f
}

// looseProfile writes each sample with the names of its frames.
func looseProfile(s string) looseForm {
	f := looseForm{}
	p, err := profile.ParseData([]byte(s))
	if err != nil {
		f.add(err.Error())
		return f
	}
	for _, sample := range p.Sample {
		line := fmt.Sprint(sample.Value)
		for _, l := range sample.Location {
			line += fmt.Sprintf(" %#x", l.Address)
			for _, at := range l.Line {
				line += fmt.Sprintf(" %s %s:%d:%d s=%d", at.Function.Name, at.Function.Filename, at.Line, at.Column, at.Function.StartLine)
			}
		}
		for _, k := range slices.Sorted(maps.Keys(sample.Label)) {
			line += fmt.Sprintf(" %s:%v", k, sample.Label[k])
		}
		f.add(line)
	}
	p.Sample, p.Location, p.Function = nil, nil, nil
	f.add(p.String())
	return f
}
