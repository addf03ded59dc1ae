package wire

import (
	"time"

	"github.com/hone-go/hone/profile"
)

// Timed reports whether each sample of type t stands for a time, because one is taken per
// interval of the period. Then a count of samples can also be told in ns.
func Timed(t, period profile.ValueType, interval int64) bool {
	return t == (profile.ValueType{Type: "samples", Unit: "count"}) &&
		(period.Type == "cpu" || period.Type == "wall") && period.Unit == "nanoseconds" &&
		interval > 0 && interval <= int64(time.Hour)
}
