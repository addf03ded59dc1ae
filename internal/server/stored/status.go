package stored

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/server"

	"github.com/hone-go/hone/internal/server/auth"
)

func (s *Service) status(w http.ResponseWriter, r *http.Request) error {
	if err := server.OnlyParams(r); err != nil {
		return err
	}
	var st api.Status
	if s.cfg.Status != nil {
		st = s.cfg.Status()
	}
	now := time.Now()
	started := s.srv.Started()
	st.Version, st.Start, st.Now, st.Uptime = s.cfg.Version, started.UnixMilli(), now.UnixMilli(), int64(now.Sub(started))
	st.User = s.srv.User(r.Context())
	st.Queries = s.srv.Queries()
	if err := s.srv.Ready(); err != nil {
		st.Notices = append(st.Notices, api.Notice{Level: api.LevelError, Text: "The server is not ready: " + err.Error()})
	} else {
		st.Ready = true
	}
	if err := s.srv.LoginErr(); err != nil {
		st.Notices = append(st.Notices, api.Notice{Level: api.LevelError, Text: "The tokens can't be read, those read before stay in force: " + err.Error()})
	}
	st.Limits = append(st.Limits, s.srv.Strained()...)
	if n := s.cfg.Markers.left(); n > 0 {
		st.Limits = append(st.Limits, api.Limit{Name: "versions with a marker", Limit: maxVersions, Hits: n})
	}
	p := auth.From(r.Context())
	if p.Services != nil {
		// Notices about the whole server may name services.
		st.Notices = slices.DeleteFunc(st.Notices, func(n api.Notice) bool { return n.Level != api.LevelError })
		st.Aside = slices.DeleteFunc(st.Aside, func(a api.Aside) bool { return !p.Allows(a.Service) })
		st.Scrape = slices.DeleteFunc(st.Scrape, func(t api.Scraped) bool { return !p.Allows(t.Labels["service"]) })
	}
	levels := []string{api.LevelError, api.LevelWarning, api.LevelInfo}
	slices.SortStableFunc(st.Notices, func(a, b api.Notice) int {
		return cmp.Compare(slices.Index(levels, a.Level), slices.Index(levels, b.Level))
	})
	// Empty lists are [] in JSON, not null.
	st.Notices = append([]api.Notice{}, st.Notices...)
	st.Ingest = append([]api.Ingest{}, st.Ingest...)
	st.Limits = append([]api.Limit{}, st.Limits...)
	st.Aside = append([]api.Aside{}, st.Aside...)
	st.Scrape = append([]api.Scraped{}, st.Scrape...)
	a, err := server.JSONAnswer(r.Context(), st)
	if err != nil {
		return err
	}
	return a.Write(w, r, http.StatusOK, "no-store")
}

func (m *Markers) left() int64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.dropped
}

// backupName matches names of backups, which are folders next to each other.
var backupName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// backup copies the store.
func (s *Service) backup(w http.ResponseWriter, r *http.Request) error {
	if err := server.SeesAll(r.Context()); err != nil {
		return err
	}
	p, err := newParams(r, []string{"name"})
	if err != nil {
		return err
	}
	name := cmp.Or(p.Get("name"), p.now.UTC().Format("2006-01-02T150405"))
	if !backupName.MatchString(name) {
		return server.BadParam("name", "invalid name %q: use letters, digits, dots, _ and -", name)
	}
	if s.cfg.Backup == nil {
		return &server.Error{Status: http.StatusUnprocessableEntity, Err: errors.New("this server's store can't be copied while it is open")}
	}
	where, err := s.cfg.Backup(r.Context(), name)
	if err != nil {
		s.srv.Audit(r, "backup", name, auth.Failed)
		if errors.Is(err, fs.ErrExist) {
			return &server.Error{Status: http.StatusConflict, Param: "name", Err: fmt.Errorf("backup %s already exists", name)}
		}
		if errors.Is(err, errors.ErrUnsupported) {
			return &server.Error{Status: http.StatusUnprocessableEntity, Err: err}
		}
		return s.selections.storeError(err, "")
	}
	s.srv.Audit(r, "backup", name, auth.OK)
	a, err := server.JSONAnswer(r.Context(), map[string]string{"name": name, "path": where})
	if err != nil {
		return err
	}
	return a.Write(w, r, http.StatusCreated, "no-store")
}
