// Command store is an in-memory key-value store with a log, sorted tables,
// compaction, secondary indexes, leases and many contending goroutines.
package main

import (
	"bytes"
	"cmp"
	"container/heap"
	"container/list"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/maphash"
	"maps"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/bench/peers/workloads/kit"
)

type entry struct {
	key  string
	val  []byte
	seq  uint64
	dead bool
}

type shard struct {
	mu   sync.RWMutex
	mem  map[string]entry
	size int
	tabs [][]entry
	lru  *list.List
	pos  map[string]*list.Element
}

type db struct {
	shards [16]*shard
	seq    atomic.Uint64
	hseed  maphash.Seed
	wal    walog
	flush  chan int
	idx    index
	leases leaseTable
	watch  hub
}

type walog struct {
	mu   sync.Mutex
	cond *sync.Cond
	buf  bytes.Buffer
	done uint64
	next uint64
}

func (w *walog) append(e entry) {
	w.mu.Lock()
	var h [20]byte
	binary.LittleEndian.PutUint64(h[:], e.seq)
	binary.LittleEndian.PutUint32(h[8:], uint32(len(e.key)))
	binary.LittleEndian.PutUint32(h[12:], uint32(len(e.val)))
	binary.LittleEndian.PutUint32(h[16:], crc32.ChecksumIEEE(e.val))
	w.buf.Write(h[:])
	w.buf.WriteString(e.key)
	w.buf.Write(e.val)
	w.next++
	my := w.next
	for w.done < my {
		w.cond.Wait()
	}
	w.mu.Unlock()
}

func (w *walog) sync(ctx context.Context) {
	t := time.NewTicker(200 * time.Microsecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-ctx.Done():
			w.mu.Lock()
			w.done = 1 << 62
			w.mu.Unlock()
			w.cond.Broadcast()
			return
		}
		w.mu.Lock()
		w.buf.Reset()
		w.done = w.next
		w.mu.Unlock()
		w.cond.Broadcast()
	}
}

type index struct {
	mu    sync.Mutex
	terms map[string]map[string]struct{}
}

func (x *index) add(k string, v []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, t := range strings.Fields(string(v[:min(len(v), 60)])) {
		m := x.terms[t]
		if m == nil {
			m = map[string]struct{}{}
			x.terms[t] = m
		}
		if len(m) < 200 {
			m[k] = struct{}{}
		}
	}
}

func (x *index) query(ts ...string) []string {
	x.mu.Lock()
	sets := make([]map[string]struct{}, 0, len(ts))
	for _, t := range ts {
		sets = append(sets, maps.Clone(x.terms[t]))
	}
	x.mu.Unlock()
	slices.SortFunc(sets, func(a, b map[string]struct{}) int { return cmp.Compare(len(a), len(b)) })
	var res []string
	for k := range sets[0] {
		ok := true
		for _, s := range sets[1:] {
			if _, in := s[k]; !in {
				ok = false
				break
			}
		}
		if ok {
			res = append(res, k)
		}
	}
	sort.Strings(res)
	return res
}

type lease struct {
	key   string
	until time.Time
	i     int
}
type leaseHeap []*lease

func (h leaseHeap) Len() int           { return len(h) }
func (h leaseHeap) Less(i, j int) bool { return h[i].until.Before(h[j].until) }
func (h leaseHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i]; h[i].i, h[j].i = i, j }
func (h *leaseHeap) Push(x any)        { l := x.(*lease); l.i = len(*h); *h = append(*h, l) }
func (h *leaseHeap) Pop() any          { o := *h; l := o[len(o)-1]; *h = o[:len(o)-1]; return l }

type leaseTable struct {
	mu  sync.Mutex
	h   leaseHeap
	all map[string]*lease
}

func (t *leaseTable) grant(k string, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l, ok := t.all[k]; ok {
		l.until = time.Now().Add(d)
		heap.Fix(&t.h, l.i)
		return
	}
	l := &lease{key: k, until: time.Now().Add(d)}
	t.all[k] = l
	heap.Push(&t.h, l)
}

func (t *leaseTable) expire() (ks []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for len(t.h) > 0 && t.h[0].until.Before(now) {
		l := heap.Pop(&t.h).(*lease)
		delete(t.all, l.key)
		ks = append(ks, l.key)
	}
	return ks
}

type hub struct {
	mu   sync.Mutex
	subs map[int]chan string
}

func (h *hub) publish(k string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.subs {
		select {
		case c <- k:
		default:
		}
	}
}

func (d *db) shardOf(k string) *shard { return d.shards[maphash.String(d.hseed, k)%16] }

func (d *db) put(k string, v []byte) {
	e := entry{key: k, val: v, seq: d.seq.Add(1)}
	d.wal.append(e)
	s := d.shardOf(k)
	s.mu.Lock()
	s.mem[k] = e
	s.size += len(k) + len(v)
	full := s.size > 120_000
	s.touch(k)
	s.mu.Unlock()
	d.idx.add(k, v)
	d.watch.publish(k)
	if full {
		select {
		case d.flush <- int(maphash.String(d.hseed, k) % 16):
		default:
		}
	}
}

func (s *shard) touch(k string) {
	if el, ok := s.pos[k]; ok {
		s.lru.MoveToFront(el)
		return
	}
	s.pos[k] = s.lru.PushFront(k)
	if s.lru.Len() > 800 {
		last := s.lru.Back()
		delete(s.pos, last.Value.(string))
		s.lru.Remove(last)
	}
}

var errMissing = errors.New("missing")

