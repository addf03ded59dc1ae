package regress

import "time"

// A Look is when a new version is compared: After so long, with a Rate of false alarms.
type Look struct {
	After time.Duration
	Rate  float64
}

// Looks returns when a new version is compared. Several looks at the same change must not
// add up to many false alarms, so most of the rate is for the one after half an hour. Until
// then, only large changes are found.
func Looks() []Look {
	return []Look{{10 * time.Minute, 0.001}, {20 * time.Minute, 0.001}, {30 * time.Minute, 0.02}, {time.Hour, 0.001}, {2 * time.Hour, 0.001}, {6 * time.Hour, 0.001}, {24 * time.Hour, 0.001}}
}

// DriftEvery is how often a service is compared with a week ago.
const DriftEvery = 6 * time.Hour

// driftRate is the rate of false alarms of such a comparison.
const driftRate = 0.001
