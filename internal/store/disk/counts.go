package disk

import (
	"sync/atomic"
)

// counts has the counters of a store, from when it was opened.
type counts struct {
	put, duplicates, expired, full atomic.Int64
	loads, moved                   atomic.Int64
	packed, blocks, dropped, lost  atomic.Int64
}
