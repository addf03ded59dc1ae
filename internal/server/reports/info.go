package reports

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/profile"
)

func (s *Service) listProfiles(w http.ResponseWriter, r *http.Request) error {
	if err := server.OnlyParams(r); err != nil {
		return err
	}
	open := s.opener.open.list()
	if server.SeesAll(r.Context()) != nil {
		open = open[:0]
	}
	return server.WriteJSON(w, r, api.ProfileList{Profiles: open, Start: s.Start(), Offers: s.cfg.Offers})
}

// Start returns the query of the view that the command line asks for.
func (s *Service) Start() string {
	q := Unusual(&s.cfg.Options)
	if ids := s.opener.open.ids(s.cfg.Shown); len(ids) > 0 {
		q["profile"] = ids
	}
	if ids := s.opener.open.ids(s.cfg.Base); len(ids) > 0 {
		q["base"] = ids
	}
	return q.Encode()
}

func (s *Service) uploadProfile(w http.ResponseWriter, r *http.Request) error {
	if s.cfg.Decode == nil {
		return &server.Error{Status: http.StatusForbidden, Err: errNoUploads}
	}
	if err := server.SeesAll(r.Context()); err != nil {
		return err
	}
	if err := server.OnlyParams(r, "name"); err != nil {
		return err
	}
	share := s.srv.Share(w, r, 0)
	defer share.Close()
	name := displayName(r.URL.Query().Get("name"))
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.srv.Limits().Body))
	if err != nil {
		return err
	}
	select { // who has sent all of it
	case s.uploads <- struct{}{}:
		defer func() { <-s.uploads }()
	case <-r.Context().Done():
		return r.Context().Err()
	}
	p, err := s.cfg.Decode(ingest.WithShare(r.Context(), share), data)
	if err != nil {
		return err
	}
	about, fresh, err := s.opener.open.add(name, p)
	if err != nil {
		return err
	}
	a, err := server.JSONAnswer(r.Context(), about)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if fresh {
		status = http.StatusCreated
		w.Header().Set("Location", "/api/v1/profiles/"+about.ID)
	}
	return a.Write(w, r, status, "no-store")
}

// displayName bounds what an upload is called.
func displayName(name string) string {
	const most = 200
	name = strings.ToValidUTF8(strings.TrimSpace(name), "")
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	if name == "" {
		return "uploaded profile"
	}
	return name
}

func (s *Service) profileInfo(w http.ResponseWriter, r *http.Request) error {
	if err := server.OnlyParams(r); err != nil {
		return err
	}
	p, err := s.opener.id(r.Context(), r.PathValue("id"), time.Now())
	if err != nil {
		return err
	}
	a, err := server.Cached(r.Context(), s.srv.Cache, "info "+p.key(), func(ctx context.Context) (*server.Answer, int64, error) {
		warnings := NewWarnings()
		of, err := p.Load(ctx)
		if err != nil {
			return nil, 0, err
		}
		info, err := newInfo(p, of, warnings.Env(ctx, s.maker.env, of))
		if err != nil {
			return nil, 0, err
		}
		if about, ok := s.opener.open.about(p.ID); ok {
			info.Profile = about
		}
		if p.Selection != nil {
			info.Selection = p.Selection()
			info.Merged = int(info.Selection.Profiles)
		}
		a, err := server.JSONAnswer(ctx, struct {
			Profile  *api.Info `json:"profile"`
			Warnings []string  `json:"warnings"`
		}{info, warnings.list})
		if err != nil {
			return nil, 0, err
		}
		return a, a.Cost(), nil
	})
	if err != nil {
		return err
	}
	return a.Write(w, r, http.StatusOK, server.Revalidate)
}

// profileBuild answers which code a profile was taken of.
func (s *Service) profileBuild(w http.ResponseWriter, r *http.Request) error {
	if err := server.OnlyParams(r); err != nil {
		return err
	}
	o, err := s.opener.id(r.Context(), r.PathValue("id"), time.Now())
	if err != nil {
		return err
	}
	build, err := s.maker.code.buildOf(r.Context(), &o)
	if err != nil {
		return err
	}
	return server.WriteJSON(w, r, map[string]*api.Build{"build": build})
}

func newInfo(o Opened, p *profile.Profile, env report.Env) (*api.Info, error) {
	info := &api.Info{
		Profile:  api.Profile{ID: o.ID, Name: o.Name, Merged: 1, State: stateReady},
		Duration: p.DurationNanos, Period: p.Period, PeriodType: api.ValueType(p.PeriodType),
		Header: []string{}, SampleTypes: []api.ValueType{}, Comments: append([]string{}, p.Comments...), DocURL: p.DocURL,
		Foldable: report.Foldable(p), Samples: p.NumSamples(), Functions: len(p.Functions), Locations: len(p.Locations), Mappings: []api.Mapping{},
	}
	r, err := report.New(p, "top", "", report.DefaultOptions(), env)
	if err != nil {
		return nil, err
	}
	info.Header = append(info.Header, r.ProfileHeader()...)
	for _, t := range p.SampleTypes {
		info.SampleTypes = append(info.SampleTypes, api.ValueType(t))
	}
	if info.DefaultSampleType, err = p.SampleIndex(""); err != nil {
		return nil, err
	}
	if p.TimeNanos != 0 {
		info.Time = time.Unix(0, p.TimeNanos).UTC().Format(time.RFC3339Nano)
	}
	for _, m := range p.Mappings {
		info.Mappings = append(info.Mappings, api.Mapping{File: m.File, BuildID: m.BuildID})
	}
	info.Labels = labelKeys(p)
	return info, nil
}

// labelKeys returns the keys of a profile's labels, sorted. A key with strings
// and numbers is two.
func labelKeys(p *profile.Profile) []api.LabelKey {
	type key struct {
		key     profile.StringID
		numeric bool
	}
	type value struct {
		key
		str profile.StringID
		num int64
	}
	units, _ := p.NumLabelUnits()
	seen := map[value]bool{}
	counts := map[key]int{}
	for _, l := range p.Labels {
		v := value{key{l.Key, l.Numeric}, l.Str, l.Num}
		if !seen[v] {
			seen[v] = true
			counts[v.key]++
		}
	}
	keys := []api.LabelKey{}
	for k, n := range counts {
		lk := api.LabelKey{Key: p.Strings[k.key], Numeric: k.numeric, Values: n}
		if k.numeric {
			lk.Unit = units[lk.Key]
		}
		keys = append(keys, lk)
	}
	slices.SortFunc(keys, func(a, b api.LabelKey) int {
		if c := strings.Compare(a.Key, b.Key); c != 0 {
			return c
		}
		if a.Numeric == b.Numeric {
			return 0
		}
		if b.Numeric {
			return -1
		}
		return 1
	})
	return keys
}
