package main

import (
	"cmp"
	"fmt"
	"go/build"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// A parityTarget is a profile that the cases run on.
type parityTarget struct {
	name   string
	file   string
	base   string // another profile of the same kind, "" if there is none
	third  string // and another, to merge
	source string // where the sources of its program are
	large  bool   // only some cases run
	prof   *profile.Profile
}

// parityTargets returns the profiles of testdata and, where it is present, of
// google/pprof's test data.
func parityTargets(t *testing.T) []parityTarget {
	root := repository(t)
	var files []string
	for _, pattern := range []string{"*.pb.gz", "*.pb", "*.txt"} {
		found, err := filepath.Glob(filepath.Join(root, "testdata", pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	shared := filepath.Join(root, "..", "shared", "parity")
	if _, err := os.Stat(shared); err != nil {
		t.Logf("NOTE: google/pprof's test data is not beside the repository, so only testdata is compared: %v", err)
	}
	for _, pattern := range []string{"driver/profiles/*", "legacy/*", "large/*"} {
		found, err := filepath.Glob(filepath.Join(shared, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	var targets []parityTarget
	seen := map[string]bool{}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasSuffix(name, ".string") || goroutineText.MatchString(name) {
			continue // dumps of profiles; texts of which hone reads more than the original
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if seen[string(data)] {
			continue
		}
		seen[string(data)] = true
		prof, err := profile.ParseData(data)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if dir := filepath.Base(filepath.Dir(file)); dir == "profiles" || dir == "legacy" {
			name = dir + "." + name
		}
		targets = append(targets, parityTarget{
			name:   name,
			file:   file,
			source: filepath.Join(root, "testdata", "capture"),
			large:  len(data) > 1<<20,
			prof:   prof,
		})
	}
	slices.SortFunc(targets, func(a, b parityTarget) int { return cmp.Compare(a.name, b.name) })
	pairTargets(targets)
	return targets
}

// goroutineText matches the names of texts in the format of goroutine?debug=1,
// of which the original reads the addresses alone.
var goroutineText = regexp.MustCompile(`^(goroutine|goroutineleak)\.(.*\.)?debug\d\.txt$`)

// pairTargets chooses the profile to compare each one with: the next of its
// kind with the same sample types.
func pairTargets(targets []parityTarget) {
	kinds := map[string][]int{}
	for i, t := range targets {
		if t.large {
			continue
		}
		key := filepath.Dir(t.file)
		for _, vt := range t.prof.SampleType {
			key += " " + vt.Type + "/" + vt.Unit
		}
		kinds[key] = append(kinds[key], i)
	}
	for _, same := range kinds {
		for k, i := range same {
			if n := len(same); n > 1 {
				targets[i].base = targets[same[(k+1)%n]].file
				targets[i].third = targets[same[(k+2)%n]].file
			}
		}
	}
}

// A parityCase is one command line.
type parityCase struct {
	name   string
	args   []string
	decode bool // the output is a profile: compare its contents
	core   bool // runs on every profile
}

// parityCases returns the cases of a profile. The regular expressions in them
// are names that occur in it.
func parityCases(t parityTarget) []parityCase {
	var cases []parityCase
	addTo := func(core bool, name string, args ...string) {
		cases = append(cases, parityCase{name: name, args: args, core: core,
			decode: args[0] == "-proto" || args[0] == "-topproto"})
	}
	core := func(name string, args ...string) { addTo(true, name, append(args, t.file)...) }
	add := func(name string, args ...string) { addTo(false, name, append(args, t.file)...) }
	marks := landmarksOf(t.prof)
	quoted := func(s string) string { return regexp.QuoteMeta(s) }
	leaf, mid, root, file := quoted(marks.leaf), quoted(marks.mid), quoted(marks.root), quoted(marks.file)
	sources := "-source_path=" + t.source + string(filepath.ListSeparator) + filepath.Join(build.Default.GOROOT, "src")
	trim := "-trim_path=/tmp/app" + string(filepath.ListSeparator) + "example.com/app"

	// Every command.
	core("top", "-top")
	core("top_cum", "-top", "-cum")
	core("tree", "-tree")
	core("dot", "-dot")
	core("traces", "-traces")
	core("tags", "-tags")
	core("raw", "-raw")
	core("callgrind", "-callgrind")
	core("peek", "-peek="+mid)
	core("list", "-list="+mid, sources, trim)
	core("topproto", "-topproto")
	core("proto", "-proto")
	core("comments", "-comments")
	if t.large {
		return cases
	}
	add("text", "-text", "-flat")
	add("tree_cum", "-tree", "-cum")
	add("peek_leaf", "-peek="+leaf+"|"+root)
	add("peek_nothing", "-peek=no such function")
	add("list_leaf", "-list="+leaf, sources, trim)
	add("list_file", "-list="+leaf+"|"+mid, "-focus="+mid, sources, trim)
	add("list_lines_cum", "-list="+mid, "-cum", "-unit=ms", sources, trim)
	add("list_nothing", "-list=no such function")
	add("add_comment", "-comments", "-add_comment=first\nsecond")
	add("add_comment_top", "-top", "-add_comment=shown")

	// Granularities.
	for _, g := range []string{"functions", "filefunctions", "files", "lines", "addresses"} {
		add("top_"+g, "-top", "-"+g)
		add("top_cum_"+g, "-top", "-cum", "-"+g)
		add("tree_"+g, "-tree", "-"+g)
		add("dot_"+g, "-dot", "-"+g)
		add("traces_"+g, "-traces", "-"+g)
		add("callgrind_"+g, "-callgrind", "-"+g)
		add("topproto_"+g, "-topproto", "-"+g)
		add("peek_"+g, "-peek="+mid, "-"+g)
		add("noinlines_"+g, "-top", "-noinlines", "-"+g)
	}
	add("noinlines_tree", "-tree", "-noinlines")
	add("noinlines_dot", "-dot", "-noinlines")
	add("noinlines_traces", "-traces", "-noinlines")
	add("noinlines_callgrind", "-callgrind", "-noinlines")
	add("noinlines_list", "-list="+mid, "-noinlines", sources, trim)
	add("columns_top", "-top", "-lines", "-showcolumns")
	add("columns_traces", "-traces", "-lines", "-showcolumns")
	add("columns_dot", "-dot", "-lines", "-showcolumns")

	// Sample types.
	if len(t.prof.SampleType) > 1 {
		for i, vt := range t.prof.SampleType {
			add("type_"+vt.Type, "-top", "-sample_index="+vt.Type)
			add("type_tree_"+vt.Type, "-tree", fmt.Sprintf("-sample_index=%d", i))
			add("type_dot_"+vt.Type, "-dot", "-sample_index="+vt.Type)
			add("type_traces_"+vt.Type, "-traces", "-sample_index="+vt.Type)
			add("type_tags_"+vt.Type, "-tags", "-sample_index="+vt.Type)
			add("type_callgrind_"+vt.Type, "-callgrind", "-sample_index="+vt.Type)
		}
	}
	add("type_wrong", "-top", "-sample_index=no_such_type")
	add("mean", "-top", "-mean")
	add("mean_tree", "-tree", "-mean")
	add("mean_dot", "-dot", "-mean")
	add("mean_traces", "-traces", "-mean")

	// Filters on stacks.
	for _, f := range []struct{ name, arg string }{
		{"focus", "-focus=" + mid},
		{"ignore", "-ignore=" + mid},
		{"hide", "-hide=" + leaf},
		{"show", "-show=" + mid + "|" + root},
		{"show_from", "-show_from=" + mid},
		{"prune_from", "-prune_from=" + mid},
		{"focus_file", "-focus=" + file},
		{"hide_file", "-hide=" + file},
		{"show_file", "-show=" + file},
		{"ignore_root", "-ignore=" + root},
	} {
		add(f.name+"_top", "-top", f.arg)
		add(f.name+"_tree", "-tree", f.arg)
		add(f.name+"_dot", "-dot", f.arg)
		add(f.name+"_traces_lines", "-traces", "-lines", f.arg)
		add(f.name+"_raw", "-raw", f.arg)
		add(f.name+"_relative", "-top", "-cum", "-relative_percentages", f.arg)
	}
	add("focus_nothing", "-top", "-focus=no such function")
	add("focus_hide", "-tree", "-focus="+mid, "-hide="+leaf, "-ignore="+file)
	add("focus_list", "-list="+mid, "-focus="+leaf, sources, trim)
	add("focus_peek", "-peek="+mid, "-focus="+leaf)
	add("focus_tags", "-tags", "-focus="+mid)
	add("focus_callgrind", "-callgrind", "-focus="+mid)
	add("focus_proto", "-proto", "-focus="+mid, "-divide_by=2")
	add("relative_dot", "-dot", "-relative_percentages", "-focus="+mid)
	add("bad_regexp", "-top", "-focus=(")

	// Filters on labels.
	for _, l := range labelsOf(t.prof) {
		for _, f := range l.filters() {
			add(l.key+"_"+f.name+"_top", "-top", f.arg)
			add(l.key+"_"+f.name+"_tags", "-tags", f.arg)
			add(l.key+"_"+f.name+"_dot", "-dot", f.arg)
			add(l.key+"_"+f.name+"_traces", "-traces", f.arg)
			add(l.key+"_"+f.name+"_raw", "-raw", f.arg)
		}
		add(l.key+"_tagleaf_tree", "-tree", "-tagleaf="+l.key)
		add(l.key+"_tagroot_tree", "-tree", "-tagroot="+l.key+",no_such_key")
		add(l.key+"_tagroot_focus", "-top", "-cum", "-tagroot="+l.key, "-focus="+mid)
		add(l.key+"_tagleaf_proto", "-proto", "-tagleaf="+l.key)
		add(l.key+"_relative_tags", "-tags", "-relative_percentages", "-focus="+mid)
		if l.numeric {
			add(l.key+"_tags_unit", "-tags", "-unit=kb")
			add(l.key+"_tagleaf_unit", "-traces", "-tagleaf="+l.key, "-unit=kb")
		}
	}
	add("tagfocus_nothing", "-top", "-tagfocus=no_such_key=x")

	// Numbers and trimming.
	add("nodecount_top", "-top", "-nodecount=5")
	add("nodecount_tree", "-tree", "-nodecount=7")
	add("nodecount_dot", "-dot", "-nodecount=10")
	add("nodecount_cum", "-tree", "-cum", "-nodecount=12", "-lines")
	add("fractions_top", "-top", "-nodefraction=0.05")
	add("fractions_tree", "-tree", "-nodefraction=0.02", "-edgefraction=0.01")
	add("fractions_dot", "-dot", "-nodefraction=0.02", "-edgefraction=0.05")
	add("untrimmed_top", "-top", "-trim=false")
	add("untrimmed_tree", "-tree", "-trim=false")
	add("untrimmed_dot", "-dot", "-trim=false")
	add("untrimmed_callgrind", "-callgrind", "-trim=false", "-lines")
	for _, u := range []string{"minimum", "auto", "ms", "s", "ns", "hours", "kb", "MB", "bytes", "count", "nonsense"} {
		add("unit_"+u, "-top", "-unit="+u)
		add("unit_traces_"+u, "-traces", "-unit="+u)
	}
	add("unit_tree", "-tree", "-unit=minimum")
	add("unit_dot", "-dot", "-unit=minimum")
	add("divide_top", "-top", "-divide_by=3.5")
	add("divide_dot", "-dot", "-divide_by=7")
	add("divide_raw", "-raw", "-divide_by=7")
	add("divide_zero", "-top", "-divide_by=0")
	add("compact_top", "-top", "-compact_labels")
	add("compact_dot", "-dot", "-compact_labels")
	add("compact_raw", "-raw", "-compact_labels")
	add("call_tree_dot", "-dot", "-call_tree")
	add("call_tree_dot_lines", "-dot", "-call_tree", "-lines", "-nodecount=30")
	add("call_tree_callgrind", "-callgrind", "-call_tree")
	add("call_tree_top", "-top", "-call_tree")
	add("call_tree_tree", "-tree", "-call_tree")
	add("drop_negative", "-top", "-drop_negative")
	add("two_commands", "-top", "-tree")
	add("bad_option", "-top", "-no_such_option")
	add("no_file", "-top", t.file+".absent")
	add("same_twice", "-top", t.file)
	if t.base == "" {
		return cases
	}

	// Two profiles.
	for _, kind := range []string{"base", "diff_base"} {
		arg := "-" + kind + "=" + t.base
		add(kind+"_top", "-top", arg)
		add(kind+"_cum", "-top", "-cum", arg)
		add(kind+"_tree", "-tree", arg)
		add(kind+"_dot", "-dot", arg)
		add(kind+"_traces", "-traces", arg)
		add(kind+"_tags", "-tags", arg)
		add(kind+"_raw", "-raw", arg)
		add(kind+"_callgrind", "-callgrind", arg)
		add(kind+"_topproto", "-topproto", arg)
		add(kind+"_peek", "-peek="+mid, arg)
		add(kind+"_list", "-list="+mid, arg, sources, trim)
		add(kind+"_lines", "-top", "-lines", arg)
		add(kind+"_normalize", "-top", "-normalize", arg)
		add(kind+"_normalize_raw", "-raw", "-normalize", arg)
		add(kind+"_negative", "-top", "-drop_negative", arg)
		add(kind+"_negative_tree", "-tree", "-drop_negative", arg)
		add(kind+"_focus", "-top", "-focus="+mid, arg)
		add(kind+"_mean", "-top", "-mean", arg)
		add(kind+"_call_tree", "-dot", "-call_tree", arg)
		add(kind+"_unit", "-top", "-unit=minimum", arg)
		add(kind+"_nodecount", "-tree", "-nodecount=6", arg)
		add(kind+"_self", "-top", "-"+kind+"="+t.file)
		add(kind+"_two", "-top", arg, "-"+kind+"="+t.third)
	}
	add("merge_top", "-top", t.base, t.third)
	add("merge_tree", "-tree", t.third)
	add("merge_dot", "-dot", t.base)
	add("merge_raw", "-raw", t.base)
	add("merge_tags", "-tags", t.base, t.third)
	add("merge_traces", "-traces", t.base)
	add("merge_proto", "-proto", t.base, t.third)
	add("merge_absent", "-top", t.file+".absent")
	return cases
}

// landmarks are names in a profile: the most frequent leaf and root, the
// function that about a third of the samples go through, and its file.
type landmarks struct{ leaf, mid, root, file string }

func landmarksOf(p *profile.Profile) landmarks {
	leaf, root, within := map[string]int{}, map[string]int{}, map[string]int{}
	files := map[string]string{}
	for _, s := range p.Sample {
		in := map[string]bool{}
		for i, l := range s.Location {
			for k, line := range l.Line {
				if line.Function == nil {
					continue
				}
				name := line.Function.Name
				in[name] = true
				files[name] = filepath.Base(line.Function.Filename)
				if i == 0 && k == 0 {
					leaf[name]++
				}
				if i == len(s.Location)-1 && k == len(l.Line)-1 {
					root[name]++
				}
			}
		}
		for name := range in {
			within[name]++
		}
	}
	most := func(counts map[string]int) string {
		best := "no function"
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			if counts[name] > counts[best] {
				best = name
			}
		}
		return best
	}
	m := landmarks{leaf: most(leaf), root: most(root), file: "no file"}
	// Nearest to a third, neither the leaf nor the root.
	distance := map[string]int{}
	for name, n := range within {
		if name != m.leaf && name != m.root {
			distance[name] = len(p.Sample)*3 + 3 - max(3*n-len(p.Sample), len(p.Sample)-3*n)
		}
	}
	m.mid = most(distance)
	if f := files[m.mid]; f != "" && f != "." {
		m.file = f
	}
	return m
}

// A parityLabel is a label of a profile with some of its values.
type parityLabel struct {
	key     string
	numeric bool
	values  []string // two, or one twice
	numbers []int64
}

func labelsOf(p *profile.Profile) []parityLabel {
	strs, nums := map[string]map[string]bool{}, map[string]map[int64]bool{}
	for _, s := range p.Sample {
		for k, vs := range s.Label {
			if strs[k] == nil {
				strs[k] = map[string]bool{}
			}
			for _, v := range vs {
				strs[k][v] = true
			}
		}
		for k, vs := range s.NumLabel {
			if nums[k] == nil {
				nums[k] = map[int64]bool{}
			}
			for _, v := range vs {
				nums[k][v] = true
			}
		}
	}
	var labels []parityLabel
	for _, k := range slices.Sorted(maps.Keys(strs)) {
		vs := slices.Sorted(maps.Keys(strs[k]))
		labels = append(labels, parityLabel{key: k, values: []string{vs[0], vs[len(vs)/2]}})
	}
	for _, k := range slices.Sorted(maps.Keys(nums)) {
		vs := slices.Sorted(maps.Keys(nums[k]))
		labels = append(labels, parityLabel{key: k, numeric: true, numbers: []int64{vs[len(vs)/3], vs[len(vs)*2/3]}})
	}
	return labels
}

type namedArg struct{ name, arg string }

func (l parityLabel) filters() []namedArg {
	key := regexp.QuoteMeta(l.key)
	filters := []namedArg{
		{"tagshow", "-tagshow=" + key},
		{"taghide", "-taghide=" + key},
		{"tagroot", "-tagroot=" + l.key},
		{"tagleaf", "-tagleaf=" + l.key},
	}
	if l.numeric {
		low, high := l.numbers[0], l.numbers[1]
		for _, kind := range []string{"tagfocus", "tagignore"} {
			filters = append(filters,
				namedArg{kind + "_from", fmt.Sprintf("-%s=%db:", kind, low)},
				namedArg{kind + "_to", fmt.Sprintf("-%s=:%dkb", kind, 1+high>>10)},
				namedArg{kind + "_range", fmt.Sprintf("-%s=%s=%d:%d", kind, l.key, low, high)},
				namedArg{kind + "_exact", fmt.Sprintf("-%s=%d", kind, low)},
				namedArg{kind + "_unit", fmt.Sprintf("-%s=%dkb:2mb", kind, low>>10)},
			)
		}
		return filters
	}
	one, two := regexp.QuoteMeta(l.values[0]), regexp.QuoteMeta(l.values[1])
	for _, kind := range []string{"tagfocus", "tagignore"} {
		filters = append(filters,
			namedArg{kind + "_value", "-" + kind + "=" + one},
			namedArg{kind + "_key", "-" + kind + "=" + l.key + "=" + two},
			namedArg{kind + "_or", "-" + kind + "=" + l.key + "=" + one + "," + two},
			namedArg{kind + "_and", "-" + kind + "=" + key + ":" + one + "," + two},
		)
	}
	return filters
}
