package once

import "time"

func wait(in <-chan int) int {
	select {
	case v := <-in:
		return v
	case <-time.After(time.Second): // hot: time.After time.NewTimer
		return 0
	}
}

func reset(in <-chan int) (n int) {
	t := time.NewTimer(time.Second) // hot: time.NewTimer
	for n < 100 {
		select {
		case v := <-in:
			n += v
		case <-t.C: // hot: runtime.chanrecv
			return n
		}
		t.Reset(time.Second) // hot: time.(*Timer).Reset
	}
	return n
}

func starts(f func(func())) {
	for range 3 {
		f(func() {
			<-time.After(time.Second) // hot: time.After
		})
	}
}
