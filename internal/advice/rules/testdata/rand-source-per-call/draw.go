package draw

import (
	"math/rand"
	"time"
)

func id(n int) []int {
	// want B: use them. Check that no code calls rand.Seed
	r := rand.New(rand.NewSource(time.Now().UnixNano())) // hot: math/rand.NewSource
	ids := r.Perm(n)
	for i := range ids {
		ids[i] += r.Intn(n)
	}
	return ids
}

func pick(names []string) string {
	// want B: use them. Check that no code calls rand.Seed
	r := rand.New(rand.NewSource(int64(time.Now().Nanosecond()))) // hot: math/rand.NewSource

	n := r.Intn(len(names))
	return names[n]
}

func jitter(d time.Duration) time.Duration {
	// want B: use them. Check that no code calls rand.Seed
	return d + time.Duration(rand.New(rand.NewSource(time.Now().UnixNano())).Int63n(int64(d))) // hot: math/rand.NewSource
}

func same(n int) *rand.Rand {
	// want C: Keep the source
	return rand.New(rand.NewSource(int64(n))) // hot: math/rand.NewSource
}

func handed(n int) int {
	// want C: use them. Check that no code calls rand.Seed
	r := rand.New(rand.NewSource(time.Now().Unix())) // hot: math/rand.NewSource
	return use(r)
}

func use(r *rand.Rand) int { return r.Int() }

// daily is the same all day.
func daily(quotes []string) string {
	// want C: Keep the source
	r := rand.New(rand.NewSource(int64(time.Now().YearDay()))) // hot: math/rand.NewSource
	// want C: Keep the source
	q := rand.New(rand.NewSource(time.Now().Unix() / 86400)) // hot: math/rand.NewSource
	// want B: use them. Check that no code calls rand.Seed
	p := rand.New(rand.NewSource(time.Now().UTC().UnixNano() + 7)) // hot: math/rand.NewSource
	return quotes[r.Intn(len(quotes))] + quotes[q.Intn(len(quotes))] + quotes[p.Intn(len(quotes))]
}

var drawn int64

func count() int64 {
	drawn++
	return drawn
}

func counted(n int) int {
	// want B: + count() doesn't need to be evaluated
	return rand.New(rand.NewSource(time.Now().UnixNano() + count())).Intn(n) // hot: math/rand.NewSource
}
