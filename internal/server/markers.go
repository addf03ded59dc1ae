package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/store"
)

// Marker is something that happened, as doc/api.md describes it.
type Marker struct {
	ID      string `json:"id"`
	Time    int64  `json:"time"` // ms since 1970
	Service string `json:"service"`
	Version string `json:"version"`
	Text    string `json:"text"`
	Posted  bool   `json:"posted"`
}

// Limits of markers.
const (
	maxPosted     = 10_000
	maxVersions   = 50_000 // that are remembered, over all services
	maxMarkerText = 500    // bytes
	maxMarkerBody = 8 << 10
	// markersDelay is how long versions wait to be written together. Those that
	// a crash loses are found again in the store.
	markersDelay = 2 * time.Second
)

// versionOf is a version of a service.
type versionOf struct{ Service, Version string }

// markers are those that were posted, and the first time of each version.
type markers struct {
	file string
	log  func(string)

	mu      sync.RWMutex
	posted  []Marker
	first   map[versionOf]int64 // ns since 1970
	dropped int64               // versions that there was no room for
	pending bool                // a write is due
	closed  bool
}

// markersFile is the content of the file.
type markersFile struct {
	Version  int            `json:"version"`
	Posted   []Marker       `json:"posted"`
	Versions []firstProfile `json:"versions"`
}

type firstProfile struct {
	Service string `json:"service"`
	Version string `json:"version"`
	Time    int64  `json:"time"` // ns since 1970
}

const markersVersion = 1

// newMarkers reads the file of markers, and finds versions in the store that it
// does not have.
func newMarkers(ctx context.Context, file string, st store.Store, log func(string)) (*markers, error) {
	m := &markers{file: file, log: log, first: map[versionOf]int64{}}
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			var f markersFile
			if err := json.Unmarshal(data, &f); err != nil {
				return nil, fmt.Errorf("%s is damaged (%w): mend or remove it", file, err)
			}
			if f.Version > markersVersion {
				return nil, fmt.Errorf("%s was written by a newer hone", file)
			}
			m.posted = f.Posted
			for _, v := range f.Versions {
				m.first[versionOf{v.Service, v.Version}] = v.Time
			}
		}
	}
	return m, m.find(ctx, st)
}

// find looks for versions in the store that are not known. Their first profile
// is told to a minute.
func (m *markers) find(ctx context.Context, st store.Store) error {
	by := []string{store.LabelService, store.LabelVersion}
	groups, err := st.Series(ctx, store.Query{By: by, Step: wholeStep})
	if err != nil {
		return err
	}
	for _, g := range groups {
		v := versionOf{g.Labels.Get(store.LabelService), g.Labels.Get(store.LabelVersion)}
		if _, known := m.first[v]; known || v.Version == "" {
			continue
		}
		q := store.Query{Selector: labelSelector(g.Labels, by...)}
		for _, step := range []time.Duration{24 * time.Hour, time.Hour, time.Minute} {
			q.Step = int64(step)
			points, err := st.Series(ctx, q)
			if err != nil {
				return err
			}
			if len(points) == 0 {
				break
			}
			q.From, q.To = points[0].Points[0].Time, points[0].Points[0].Time+q.Step
		}
		m.note(v, q.From)
	}
	return nil
}

// note tells of a profile of a version.
func (m *markers) note(v versionOf, t int64) {
	if v.Version == "" {
		return
	}
	m.mu.RLock()
	first, known := m.first[v]
	m.mu.RUnlock()
	if known && first <= t {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	first, known = m.first[v]
	switch {
	case known && first <= t:
		return
	case !known && len(m.first) >= maxVersions:
		m.dropped++
		return
	}
	m.first[v] = t
	if m.file != "" && !m.pending && !m.closed {
		m.pending = true
		time.AfterFunc(markersDelay, func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			if m.pending {
				m.write()
			}
		})
	}
}

// write writes the file. It is called with the lock held.
func (m *markers) write() error {
	m.pending = false
	if m.file == "" {
		return nil
	}
	f := markersFile{Version: markersVersion, Posted: m.posted}
	for v, t := range m.first {
		f.Versions = append(f.Versions, firstProfile{v.Service, v.Version, t})
	}
	slices.SortFunc(f.Versions, func(a, b firstProfile) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Service, b.Service), cmp.Compare(a.Version, b.Version))
	})
	err := func() error {
		data, err := json.Marshal(f)
		if err != nil {
			return err
		}
		tmp, err := os.CreateTemp(filepath.Dir(m.file), "markers-*.json")
		if err != nil {
			return err
		}
		defer os.Remove(tmp.Name())
		_, err = tmp.Write(append(data, '\n'))
		if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
			return err
		}
		return os.Rename(tmp.Name(), m.file)
	}()
	if err != nil {
		m.log("Markers can't be written: " + err.Error())
	}
	return err
}

// close writes what is due.
func (m *markers) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	if m.pending {
		m.write()
	}
}

