package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// DefaultSettings are tried where nobody names others, and behind them a limit on
// memory: see limitSetting.
var DefaultSettings = []string{"GOGC=200", "GOGC=400"}

// CheckSetting reports what is wrong with a setting. Go programs end at once if
// GOMEMLIMIT is malformed, and take the default for a GOGC that is.
func CheckSetting(setting string) error {
	variables := strings.Fields(setting)
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		form, ok := settingForms[name]
		if !ok || !form.MatchString(value) {
			return fmt.Errorf("invalid setting %q: use GOGC=300 or 'GOGC=off GOMEMLIMIT=512MiB'", setting)
		}
	}
	if len(variables) == 0 {
		return errors.New("the setting is empty")
	}
	return nil
}

var settingForms = map[string]*lazyregexp.Regexp{
	"GOGC":       lazyregexp.New(`^(off|\d{1,9})$`),
	"GOMEMLIMIT": lazyregexp.New(`^(off|\d{1,18}(B|KiB|MiB|GiB|TiB)?)$`),
}

// goDefaults are what programs take for variables that are not set.
var goDefaults = map[string]string{"GOGC": "100", "GOMEMLIMIT": "off"}

// unset is what the variables of a setting are without it. They are named with their
// defaults, so that environments are of one size: it moves what comes behind them.
func unset(setting string) (variables []string) {
	for v := range strings.FieldsSeq(setting) {
		name, _, _ := strings.Cut(v, "=")
		value := os.Getenv(name)
		if value == "" {
			value = goDefaults[name]
		}
		variables = append(variables, name+"="+value)
	}
	return variables
}

// TrySettings measures benchmarks with each of some settings against without, or with
// the usual ones. No file is changed, as a setting has none. An error ends it: beside a
// result that has those tried before.
func (t *Tuner) TrySettings(ctx context.Context, f *advice.Finding, benchmarks []bench.ID, settings []string) (*Result, error) {
	if len(benchmarks) == 0 {
		return nil, fmt.Errorf("%s does not come from a benchmark of this module, and only benchmarks can try settings: run hone advise ./... first", f.ID)
	}
	r := &Result{Finding: f.ID, Rule: f.Rule, Time: time.Now().UTC().Truncate(time.Second)}
	limit := len(settings) == 0
	if limit {
		settings = DefaultSettings
	}
	try := func(setting string, benchmarks []bench.ID) error {
		trial, err := t.trySetting(ctx, setting, benchmarks)
		if err == nil {
			r.Settings = append(r.Settings, *trial)
		}
		return err
	}
	var err error
	for _, s := range settings {
		if err = try(s, benchmarks); err != nil {
			break
		}
	}
	if limit && err == nil {
		trial, large := limitSetting(r.Settings)
		if len(large) > 0 {
			err = try(trial.Setting, large)
		} else {
			r.Settings = append(r.Settings, *trial)
		}
	}
	if err != nil && len(r.Settings) == 0 {
		return nil, err
	}
	r.State, r.Why = sumSettings(r.Settings)
	return r, err
}

func (t *Tuner) trySetting(ctx context.Context, setting string, benchmarks []bench.ID) (*SettingTrial, error) {
	base, head := unset(setting), strings.Fields(setting)
	if strings.Join(base, " ") == strings.Join(head, " ") {
		return &SettingTrial{Setting: setting, Why: "it is already set"}, nil
	}
	b := t.Bench
	b.Dir, b.PeakRSS = t.Dir, true
	b.Packages, b.Pattern = selection(benchmarks)
	t.stage("measure", setting)
	report, err := b.AgainstSetting(ctx, strings.Join(base, " "), base, head)
	if err != nil {
		return nil, err
	}
	judged := judgeSetting(report.Family)
	judged.Setting, judged.Run = setting, report.ID
	return &judged, nil
}

// judgeSetting says what a measurement made of a setting. Only time counts: a setting trades
// memory for it, which is told beside, and for the user to weigh.
func judgeSetting(f *experiment.Family) SettingTrial {
	s := SettingTrial{State: advice.Inconclusive, Why: "the benchmarks could not be measured"}
	if f == nil {
		return s
	}
	s.Changes = Changes(f)
	t := timesOf(f)
	switch {
	case t.none():
	case len(t.slower) > 0:
		s.State, s.Why = advice.Refuted, "slower: "+list(t.slower)
	case len(t.faster) > 0:
		s.State, s.Why = advice.Confirmed, list(t.faster)
	case len(t.open) > 0:
		s.Why = "the measurement is too noisy to tell: " + moreSamples
	default:
		s.State, s.Why = advice.Refuted, "measured, and no faster"
	}
	return s
}

