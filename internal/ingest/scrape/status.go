package scrape

import (
	"sync"
	"time"

	"github.com/hone-go/hone/internal/store"
)

// JobStatus describes the state of a job.
type JobStatus struct {
	Name     string
	Interval time.Duration
	Targets  []TargetStatus // by URL, then labels
	Dropped  int            // targets that relabelling drops
	Problems []string       // of its targets' lists, in words
}

// TargetStatus describes the state of a target.
type TargetStatus struct {
	URL      string // up to the profiles' paths
	Labels   []store.Label
	Profiles []ProfileStatus
	Missed   int64 // scrapes that were skipped because earlier ones took longer than the interval
}

// ProfileStatus describes the scrapes of one profile of a target.
type ProfileStatus struct {
	Name, Kind string
	URL        string
	Last       time.Time     // when the last scrape began; zero before the first one
	Took       time.Duration // the last one, the time the target records included
	Bytes      int64         // of the last one
	Error      string        // of the last one, "" if it succeeded
	Absent     string        // the target's answer that it has no such profile, which is Optional; "" if it has
	Scrapes    int64
	Failed     int64
	Failing    int64 // failed scrapes since the last one that succeeded
}

// counts are of all scrapes since the start.
type counts struct {
	countMu sync.Mutex
	of      map[[2]string]*scrapeCount // by job and profile
}

type scrapeCount struct {
	done, failed, bytes int64
	seconds             float64
}

func (c *counts) count(job, profile string, bytes int64, took time.Duration, err error) {
	c.countMu.Lock()
	defer c.countMu.Unlock()
	if c.of == nil {
		c.of = map[[2]string]*scrapeCount{}
	}
	n := c.of[[2]string{job, profile}]
	if n == nil {
		n = new(scrapeCount)
		c.of[[2]string{job, profile}] = n
	}
	n.done++
	n.bytes += bytes
	n.seconds += took.Seconds()
	if err != nil {
		n.failed++
	}
}
