package reports

import (
	"cmp"
	"context"
	"strings"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A code tells which code profiles were taken of, and finds what it was.
type code struct {
	build  func(*profile.Profile) *api.Build                                       // as in Config
	textAt func(ctx context.Context, file, revision string) (*srcfind.Text, error) // as in Config
}

// buildOf returns the code that a profile was taken of: what was recorded with it, or else
// the build information in its program; nil if neither is known.
func (c *code) buildOf(ctx context.Context, o *Opened) (*api.Build, error) {
	if o.Build != nil || o.Selection != nil || c.build == nil {
		return o.Build, nil
	}
	p, err := o.Load(ctx)
	if err != nil {
		return nil, err
	}
	return c.build(p), nil
}

// revisionOf returns the revision that all profiles of a side have.
func (c *code) revisionOf(ctx context.Context, side []Opened) (report.Revision, error) {
	var of report.Revision
	for i := range side {
		one, err := c.revision(ctx, &side[i])
		switch {
		case err != nil:
			return of, err
		case i == 0:
			of = one
		case one.Several || one.Name != of.Name:
			return report.Revision{Several: true}, nil
		default:
			of.Modified = of.Modified || one.Modified
		}
	}
	return of, nil
}

func (c *code) revision(ctx context.Context, o *Opened) (report.Revision, error) {
	build, err := c.buildOf(ctx, o)
	if err != nil {
		return report.Revision{}, err
	}
	if build != nil {
		return report.Revision{Name: cmp.Or(build.Revision, build.Version), Modified: build.Modified}, nil
	}
	if o.Parts == nil {
		return report.Revision{}, nil
	}
	versions, err := o.Parts.By(ctx, store.LabelVersion, "")
	switch {
	case err != nil:
		return report.Revision{}, err
	case len(versions) != 1:
		return report.Revision{Several: len(versions) > 1}, nil
	}
	// The agent's versions end like this if there were uncommitted changes.
	name, modified := strings.CutSuffix(versions[0].Value, "+dirty")
	return report.Revision{Name: name, Modified: modified}, nil
}

// side returns a side of a comparison of source. given is its revision if the request has it.
func (m *maker) sourceSide(ctx context.Context, q *query, opened []Opened, given string, p *profile.Profile, w *Warnings) (report.SourceOf, error) {
	r, err := report.New(p, "weblist", q.match, q.config.Options, w.Env(ctx, m.env, p))
	if err != nil {
		return report.SourceOf{}, err
	}
	of := report.SourceOf{Report: r, Revision: report.Revision{Name: given}}
	if given == "" {
		if of.Revision, err = m.code.revisionOf(ctx, opened); err != nil {
			return report.SourceOf{}, err
		}
	}
	if m.env.Text != nil {
		of.Texts = append(of.Texts, m.env.Text)
	}
	if name := of.Revision.Name; name != "" && m.code.textAt != nil {
		at := func(file string) (*srcfind.Text, error) { return m.code.textAt(ctx, file, name) }
		if of.Revision.Modified { // the file as it is now is likelier to have the changes
			of.Texts = append(of.Texts, at)
		} else {
			of.Texts = append([]func(string) (*srcfind.Text, error){at}, of.Texts...)
		}
	}
	return of, nil
}

func answerSourceDiff(ctx context.Context, m *maker, q *query) (*server.Answer, error) {
	s, err := m.sides(ctx, q)
	if err != nil {
		return nil, err
	}
	if s.scaling.Normalize && q.baseTotal == 0 { // shares refer to the filtered profiles
		s.scaling.Base, s.scaling.Head = []*profile.Profile{s.base.selected}, []*profile.Profile{s.head.selected}
	}
	bases, heads := profile.AlignLiterals([]*profile.Profile{s.scaling.ScaleBase(s.head.whole, s.base.whole)}, []*profile.Profile{s.head.whole})
	base, err := m.sourceSide(ctx, q, q.base, q.own["base_revision"], bases[0], s.warnings)
	if err != nil {
		return nil, err
	}
	head, err := m.sourceSide(ctx, q, q.head, q.own["revision"], heads[0], s.warnings)
	if err != nil {
		return nil, err
	}
	d, err := report.DiffSource(base, head)
	if err != nil {
		return nil, err
	}
	return reportAnswer(ctx, d, s.warnings, nil)
}
