package ingest

import (
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/hone-go/hone/internal/store"
)

// burstSeconds is how many seconds' worth of a rate may come at once.
const burstSeconds = 10

// rates limits bytes and profiles per second.
type rates struct {
	all     *limiters
	service Rate // of each
	body    int64
	mu      sync.Mutex
	// Services by the last time they sent: those of before are forgotten in
	// time. Whoever was idle for two periods has its whole burst again anyway.
	now, old map[string]*limiters
	turn     time.Time
}

// limiters are of bytes and of profiles; nil is no limit.
type limiters struct{ bytes, profiles *rate.Limiter }

func newRates(cfg Config) rates {
	return rates{
		all: newLimiters(cfg.Rate, cfg.MaxBody), service: cfg.ServiceRate, body: cfg.MaxBody,
		now: map[string]*limiters{}, turn: cfg.Now(),
	}
}

func newLimiters(r Rate, body int64) *limiters {
	var l limiters
	if r.Bytes >= 0 {
		// What one request may have must fit.
		l.bytes = rate.NewLimiter(rate.Limit(r.Bytes), max(int(r.Bytes*burstSeconds), int(body)))
	}
	if r.Profiles >= 0 {
		l.profiles = rate.NewLimiter(rate.Limit(r.Profiles), max(int(r.Profiles*burstSeconds), 1))
	}
	return &l
}

// take takes a profile of n bytes from all rates that hold for a service, or
// from none and returns an error.
func (r *rates) take(now time.Time, service string, n int) *Error {
	var taken []*rate.Reservation
	for _, scope := range []struct {
		name string
		*limiters
	}{{"of all services", r.all}, {"of service " + service, r.of(now, service)}} {
		if scope.limiters == nil {
			continue
		}
		for _, l := range []struct {
			*rate.Limiter
			n    int
			what string
		}{{scope.bytes, n, "bytes"}, {scope.profiles, 1, "profiles"}} {
			if l.Limiter == nil {
				continue
			}
			res := l.ReserveN(now, l.n)
			wait := res.DelayFrom(now)
			if res.OK() && wait == 0 {
				taken = append(taken, res)
				continue
			}
			res.CancelAt(now)
			for _, t := range taken {
				t.CancelAt(now)
			}
			if !res.OK() {
				wait = 0 // never
			}
			err := Errorf(Limited, "more than %g %s per second %s", float64(l.Limit()), l.what, scope.name)
			err.RetryAfter = wait
			return err
		}
	}
	return nil
}

// of returns the limiters of a service, nil without limits.
func (r *rates) of(now time.Time, service string) *limiters {
	if r.service.Bytes < 0 && r.service.Profiles < 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.turn) > 10*burstSeconds*time.Second {
		r.now, r.old, r.turn = map[string]*limiters{}, r.now, now
	}
	l := r.now[service]
	if l == nil {
		if l = r.old[service]; l == nil {
			l = newLimiters(r.service, r.body)
		}
		r.now[service] = l
	}
	return l
}

// series counts the active series.
type series struct {
	most, mostOf int // of all services, of one; negative is no limit
	age          time.Duration
	seed         maphash.Seed

	mu sync.Mutex
	// A series is active that was seen in this period or the one before; a
	// period is the age.
	now, old map[uint64]string // service by hash of the labels
	services map[string]int    // number of active series
	turn     time.Time
}

func newSeries(cfg Config) series {
	return series{
		most: cfg.MaxSeries, mostOf: cfg.MaxServiceSeries, age: cfg.SeriesAge, seed: maphash.MakeSeed(),
		now: map[uint64]string{}, services: map[string]int{}, turn: cfg.Now(),
	}
}

// otherInstance is the instance that new series get above the limit.
const otherInstance = "other"

// admit returns the labels to keep a profile with: its own or, if there are too many
// series, those of a series that many share.
func (s *series) admit(now time.Time, labels store.Labels) (store.Labels, *Error) {
	service := labels.Get(store.LabelService)
	hash := s.hash(labels)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(now)
	if s.known(hash, service) || s.room(service, 0) {
		s.add(hash, service)
		return labels, nil
	}
	common := slices.Clone(labels)
	for i := range common {
		if common[i].Name == store.LabelInstance {
			common[i].Value = otherInstance
		}
	}
	hash = s.hash(common)
	// The common series are few, unless it is not the instances that are many.
	if s.known(hash, service) || s.room(service, 1) {
		s.add(hash, service)
		return common, nil
	}
	most, whose := s.most, "active series"
	if s.mostOf >= 0 && s.services[service] >= s.mostOf {
		most, whose = s.mostOf, "active series of service "+service
	}
	err := Errorf(Limited, "there are already %d %s, which is the limit; %v would be another one", most, whose, common)
	err.RetryAfter = min(s.age, time.Hour)
	return labels, err
}

func (s *series) hash(labels store.Labels) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	for _, l := range labels {
		h.WriteString(l.Name)
		h.WriteByte(0xff) // no byte of UTF-8
		h.WriteString(l.Value)
		h.WriteByte(0xff)
	}
	return h.Sum64()
}

// expire forgets series that are no longer active.
func (s *series) expire(now time.Time) {
	periods := int(now.Sub(s.turn) / s.age)
	if periods <= 0 {
		return
	}
	for range min(periods, 2) {
		for _, service := range s.old {
			if s.services[service]--; s.services[service] == 0 {
				delete(s.services, service)
			}
		}
		s.now, s.old = map[uint64]string{}, s.now
	}
	s.turn = now
}

func (s *series) known(hash uint64, service string) bool {
	if s.now[hash] != "" {
		return true
	}
	if s.old[hash] == "" {
		return false
	}
	delete(s.old, hash)
	s.now[hash] = service
	return true
}

// room reports whether there may be another series; extra is in tenths of the
// limits what may be above them.
func (s *series) room(service string, extra int) bool {
	fits := func(n, most int) bool { return most < 0 || n < most+(most*extra+9)/10 }
	return fits(len(s.now)+len(s.old), s.most) && fits(s.services[service], s.mostOf)
}

func (s *series) add(hash uint64, service string) {
	if s.now[hash] == "" {
		s.now[hash] = service
		s.services[service]++
	}
}

// active returns the number of active series and of their services.
func (s *series) active(now time.Time) (series, services int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(now)
	return len(s.now) + len(s.old), len(s.services)
}
