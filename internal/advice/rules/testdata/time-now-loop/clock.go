package clock

import "time"

func run(steps []func(), limit time.Duration) int {
	start := time.Now()
	for i, step := range steps {
		step()
		// want C: each iteration time.Since reads the clock in each iteration
		if time.Since(start) > limit { // hot: time.Since
			return i
		}
	}
	return len(steps)
}

func stamp(rows []int64) {
	for i := range rows {
		// want C: time.Now reads
		rows[i] = time.Now().UnixNano() // hot: time.Now time.now
	}
}
