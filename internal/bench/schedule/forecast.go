package schedule

import "time"

// A forecast knows what is still to do, and tells how long that takes: how often each
// piece of work will come, times what it took so far. What may come or not, as more samples
// of what is undecided, counts by its chance, so that the time left is the one to expect.
type forecast struct {
	ahead    map[work]*ahead
	finished int // processes
}

// A work is what takes about as long each time.
type work struct {
	what   string     // calibrating, sampling, linking or a kind of profile
	by     *benchmark // nil: linking
	binary string     // of linking
}

const (
	calibrating = "calibrate"
	sampling    = "sample"
	linking     = "link"
)

func samplesOf(b *benchmark) work { return work{what: sampling, by: b} }

func linksOf(binary string) work { return work{what: linking, binary: binary} }

// ahead is how often something is still to come.
type ahead struct {
	sure int
	more float64 // that may come, on average
	cost time.Duration
	seen int // times that it was done
}

func (f *forecast) at(w work) *ahead {
	if f.ahead == nil {
		f.ahead = make(map[work]*ahead)
	}
	a := f.ahead[w]
	if a == nil {
		a = new(ahead)
		f.ahead[w] = a
	}
	return a
}

// will plans work n more times, in place of what might have come. guess is what it takes
// as long as nobody has done it.
func (f *forecast) will(w work, n int, guess time.Duration) {
	a := f.at(w)
	a.sure, a.more = a.sure+n, 0
	if a.seen == 0 {
		a.cost = guess
	}
}

// may says how much more often than planned work comes, on average.
func (f *forecast) may(w work, n float64) { f.at(w).more = n }

// never takes back work.
func (f *forecast) never(w work) { *f.at(w) = ahead{} }

// drop takes back all of a benchmark.
func (f *forecast) drop(b *benchmark) {
	for w := range f.ahead {
		if w.by == b {
			f.never(w)
		}
	}
}

// done counts work that took so long; 0: it was left out.
func (f *forecast) done(w work, took time.Duration) {
	a := f.at(w)
	if w.what != linking && (a.sure > 0 || took > 0) {
		f.finished++
	}
	a.sure = max(0, a.sure-1)
	if took > 0 {
		// The last ones tell more: machines get slower and faster.
		const latest = 8
		a.seen++
		a.cost += (took - a.cost) / time.Duration(min(a.seen, latest))
	}
}

// rest is how long all that is planned takes.
func (f *forecast) rest() time.Duration {
	var sum time.Duration
	for _, a := range f.ahead {
		sum += time.Duration((float64(a.sure) + a.more) * float64(a.cost))
	}
	return sum
}

// total is how many processes there are, as far as is known.
func (f *forecast) total() int {
	n := f.finished
	for w, a := range f.ahead {
		if w.what != linking {
			n += a.sure
		}
	}
	return n
}
