package disk

// DefaultOptions returns the options that hold where zeros stand.
func DefaultOptions() Options {
	var o Options
	o.fill()
	return o
}
