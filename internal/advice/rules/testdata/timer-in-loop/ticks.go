package ticks

import "time"

func poll(done chan bool) (n int) {
	for {
		select {
		// want C: time.Tick makes a ticker and a channel in each step, and it runs until nothing refers to it. Make one ticker before the loop. (end)
		case <-time.Tick(time.Second): // hot: time.Tick time.NewTicker
			n++
		case <-done:
			return n
		}
	}
}

func each(in []chan int) {
	for _, c := range in {
		// want C: time.NewTicker makes a ticker
		t := time.NewTicker(time.Second) // hot: time.NewTicker
		select {
		case <-t.C:
		case <-c:
		}
		t.Stop()
	}
}
