package cloudprofiler

import (
	"sync"
	"time"

	"github.com/hone-go/hone/internal/ingest/cloudprofiler/profilerpb"
)

// sessions are the profiles that were asked for and have not come yet. They
// are for counting what agents owe, and for clients that send the bytes and the
// name alone; names say enough to do without them.
type sessions struct {
	max int

	mu      sync.Mutex
	asked   map[string]session // by name of profile
	swept   time.Time
	missing int64
}

type session struct {
	profile *profilerpb.Profile
	end     time.Time // when the profile should have come
}

// grace is how long after its end a profile is expected.
const grace = time.Minute

// add notes a profile that is asked for now. It reports false if there are too
// many.
func (s *sessions) add(p *profilerpb.Profile, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) >= s.max {
		s.sweep(now)
		if len(s.asked) >= s.max {
			return false
		}
	}
	if s.asked == nil {
		s.asked = make(map[string]session)
	}
	s.asked[p.GetName()] = session{p, now.Add(p.GetDuration().AsDuration() + grace)}
	return true
}

// complete returns a profile with what it doesn't say of deployment, type and
// duration, if it was asked for.
func (s *sessions) complete(p *profilerpb.Profile) *profilerpb.Profile {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.asked[p.GetName()]
	if !ok {
		return p
	}
	if p.Deployment == nil {
		p.Deployment = known.profile.Deployment
	}
	if p.ProfileType == profilerpb.ProfileType_PROFILE_TYPE_UNSPECIFIED {
		p.ProfileType = known.profile.ProfileType
	}
	if p.Duration == nil {
		p.Duration = known.profile.Duration
	}
	return p
}

func (s *sessions) remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asked, name)
}

func (s *sessions) counts(now time.Time) (open int, missing int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep(now)
	return len(s.asked), s.missing
}

// sweep removes the profiles that have not come in time.
func (s *sessions) sweep(now time.Time) {
	if now.Sub(s.swept) < time.Second {
		return // it looks at all of them
	}
	s.swept = now
	for name, a := range s.asked {
		if now.After(a.end) {
			delete(s.asked, name)
			s.missing++
		}
	}
}
