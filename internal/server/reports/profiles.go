package reports

import (
	"cmp"
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strings"
	"sync"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/profile"
)

// States of a profile.
const (
	stateReady   = "ready"
	stateWaiting = "waiting"
	stateFailed  = "failed"
)

// profiles is the list of open profiles.
type profiles struct {
	ctx    context.Context
	limits server.Limits
	log    func(string)
	slots  chan struct{}                                        // one per profile being loaded
	lookup func(ctx context.Context, id string) (Source, error) // of profiles that nobody listed; nil for none

	mu      sync.Mutex
	sources []*entry // in the order of the command line
	uploads []*entry // in the order of their arrival
	byID    map[string]*entry
	named   []*entry  // found by name, in the order they were asked for
	recent  list.List // of uploaded entries, the most recently used first
	bytes   int64     // of uploads
	evicted map[string]bool
}

// entry is a profile that is open or can be opened. Its id is that of the
// content once that is known; the id it had before stays valid.
type entry struct {
	source Source
	start  sync.Once
	done   chan struct{} // closed when profile or err is set

	// The rest is guarded by profiles.mu; profile and err don't change once
	// done is closed.
	id      string
	state   string
	profile *profile.Profile
	err     error
	twin    bool // another entry has the same content

	element *list.Element // in profiles.recent, of uploads
	bytes   int64
}

func newProfiles(ctx context.Context, cfg *Config, srv *server.Server) *profiles {
	limits := srv.Limits()
	l := &profiles{
		ctx: ctx, limits: limits, log: srv.Log, slots: make(chan struct{}, limits.Parallel), lookup: cfg.Lookup,
		byID: map[string]*entry{}, evicted: map[string]bool{},
	}
	for i, s := range cfg.Profiles {
		s.Merged = max(1, s.Merged)
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", i, s.Name))
		id := cmp.Or(s.ID, "w"+hex.EncodeToString(sum[:8]))
		e := &entry{source: s, done: make(chan struct{}), id: id, state: stateWaiting}
		l.sources = append(l.sources, e)
		l.byID[e.id] = e
		if s.Ready != nil {
			e.start.Do(func() { close(e.done) })
			l.loaded(e, s.Ready, contentID(s.Ready))
		}
	}
	return l
}

// loaded gives an entry its profile. It is called with the lock held.
func (l *profiles) loaded(e *entry, p *profile.Profile, id string) {
	e.state, e.profile = stateReady, p
	if e.source.ID == "" {
		e.id = id
	}
	if l.byID[id] != nil {
		e.twin = e.source.ID == ""
	} else {
		l.byID[id] = e
	}
}

// list returns what is open. Of several with the same content one is listed.
func (l *profiles) list() []api.Profile {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := []api.Profile{}
	for _, group := range [][]*entry{l.sources, l.named, l.uploads} {
		for _, e := range group {
			if !e.twin {
				all = append(all, e.describe())
			}
		}
	}
	return all
}

// describe is called with the lock held.
func (e *entry) describe() api.Profile {
	p := api.Profile{ID: e.id, Name: e.source.Name, Merged: e.source.Merged, Sources: e.source.Paths, State: e.state}
	if e.err != nil {
		p.Error = e.err.Error()
	}
	if e.profile != nil {
		for _, t := range e.profile.SampleTypes {
			p.Types = append(p.Types, api.ValueType(t))
		}
	}
	return p
}

// about returns the entry with an id as it is listed.
func (l *profiles) about(id string) (p api.Profile, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.byID[id]; e != nil {
		return e.describe(), true
	}
	return p, false
}

// ids returns the ids of sources by their places.
func (l *profiles) ids(places []int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []string
	for _, i := range places {
		ids = append(ids, l.sources[i].id)
	}
	return ids
}

