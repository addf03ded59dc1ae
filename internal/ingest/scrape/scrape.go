// Package scrape pulls profiles from programs that serve them over HTTP, such as
// those with net/http/pprof, in the manner of Prometheus: jobs have targets,
// which are listed or discovered, relabelled, and asked at an interval.
//
//	[[scrape]]
//	name = "shop"
//	interval = "1m"
//	static = [{targets = ["10.0.0.1:6060", "10.0.0.2:6060"], labels = {zone = "eu-a"}}]
//	files = ["/etc/hone/shop-*.json"]
//	relabel = [{source_labels = ["zone"], regex = "test-.*", action = "drop"}]
//	profiles.block.enabled = false
//	profiles.fgprof = {path = "/debug/fgprof", seconds = 10, kind = "wall"}
//	auth.bearer_file = "/run/secrets/shop"
//
// A target gets one request at a time: first the profiles of a moment, then
// those that are recorded. When its turn is within the interval is random, so
// that a fleet isn't slowed all at once.
package scrape

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/hone-go/hone/internal/ingest"
)

// Protocol is the name of pulls in counters and logs.
const Protocol = "pull"

// refresh is how often files with targets are looked at.
const refresh = 5 * time.Second

// maxParallel is how many requests are under way at a time, of all jobs.
const maxParallel = 1024

// A Scraper pulls profiles and gives them to a Receiver.
type Scraper struct {
	receiver ingest.Receiver
	log      *slog.Logger
	slots    *semaphore.Weighted
	changed  chan struct{} // has room for one: there are new jobs

	mu      sync.Mutex
	jobs    []*activeJob
	clashes map[string]string // what clashesOf found, by labels
	counts
}

// New returns a Scraper without jobs; log may be nil.
func New(receiver ingest.Receiver, log *slog.Logger) *Scraper {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Scraper{receiver: receiver, log: log, slots: semaphore.NewWeighted(maxParallel), changed: make(chan struct{}, 1)}
}

// Apply replaces the jobs. If it fails, nothing changes. Jobs that stay the same keep
// their targets.
func (s *Scraper) Apply(jobs []Job) error {
	if err := Check(jobs); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next := make([]*activeJob, len(jobs))
	for i, given := range jobs {
		same := func(old *activeJob) bool { return reflect.DeepEqual(old.given, given) }
		if old := slices.IndexFunc(s.jobs, same); old >= 0 {
			next[i] = s.jobs[old]
			continue
		}
		j, err := newJob(given, s.receiver.Limits().BodyBytes)
		if err != nil {
			return err
		}
		next[i] = j
	}
	for _, old := range s.jobs {
		if slices.Contains(next, old) {
			continue
		}
		for _, t := range old.targets {
			t.cancel()
		}
		old.client.CloseIdleConnections()
		for _, n := range next {
			if n.Name == old.Name {
				n.targets = old.targets // which those of n have to wait for
			}
		}
	}
	s.jobs = next
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return nil
}

// Run scrapes until ctx is done. It returns when all requests have ended. It may be called
// only once.
func (s *Scraper) Run(ctx context.Context) {
	var running sync.WaitGroup
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	for fresh := true; ; {
		s.mu.Lock()
		jobs := slices.Clone(s.jobs)
		s.mu.Unlock()
		for _, j := range jobs {
			fresh = s.discover(ctx, j, &running) || fresh
		}
		if fresh {
			s.findClashes()
		}
		fresh = false
		select {
		case <-ctx.Done():
			running.Wait()
			return
		case <-tick.C:
		case <-s.changed:
			fresh = true
		}
	}
}

// findClashes finds targets that can't be told apart, and logs those that are new.
func (s *Scraper) findClashes() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clashes := clashesOf(s.jobs)
	for labels, text := range clashes {
		if s.clashes[labels] == "" {
			s.log.Warn("scrape targets can't be told apart", "error", text)
		} else {
			clashes[labels] = s.clashes[labels]
		}
	}
	s.clashes = clashes
}

// discover starts what is new among the targets of a job, and ends what is gone. It
// reports whether there was any.
func (s *Scraper) discover(ctx context.Context, j *activeJob, running *sync.WaitGroup) (fresh bool) {
	var problems []error
	j.files, problems = lists(j.Files, j.files)
	places, dropped, errs := j.places(j.rules, j.files)
	problems = append(problems, errs...)

	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.jobs, j) {
		return false // it was replaced in the meantime
	}
	if len(problems) > 0 && fmt.Sprint(problems) != fmt.Sprint(j.problems) {
		s.log.Warn("scrape job has problems", "job", j.Name, "problems", len(problems), "error", problems[0])
	}
	j.problems, j.dropped = problems, dropped
	next := make(map[string]*scrapeTarget, len(places))
	var started []*scrapeTarget
	for _, p := range places {
		if old := j.targets[p.key()]; old != nil && old.job == j {
			next[p.key()] = old
			continue
		}
		t := &scrapeTarget{place: p, job: j, ended: make(chan struct{}), status: make([]ProfileStatus, len(j.ordered))}
		for i, name := range j.ordered {
			t.status[i] = ProfileStatus{Name: name, Kind: j.Profiles[name].Kind, URL: t.url(name)}
		}
		next[p.key()] = t
		started = append(started, t)
	}
	ending := map[string][]*scrapeTarget{} // by URL
	for key, t := range j.targets {
		if next[key] != t {
			t.cancel()
			ending[t.base.String()] = append(ending[t.base.String()], t)
		}
	}
	j.targets = next
	for _, t := range started {
		var tctx context.Context
		tctx, t.cancel = context.WithCancel(ctx)
		running.Go(func() {
			defer close(t.ended)
			for _, old := range ending[t.base.String()] {
				<-old.ended // never two requests to one target
			}
			s.loop(tctx, t)
		})
	}
	return len(started)+len(ending) > 0
}

