package daemon

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/api"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/store"
)

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
	ingest.NameCut:        "have names that were too long and were cut",
	ingest.DeltaShared:    "count from the start of their process but can't be compared with the one before, because several processes have the same labels",
	ingest.Clock:          "came with a time that can't be right, and got that of their arrival",
	ingest.OtherInstance:  `are kept as of instance "other", because there are too many series`,
	ingest.DeltaForgotten: "count from the start of their process but could not be compared with the one before, because there are too many such series",
}

// watch looks at the counters from time to time, so that the status knows when
// they rose even if nobody asks.
func (d *daemon) watch(ctx context.Context) {
	for tick := time.NewTicker(10 * time.Second); ; {
		select {
		case <-tick.C:
			d.status()
		case <-ctx.Done():
			tick.Stop()
			return
		}
	}
}

// status tells how the parts fare that the web server doesn't know.
func (d *daemon) status() api.Status {
	now := time.Now()
	stats := d.hub.Stats()
	st := api.Status{Degraded: map[string]int64{}}
	byReason := map[ingest.Reason]int64{}
	for _, p := range stats.Protocols {
		in := api.Ingest{Protocol: p.Protocol, Profiles: p.Profiles, Bytes: p.Bytes, Refused: map[string]int64{}}
		for r, n := range p.Refused {
			in.Refused[r.String()] = n
			byReason[r] += n
		}
		st.Ingest = append(st.Ingest, in)
	}
	notice := func(level string, c change, text string) {
		if c.goesOn(now) {
			st.Notices = append(st.Notices, api.Notice{Level: level, Text: text, Since: ms(c.first)})
		}
	}
	for _, r := range slices.Sorted(maps.Keys(refusals)) {
		c := d.changes.look("refused "+r.String(), byReason[r], now)
		level := api.LevelWarning
		if r == ingest.Internal || r == ingest.Unavailable {
			level = api.LevelError
		}
		notice(level, c, fmt.Sprintf("Profiles are refused %s; %d since the start.", refusals[r], byReason[r]))
	}
	for _, how := range slices.Sorted(maps.Keys(stats.Degraded)) {
		n := stats.Degraded[how]
		if n > 0 {
			st.Degraded[how.String()] = n
		}
		if text := degradations[how]; text != "" {
			notice(api.LevelWarning, d.changes.look("degraded "+how.String(), n, now), fmt.Sprintf("Profiles %s; %d since the start.", text, n))
		}
	}
	limits := d.hub.Config()
	series, deltas := int64(stats.Series), stats.DeltaBytes
	for _, l := range []api.Limit{
		{Name: "series", Limit: int64(limits.MaxSeries), Used: &series, Hits: stats.Degraded[ingest.OtherInstance] + byReason[ingest.Limited]},
		{Name: "bytes kept for differences", Limit: limits.DeltaBytes, Used: &deltas, Hits: stats.Degraded[ingest.DeltaForgotten]},
		{Name: "bytes of a request", Limit: limits.MaxBody, Hits: byReason[ingest.TooLarge]},
		{Name: "bytes in the value of a label", Limit: int64(limits.MaxValue), Hits: stats.Degraded[ingest.LabelCut]},
		{Name: "bytes of a name in a profile", Limit: int64(limits.MaxText), Hits: stats.Degraded[ingest.NameCut]},
	} {
		l.Last = ms(d.changes.look("limit "+l.Name, l.Hits, now).last)
		if l.Limit > 0 {
			st.Limits = append(st.Limits, l)
		}
	}
	kept := d.store.state()
	st.Store, st.Aside, st.Retention = kept.figures, kept.aside, int64(kept.retention)
	st.Notices = append(st.Notices, kept.notices...)
	notice(api.LevelError, d.changes.look("full", kept.full, now), fmt.Sprintf("There is no room left for profiles; %d could not be kept since the start.", kept.full))
	notice(api.LevelInfo, d.changes.look("expired", kept.expired, now), fmt.Sprintf("Profiles came that are older than profiles are kept; %d since the start.", kept.expired))
	st.Scrape = d.scraped()
	failing := 0
	for _, t := range st.Scrape {
		if t.Error != "" {
			failing++
		}
	}
	if failing > 0 {
		st.Notices = append(st.Notices, api.Notice{Level: api.LevelWarning, Text: fmt.Sprintf("%d of %d profiles could not be fetched the last time.", failing, len(st.Scrape))})
	}
	return st
}

// fullFor is how long the server counts as not ready after there was no room.
const fullFor = time.Minute

// ready returns why profiles can't be taken.
func (d *daemon) ready() error {
	if err := d.store.ready(); err != nil {
		return err
	}
	now := time.Now()
	if last := d.changes.look("full", d.store.state().full, now).last; !last.IsZero() && now.Sub(last) < fullFor {
		return store.ErrFull
	}
	return nil
}

// scraped tells how the targets of the scrape configuration do.
func (d *daemon) scraped() []api.Scraped {
	var all []api.Scraped
	for _, job := range d.scraper.Status() {
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
				case p.Absent != "":
					state = "absent"
				case p.Last.IsZero():
					state = "waiting"
				}
				all = append(all, api.Scraped{
					Job: job.Name, Target: t.URL, Kind: p.Kind, Labels: labels, State: state, Last: ms(p.Last), Took: int64(p.Took),
					Error: cmp.Or(p.Error, p.Absent), Profiles: p.Scrapes - p.Failed,
				})
			}
		}
	}
	return all
}
