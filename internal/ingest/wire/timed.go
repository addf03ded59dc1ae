package wire

import (
	"time"

	"github.com/hone-go/hone/profile"
)

// Timed reports whether samples of type t that are taken once an interval of a
// period stand for a time: counted, they can be told in ns too.
func Timed(t, period profile.ValueType, interval int64) bool {
	return t == (profile.ValueType{Type: "samples", Unit: "count"}) &&
		(period.Type == "cpu" || period.Type == "wall") && period.Unit == "nanoseconds" &&
		interval > 0 && interval <= int64(time.Hour)
}
