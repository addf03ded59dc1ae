package disk

import (
	"sync/atomic"
)

// counts has the counters of a store, from when it was opened.
type counts struct {
	put, duplicates, expired, full atomic.Int64
	moved                          atomic.Int64 // sums of a range that moved on
	packed, dropped, lost          atomic.Int64
}
