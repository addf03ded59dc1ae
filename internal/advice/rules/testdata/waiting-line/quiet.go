package quiet

// A CPU profile is there as well.
func each(work chan int, do func(int)) {
	for w := range work { // block: runtime.chanrecv2
		do(w) // hot: other.Do
	}
}
