package silent

import (
	"sync"
	"time"
)

var berlin = sync.OnceValues(func() (*time.Location, error) {
	return time.LoadLocation("Europe/Berlin") // hot: time.LoadLocation
})

func utc(t time.Time) time.Time {
	loc, err := time.LoadLocation("UTC") // hot: time.LoadLocation
	if err != nil {
		loc, _ = berlin() // hot: sync.OnceValues time.LoadLocation
	}
	return t.In(loc)
}