// list returns the markers from one time to another, in ns, 0 for no bound, that
// a principal may see. service "" is all.
func (m *markers) list(p *auth.Principal, service string, from, to int64) []Marker {
	m.mu.RLock()
	defer m.mu.RUnlock()
	q := store.Query{From: from, To: to}
	out := []Marker{}
	for v, t := range m.first {
		if q.Contains(t) && p.Allows(v.Service) && (service == "" || service == v.Service) {
			out = append(out, Marker{ID: v.id(), Time: milliseconds(t), Service: v.Service, Version: v.Version})
		}
	}
	for _, one := range m.posted {
		if !q.Contains(one.Time * int64(time.Millisecond)) {
			continue
		}
		// One for all services says nothing of any.
		if one.Service == "" || p.Allows(one.Service) && (service == "" || service == one.Service) {
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b Marker) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Service, b.Service), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// id of the marker of a version; those posted have other ones.
func (v versionOf) id() string { return "v:" + v.Service + ":" + v.Version }

func (s *Server) listMarkers(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, []string{"from", "to", "service"})
	if err != nil {
		return err
	}
	sel, err := p.selection(false)
	if err != nil {
		return err
	}
	return s.writeJSON(w, r, map[string][]Marker{"markers": s.markers.list(auth.From(r.Context()), p.Get("service"), sel.from, sel.to)})
}

func (s *Server) postMarker(w http.ResponseWriter, r *http.Request) error {
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
		return badParam("", `the body is not {"time": …, "service": "…", "version": "…", "text": "…"}: %w`, err)
	}
	one := Marker{Service: body.Service, Version: body.Version, Text: strings.TrimSpace(body.Text), Posted: true}
	for _, field := range []struct{ name, text string }{{"service", one.Service}, {"version", one.Version}, {"text", one.Text}} {
		if len(field.text) > maxMarkerText {
			return badParam(field.name, "%s is longer than %d bytes", field.name, maxMarkerText)
		}
		if !utf8.ValidString(field.text) || strings.ContainsFunc(field.text, unicode.IsControl) {
			return badParam(field.name, "%s has characters that are no text", field.name)
		}
	}
	if one.Version == "" && one.Text == "" {
		return badParam("text", "a marker needs a version or a text")
	}
	principal := auth.From(r.Context())
	if !principal.Allows(one.Service) {
		return &requestError{http.StatusForbidden, "service", fmt.Errorf("%s may not post markers of service %q", principal.Name, one.Service)}
	}
	t := time.Now()
	if text := strings.Trim(string(body.Time), `"`); text != "" && text != "null" {
		if t, err = ParseTime(text, t); err != nil {
			return badParam("time", "time: %w", err)
		}
	}
	one.Time = t.UnixMilli()
	var random [8]byte
	rand.Read(random[:])
	one.ID = hex.EncodeToString(random[:])
	if err := s.markers.post(one); err != nil {
		return err
	}
	s.audit(r, "marker.add", one.ID, auth.OK)
	a, err := jsonAnswer(one)
	if err != nil {
		return err
	}
	return a.write(w, r, http.StatusCreated, "no-store")
}

// post keeps a marker, or fails if that can't be written.
func (m *markers) post(one Marker) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.posted) >= maxPosted {
		return &requestError{http.StatusUnprocessableEntity, "", fmt.Errorf("there are %d markers: remove one first", maxPosted)}
	}
	m.posted = append(m.posted, one)
	if err := m.write(); err != nil {
		m.posted = m.posted[:len(m.posted)-1]
		return &requestError{http.StatusInternalServerError, "", errors.New("the marker can't be written; the server's log says why")}
	}
	return nil
}

// errNotPosted is the error of markers that nobody posted.
var errNotPosted = errors.New("this marker is the first profile of a version, and goes when that does")

func (s *Server) removeMarker(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if strings.HasPrefix(id, "v:") {
		return &requestError{http.StatusUnprocessableEntity, "id", errNotPosted}
	}
	principal := auth.From(r.Context())
	if err := s.markers.remove(principal, id); err != nil {
		return err
	}
	s.audit(r, "marker.remove", id, auth.OK)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (m *markers) remove(p *auth.Principal, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.posted, func(one Marker) bool { return one.ID == id && p.Allows(one.Service) })
	if i < 0 {
		return notFound("there is no marker %q", id)
	}
	old := m.posted
	m.posted = slices.Delete(slices.Clone(old), i, i+1)
	if err := m.write(); err != nil {
		m.posted = old
		return &requestError{http.StatusInternalServerError, "", errors.New("the markers can't be written; the server's log says why")}
	}
	return nil
}

// audit adds an event of a request to the audit log, if there is one.
func (s *Server) audit(r *http.Request, action, target, result string) {
	if s.auth == nil {
		return
	}
	e := auth.EventOf(r, action, result)
	e.Target = target
	s.auth.Audit.Log(e)
}

// observed is a store whose new versions become markers.
type observed struct {
	store.Store
	markers *markers
}

func (o observed) Put(ctx context.Context, records []store.Record) error {
	if err := o.Store.Put(ctx, records); err != nil {
		return err
	}
	for i := range records {
		ls := records[i].Labels
		o.markers.note(versionOf{ls.Get(store.LabelService), ls.Get(store.LabelVersion)}, records[i].Time)
	}
	return nil
}
