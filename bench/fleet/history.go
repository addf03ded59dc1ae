package main

import (
	"hash/fnv"
	"iter"
	"math"
	"slices"
	"strings"
	"time"
)

// A history is when the fleet ran.
type history struct {
	end  time.Time
	days int
}

// A rhythm is how often a kind of profile is taken: rarely, and in the last day and a half often.
type rhythm struct {
	kind           string
	lasts          time.Duration
	rarely, lately time.Duration
}

var rhythms = []rhythm{
	{"cpu", 10 * time.Second, time.Hour, 2 * time.Minute},
	{"heap", time.Minute, 2 * time.Hour, 15 * time.Minute},
	{"goroutine", 0, 2 * time.Hour, 15 * time.Minute},
	{"mutex", time.Minute, 4 * time.Hour, 30 * time.Minute},
	{"block", time.Minute, 4 * time.Hour, 30 * time.Minute},
	{requests, 0, 2 * time.Hour, 15 * time.Minute}, // each lasts until the next one
}

// requests is the kind of the profiles that count requests, without a gap.
const requests = "requests"

const often = 36 * time.Hour // before the end

// pushes returns all profiles, the oldest first.
func (h history) pushes() iter.Seq[push] {
	var all []push
	for _, s := range services() {
		for i, zone := range s.zones {
			for _, r := range rhythms {
				for at, gap := range h.times(r) {
					p := push{service: s.name, kind: r.kind, zone: zone, instance: s.instance(i), lasts: r.lasts}
					if r.kind == requests {
						p.lasts = gap
					}
					hash := fnv.New64a()
					hash.Write([]byte(p.instance + p.kind + at.Format(time.RFC3339)))
					p.seed = hash.Sum64()
					// Instances don't send at the same second.
					p.at = at.Add(time.Duration(p.seed%40) * time.Second)
					p.version = s.running(h.before(p.at), i)
					if p.at.Add(p.lasts).Before(h.end) {
						p.hourly = h.hour(&s, p, i)
						all = append(all, p)
					}
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b push) int { return a.at.Compare(b.at) })
	return slices.Values(all)
}

// times returns when a kind of profile is taken, at even minutes of the clock, and how long it is until the next one.
func (h history) times(r rhythm) iter.Seq2[time.Time, time.Duration] {
	return func(yield func(time.Time, time.Duration) bool) {
		change := h.end.Add(-often).Truncate(time.Hour)
		for at := h.end.AddDate(0, 0, -h.days).Truncate(r.rarely).Add(r.rarely); at.Before(h.end); {
			gap := r.lately
			if at.Before(change) {
				gap = r.rarely
			}
			if !yield(at, gap) {
				return
			}
			at = at.Add(gap)
		}
	}
}

// before returns the hours from t to the end.
func (h history) before(t time.Time) float64 { return h.end.Sub(t).Hours() }

func (s *service) instance(i int) string { return s.name + "-" + string(rune('a'+i)) }

// running returns the version that instance i runs some hours before the end. A version
// comes to one instance after the other, a quarter of an hour apart.
func (s *service) running(hours float64, i int) string { return s.versions[s.at(hours, i)].name }

func (s *service) at(hours float64, i int) int {
	n := 0
	for k, v := range s.versions {
		if hours <= v.hours-0.25*float64(i) {
			n = k
		}
	}
	return n
}

// hourly is what an instance's load depends on at one moment.
type hourly struct {
	at      time.Time
	end     time.Time
	running float64 // hours that this version has run
	load    float64 // 1 on average
}

func (h history) hour(s *service, p push, i int) hourly {
	hours := h.before(p.at)
	since := min(s.versions[s.at(hours, i)].hours-0.25*float64(i), float64(24*h.days))
	load := 1 + 0.45*math.Sin(2*math.Pi*(float64(p.at.Hour())+float64(p.at.Minute())/60-8)/24)
	if day := p.at.Weekday(); day == time.Saturday || day == time.Sunday {
		load *= 0.7
	}
	return hourly{at: p.at, end: h.end, running: since - hours, load: load * (1 + 0.06*float64(i%3))}
}

// slow is 1 in the slow quarter of an hour: from 14:05 UTC on the last day that ended
// before the history does.
func (h hourly) slow() float64 {
	from := h.end.Truncate(24 * time.Hour).Add(-24*time.Hour + 14*time.Hour + 5*time.Minute)
	if h.at.Before(from) || !h.at.Before(from.Add(15*time.Minute)) {
		return 0
	}
	return 1
}

// grown returns how many times a cache that is never emptied is as large as at the start.
func (h hourly) grown() float64 { return h.running / 4 }

// night is 1 when indexes are written anew.
func (h hourly) night() float64 {
	if hour := h.at.Hour(); hour == 2 || hour == 3 {
		return 1
	}
	return 0
}

func (h hourly) lately() float64 {
	if h.end.Sub(h.at) < 6*time.Hour {
		return 1
	}
	return 0
}

// times returns what the effect multiplies a path by, for a push.
func (e *effect) times(calls string, p push) float64 {
	if !strings.Contains(calls, e.through) || e.kinds != "" && !strings.Contains(e.kinds, p.kind) ||
		e.versions != "" && !strings.Contains(e.versions, p.version) || e.instance != "" && e.instance != p.instance {
		return 1
	}
	if e.when == nil {
		return e.factor
	}
	return 1 + (e.factor-1)*e.when(p.hourly)
}