// load has a source loaded and waits for it.
func (l *profiles) load(ctx context.Context, e *entry) error {
	e.start.Do(func() {
		go func() {
			defer close(e.done)
			l.slots <- struct{}{}
			defer func() { <-l.slots }()
			p, err := l.guarded(e.source.Load)
			id := ""
			if err == nil {
				id = contentID(p)
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			if err != nil {
				e.state, e.err = stateFailed, err
				return
			}
			l.loaded(e, p, id)
		}()
	})
	select {
	case <-e.done:
		return e.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// guarded calls a function that loads, which is not to take the server down.
func (l *profiles) guarded(load func(context.Context) (*profile.Profile, error)) (p *profile.Profile, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = server.Panicked(v, l.log)
		}
	}()
	return load(l.ctx)
}

// maxSearched is how many profiles are loaded at most to find one by its content.
const maxSearched = 200

// get returns the profile with an id, loaded.
func (l *profiles) get(ctx context.Context, id string) (Opened, error) {
	e, gone := l.find(id)
	if e == nil {
		var err error
		if e, err = l.findNamed(ctx, id); err != nil {
			return Opened{}, err
		}
	}
	if e == nil && isContentID(id) && !gone {
		// It may be that of a profile that is not loaded yet: links outlast the
		// server that they were made on.
		waiting := l.waiting()
		if len(waiting) > maxSearched {
			waiting = nil
		}
		for _, waiting := range waiting {
			if err := l.load(ctx, waiting); err != nil && ctx.Err() != nil {
				return Opened{}, err
			}
			if e, _ = l.find(id); e != nil {
				break
			}
		}
	}
	switch {
	case gone:
		return Opened{}, &server.Error{Status: 404, Param: "profile", Err: fmt.Errorf("profile %s was closed to make room for newer uploads: open it again", id)}
	case e == nil:
		return Opened{}, &server.Error{Status: 404, Param: "profile", Err: fmt.Errorf("no profile %s is open", id)}
	}
	if err := l.load(ctx, e); err != nil {
		if ctx.Err() != nil {
			return Opened{}, err
		}
		status, _ := server.Failure(err)
		return Opened{}, &server.Error{Status: status, Param: "profile", Err: err}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.element != nil {
		l.recent.MoveToFront(e.element)
	}
	p := e.profile
	return Opened{ID: e.id, Name: e.source.Name, Build: e.source.Build, Load: func(context.Context) (*profile.Profile, error) { return p, nil }}, nil
}

// find returns the entry with an id, and whether there was one that is gone.
func (l *profiles) find(id string) (e *entry, gone bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byID[id], l.byID[id] == nil && l.evicted[id]
}

// maxNamed bounds how many profiles found by name are kept: an older one is
// found again when it is asked for.
const maxNamed = 200

// findNamed returns an entry for a profile of a kept run, nil if the id names
// none.
func (l *profiles) findNamed(ctx context.Context, id string) (*entry, error) {
	if l.lookup == nil || !strings.Contains(id, ":") {
		return nil, nil
	}
	source, err := l.lookup(ctx, id)
	if err != nil {
		return nil, &server.Error{Status: server.StatusOf(err), Param: "profile", Err: err}
	}
	source.Merged = 1
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.byID[source.ID]; e != nil {
		return e, nil
	}
	if len(l.named) == maxNamed {
		oldest := l.named[0]
		l.named = l.named[1:]
		for id, e := range l.byID {
			if e == oldest {
				delete(l.byID, id)
			}
		}
	}
	e := &entry{source: source, done: make(chan struct{}), id: source.ID, state: stateWaiting}
	l.named = append(l.named, e)
	l.byID[e.id] = e
	return e, nil
}

func (l *profiles) waiting() []*entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	var es []*entry
	for _, e := range l.sources {
		if e.state == stateWaiting {
			es = append(es, e)
		}
	}
	return es
}

// maxEvicted bounds the memory of uploads that are gone.
const maxEvicted = 10_000

// add opens an uploaded profile. fresh is false if it was open already. Uploads
// that were not used for longest are closed for it.
func (l *profiles) add(name string, p *profile.Profile) (about api.Profile, fresh bool, err error) {
	id, size := contentID(p), ProfileBytes(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.byID[id]; e != nil {
		return e.describe(), false, nil
	}
	if size > l.limits.UploadBytes {
		return about, false, &server.Error{Status: 413, Err: fmt.Errorf("the profile takes %d bytes of memory, more than the limit of %d for all uploads", size, l.limits.UploadBytes)}
	}
	for l.recent.Len() > 0 && (l.recent.Len() >= l.limits.Uploads || l.bytes+size > l.limits.UploadBytes) {
		l.evict(l.recent.Remove(l.recent.Back()).(*entry))
	}
	done := make(chan struct{})
	close(done)
	e := &entry{source: Source{Name: name, Merged: 1}, done: done, id: id, state: stateReady, profile: p, bytes: size}
	e.start.Do(func() {})
	e.element = l.recent.PushFront(e)
	l.bytes += size
	l.uploads = append(l.uploads, e)
	l.byID[id] = e
	delete(l.evicted, id)
	return e.describe(), true, nil
}

func (l *profiles) evict(e *entry) {
	l.bytes -= e.bytes
	delete(l.byID, e.id)
	if len(l.evicted) < maxEvicted {
		l.evicted[e.id] = true
	}
	for i, u := range l.uploads {
		if u == e {
			l.uploads = append(l.uploads[:i:i], l.uploads[i+1:]...)
			break
		}
	}
}

// idBytes is the length of ids: long enough that no two profiles anyone has get
// the same, short enough for links.
const idBytes = 12

// contentID returns the id of a profile: a hash of its encoding.
func contentID(p *profile.Profile) string {
	h := sha256.New()
	if err := p.EncodeUncompressed(hashWriter{h}); err != nil {
		panic(err) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil)[:idBytes])
}

type hashWriter struct{ hash.Hash }

func isContentID(id string) bool {
	b, err := hex.DecodeString(id)
	return err == nil && len(b) == idBytes
}

var errNoUploads = errors.New("this server accepts no uploads")
