package selects

import "time"

func consume(in <-chan int, stop <-chan struct{}) (n int) {
	for {
		select {
		case v := <-in:
			n += v
		// want C: left to the garbage collector
		case <-time.After(time.Second): // hot: time.After time.NewTimer
			return n
		case <-stop:
			return n
		}
	}
}

func each(in []chan int) {
	for _, c := range in {
		// want C: time.NewTimer makes
		t := time.NewTimer(time.Second) // hot: time.NewTimer
		select {
		case <-t.C:
		case <-c:
		}
		t.Stop()
	}
}