// Lines are "Parse-2 −11.0 % [−13.1, −9.0], +180 MB peak (96 → 276 MB)", one for each
// benchmark.
func (s *SettingTrial) Lines() []string {
	var lines []string
	for i := range s.Changes {
		c := &s.Changes[i]
		if !c.IsClock() {
			continue
		}
		line := fmt.Sprintf("%s %.4g → %.4g %s", c.Benchmark, c.Before, c.After, c.Unit)
		if c.Ratio > 0 {
			line = fmt.Sprintf("%s%s %s %% [%s, %s]", c.Benchmark, words(c.Unit), percent(c.Ratio), percent(c.Low), percent(c.High))
		}
		if peak := s.peak(c); peak != nil {
			line += fmt.Sprintf(", %s MB peak (%s → %s MB)", megabytes("%+.*f", peak.After-peak.Before), megabytes("%.*f", peak.Before), megabytes("%.*f", peak.After))
		}
		lines = append(lines, line)
	}
	return lines
}

// peak is the change in memory of the benchmark of another change.
func (s *SettingTrial) peak(of *Change) *Change {
	for i := range s.Changes {
		if c := &s.Changes[i]; c.Unit == experiment.PeakRSS && c.Package == of.Package && c.Benchmark == of.Benchmark {
			return c
		}
	}
	return nil
}

// megabytes prints bytes in MB of 10⁶, with a digit behind the point below 10.
func megabytes(format string, bytes float64) string {
	mb, digits := bytes/1e6, 0
	if math.Abs(mb) < 9.95 {
		digits = 1
	}
	return strings.Replace(fmt.Sprintf(format, digits, mb), "-", "−", 1)
}

const (
	// leastLimited is the peak of a process from which on a limit on its memory says
	// something: a Go program that does nothing has some 8 MB, and with a few MB
	// alive any limit that a service could have means no collection at all.
	leastLimited = 64e6
	// limitFactor is how much of its peak without a limit a process may have with it.
	limitFactor = 2
)

// limitSetting is the trial of a limit on memory instead of a rate: no collection until
// the process has twice of what it had at most, and then as many as keep it there. It
// returns the benchmarks for which that means something, none with the reason.
func limitSetting(trials []SettingTrial) (trial *SettingTrial, large []bench.ID) {
	trial = &SettingTrial{Setting: "GOGC=off GOMEMLIMIT=…"}
	most, all := 0.0, 0.0
	for _, s := range trials {
		for _, c := range s.Changes {
			if c.Unit != experiment.PeakRSS {
				continue
			}
			all = max(all, c.Before)
			if c.Before < leastLimited {
				continue
			}
			most = max(most, c.Before)
			large = append(large, bench.ID{Package: c.Package, Benchmark: c.Benchmark})
		}
		if all > 0 {
			break // one measurement of what it is without any setting is enough
		}
	}
	switch {
	case all == 0:
		trial.Why = "the memory use without a limit is unknown here, so give a limit to try: -try 'GOGC=off GOMEMLIMIT=512MiB'"
	case len(large) == 0:
		trial.Why = fmt.Sprintf("the process has at most %s MB: with so little memory, any realistic limit turns collection off, which says nothing about a program with more", megabytes("%.*f", all))
	default:
		trial.Setting = fmt.Sprintf("GOGC=off GOMEMLIMIT=%dMiB", int64(math.Ceil(limitFactor*most/(1<<20))))
	}
	return trial, large
}

// sumSettings says what became of all settings: confirmed if one is.
func sumSettings(trials []SettingTrial) (state advice.State, why string) {
	var confirmed []string
	state, why = advice.Inconclusive, "no setting was tried"
	for _, s := range trials {
		switch s.State {
		case advice.Refuted:
			if why == "no setting was tried" {
				state, why = advice.Refuted, "no setting that was tried makes it faster"
			}
		case advice.Confirmed:
			confirmed = append(confirmed, s.Setting+": "+strings.Join(s.Lines(), "; "))
		case advice.Inconclusive:
			state, why = advice.Inconclusive, "for some settings, the measurement is too noisy to tell"
		}
	}
	if len(confirmed) > 0 {
		state, why = advice.Confirmed, list(confirmed)
	}
	return state, why
}
