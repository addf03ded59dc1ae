package server

import (
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Info is what is known of a profile, as doc/api.md describes it.
type Info struct {
	Profile
	Header            []string    `json:"header"`
	SampleTypes       []ValueType `json:"sampleTypes"`
	DefaultSampleType int         `json:"defaultSampleType"`
	Time              string      `json:"time,omitempty"`
	Duration          int64       `json:"duration"`
	Period            int64       `json:"period"`
	PeriodType        ValueType   `json:"periodType"`
	Comments          []string    `json:"comments"`
	DocURL            string      `json:"docURL,omitempty"`
	Samples           int         `json:"samples"`
	Functions         int         `json:"functions"`
	Locations         int         `json:"locations"`
	Mappings          []Mapping   `json:"mappings"`
	Labels            []LabelKey  `json:"labels"`

	Selection *SelectionInfo `json:"selection,omitempty"`
}

// SelectionInfo is what is known of a selection besides.
type SelectionInfo struct {
	Q          string  `json:"q"`
	From       int64   `json:"from,omitempty"` // ms since 1970
	To         int64   `json:"to,omitempty"`   // ms since 1970
	SampleType string  `json:"sampleType,omitempty"`
	Top        float64 `json:"top,omitempty"`
	ID         string  `json:"id,omitempty"`
	Per        string  `json:"per"`
	Profiles   int64   `json:"profiles"`
	Duration   int64   `json:"duration"` // ns
	Last       int64   `json:"last"`     // ms since 1970
}

// ValueType is a kind of value and its unit.
type ValueType struct {
	Type string `json:"type"`
	Unit string `json:"unit"`
}

// Mapping is a program or library.
type Mapping struct {
	File    string `json:"file"`
	BuildID string `json:"buildID"`
}

// LabelKey is a key of labels; Values counts the different ones.
type LabelKey struct {
	Key     string `json:"key"`
	Numeric bool   `json:"numeric"`
	Unit    string `json:"unit,omitempty"`
	Values  int    `json:"values"`
}

func (s *Server) listProfiles(w http.ResponseWriter, r *http.Request) error {
	open := s.profiles.list()
	if seesAll(r.Context()) != nil {
		open = open[:0]
	}
	a, err := jsonAnswer(struct {
		Profiles []Profile `json:"profiles"`
		Start    string    `json:"start"`
		Runs     bool      `json:"runs,omitempty"` // whether there are kept runs to look at
		// Continuous tells whether there is a store to select profiles from.
		Continuous bool `json:"continuous,omitempty"`
	}{open, s.Start(), s.cfg.Runs != nil, s.store != nil})
	if err != nil {
		return err
	}
	return a.write(w, r, http.StatusOK, revalidate)
}

// Start returns the query of the view that the command line asks for.
func (s *Server) Start() string {
	q := unusual(&s.cfg.Options)
	if ids := s.profiles.ids(s.cfg.Shown); len(ids) > 0 {
		q["profile"] = ids
	}
	if ids := s.profiles.ids(s.cfg.Base); len(ids) > 0 {
		q["base"] = ids
	}
	return q.Encode()
}

func (s *Server) uploadProfile(w http.ResponseWriter, r *http.Request) error {
	if s.cfg.Decode == nil {
		return &requestError{http.StatusForbidden, "", errNoUploads}
	}
	if err := seesAll(r.Context()); err != nil {
		return err
	}
	select {
	case s.uploads <- struct{}{}:
		defer func() { <-s.uploads }()
	case <-r.Context().Done():
		return r.Context().Err()
	}
	name := displayName(r.URL.Query().Get("name"))
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.Body))
	if err != nil {
		return err
	}
	p, err := s.cfg.Decode(r.Context(), data)
	if err != nil {
		return err
	}
	about, fresh, err := s.profiles.add(name, p)
	if err != nil {
		return err
	}
	a, err := jsonAnswer(about)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if fresh {
		status = http.StatusCreated
		w.Header().Set("Location", "/api/v1/profiles/"+about.ID)
	}
	return a.write(w, r, status, "no-store")
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

