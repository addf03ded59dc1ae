package stored

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
)

// maxMarkerBody limits the body of a request, in bytes.
const maxMarkerBody = 8 << 10

func (s *Service) listMarkers(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, []string{"from", "to", "service"})
	if err != nil {
		return err
	}
	sel, err := p.selection(false)
	if err != nil {
		return err
	}
	return server.WriteJSON(w, r, map[string][]api.Marker{"markers": s.cfg.Markers.List(auth.From(r.Context()), p.Get("service"), sel.From, sel.To)})
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
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return server.BadParam("", `invalid body, want {"time": …, "service": "…", "version": "…", "text": "…"}: %w`, err)
	}
	one := api.Marker{Service: body.Service, Version: body.Version, Text: strings.TrimSpace(body.Text), Posted: true}
	for _, field := range []struct{ name, text string }{{"service", one.Service}, {"version", one.Version}, {"text", one.Text}} {
		if len(field.text) > maxMarkerText {
			return server.BadParam(field.name, "%s is longer than %d bytes", field.name, maxMarkerText)
		}
		if !utf8.ValidString(field.text) || strings.ContainsFunc(field.text, unicode.IsControl) {
			return server.BadParam(field.name, "%s has control characters or invalid UTF-8", field.name)
		}
	}
	if one.Version == "" && one.Text == "" {
		return server.BadParam("text", "a marker needs a version or a text")
	}
	principal := auth.From(r.Context())
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
