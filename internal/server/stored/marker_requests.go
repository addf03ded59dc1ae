package stored

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/store"
)

// maxMarkerBody limits the body of a request, in bytes.
const maxMarkerBody = 32 << 10

func (s *Service) listMarkers(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, []string{"from", "to", "service", "profile"})
	if err != nil {
		return err
	}
	sel, err := p.selection(false)
	if err != nil {
		return err
	}
	all := s.cfg.Markers.List(auth.From(r.Context()), p.Get("service"), sel.From, sel.To)
	if id := p.Get("profile"); id != "" {
		on, err := noted(id)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(m api.Marker) bool { return m.Profile != on.String() })
	}
	return server.WriteJSON(w, r, map[string][]api.Marker{"markers": all})
}

// noted parses the id of a selection that notes are on.
func noted(id string) (*api.Selection, error) {
	if !strings.HasPrefix(id, api.SelectionPrefix) {
		return nil, server.BadParam("profile", "invalid profile %q: notes are on selections, whose ids begin with %s", id, api.SelectionPrefix)
	}
	sel, err := api.ParseSelection(id, time.Now())
	if err != nil {
		return nil, server.BadParam("profile", "profile: %w", err)
	}
	sel.SampleType, sel.Top, sel.Per = "", 0, "" // a note is about the profiles, however they are shown
	return sel, nil
}

// serviceOf returns the service that a selection selects, "" for several.
func (s *Service) serviceOf(ctx context.Context, sel *api.Selection) (string, error) {
	if sel.ID == (store.ID{}) {
		for _, m := range sel.Selector {
			if m.Name == store.LabelService && m.Op == store.Equal {
				return m.Value, nil
			}
		}
		return "", nil
	}
	all, err := s.selections.store.Labels(ctx, store.Query{ID: sel.ID})
	if err != nil {
		return "", err
	}
	for _, l := range all {
		if l.Name == store.LabelService && len(l.Values) == 1 {
			return l.Values[0], nil
		}
	}
	return "", server.NotFound("no profile %s", sel)
}

func (s *Service) postMarker(w http.ResponseWriter, r *http.Request) error {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMarkerBody))
	if err != nil {
		return err
	}
	var body struct {
		Time    json.RawMessage `json:"time"`
		Service string          `json:"service"`
		Version string          `json:"version"`
		Text    string          `json:"text"`
		Profile string          `json:"profile"`
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return server.BadParam("", `invalid body, want {"time": …, "service": "…", "version": "…", "text": "…"}: %w`, err)
	}
	principal := auth.From(r.Context())
	one := api.Marker{Service: body.Service, Version: body.Version, Text: strings.TrimSpace(body.Text), Posted: true, By: principal.Name}
	most := maxMarkerText
	if body.Profile != "" {
		on, err := noted(body.Profile)
		if err != nil {
			return err
		}
		if one.Service, err = s.serviceOf(r.Context(), on); err != nil {
			return err
		}
		one.Profile, most = on.String(), maxNoteText
	}
	for _, field := range []struct {
		name, text string
		most       int
	}{{"service", one.Service, maxMarkerText}, {"version", one.Version, maxMarkerText}, {"text", one.Text, most}} {
		if len(field.text) > field.most {
			return server.BadParam(field.name, "%s is longer than %d bytes", field.name, field.most)
		}
		if !utf8.ValidString(field.text) || strings.ContainsFunc(field.text, unicode.IsControl) {
			return server.BadParam(field.name, "%s has control characters or invalid UTF-8", field.name)
		}
	}
	if one.Version == "" && one.Text == "" {
		return server.BadParam("text", "a marker needs a version or a text")
	}
	if !principal.Allows(one.Service) {
		return &server.Error{Status: http.StatusForbidden, Param: "service", Err: fmt.Errorf("%s may not post markers for service %q", principal.Name, one.Service)}
	}
	t := time.Now()
	if text := strings.Trim(string(body.Time), `"`); text != "" && text != "null" {
		if t, err = api.ParseTime(text, t); err != nil {
			return server.BadParam("time", "time: %w", err)
		}
	}
	one.Time = t.UnixMilli()
	var random [8]byte
	rand.Read(random[:])
	one.ID = hex.EncodeToString(random[:])
	if err := s.cfg.Markers.post(one); err != nil {
		return err
	}
	s.srv.Audit(r, "marker.add", one.ID, auth.OK)
	a, err := server.JSONAnswer(r.Context(), one)
	if err != nil {
		return err
	}
	return a.Write(w, r, http.StatusCreated, "no-store")
}

// errNotPosted is the error of removing a version's marker.
var errNotPosted = errors.New("this marker is the first profile of a version and can't be removed: it goes when that profile does")

func (s *Service) removeMarker(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if strings.HasPrefix(id, "v:") {
		return &server.Error{Status: http.StatusUnprocessableEntity, Param: "id", Err: errNotPosted}
	}
	principal := auth.From(r.Context())
	if err := s.cfg.Markers.remove(principal, id); err != nil {
		return err
	}
	s.srv.Audit(r, "marker.remove", id, auth.OK)
	w.WriteHeader(http.StatusNoContent)
	return nil
}