func (s *Server) profileInfo(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	var p opened
	var facts *SelectionInfo
	var err error
	if strings.HasPrefix(id, selectionPrefix) {
		p, facts, err = s.selectionInfo(r.Context(), id)
	} else {
		p, err = s.open(r.Context(), id, time.Now())
	}
	if err != nil {
		return err
	}
	a, err := cached(r.Context(), s.cache, "info "+p.key(), func(ctx context.Context) (*answer, int64, error) {
		warnings := newWarnings()
		of, err := p.get(ctx)
		if err != nil {
			return nil, 0, err
		}
		info, err := newInfo(p, of, s.env(warnings))
		if err != nil {
			return nil, 0, err
		}
		if about, ok := s.profiles.about(p.id); ok {
			info.Profile = about
		}
		if info.Selection = facts; facts != nil {
			info.Merged = int(facts.Profiles)
		}
		a, err := jsonAnswer(struct {
			Profile  *Info    `json:"profile"`
			Warnings []string `json:"warnings"`
		}{info, warnings.list})
		if err != nil {
			return nil, 0, err
		}
		return a, a.cost(), nil
	})
	if err != nil {
		return err
	}
	return a.write(w, r, http.StatusOK, revalidate)
}

// selectionInfo returns a selection with what the store says of it.
func (s *Server) selectionInfo(ctx context.Context, id string) (opened, *SelectionInfo, error) {
	sel, err := parseSelection(id, time.Now())
	if err != nil {
		return opened{}, nil, badParam("profile", "%w", err)
	}
	p, total, err := s.openSelection(ctx, sel)
	if err != nil {
		return opened{}, nil, err
	}
	facts := &SelectionInfo{
		Q: sel.selector.String(), From: milliseconds(sel.from), To: milliseconds(sel.to), SampleType: sel.sampleType, Top: sel.top, Per: sel.per,
		Profiles: total.Profiles, Duration: total.Duration, Last: milliseconds(total.Last),
	}
	if sel.id != (store.ID{}) {
		facts.ID = hex.EncodeToString(sel.id[:])
	}
	return p, facts, nil
}

func newInfo(o opened, p *profile.Profile, env report.Env) (*Info, error) {
	info := &Info{
		Profile:  Profile{ID: o.id, Name: o.name, Merged: 1, State: stateReady},
		Duration: p.DurationNanos, Period: p.Period, PeriodType: ValueType(p.PeriodType),
		Header: []string{}, SampleTypes: []ValueType{}, Comments: append([]string{}, p.Comments...), DocURL: p.DocURL,
		Samples: p.NumSamples(), Functions: len(p.Functions), Locations: len(p.Locations), Mappings: []Mapping{},
	}
	r, err := report.New(p, "top", "", report.DefaultOptions(), env)
	if err != nil {
		return nil, err
	}
	info.Header = append(info.Header, r.ProfileHeader()...)
	for _, t := range p.SampleTypes {
		info.SampleTypes = append(info.SampleTypes, ValueType(t))
	}
	if info.DefaultSampleType, err = p.SampleIndex(""); err != nil {
		return nil, err
	}
	if p.TimeNanos != 0 {
		info.Time = time.Unix(0, p.TimeNanos).UTC().Format(time.RFC3339Nano)
	}
	for _, m := range p.Mappings {
		info.Mappings = append(info.Mappings, Mapping{m.File, m.BuildID})
	}
	info.Labels = labelKeys(p)
	return info, nil
}

// labelKeys returns the keys of a profile's labels, sorted. A key with strings
// and numbers is two.
func labelKeys(p *profile.Profile) []LabelKey {
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
	keys := []LabelKey{}
	for k, n := range counts {
		lk := LabelKey{Key: p.Strings[k.key], Numeric: k.numeric, Values: n}
		if k.numeric {
			lk.Unit = units[lk.Key]
		}
		keys = append(keys, lk)
	}
	slices.SortFunc(keys, func(a, b LabelKey) int {
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
