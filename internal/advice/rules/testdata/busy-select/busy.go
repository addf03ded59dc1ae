package busy

import "runtime"

func one(c chan int, f func(int)) {
	for {
		// want C: so this keeps a CPU busy until a channel is ready
		select {
		case v := <-c: // hot: runtime.selectnbrecv runtime.chanrecv
			f(v)
		default:
		}
	}
}

func several(a, b chan int, f func(int)) {
loop:
	for {
		// want C: so this keeps a CPU busy until a channel is ready
		select { // hot: runtime.selectgo
		case v := <-a:
			f(v)
		case _, ok := <-b:
			if !ok {
				break loop
			}
		default:
			continue
		}
	}
}

func yields(c chan int, open bool) {
	for open {
		// want C: so this keeps a CPU busy until a channel is ready
		select {
		case c <- 1: // hot: runtime.selectnbsend
			open = false
		default:
			runtime.Gosched()
		}
	}
}
