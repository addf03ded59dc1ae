package fnmetrics

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/store"
)

// Config has the rules, and what holds for all of them. Zero values stand for those of
// DefaultConfig.
type Config struct {
	// Interval is the time that a value covers, unless the rule says otherwise.
	Interval time.Duration
	// Delay is how long after its end an interval is measured: the time that profiles
	// take to arrive; the interval of the rule.
	Delay time.Duration
	// Limit is the maximum number of series of all rules.
	Limit int
	// Budget is the share of one CPU that measuring may take.
	Budget float64
	Rules  []RuleConfig
}

// A RuleConfig is a rule as a configuration has it.
type RuleConfig struct {
	Name string // of the metric, without its unit
	Help string
	// Select selects profiles of one kind, such as cpu{service="shop"}.
	Select     string
	SampleType string // the usual one of the kind
	// Functions and Packages are patterns for whole names; a function must match both.
	// "" matches all, but one of them is required.
	Functions string
	Packages  string
	Value     string // ValueAbsolute or ValueShare; ValueAbsolute
	Callees   bool   // what the functions call counts as well
	// By has the labels of the series: labels of the profiles, ByFunction and ByPackage.
	By       []string
	Limit    int // maximum number of series; 100
	Interval time.Duration
}

const (
	ValueAbsolute = "absolute"
	ValueShare    = "share"

	// ByFunction and ByPackage are labels of functions, besides those of profiles.
	ByFunction = "function"
	ByPackage  = "package"
)

// DefaultConfig returns the defaults, without rules.
func DefaultConfig() Config { return Config{Interval: time.Minute, Limit: 2000, Budget: 0.05} }

const (
	ruleLimit = 100 // series

	minInterval = 10 * time.Second
	maxInterval = 24 * time.Hour
	maxDelay    = 24 * time.Hour
	maxLimit    = 100_000
	maxRules    = 1000
	maxLabels   = 10
)

// A Rule is a checked rule. It doesn't change.
type Rule struct {
	RuleConfig // with its defaults
	Delay      time.Duration

	source     source
	functions  *regexp.Regexp // nil matches all
	packages   *regexp.Regexp
	by         []string // the labels of By that profiles have
	byFunction bool
	byPackage  bool
}

// A Plan is a checked configuration.
type Plan struct {
	Limit  int
	Budget float64
	Rules  []*Rule
}

// Compile checks a configuration. The error has all that is wrong, joined.
func Compile(c Config) (*Plan, error) {
	var errs []error
	fail := func(key, format string, args ...any) { errs = append(errs, fmt.Errorf(key+": "+format, args...)) }
	usual := DefaultConfig()
	c.Interval, c.Limit, c.Budget = cmp.Or(c.Interval, usual.Interval), cmp.Or(c.Limit, usual.Limit), cmp.Or(c.Budget, usual.Budget)
	if c.Interval < minInterval || c.Interval > maxInterval {
		fail("interval", "invalid duration %v: use %v to %v", c.Interval, minInterval, maxInterval)
	}
	if c.Delay < 0 || c.Delay > maxDelay {
		fail("delay", "invalid duration %v: use 1s to %v", c.Delay, maxDelay)
	}
	if c.Limit < 0 || c.Limit > maxLimit {
		fail("limit", "invalid number of series %d: use 1 to %d", c.Limit, maxLimit)
	}
	if c.Budget < 0 || c.Budget > 1 {
		fail("budget", "invalid share of a CPU %v: use a number such as 0.05, at most 1", c.Budget)
	}
	if len(c.Rules) > maxRules {
		fail("rule", "too many rules: %d, the limit is %d", len(c.Rules), maxRules)
		c.Rules = nil
	}
	p := &Plan{Limit: c.Limit, Budget: c.Budget}
	for i, rc := range c.Rules {
		name := fmt.Sprintf("rule %d", i+1)
		if rc.Name != "" {
			name = fmt.Sprintf("rule %q", rc.Name)
		}
		r, err := c.compile(rc)
		for _, e := range flat(err) {
			errs = append(errs, fmt.Errorf("%s: %w", name, e))
		}
		for _, other := range p.Rules {
			if rc.Name != "" && base(other.Name) == base(rc.Name) {
				errs = append(errs, fmt.Errorf("%s: name: rule %q makes the same metric: choose another name", name, other.Name))
				break
			}
		}
		p.Rules = append(p.Rules, r)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return p, nil
}

// flat returns the errors that were joined into one.
func flat(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// compile checks a rule.
func (c *Config) compile(rc RuleConfig) (*Rule, error) {
	var errs []error
	blame := func(key string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key, err))
		}
	}
	rc.Interval = cmp.Or(rc.Interval, c.Interval)
	rc.Limit, rc.Value = cmp.Or(rc.Limit, ruleLimit), cmp.Or(rc.Value, ValueAbsolute)
	r := &Rule{RuleConfig: rc, Delay: cmp.Or(c.Delay, rc.Interval)}
	blame("name", checkName(rc.Name))
	if rc.Functions == "" && rc.Packages == "" {
		blame("functions", errors.New("missing: give a pattern in functions or packages"))
	}
	var err error
	r.functions, err = pattern(rc.Functions)
	blame("functions", err)
	r.packages, err = pattern(rc.Packages)
	blame("packages", err)
	if rc.Value != ValueAbsolute && rc.Value != ValueShare {
		blame("value", fmt.Errorf("unknown value %q: use %s or %s", rc.Value, ValueAbsolute, ValueShare))
	}
	if rc.Limit < 1 || rc.Limit > maxLimit {
		blame("limit", fmt.Errorf("invalid number of series %d: use 1 to %d", rc.Limit, maxLimit))
	}
	if rc.Interval < minInterval || rc.Interval > maxInterval {
		blame("interval", fmt.Errorf("invalid duration %v: use %v to %v", rc.Interval, minInterval, maxInterval))
	}
	blame("by", checkLabels(rc.By))
	selector, kind, err := readSelect(rc.Select)
	blame("select", err)
	for _, name := range rc.By {
		switch name {
		case ByFunction:
			r.byFunction = true
		case ByPackage:
			r.byPackage = true
		default:
			r.by = append(r.by, name)
		}
	}
	r.source = newSource(selector, cmp.Or(rc.SampleType, usualColumn(kind)), r.by, rc.Value == ValueAbsolute, rc.Interval)
	return r, errors.Join(errs...)
}

