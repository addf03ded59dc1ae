package disk

import (
	"sync/atomic"
)

// counts are what a store counts while it is open.
type counts struct {
	put, duplicates, expired, full atomic.Int64
	loads, moved                   atomic.Int64
	packed, blocks, dropped, lost  atomic.Int64
}
