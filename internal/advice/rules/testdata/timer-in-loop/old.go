//go:build go1.21

package old

import "time"

func poll(done chan bool) (n int) {
	for {
		select {
		// want C: none of them ever stops
		case <-time.Tick(time.Second): // hot: time.Tick time.NewTicker
			n++
		case <-done:
			return n
		}
	}
}
