package advisor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/pgo"
	"github.com/hone-go/hone/internal/tune"
	"github.com/hone-go/hone/profile"
)

// Advise examines profiles, marks earlier attempts, and keeps the findings for hone fix. benchmarks
// has the subjects that are benchmarks.
func (m *Module) Advise(ctx context.Context, inputs []advice.Input, benchmarks map[string]tune.Benchmark, o advice.Options) (*advice.Report, error) {
	report, err := m.Examine(ctx, inputs, o)
	if err != nil {
		return nil, err
	}
	_, unread, err := m.Mark(report.Findings)
	if err != nil {
		return nil, err
	}
	report.Unexamined = append(report.Unexamined, unread...)
	profiles := profilesToTry(report, inputs)
	if err := m.Store.Keep(report, benchmarks); err != nil {
		return nil, err
	}
	for f, p := range profiles { // what they were made of may be gone by the time of hone fix
		if _, _, err := pgo.Write(m.Store.Profile(f), p); err != nil {
			return nil, err
		}
	}
	return report, nil
}

// profilesToTry makes the PGO profiles for findings of pgo-off. A failure only becomes a caveat.
func profilesToTry(report *advice.Report, inputs []advice.Input) map[*advice.Finding]*profile.Profile {
	profiles := make(map[*advice.Finding]*profile.Profile)
	for i := range report.Findings {
		f := &report.Findings[i]
		if f.Try != advice.ByProfile {
			continue
		}
		var merged []pgo.Input
		for _, in := range inputs {
			if in.Subject == f.Evidence.Subject && pgo.HasCPU(in.Profile) {
				merged = append(merged, pgo.Input{Profile: in.Profile, Source: cmp.Or(in.Subject, "hone advise")})
			}
		}
		p, err := pgo.Merge(merged, pgo.Equal)
		if err != nil {
			f.Try, f.Caveats = "", append(f.Caveats, "a profile for the compiler can't be made of this one: "+err.Error())
			continue
		}
		profiles[f] = p
	}
	return profiles
}

// maxBenchmarks limits the benchmarks that a rewrite is measured with to the most affected ones: each
// takes about twenty seconds, or twice that.
const maxBenchmarks = 8

// maxSettingBenchmarks is the limit for settings, each of which is a measurement.
const maxSettingBenchmarks = 4

// Try proves a finding's rewrite or settings with the benchmarks it was seen in, and records the
// result, even if there is an error. Without settings it tries the default ones. Benchmarks are by
// subject, as in Advise.
func (m *Module) Try(ctx context.Context, t *tune.Tuner, f *advice.Finding, benchmarks map[string]tune.Benchmark, settings []string) (*tune.Result, error) {
	var of []bench.ID
	for _, subject := range f.Evidence.Subjects {
		if b, ok := benchmarks[subject]; ok && len(of) < maxBenchmarks {
			of = append(of, bench.ID(b))
		}
	}
	var r *tune.Result
	var err error
	switch f.Try {
	case advice.BySetting:
		r, err = t.TrySettings(ctx, f, of[:min(len(of), maxSettingBenchmarks)], settings)
	case advice.ByProfile:
		r, err = m.tryProfile(ctx, t, f)
	default:
		r, err = t.Try(ctx, f, of)
	}
	if r == nil {
		return nil, err
	}
	return r, errors.Join(err, m.Store.Record(r, f))
}

// tryProfile measures the gain of building with a finding's profile, and keeps the profile next to the
// main package if that is confirmed.
func (m *Module) tryProfile(ctx context.Context, t *tune.Tuner, f *advice.Finding) (*tune.Result, error) {
	file, err := filepath.Abs(m.Store.Profile(f))
	if err != nil {
		return nil, err
	}
	p, _, err := pgo.Read(file)
	if err == nil && p == nil {
		err = fmt.Errorf("the profile of %s is not here: hone advise PROFILE keeps it, or hone pgo makes default.pgo of it", f.ID)
	}
	if err != nil {
		return nil, err
	}
	target := filepath.Join(filepath.FromSlash(f.Package), pgo.FileName)
	module, _, err := pgo.Find(ctx, ".", target)
	if err != nil {
		return nil, err
	}
	if whole, err := filepath.Abs(filepath.Dir(target)); err != nil || module.Main != whole {
		return nil, fmt.Errorf("%s isn't the folder of a main package in this module: run hone fix where hone advise was run", whole)
	}
	if old, _, err := pgo.Read(target); err != nil || old != nil {
		return nil, fmt.Errorf("there is a %s since the advice was given: hone pgo -verify ./... measures it (%w)", target, cmp.Or(err, fs.ErrExist))
	}
	packages, err := pgo.Packages(p, module)
	if err != nil {
		return nil, err
	}
	r, err := t.TryProfile(ctx, f, file, packages)
	if err != nil || r.State != advice.Confirmed {
		return r, err
	}
	r.File = target
	_, r.Kept, err = pgo.Write(target, p)
	return r, err
}
