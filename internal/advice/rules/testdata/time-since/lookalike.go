package p

import "time"

func since(begin time.Time) time.Duration {
	return time.Since(begin) // hot: time.Since time.runtimeNano
}

func between(begin, end time.Time) time.Duration {
	return end.Sub(begin) // hot: time.Time.Sub
}

// The time is kept.
func keep(begin time.Time) (time.Time, time.Duration) {
	now := time.Now() // hot: time.Now time.now
	return now, now.Sub(begin)
}
