package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk"
)

// lately is how long something counts as going on after it happened last.
const lately = 15 * time.Minute

// changes remembers when counters rose.
type changes struct {
	mu sync.Mutex
	of map[string]change
}

type change struct {
	count       int64
	first, last time.Time // of the rises that are going on; zero for none
}

// look notes the state of a counter.
func (c *changes) look(name string, count int64, now time.Time) change {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]change{}
	}
	one := c.of[name]
	if count > one.count {
		if now.Sub(one.last) > lately {
			one.first = now
		}
		one.last = now
	}
	one.count = count
	c.of[name] = one
	return one
}

// goesOn reports whether a counter rose lately.
func (c change) goesOn(now time.Time) bool { return !c.last.IsZero() && now.Sub(c.last) <= lately }

// ms returns a time in ms since 1970, 0 for none.
func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// refusals tells in words why profiles were refused.
var refusals = map[ingest.Reason]string{
	ingest.Internal:        "because of an error of the server, which its log has",
	ingest.Malformed:       "because they can't be read",
	ingest.TooLarge:        "because they are too large",
	ingest.Unauthenticated: "because the sender is not known",
	ingest.Denied:          "because the sender may not write the service",
	ingest.Limited:         "because a limit of rate or series was reached",
	ingest.Expired:         "because they are older than profiles are kept",
	ingest.Unavailable:     "because there is no room, or the server was ending",
}

// degradations tells in words what was done to profiles.
var degradations = map[ingest.Degradation]string{
	ingest.LabelCut:       "have a label that was too long and was cut",
	ingest.Clock:          "came with a time that can't be right, and got that of their arrival",
	ingest.OtherInstance:  `are kept as of instance "other", because there are too many series`,
	ingest.DeltaForgotten: "count from the start of their process but could not be compared with the one before, because there are too many such series",
}

// watch looks at the counters from time to time, so that the status knows when
// they rose even if nobody asks.
func (s *serving) watch(ctx context.Context) {
	for tick := time.NewTicker(10 * time.Second); ; {
		select {
		case <-tick.C:
			s.status()
		case <-ctx.Done():
			tick.Stop()
			return
		}
	}
}

// status tells how the parts fare that the web server doesn't know.
func (s *serving) status() server.Status {
	now := time.Now()
	stats := s.hub.Stats()
	st := server.Status{Degraded: map[string]int64{}}
	byReason := map[ingest.Reason]int64{}
	for _, p := range stats.Protocols {
		in := server.Ingest{Protocol: p.Protocol, Profiles: p.Profiles, Bytes: p.Bytes, Refused: map[string]int64{}}
		for r, n := range p.Refused {
			in.Refused[r.String()] = n
			byReason[r] += n
		}
		st.Ingest = append(st.Ingest, in)
	}
	notice := func(level string, c change, text string) {
		if c.goesOn(now) {
			st.Notices = append(st.Notices, server.Notice{Level: level, Text: text, Since: ms(c.first)})
		}
	}
	for _, r := range slices.Sorted(maps.Keys(refusals)) {
		c := s.changes.look("refused "+r.String(), byReason[r], now)
		level := server.LevelWarning
		if r == ingest.Internal || r == ingest.Unavailable {
			level = server.LevelError
		}
		notice(level, c, fmt.Sprintf("Profiles are refused %s; %d since the start.", refusals[r], byReason[r]))
	}
	for _, d := range slices.Sorted(maps.Keys(stats.Degraded)) {
		n := stats.Degraded[d]
		if n > 0 {
			st.Degraded[d.String()] = n
		}
		if text := degradations[d]; text != "" {
			notice(server.LevelWarning, s.changes.look("degraded "+d.String(), n, now), fmt.Sprintf("Profiles %s; %d since the start.", text, n))
		}
	}
	limits := s.hubLimits
	series, deltas := int64(stats.Series), stats.DeltaBytes
	for _, l := range []server.Limit{
		{Name: "series", Limit: int64(limits.MaxSeries), Used: &series, Hits: stats.Degraded[ingest.OtherInstance] + byReason[ingest.Limited]},
		{Name: "bytes kept for differences", Limit: limits.DeltaBytes, Used: &deltas, Hits: stats.Degraded[ingest.DeltaForgotten]},
		{Name: "bytes of a request", Limit: limits.MaxBody, Hits: byReason[ingest.TooLarge]},
		{Name: "bytes in the value of a label", Limit: int64(limits.MaxValue), Hits: stats.Degraded[ingest.LabelCut]},
	} {
		l.Last = ms(s.changes.look("limit "+l.Name, l.Hits, now).last)
		if l.Limit > 0 {
			st.Limits = append(st.Limits, l)
		}
	}
	kept := s.store.Stats()
	st.Store = storeFigures(kept)
	notice(server.LevelError, s.changes.look("full", kept.Full, now), fmt.Sprintf("There is no room left for profiles; %d could not be kept since the start.", kept.Full))
	notice(server.LevelInfo, s.changes.look("expired", kept.Expired, now), fmt.Sprintf("Profiles came that are older than profiles are kept; %d since the start.", kept.Expired))
	st.Scrape = s.scraped()
	failing := 0
	for _, t := range st.Scrape {
		if t.Error != "" {
			failing++
		}
	}
	if failing > 0 {
		st.Notices = append(st.Notices, server.Notice{Level: server.LevelWarning, Text: fmt.Sprintf("%d of %d profiles could not be fetched the last time.", failing, len(st.Scrape))})
	}
	return st
}

