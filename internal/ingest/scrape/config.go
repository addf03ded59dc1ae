package scrape

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hone-go/hone/internal/credentials"
	"github.com/hone-go/hone/internal/store"
)

// A Job is a set of targets that are scraped in the same way. Comments give the default
// of each field.
type Job struct {
	Name     string   `toml:"name"`     // the service of targets that relabelling gives no other
	Interval Duration `toml:"interval"` // of scrapes of a target; 1m
	Timeout  Duration `toml:"timeout"`  // of a request, besides the seconds it records; 10s

	Scheme string              `toml:"scheme"` // http or https; http
	Prefix string              `toml:"prefix"` // of the profiles' paths; /debug/pprof/
	Params map[string][]string `toml:"params"` // of all requests

	Static  []Group   `toml:"static"`
	Files   []string  `toml:"files"` // patterns of files with groups: .json, .yaml or .toml; read again when they change, so replace them by renaming
	Relabel []Relabel `toml:"relabel"`

	// Profiles are by name. Those of DefaultProfiles need only what differs from
	// there, such as `profiles.allocs.enabled = true`.
	Profiles map[string]Profile `toml:"profiles"`

	Auth    credentials.Auth `toml:"auth"`
	TLS     credentials.TLS  `toml:"tls"`
	MaxBody int64            `toml:"max_body"` // bytes of a profile as it is sent; what the Receiver takes

	// MaxTargets bounds targets, so that a broken list can't take all memory; 10000.
	MaxTargets int `toml:"max_targets"`
}

// A Profile is a profile that is scraped from each target.
type Profile struct {
	Enabled *bool               `toml:"enabled"` // true; allocs and threadcreate: false
	Path    string              `toml:"path"`    // behind the prefix, unless it begins with a slash; the name
	Kind    string              `toml:"kind"`    // the name
	Seconds int                 `toml:"seconds"` // how long the target records; 10 for cpu, 0 for a profile of a moment
	Params  map[string][]string `toml:"params"`
	// Every is the shortest time between two, rounded to intervals; 10m for
	// goroutineleak, of which each is a garbage collection in the target, and
	// leaks stay.
	Every Duration `toml:"every"`
	// Optional profiles are none that a target must have: its answer that it has
	// none is no failure. It is asked again, in case that another program runs
	// there, after Every. True for goroutineleak, which programs have that were
	// built with Go 1.27 or later.
	Optional *bool `toml:"optional"`
	// Cumulative are the sample types that count from the start of the process.
	// What is kept is what they rise between scrapes. The ?seconds= that servers
	// offer for that would also subtract what doesn't count, such as inuse_space.
	Cumulative []string `toml:"cumulative"`
}

// Duration is a time.Duration that is written as "10s".
type Duration time.Duration

// UnmarshalText reads a duration as time.ParseDuration does.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// MarshalText returns the duration as it is written.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// DefaultProfiles are those of net/http/pprof, except allocs, which has the same values
// as heap.
func DefaultProfiles() map[string]Profile {
	off, on := new(bool), new(bool)
	*on = true
	allocated := []string{"alloc_objects", "alloc_space"}
	contended := []string{"contentions", "delay"}
	return map[string]Profile{
		"cpu":           {Path: "profile", Seconds: 10},
		"heap":          {Cumulative: allocated},
		"allocs":        {Cumulative: allocated, Enabled: off},
		"mutex":         {Cumulative: contended},
		"block":         {Cumulative: contended},
		"goroutine":     {},
		"goroutineleak": {Every: Duration(10 * time.Minute), Optional: on},
		"threadcreate":  {Enabled: off},
	}
}

const minInterval = 100 * time.Millisecond

// withDefaults returns the job with its defaults filled in, of profiles the
// enabled ones alone.
func (j Job) withDefaults() Job {
	j.Interval = cmp.Or(j.Interval, Duration(time.Minute))
	j.Timeout = cmp.Or(j.Timeout, Duration(10*time.Second))
	j.Scheme = cmp.Or(j.Scheme, "http")
	j.Prefix = cmp.Or(j.Prefix, "/debug/pprof/")
	j.MaxTargets = cmp.Or(j.MaxTargets, 10_000)
	profiles := DefaultProfiles()
	for name, p := range j.Profiles {
		d := profiles[name]
		if p.Enabled == nil {
			p.Enabled = d.Enabled
		}
		p.Path = cmp.Or(p.Path, d.Path)
		p.Seconds = cmp.Or(p.Seconds, d.Seconds)
		p.Every = cmp.Or(p.Every, d.Every)
		p.Optional = cmp.Or(p.Optional, d.Optional)
		if p.Cumulative == nil {
			p.Cumulative = d.Cumulative
		}
		profiles[name] = p
	}
	maps.DeleteFunc(profiles, func(_ string, p Profile) bool { return p.Enabled != nil && !*p.Enabled })
	for name, p := range profiles {
		p.Path, p.Kind = cmp.Or(p.Path, name), cmp.Or(p.Kind, name)
		profiles[name] = p
	}
	j.Profiles = profiles
	return j
}

