package experiment

import "time"

// A Load is what a run under load has beyond its samples: its course, how response
// times are distributed, what failed, what a request cost. It is the content of
// load.json, which doc/runs.md describes. Times are in nanoseconds in JSON.
type Load struct {
	Package   string     `json:"package"` // as its samples and profiles have it
	Benchmark string     `json:"benchmark"`
	Sides     []LoadSide `json:"sides"` // the head, or base and head
}

// A LoadSide is what was measured of a side, over all of its periods.
type LoadSide struct {
	Side        string        `json:"side"`
	Started     time.Time     `json:"started"`
	Elapsed     time.Duration `json:"elapsed"`
	Period      time.Duration `json:"period"` // in which requests were due, of all periods
	Asked       float64       `json:"asked"`  // requests per second; 0: as many as it takes
	Rate        *float64      `json:"rate"`   // that succeeded per second, within the periods; nil: too few to tell
	Succeeded   int64         `json:"succeeded"`
	Failed      int64         `json:"failed"`
	Overdue     int64         `json:"overdue,omitempty"` // succeeded, but after their period
	Late        int64         `json:"late"`
	Waited      int64         `json:"waited"`
	Redirected  int64         `json:"redirected,omitempty"` // requests beside those, as answers asked for them
	Bytes       int64         `json:"bytes"`
	Connections int           `json:"connections,omitempty"` // open at once at most
	Streams     int           `json:"streams,omitempty"`     // requests at once at most, where they share connections

	Periods  []LoadPeriod  `json:"periods"`
	Windows  []LoadWindow  `json:"windows"`
	Rounds   []LoadRound   `json:"rounds,omitempty"`
	Response LoadTimes     `json:"response"` // since a request was due
	Service  LoadTimes     `json:"service"`  // since it was sent
	Statuses []LoadStatus  `json:"statuses,omitempty"`
	Failures []LoadFailure `json:"failures,omitempty"`
	Silences []LoadSilence `json:"silences,omitempty"`
	Costs    []LoadCost    `json:"costs,omitempty"`
	GCShare  *float64      `json:"gc_share,omitempty"` // of CPU time
	Hottest  []LoadHot     `json:"hottest,omitempty"`
	Goals    []LoadGoal    `json:"goals,omitempty"`

	Deliveries []LoadDelivery `json:"deliveries,omitempty"` // of each period, where a consumer read the messages

	Void        string `json:"void,omitempty"`
	Stopped     string `json:"stopped,omitempty"`
	Interrupted bool   `json:"interrupted,omitempty"`
}

// A LoadPeriod is a stretch of a side's windows, which have one time for all periods.
type LoadPeriod struct {
	Start   time.Duration `json:"start"`
	End     time.Duration `json:"end"`
	Started time.Time     `json:"started"`
}

// A LoadWindow is what ended within a second or so. A quantile is nil where that
// request failed.
type LoadWindow struct {
	Start     time.Duration  `json:"start"`
	End       time.Duration  `json:"end"`
	Asked     float64        `json:"asked"`
	Succeeded int64          `json:"succeeded"`
	Failed    int64          `json:"failed"`
	Overdue   int64          `json:"overdue,omitempty"`
	Late      int64          `json:"late,omitempty"`
	P50       *time.Duration `json:"p50"`
	P99       *time.Duration `json:"p99"`
	Max       *time.Duration `json:"max"`
}

// A LoadRound is what all users did in a round.
type LoadRound struct {
	Start     time.Duration `json:"start"`
	End       time.Duration `json:"end"`
	Succeeded int64         `json:"succeeded"`
	Failed    int64         `json:"failed"`
	Rate      *float64      `json:"rate"` // that succeeded per second; nil: too few to tell
}

// A LoadSilence is a time in which requests were due and no answer came.
type LoadSilence struct {
	Start time.Duration `json:"start"`
	End   time.Duration `json:"end"`
	Due   int64         `json:"due"` // requests that were due meanwhile
}

// A LoadDelivery is what a consumer saw of the messages of a period and its warm-up.
type LoadDelivery struct {
	Arrived     int64     `json:"arrived"`     // different messages
	Lost        int64     `json:"lost"`        // acknowledged, or sent where nothing is acknowledged, but not there
	Doubled     int64     `json:"doubled"`     // arrivals of messages that had arrived before
	Unconfirmed int64     `json:"unconfirmed"` // they arrived, but failed: their acknowledgement was missed
	Time        LoadTimes `json:"time"`        // from when they were due until the consumer had them
	Incomplete  string    `json:"incomplete,omitempty"`
	Unread      int64     `json:"unread,omitempty"` // then: messages that were not looked for to the end
}

// LoadTimes are how times are distributed. A failed request counts as slower than
// any, so a curve ends where those begin.
type LoadTimes struct {
	Mean  *time.Duration `json:"mean"`
	P50   *time.Duration `json:"p50"`
	P90   *time.Duration `json:"p90"`
	P99   *time.Duration `json:"p99"`
	P999  *time.Duration `json:"p99.9"`
	P9999 *time.Duration `json:"p99.99"`
	Max   *time.Duration `json:"max"`
	Curve []LoadPoint    `json:"curve"`
}

// A LoadPoint says that a share Q of all requests took at most Time.
type LoadPoint struct {
	Q    float64       `json:"q"`
	Time time.Duration `json:"time"`
}

// A LoadStatus is how many answers had a status.
type LoadStatus struct {
	Status int   `json:"status"`
	Count  int64 `json:"count"`
}

// A LoadFailure is failures of one kind, with some in full.
type LoadFailure struct {
	Name    string   `json:"name"`
	Count   int64    `json:"count"`
	Samples []string `json:"samples"`
}

// A LoadCost is what a request took of something: by a profile of a kind, by the
// service's memory statistics or by its process.
type LoadCost struct {
	Kind  string  `json:"kind"` // of the profile, "memory" or "process"
	Unit  string  `json:"unit"` // of the run's samples: cpu-ns/op
	Value float64 `json:"value"`
}

// A LoadHot is a function with much of the CPU time.
type LoadHot struct {
	Function string  `json:"function"`
	Share    float64 `json:"share"`
}

// A LoadGoal is a bound that was asked for.
type LoadGoal struct {
	Text string `json:"text"`
	Met  bool   `json:"met"`
}
