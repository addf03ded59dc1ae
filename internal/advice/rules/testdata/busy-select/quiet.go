package quiet

import "time"

// There is other work in the loop.
func polls(done chan bool, f func()) {
	for {
		select {
		case <-done: // hot: runtime.selectnbrecv
			return
		default:
		}
		f()
	}
}

func works(done chan bool, f func()) {
	for {
		select {
		case <-done: // hot: runtime.selectnbrecv
			return
		default:
			f()
		}
	}
}

func sleeps(done chan bool) {
	for {
		select {
		case <-done: // hot: runtime.selectnbrecv
			return
		default:
			time.Sleep(time.Millisecond)
		}
	}
}

// It waits.
func waits(a, b chan int) (n int) {
	for {
		select { // hot: runtime.selectgo
		case v := <-a:
			n += v
		case <-b:
			return n
		}
	}
}

// Once, or as often as there are items.
func each(all []chan int) {
	for _, c := range all {
		select {
		case c <- 1: // hot: runtime.selectnbsend
		default:
		}
	}
	for i := 0; i < 3; i++ {
		select {
		case all[0] <- i: // hot: runtime.selectnbsend
		default:
		}
	}
}

// What a case does is not the select.
func inside(a, b chan int) {
	for {
		select {
		case v := <-a:
			select {
			case b <- v: // hot: runtime.selectnbsend
			default:
			}
		}
	}
}

// It leaves the loop.
func drains(c chan int) {
	for {
		select {
		case <-c: // hot: runtime.selectnbrecv
		default:
			return
		}
	}
}
