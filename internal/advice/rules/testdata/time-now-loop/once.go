package once

import "time"

func measure(f func()) time.Duration {
	start := time.Now() // hot: time.Now
	f()
	return time.Since(start) // hot: time.Since
}

func serve(next func() func()) {
	for {
		f := next()
		start := time.Now() // hot: time.Now
		f()
		_ = time.Since(start) // hot: time.Since
	}
}

type clock struct{}

func (clock) Now() int { return 0 }

func fake(n int) (sum int) {
	for range n {
		sum += clock{}.Now() // hot: time.Now
	}
	return sum
}
