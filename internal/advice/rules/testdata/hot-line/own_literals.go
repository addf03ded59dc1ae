package hotline

import "sync"

func counter(mu *sync.Mutex, n *int) func() {
	// says: cannot inline: unhandled op DEFER
	return func() {
		mu.Lock()
		defer mu.Unlock()
		// want look: The function literal itself isn't inlined: it has a defer statement. (end)
		*n++ // hot
	}
}

func handler(release func()) func(n *int) {
	// says: cannot inline: unhandled op DEFER
	return func(n *int) {
		defer release()
		*n++
		// want look: The function literal itself isn't inlined: it has a defer statement. (end)
	} // hot
}