func (d *db) get(k string) ([]byte, error) {
	s := d.shardOf(k)
	s.mu.RLock()
	defer s.mu.RUnlock()
	if e, ok := s.mem[k]; ok {
		return e.val, nil
	}
	for i := len(s.tabs) - 1; i >= 0; i-- {
		t := s.tabs[i]
		if j, ok := slices.BinarySearchFunc(t, k, func(e entry, k string) int { return strings.Compare(e.key, k) }); ok {
			return t[j].val, nil
		}
	}
	return nil, fmt.Errorf("get %q: %w", k, errMissing)
}

func (d *db) scan(prefix string) int {
	n := 0
	for _, s := range d.shards {
		s.mu.RLock()
		ks := slices.Sorted(maps.Keys(s.mem))
		i, _ := slices.BinarySearch(ks, prefix)
		for ; i < len(ks) && strings.HasPrefix(ks[i], prefix); i++ {
			n++
		}
		for _, t := range s.tabs {
			i := sort.Search(len(t), func(i int) bool { return t[i].key >= prefix })
			for ; i < len(t) && strings.HasPrefix(t[i].key, prefix); i++ {
				n++
			}
		}
		s.mu.RUnlock()
	}
	return n
}

func (d *db) flushShard(i int) {
	s := d.shards[i]
	s.mu.Lock()
	if s.size < 100_000 {
		s.mu.Unlock()
		return
	}
	t := make([]entry, 0, len(s.mem))
	for _, e := range s.mem {
		t = append(t, e)
	}
	s.mem, s.size = map[string]entry{}, 0
	slices.SortFunc(t, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	s.tabs = append(s.tabs, t)
	tabs := s.tabs
	s.mu.Unlock()
	if len(tabs) < 5 {
		return
	}
	m := merge(tabs)
	if len(m) > 4000 {
		m = slices.Clone(m[len(m)-4000:])
	}
	s.mu.Lock()
	s.tabs = append([][]entry{m}, s.tabs[len(tabs):]...)
	s.mu.Unlock()
}

type cursor struct {
	t []entry
	n int
}
type cursors []cursor

func (c cursors) Len() int { return len(c) }
func (c cursors) Less(i, j int) bool {
	if a, b := c[i].t[0].key, c[j].t[0].key; a != b {
		return a < b
	}
	return c[i].n > c[j].n
}
func (c cursors) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *cursors) Push(x any)   { *c = append(*c, x.(cursor)) }
func (c *cursors) Pop() any     { o := *c; x := o[len(o)-1]; *c = o[:len(o)-1]; return x }

func merge(tabs [][]entry) []entry {
	var h cursors
	for i, t := range tabs {
		if len(t) > 0 {
			heap.Push(&h, cursor{t, i})
		}
	}
	var out []entry
	for len(h) > 0 {
		c := heap.Pop(&h).(cursor)
		if len(out) == 0 || out[len(out)-1].key != c.t[0].key {
			out = append(out, c.t[0])
		}
		if c.t = c.t[1:]; len(c.t) > 0 {
			heap.Push(&h, c)
		}
	}
	return out
}

func value(rng *rand.Rand) []byte {
	w := []string{"alpha", "beta", "gamma", "delta", "eps", "zeta", "eta", "theta"}
	var b bytes.Buffer
	for i := rng.Intn(30) + 3; i > 0; i-- {
		fmt.Fprintf(&b, "%s%d ", w[rng.Intn(8)], rng.Intn(40))
	}
	return b.Bytes()
}

func main() {
	kit.Main("store", func(ctx context.Context, wg *sync.WaitGroup) {
		d := &db{hseed: maphash.MakeSeed(), flush: make(chan int, 4)}
		d.wal.cond = sync.NewCond(&d.wal.mu)
		d.idx.terms = map[string]map[string]struct{}{}
		d.leases.all = map[string]*lease{}
		d.watch.subs = map[int]chan string{}
		for i := range d.shards {
			d.shards[i] = &shard{mem: map[string]entry{}, lru: list.New(), pos: map[string]*list.Element{}}
		}
		run := func(f func()) { wg.Add(1); go func() { defer wg.Done(); f() }() }
		run(func() { d.wal.sync(ctx) })
		for i := 0; i < 3; i++ {
			run(func() {
				for {
					select {
					case i := <-d.flush:
						d.flushShard(i)
					case <-ctx.Done():
						return
					}
				}
			})
		}
		for i := 0; i < 4; i++ {
			c := make(chan string, 4)
			d.watch.subs[i] = c
			run(func() {
				seen := map[string]int{}
				for {
					select {
					case k := <-c:
						seen[k]++
						if len(seen) > 5000 {
							top := slices.SortedFunc(maps.Keys(seen), func(a, b string) int { return cmp.Compare(seen[b], seen[a]) })
							for _, k := range top[100:] {
								delete(seen, k)
							}
						}
					case <-ctx.Done():
						return
					}
				}
			})
		}
		run(func() {
			t := time.NewTicker(3 * time.Millisecond)
			defer t.Stop()
			for {
				select {
				case <-t.C:
					d.leases.expire()
				case <-ctx.Done():
					return
				}
			}
		})
		for i := 0; i < 24; i++ {
			run(func() {
				rng := rand.New(rand.NewSource(int64(i)))
				for ctx.Err() == nil {
					k := fmt.Sprintf("k%06d", int(rng.ExpFloat64()*3000))
					switch op := rng.Intn(100); {
					case op < 35:
						d.put(k, value(rng))
					case op < 75:
						d.get(k)
					case op < 77:
						d.scan(k[:4])
					case op < 85:
						d.leases.grant(k, time.Duration(rng.Intn(20))*time.Millisecond)
					default:
						d.idx.query(fmt.Sprintf("alpha%d", rng.Intn(40)), fmt.Sprintf("beta%d", rng.Intn(40)))
					}
				}
			})
		}
	})
}
