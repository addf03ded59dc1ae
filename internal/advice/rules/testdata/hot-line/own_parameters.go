package hotline

import "sync"

type block [16]uint32

// says: cannot inline: function too complex: cost 560 exceeds budget 80
func (b block) first(p *block) uint32 {
	// want look: what is inlined there. Each call of first copies 64 bytes: b is passed by value. It is in no loop
	return p[0] + uint32(len(b)) // hot
}

func (b block) second() uint32 {
	// want look: what is inlined there. It is in no loop: it runs at most once per call of second. (end)
	return uint32(len(b)) // hot
}

// says: cannot inline: unhandled op DEFER
func locked(mu *sync.Mutex, n *int) {
	mu.Lock()
	defer mu.Unlock()
	// want look: locked itself isn't inlined: it has a defer statement. (end)
	*n++ // hot
}
