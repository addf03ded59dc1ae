package stored

import (
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server/auth"
)

// A release is the version of a service that runs.
type release struct {
	version  string // the newest one that runs
	since    int64  // ns since 1970; 0 if unknown
	previous string // of the others, the one that sent profiles last
	running  int
}

// releaseOf tells which version of a service runs, by the times of its versions' first and
// last profiles. After a rollback, the older version runs since the newer one ended. runs
// has the versions with a running instance. If it is empty, versions count as running that
// sent a profile lately.
func releaseOf(of *api.Service, began map[versionOf]int64, runs map[string]bool) release {
	var rel release
	for _, v := range of.Versions { // the last one first
		if !runs[v.Version] && (len(runs) > 0 || v.Last < of.Last-alive.Milliseconds()) {
			continue
		}
		rel.running++
		if first := began[versionOf{of.Name, v.Version}]; rel.running == 1 || first > rel.since {
			rel.version, rel.since = v.Version, first
		}
	}
	first := rel.since
	for _, v := range of.Versions {
		if v.Version == rel.version {
			continue
		}
		if rel.previous == "" {
			rel.previous = v.Version
		}
		if first != 0 && began[versionOf{of.Name, v.Version}] > first {
			rel.since = max(rel.since, v.Last*int64(time.Millisecond))
		}
	}
	return rel
}

// began returns the times of the first profiles of versions that a principal may see.
func (m *Markers) began(p *auth.Principal) map[versionOf]int64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	out := make(map[versionOf]int64, len(m.first))
	for v, t := range m.first {
		if p.Allows(v.Service) {
			out[v] = t
		}
	}
	return out
}
