package stamp

import "time"

const zone = "Europe/Berlin"

type config struct{ Zone string }

// Stamp is the time there.
func Stamp(t time.Time) (string, error) {
	// want B: reads "Europe/Berlin"
	loc, err := time.LoadLocation(zone) // hot: time.LoadLocation time.loadLocation
	if err != nil {
		return "", err
	}
	return t.In(loc).Format(time.RFC3339), nil
}

func (c *config) stamp(t time.Time) time.Time {
	// want B: reads "Asia/Tokyo"
	if tokyo, err := time.LoadLocation("Asia/Tokyo"); err == nil { // hot: time.LoadLocation
		t = t.In(tokyo)
	}
	// want C: Resolve the name once
	loc, _ := time.LoadLocation(c.Zone) // hot: time.LoadLocation
	return t.In(loc)
}

func local(t time.Time) time.Time {
	const zone = "Asia/Tokyo"
	// want C: load it once
	loc, _ := time.LoadLocation(zone) // hot: time.LoadLocation
	return t.In(loc)
}
