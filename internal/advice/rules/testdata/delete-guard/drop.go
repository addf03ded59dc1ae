package p

type cache struct{ entries map[string]int }

func (c *cache) drop(key string) {
	// want B: a key is deleted delete does nothing for a missing key
	if _, ok := c.entries[key]; ok { // hot: runtime.mapaccess2_faststr
		delete(c.entries, key)
	}
}
