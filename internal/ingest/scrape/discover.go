package scrape

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/store"
)

// Labels of a target while it is relabelled, besides its own and job, the name
// of the job. Others that begin with two underscores are gone afterwards, too.
const (
	labelAddress = "__address__" // host:port
	labelScheme  = "__scheme__"
	labelPrefix  = "__profile_prefix__"
	labelParam   = "__param_" // and the name of a parameter
	labelFile    = "__meta_filepath"
	labelJob     = "job"
)

// maxListBytes is how large a file with targets may be.
const maxListBytes = 32 << 20

// A targetFile is a file of target groups, as it was read last.
type targetFile struct {
	groups []Group
	size   int64
	time   time.Time
	err    error
}

// lists reads the files of patterns, those that changed anew. Of a file that
// can't be read the groups of before stay, and the problem is told.
func lists(patterns []string, old map[string]*targetFile) (map[string]*targetFile, []error) {
	out := map[string]*targetFile{}
	var errs []error
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil {
			errs = append(errs, err)
		}
		if len(names) == 0 && !strings.ContainsAny(pattern, "*?[\\") {
			names = []string{pattern} // that it isn't there is a problem
		}
		for _, name := range names {
			l := readList(name, old[name])
			if out[name] = l; l.err != nil {
				errs = append(errs, l.err)
			}
		}
	}
	return out, errs
}

func readList(name string, old *targetFile) *targetFile {
	l := &targetFile{}
	if old != nil {
		l.groups = old.groups
	}
	info, err := os.Stat(name)
	if err != nil {
		l.err = err
		return l
	}
	if old != nil && old.size == info.Size() && old.time.Equal(info.ModTime()) {
		return old
	}
	l.size, l.time = info.Size(), info.ModTime()
	parse, err := formatOf(name)
	if err != nil {
		l.err = err
		return l
	}
	data, err := infile.ReadText(context.Background(), name, maxListBytes)
	if err != nil {
		l.err = err
		return l
	}
	groups, err := parse(data)
	if err != nil {
		l.err = fmt.Errorf("%s: %w", name, err)
		return l
	}
	l.groups = groups
	return l
}

// place is where and what a target is.
type place struct {
	base      url.URL // with the prefix and parameters
	labels    []store.Label
	byAddress bool // its instance is its address, as nothing else tells it
}

// key tells places of a job apart.
func (p *place) key() string { return fmt.Sprint(p.base.String(), p.labels) }

// resolve returns the place of a target of a group. keep is false if rules drop it.
func (j *Job) resolve(text string, labels map[string]string, file string, rules []*rule) (p place, keep bool, err error) {
	scheme, host, prefix, err := splitTarget(text, j.Scheme, j.Prefix)
	if err != nil {
		return p, false, err
	}
	all := map[string]string{labelJob: j.Name, labelAddress: host, labelScheme: scheme, labelPrefix: prefix}
	for name, values := range j.Params {
		if len(values) > 0 {
			all[labelParam+name] = values[0]
		}
	}
	if file != "" {
		all[labelFile] = file
	}
	for name, value := range labels {
		if value != "" {
			all[name] = value
		}
	}
	for _, r := range rules {
		if !r.apply(all) {
			return p, false, nil
		}
	}
	if all[labelAddress] == "" {
		return p, false, fmt.Errorf("target %q has no %s after relabelling", text, labelAddress)
	}
	if scheme, host, _, err = splitTarget(all[labelAddress], all[labelScheme], "/"); err != nil {
		return p, false, err
	}
	params := url.Values{}
	maps.Copy(params, j.Params)
	for name, value := range all {
		if key, ok := strings.CutPrefix(name, labelParam); ok {
			params[key] = append([]string{value}, params[key][min(1, len(params[key])):]...)
		}
	}
	p.base = url.URL{Scheme: scheme, Host: host, Path: "/" + strings.Trim(all[labelPrefix], "/") + "/", RawQuery: params.Encode()}
	if p.base.Path == "//" {
		p.base.Path = "/"
	}
	if all[store.LabelService] == "" {
		all[store.LabelService] = cmp.Or(all[labelJob], j.Name)
	}
	if all[store.LabelInstance] == "" {
		all[store.LabelInstance], p.byAddress = host, true
	}
	delete(all, labelJob)
	delete(all, store.LabelKind) // the profiles'
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !strings.HasPrefix(name, "__") {
			p.labels = append(p.labels, store.Label{Name: name, Value: all[name]})
		}
	}
	return p, true, nil
}

// places returns the targets of a job, the number of those that rules dropped,
// and what is wrong with others.
func (j *Job) places(rules []*rule, files map[string]*targetFile) (out []place, dropped int, errs []error) {
	seen := map[string]bool{}
	add := func(g Group, file string) {
		for _, t := range g.Targets {
			p, keep, err := j.resolve(t, g.Labels, file, rules)
			switch {
			case err != nil:
				if file != "" {
					err = fmt.Errorf("%s: %w", file, err)
				}
				errs = append(errs, err)
			case !keep:
				dropped++
			case seen[p.key()]:
			case len(out) == j.MaxTargets:
				errs = append(errs, fmt.Errorf("there are more than %d targets, which is the limit (max_targets)", j.MaxTargets))
				return
			default:
				seen[p.key()] = true
				out = append(out, p)
			}
		}
	}
	for _, g := range j.Static {
		add(g, "")
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, g := range files[name].groups {
			add(g, name)
		}
	}
	tellApart(out)
	return out, dropped, errs
}

// tellApart gives places at one address whose labels are the same instances with
// their paths.
func tellApart(places []place) {
	same := map[string][]int{}
	for i := range places {
		if places[i].byAddress {
			labels := store.Labels(places[i].labels).String()
			same[labels] = append(same[labels], i)
		}
	}
	for _, group := range same {
		for _, i := range group {
			if p := &places[i]; len(group) > 1 {
				at := slices.IndexFunc(p.labels, func(l store.Label) bool { return l.Name == store.LabelInstance })
				p.labels[at].Value += strings.TrimSuffix(p.base.Path, "/")
			}
		}
	}
}