// checkName checks the name of a rule. Names with a colon are for recording rules of Prometheus.
func checkName(name string) error {
	if name == "" {
		return errors.New("missing: give the name of the metric, such as shop_json")
	}
	for i, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return fmt.Errorf("invalid name %q: use letters, digits and _, and start with a letter", name)
		}
	}
	if strings.HasPrefix(name, "hone_function_metric") || strings.HasPrefix(name, "__") {
		return fmt.Errorf("the name %q is reserved: choose another one", name)
	}
	for _, suffix := range []string{"_total", "_count", "_sum", "_bucket", "_created", "_info"} {
		if strings.HasSuffix(name, suffix) {
			return fmt.Errorf("the name %q ends like one of a counter or histogram: leave out %s", name, suffix)
		}
	}
	return nil
}

// pattern returns a pattern that matches whole names; nil for "".
func pattern(text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	if err := store.CheckPattern(text); err != nil {
		return nil, err
	}
	return regexp.Compile("^(?s:" + text + ")$")
}

// checkLabels checks the labels of series. Prometheus versions before 3 get names with _ in
// place of other characters, which may not make two names equal.
func checkLabels(names []string) error {
	if len(names) > maxLabels {
		return fmt.Errorf("too many labels: %d, the limit is %d", len(names), maxLabels)
	}
	known := map[string]string{}
	for _, name := range names {
		if !store.IsPlain(name) {
			return fmt.Errorf("invalid label name %q: use letters, digits, _ . and -, and start with a letter or _", name)
		}
		if strings.HasPrefix(name, "__") {
			return fmt.Errorf("the label name %q is reserved in Prometheus", name)
		}
		plain := strings.NewReplacer(".", "_", "-", "_").Replace(name)
		if other, ok := known[plain]; ok {
			return fmt.Errorf("the labels %q and %q have the same name in Prometheus: leave out one", other, name)
		}
		known[plain] = name
	}
	return nil
}

// readSelect reads a selector, which must select one kind of profiles.
func readSelect(text string) (selector store.Selector, kind string, err error) {
	if text == "" {
		return nil, "", errors.New(`missing: give the profiles, such as cpu{service="shop"}`)
	}
	selector, err = store.ParseSelector(text)
	if err != nil {
		return nil, "", err
	}
	for _, m := range selector {
		if m.Name == store.LabelKind && m.Op == store.Equal {
			return selector, m.Value, nil
		}
	}
	return nil, "", fmt.Errorf(`%q selects several kinds of profiles: begin with one, such as cpu{service="shop"}`, text)
}

// usualColumn returns the sample type that a kind of profiles is measured in. "" is the
// default of the profile.
func usualColumn(kind string) string {
	switch kind {
	case "cpu":
		return "cpu"
	case "allocs":
		return "alloc_space"
	case "heap":
		return "inuse_space"
	case "mutex", "block":
		return "delay"
	}
	return ""
}

// Same reports whether two rules measure the same, with the same name.
func (r *Rule) Same(o *Rule) bool { return r.ID() == o.ID() }

// ID contains all of the rule.
func (r *Rule) ID() string {
	return fmt.Sprintf("%q %q %q %q %q %q %q %v %q %d %v %v", r.Name, r.Help, r.Select, r.SampleType, r.Functions, r.Packages, r.Value, r.Callees, r.By, r.Limit, r.Interval, r.Delay)
}
