package stored

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/durable"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/temporary"
)

// Limits of markers.
const (
	maxPosted     = 10_000
	maxVersions   = 50_000 // remembered versions of all services
	maxMarkerText = 500    // bytes
	maxNoteText   = 2000   // bytes
	// maxMarkersFile is more than all of those take with the longest labels.
	maxMarkersFile = 256 << 20
	// markersDelay is how long new versions are collected before they are written.
	// After a crash, missing ones are found in the store.
	markersDelay = 2 * time.Second
)

// versionOf is a version of a service.
type versionOf struct{ Service, Version string }

// Markers has the posted markers, and the time of each version's first profile.
type Markers struct {
	file string
	log  func(string)

	mu      sync.RWMutex
	posted  []api.Marker
	first   map[versionOf]int64 // ns since 1970
	dropped int64               // versions beyond maxVersions
	pending bool                // a write is due
	closed  bool
}

// markersFile is the content of the file.
type markersFile struct {
	Version  int            `json:"version"`
	Posted   []api.Marker   `json:"posted"`
	Versions []firstProfile `json:"versions"`
}

type firstProfile struct {
	Service string `json:"service"`
	Version string `json:"version"`
	Time    int64  `json:"time"` // ns since 1970
}

const markersVersion = 1

// OpenMarkers reads the file of markers, and adds versions in the store that the file
// doesn't have. If file is "", markers are only in memory. The caller must close the
// Markers.
func OpenMarkers(ctx context.Context, file string, st store.Store, log func(string)) (*Markers, error) {
	m := &Markers{file: file, log: log, first: map[versionOf]int64{}}
	if file != "" {
		var f markersFile
		found, damage, err := durable.Load(file, maxMarkersFile, func(data []byte) error {
			if err := json.Unmarshal(data, &f); err != nil {
				return err
			}
			if f.Version > markersVersion {
				return fmt.Errorf("%s was written by a newer hone: %w", file, durable.ErrKeep)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if damage != nil {
			log(damage.String() + "; markers that were posted have to be posted again, and versions are looked for in the store")
		}
		if found {
			m.posted = f.Posted
			for _, v := range f.Versions {
				m.first[versionOf{v.Service, v.Version}] = v.Time
			}
		}
	}
	return m, m.find(ctx, st)
}

// find adds unknown versions in the store. The time of their first profile is exact
// to a minute.
func (m *Markers) find(ctx context.Context, st store.Store) error {
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
		q := store.Query{Selector: store.SelectorOf(g.Labels, by...)}
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

// note records a profile of a version.
func (m *Markers) note(v versionOf, t int64) {
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

// write writes the file. The caller holds the lock.
func (m *Markers) write() error {
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
		return temporary.ReplaceText(m.file, 0o600, append(data, '\n'))
	}()
	if err != nil {
		m.log("Markers can't be written: " + err.Error())
	}
	return err
}

// Close writes unwritten versions. Call it after the last profile and before the store
// is closed.
func (m *Markers) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	if m.pending {
		m.write()
	}
}

// List returns the markers in a time range that a principal may see. Times are ns since
// 1970; 0 means no bound. The service "" means all services.
func (m *Markers) List(p *auth.Principal, service string, from, to int64) []api.Marker {
	m.mu.RLock()
	defer m.mu.RUnlock()
	q := store.Query{From: from, To: to}
	out := []api.Marker{}
	for v, t := range m.first {
		if q.Contains(t) && p.Allows(v.Service) && (service == "" || service == v.Service) {
			out = append(out, api.Marker{ID: v.id(), Time: api.Milliseconds(t), Service: v.Service, Version: v.Version})
		}
	}
	for _, one := range m.posted {
		if !q.Contains(one.Time * int64(time.Millisecond)) {
			continue
		}
		// A marker for all services reveals nothing about one. A note on profiles of several
		// services may.
		if one.Service == "" && (one.Profile == "" || p.Services == nil) || one.Service != "" && p.Allows(one.Service) && (service == "" || service == one.Service) {
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b api.Marker) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Service, b.Service), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// id returns the ID of a version's marker. Posted markers have other IDs.
func (v versionOf) id() string { return "v:" + v.Service + ":" + v.Version }

// post adds a marker. It fails if the marker can't be written.
func (m *Markers) post(one api.Marker) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.posted) >= maxPosted {
		return &server.Error{Status: http.StatusUnprocessableEntity, Err: fmt.Errorf("too many markers, %d: remove one first", maxPosted)}
	}
	m.posted = append(m.posted, one)
	if err := m.write(); err != nil {
		m.posted = m.posted[:len(m.posted)-1]
		return &server.Error{Status: http.StatusInternalServerError, Err: errors.New("can't write the marker; the server's log says why")}
	}
	return nil
}

func (m *Markers) remove(p *auth.Principal, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.posted, func(one api.Marker) bool { return one.ID == id && p.Allows(one.Service) })
	if i < 0 {
		return server.NotFound("unknown marker %q", id)
	}
	if one := &m.posted[i]; !p.Roles.Has(auth.Admin) && (one.By == "" || one.By != p.Name) {
		return &server.Error{Status: http.StatusForbidden, Param: "id", Err: errors.New("only an admin or whoever posted a marker may remove it")}
	}
	old := m.posted
	m.posted = slices.Delete(slices.Clone(old), i, i+1)
	if err := m.write(); err != nil {
		m.posted = old
		return &server.Error{Status: http.StatusInternalServerError, Err: errors.New("can't write the markers; the server's log says why")}
	}
	return nil
}

// Observe returns a store whose new versions become markers.
func (m *Markers) Observe(st store.Store) store.Store { return observed{st, m} }

// observed is a store whose new versions become markers.
type observed struct {
	store.Store
	markers *Markers
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
