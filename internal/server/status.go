package server

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/server/auth"
)

// Status is how a server fares, as doc/api.md describes it. What Continuous.Status
// returns has what the server itself can't know.
type Status struct {
	Version string   `json:"version"`
	Start   int64    `json:"start"`  // ms since 1970
	Now     int64    `json:"now"`    // ms since 1970
	Uptime  int64    `json:"uptime"` // ns
	User    asUser   `json:"user"`
	Ready   bool     `json:"ready"`
	Notices []Notice `json:"notices"`
	Ingest  []Ingest `json:"ingest"`
	// Degraded counts profiles that were kept in another form than they came, by
	// what was done to them.
	Degraded map[string]int64 `json:"degraded"`
	Limits   []Limit          `json:"limits"`
	Store    any              `json:"store"`
	Queries  Queries          `json:"queries"`
	Scrape   []Scraped        `json:"scrape"`
}

// A Notice is what a person should know now.
type Notice struct {
	Level string `json:"level"` // info, warning or error
	Text  string `json:"text"`
	Since int64  `json:"since,omitempty"` // ms since 1970
}

// Levels of notices, by rising urgency.
const (
	LevelInfo    = "info"
	LevelWarning = "warning"
	LevelError   = "error"
)

// Ingest counts what came in by one protocol.
type Ingest struct {
	Protocol string           `json:"protocol"`
	Profiles int64            `json:"profiles"`
	Bytes    int64            `json:"bytes"`
	Refused  map[string]int64 `json:"refused"` // by reason
}

// Limit is a limit that was set.
type Limit struct {
	Name  string `json:"name"`
	Limit int64  `json:"limit"`
	Used  *int64 `json:"used,omitempty"`
	Hits  int64  `json:"hits"`
	Last  int64  `json:"last,omitempty"` // ms since 1970
}

// Queries counts computations.
type Queries struct {
	Running int64 `json:"running"`
	Waiting int64 `json:"waiting"`
	Limit   int64 `json:"limit"`
	Refused int64 `json:"refused"`
}

// Scraped is a target that profiles are fetched from.
type Scraped struct {
	Job      string            `json:"job"`
	Target   string            `json:"target"`
	Kind     string            `json:"kind"`
	Labels   map[string]string `json:"labels"`
	State    string            `json:"state"`
	Last     int64             `json:"last,omitempty"` // ms since 1970
	Took     int64             `json:"took"`           // ns
	Error    string            `json:"error,omitempty"`
	Profiles int64             `json:"profiles"`
}

func (s *Server) status(w http.ResponseWriter, r *http.Request) error {
	var st Status
	if s.cfg.Continuous.Status != nil {
		st = s.cfg.Continuous.Status()
	}
	now := time.Now()
	st.Version, st.Start, st.Now, st.Uptime = s.cfg.Continuous.Version, s.started.UnixMilli(), now.UnixMilli(), int64(now.Sub(s.started))
	st.User = s.userOf(r.Context())
	st.Queries = s.queries()
	if err := s.readyErr(); err != nil {
		st.Notices = append(st.Notices, Notice{Level: LevelError, Text: "The server is not ready: " + err.Error()})
	} else {
		st.Ready = true
	}
	if s.auth != nil {
		if err := s.auth.Tokens.Err(); err != nil {
			st.Notices = append(st.Notices, Notice{Level: LevelError, Text: "The tokens can't be read, those read before stay in force: " + err.Error()})
		}
	}
	if n := st.Queries.Refused; n > 0 {
		st.Limits = append(st.Limits, Limit{Name: "queries waiting", Limit: int64(s.limits.Queue), Used: &st.Queries.Waiting, Hits: n})
	}
	if c := s.connections.Load(); c != nil {
		used := int64(len(c.slots))
		st.Limits = append(st.Limits, Limit{Name: "connections", Limit: int64(cap(c.slots)), Used: &used, Hits: c.hits.Load()})
	}
	if n := s.sendHits.Load(); n > 0 {
		st.Limits = append(st.Limits, Limit{Name: "bytes of pushes at a time", Limit: s.limits.Sending, Hits: n})
	}
	if n := s.markers.left(); n > 0 {
		st.Limits = append(st.Limits, Limit{Name: "versions with a marker", Limit: maxVersions, Hits: n})
	}
	p := auth.From(r.Context())
	if p.Services != nil {
		// What is told of the whole server names services in places.
		st.Notices = slices.DeleteFunc(st.Notices, func(n Notice) bool { return n.Level != LevelError })
		st.Scrape = slices.DeleteFunc(st.Scrape, func(t Scraped) bool { return !p.Allows(t.Labels["service"]) })
	}
	levels := []string{LevelError, LevelWarning, LevelInfo}
	slices.SortStableFunc(st.Notices, func(a, b Notice) int {
		return cmp.Compare(slices.Index(levels, a.Level), slices.Index(levels, b.Level))
	})
	// Lists, for those who read them, even where there is nothing in them.
	st.Notices = append([]Notice{}, st.Notices...)
	st.Ingest = append([]Ingest{}, st.Ingest...)
	st.Limits = append([]Limit{}, st.Limits...)
	st.Scrape = append([]Scraped{}, st.Scrape...)
	a, err := jsonAnswer(st)
	if err != nil {
		return err
	}
	return a.write(w, r, http.StatusOK, "no-store")
}

func (s *Server) queries() Queries {
	return Queries{
		Running: int64(len(s.cache.slots)), Limit: int64(cap(s.cache.slots)),
		Waiting: s.cache.waiting.Load(), Refused: s.cache.refused.Load(),
	}
}

func (m *markers) left() int64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.dropped
}