// loop scrapes a target at each interval, from a random moment on.
func (s *Scraper) loop(ctx context.Context, t *scrapeTarget) {
	interval := time.Duration(t.job.Interval)
	next := time.Now().Add(rand.N(interval))
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Reset(time.Until(next))
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		for i, name := range t.job.ordered {
			s.one(ctx, t, i, name)
		}
		for next = next.Add(interval); time.Until(next) < 0; next = next.Add(interval) {
			t.mu.Lock()
			t.missed++ // the target is slower than the interval
			t.mu.Unlock()
		}
	}
}

// one scrapes one profile of a target, if its time has come.
func (s *Scraper) one(ctx context.Context, t *scrapeTarget, i int, name string) {
	t.mu.Lock()
	last := t.status[i].Last
	t.mu.Unlock()
	// Rounds are not quite at their intervals.
	if every := time.Duration(t.job.Profiles[name].Every); !last.IsZero() && time.Since(last) < every-time.Duration(t.job.Interval)/2 {
		return
	}
	if s.slots.Acquire(ctx, 1) != nil {
		return
	}
	defer s.slots.Release(1)
	began := time.Now()
	n, err := s.pull(ctx, t, name)
	if ctx.Err() != nil {
		return // neither a success nor the target's fault
	}
	took := time.Since(began)
	var refused *answerError
	if optional := t.job.Profiles[name].Optional; optional != nil && *optional && errors.As(err, &refused) && refused.status == http.StatusNotFound {
		t.mu.Lock()
		defer t.mu.Unlock()
		p := &t.status[i]
		p.Last, p.Took, p.Bytes, p.Error, p.Failing = began, took, 0, "", 0
		p.Absent = "the target does not have this profile: " + err.Error()
		return
	}
	s.count(t.job.Name, name, n, took, err)
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &t.status[i]
	p.Absent = ""
	p.Last, p.Took, p.Bytes = began, took, n
	p.Scrapes++
	if err == nil {
		p.Error, p.Failing = "", 0
		return
	}
	if p.Failing == 0 {
		s.log.Warn("scrape failed", "job", t.job.Name, "target", t.base.Host, "profile", name, "error", err)
	}
	p.Failed++
	p.Failing++
	p.Error = err.Error()
}

// buffers hold bodies. What a Receiver gets it doesn't keep.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled is how large a buffer may be that is kept.
const maxPooled = 4 << 20

// pull gets a profile and gives it to the Receiver. It returns the length of the body.
func (s *Scraper) pull(ctx context.Context, t *scrapeTarget, name string) (int64, error) {
	j := t.job
	p := j.Profiles[name]
	timeout := time.Duration(j.Timeout)
	body := buffers.Get().(*bytes.Buffer)
	body.Reset()
	defer func() {
		if body.Cap() <= maxPooled {
			buffers.Put(body)
		}
	}()
	began := time.Now()
	getting, cancel := context.WithTimeout(ctx, timeout+time.Duration(p.Seconds)*time.Second)
	defer cancel()
	share := s.share(ctx)
	if share != nil {
		defer share.Close()
		ctx = ingest.WithShare(ctx, share)
	}
	if err := j.get(getting, t.url(name), body, share); err != nil {
		if getting.Err() == context.DeadlineExceeded {
			err = fmt.Errorf("no complete answer within %v plus the %d s of recording; %d bytes came", timeout, p.Seconds, body.Len())
		}
		return int64(body.Len()), err
	}
	receiving, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return int64(body.Len()), s.receiver.Receive(receiving, Protocol, ingest.Push{
		Data: body.Bytes(), Labels: t.labels, Kind: p.Kind, Cumulative: p.Cumulative, Sender: t.url(name),
		Time: began.UnixNano(), // targets' clocks are as many as they are
	})
}

func (e *answerError) Error() string { return e.text }

// share returns where a profile takes its memory from, which its sender's push
// would as well, or nil.
func (s *Scraper) share(ctx context.Context) *ingest.Share {
	lim := s.receiver.Limits()
	if lim.Memory == nil {
		return nil
	}
	return lim.Memory.Push(ctx, lim.CallMemory)
}