// Check returns all errors in the configuration of jobs.
func Check(jobs []Job) error {
	var errs []error
	for i, j := range jobs {
		name := fmt.Sprintf("scrape job %q", j.Name)
		if j.Name == "" {
			name = fmt.Sprintf("scrape job %d", i+1)
			errs = append(errs, fmt.Errorf("%s has no name", name))
		}
		if !printable(j.Name) {
			errs = append(errs, fmt.Errorf("%s: the name is a label of metrics, so all of its characters must be printable", name))
		}
		if slices.ContainsFunc(jobs[:i], func(o Job) bool { return o.Name == j.Name }) {
			errs = append(errs, fmt.Errorf("there are two scrape jobs %q", j.Name))
		}
		for _, err := range j.check() {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// printable reports whether a name can be shown as it is. Names are in the text of metrics, which
// escapes nothing but quotes and ends of lines.
func printable(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

func (j Job) check() (errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	full := j.withDefaults()
	if d := time.Duration(full.Interval); d < minInterval {
		fail("the interval %v is shorter than %v", d, minInterval)
	}
	if full.Timeout < 0 {
		fail("the timeout %v is negative", time.Duration(full.Timeout))
	}
	if full.Scheme != "http" && full.Scheme != "https" {
		fail("invalid scheme %q: use http or https", full.Scheme)
	}
	if j.MaxBody < 0 || j.MaxTargets < 0 {
		fail("max_body and max_targets can't be negative")
	}
	if len(full.Profiles) == 0 {
		fail("no profile is enabled")
	}
	recorded := time.Duration(0)
	for name, p := range full.Profiles {
		if !printable(name) {
			fail("profile %q: the name is a label of metrics, so all of its characters must be printable", name)
		}
		if p.Every < 0 {
			fail("profile %s: every is negative", name)
		}
		if p.Seconds < 0 {
			fail("profile %s: seconds is negative", name)
		}
		recorded += time.Duration(p.Seconds) * time.Second
		if u, err := url.Parse(p.Path); err != nil || u.IsAbs() || u.Host != "" || u.RawQuery != "" || u.Fragment != "" {
			fail("profile %s: invalid path %q", name, p.Path)
		}
	}
	if recorded >= time.Duration(full.Interval) {
		fail("recording %v per target doesn't fit into the interval %v: profiles are taken one after the other", recorded, time.Duration(full.Interval))
	}
	for i := range j.Relabel {
		if _, err := j.Relabel[i].compile(); err != nil {
			fail("relabel rule %d: %w", i+1, err)
		}
	}
	for _, pattern := range j.Files {
		if _, err := filepath.Match(pattern, ""); err != nil {
			fail("files: %q: %w", pattern, err)
		} else if _, err := formatOf(pattern); err != nil {
			fail("files: %w", err)
		}
	}
	for _, g := range j.Static {
		if err := g.check(full); err != nil {
			fail("static targets: %w", err)
		}
	}
	errs = append(errs, j.Auth.Check()...)
	if _, err := j.TLS.Config(); err != nil {
		fail("tls: %w", err)
	}
	return errs
}

// check reports targets and labels that can't be right.
func (g Group) check(j Job) error {
	for _, t := range g.Targets {
		if _, _, _, err := splitTarget(t, j.Scheme, j.Prefix); err != nil {
			return err
		}
	}
	for name := range g.Labels {
		if err := store.CheckName(name); err != nil {
			return err
		}
	}
	return nil
}

// splitTarget returns the parts of a target: host:port, or a URL.
func splitTarget(text, scheme, prefix string) (s, host, path string, err error) {
	full := text
	if !strings.Contains(text, "://") {
		full = scheme + "://" + text
	}
	u, err := url.Parse(full)
	switch {
	case err != nil:
		return "", "", "", fmt.Errorf("target %q: %w", text, err)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", "", "", fmt.Errorf("target %q: invalid scheme: use http or https", text)
	case u.Host == "" || u.Hostname() == "":
		return "", "", "", fmt.Errorf("target %q has no host", text)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || full != text && u.Path != "":
		return "", "", "", fmt.Errorf("invalid target %q: use host:port, or a URL with only a host and a path", text)
	}
	if u.Path != "" && u.Path != "/" {
		prefix = u.Path
	}
	return u.Scheme, u.Host, prefix, nil
}
