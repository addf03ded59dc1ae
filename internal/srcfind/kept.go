package srcfind

import (
	"container/list"
	"errors"
	"strings"
	"sync"
	"time"
)

// DefaultCacheBytes is how much memory the texts and failures of a Finder take.
const DefaultCacheBytes = 64 << 20

const (
	// missShare is the part of the memory that failures may have: whoever sends a
	// profile makes up as many names as they like.
	missShare = 8
	missAge   = time.Minute
	// maxName is the length of a name that is looked for. Longer ones no system
	// opens.
	maxName = 4096
)

// kept are the results of searches by name, until newer ones need their room.
type kept struct {
	now func() time.Time

	mu     sync.Mutex
	of     map[string]*entry
	found  shelf
	missed shelf
}

// A shelf has results that share some memory, who was asked for last in front.
type shelf struct {
	list        list.List // of *entry
	bytes, most int64
}

// An entry is the result of a search, or a search under way.
type entry struct {
	file string
	once sync.Once
	text *Text
	err  error

	// With kept.mu, and only after the search:
	on    *shelf
	at    *list.Element
	size  int64
	until time.Time // of failures
}

func newKept(most int64) *kept {
	if most <= 0 {
		most = DefaultCacheBytes
	}
	return &kept{
		now: time.Now, of: map[string]*entry{},
		found: shelf{most: most - most/missShare}, missed: shelf{most: most / missShare},
	}
}

// get returns the result for a file, which find makes if it isn't there. Who
// asks for the same at a time waits for one search.
func (k *kept) get(file string, find func(string) (*Text, error)) (*Text, error) {
	k.mu.Lock()
	e := k.of[file]
	if e != nil && e.on == &k.missed && k.now().After(e.until) {
		k.drop(e)
		e = nil
	}
	if e == nil {
		e = &entry{file: file}
		k.of[file] = e
	} else if e.on != nil {
		e.on.list.MoveToFront(e.at)
	}
	k.mu.Unlock()
	e.once.Do(func() {
		e.text, e.err = find(file)
		k.keep(e)
	})
	return e.text, e.err
}

// keep puts a result on its shelf, and removes what has no room there any more.
func (k *kept) keep(e *entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e.size = e.cost()
	if e.on = &k.found; e.err != nil {
		e.on, e.until = &k.missed, k.now().Add(missAge)
	}
	e.at = e.on.list.PushFront(e)
	e.on.bytes += e.size
	for s := e.on; s.bytes > s.most; {
		k.drop(s.list.Back().Value.(*entry))
	}
}

func (k *kept) drop(e *entry) {
	delete(k.of, e.file)
	e.on.list.Remove(e.at)
	e.on.bytes -= e.size
}

// entryBytes is what an entry takes beside its texts: itself, its place in map and
// list, and an error.
const entryBytes = 512

// funcBytes is what Verify keeps of a function.
const funcBytes = 64

func (e *entry) cost() int64 {
	n := int64(entryBytes + 2*len(e.file)) // in the error too
	if e.text != nil {
		n += int64(len(e.text.Path))
		for _, line := range e.text.Lines {
			n += int64(16 + len(line) + 1)
			if strings.Contains(line, "func") {
				n += funcBytes
			}
		}
	}
	var miss *NotFoundError
	if errors.As(e.err, &miss) {
		for _, looked := range miss.Looked {
			n += int64(16 + len(looked))
		}
	}
	return n
}