// fullFor is how long the server counts as not ready after there was no room.
const fullFor = time.Minute

// ready returns why profiles can't be taken.
func (s *serving) ready() error {
	now := time.Now()
	if last := s.changes.look("full", s.store.Stats().Full, now).last; !last.IsZero() && now.Sub(last) < fullFor {
		return store.ErrFull
	}
	return nil
}

// storeFigures are the figures of a store, by name.
func storeFigures(st disk.Stats) map[string]any {
	return map[string]any{
		"profiles": st.Profiles, "unpacked": st.Fresh, "partitions": st.Partitions,
		"liveBytes": st.LiveBytes, "diskBytes": st.DiskBytes, "cacheBytes": st.CacheBytes, "cacheHits": st.CacheHits, "cacheMisses": st.CacheMiss,
		"put": st.Put, "duplicates": st.Duplicates, "expired": st.Expired, "full": st.Full, "packed": st.Packed, "dropped": st.Dropped, "busy": st.Busy,
	}
}

// scraped tells how the targets of the scrape configuration do.
func (s *serving) scraped() []server.Scraped {
	var all []server.Scraped
	for _, job := range s.scraper.Status() {
		for _, t := range job.Targets {
			labels := map[string]string{}
			for _, l := range t.Labels {
				labels[l.Name] = l.Value
			}
			for _, p := range t.Profiles {
				state := "up"
				switch {
				case p.Error != "":
					state = "down"
				case p.Last.IsZero():
					state = "waiting"
				}
				all = append(all, server.Scraped{
					Job: job.Name, Target: t.URL, Kind: p.Kind, Labels: labels, State: state, Last: ms(p.Last), Took: int64(p.Took),
					Error: p.Error, Profiles: p.Scrapes - p.Failed,
				})
			}
		}
	}
	return all
}

// storeMetrics are the figures of a store for Prometheus.
type storeMetrics struct{ store *disk.Store }

var (
	descKept     = prometheus.NewDesc("hone_store_profiles", "Profiles kept.", nil, nil)
	descUnpacked = prometheus.NewDesc("hone_store_unpacked_profiles", "Profiles kept that are not packed yet.", nil, nil)
	descLive     = prometheus.NewDesc("hone_store_live_bytes", "Size of the profiles on disk.", nil, nil)
	descDisk     = prometheus.NewDesc("hone_store_disk_bytes", "Size of all files of the store.", nil, nil)
	descCache    = prometheus.NewDesc("hone_store_cache_bytes", "Memory of what the store keeps between calls.", nil, nil)
	descPut      = prometheus.NewDesc("hone_store_put_total", "Profiles put in, by what became of them.", []string{"result"}, nil)
	descDropped  = prometheus.NewDesc("hone_store_dropped_total", "Profiles removed for their age or for room.", nil, nil)
)

func (storeMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descKept, descUnpacked, descLive, descDisk, descCache, descPut, descDropped} {
		ch <- d
	}
}

func (m storeMetrics) Collect(ch chan<- prometheus.Metric) {
	st := m.store.Stats()
	metric := func(d *prometheus.Desc, kind prometheus.ValueType, n int64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, kind, float64(n), labels...)
	}
	metric(descKept, prometheus.GaugeValue, st.Profiles)
	metric(descUnpacked, prometheus.GaugeValue, st.Fresh)
	metric(descLive, prometheus.GaugeValue, st.LiveBytes)
	metric(descDisk, prometheus.GaugeValue, st.DiskBytes)
	metric(descCache, prometheus.GaugeValue, st.CacheBytes)
	metric(descPut, prometheus.CounterValue, st.Put, "kept")
	metric(descPut, prometheus.CounterValue, st.Duplicates, "duplicate")
	metric(descPut, prometheus.CounterValue, st.Expired, "expired")
	metric(descPut, prometheus.CounterValue, st.Full, "full")
	metric(descDropped, prometheus.CounterValue, st.Dropped)
}
