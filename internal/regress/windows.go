package regress

import "time"

// A Trigger is a reason to compare: a new version, or none, for drifts.
type Trigger struct {
	Service, Kind string
	// Version is the new version, whose first profile began at Since. Without a version,
	// the last day is compared with the same weekday a week ago.
	Version string
	Since   int64 // ns since 1970
	// Prior is when the version before it began, so that a change of an earlier version
	// isn't found again; 0 if unknown.
	Prior int64
	// Rate is the probability of a false alarm in this comparison; see Look.
	Rate float64
	// Now is the end of the time compared, in ns since 1970.
	Now int64
}

const day = int64(24 * time.Hour)

// rate returns the rate of false alarms of a trigger.
func (t Trigger) rate() float64 {
	if t.Version == "" {
		return driftRate
	}
	return max(t.Rate, 1e-6)
}

// A span is a range of time in ns since 1970; to is exclusive.
type span struct{ from, to int64 }

// shift returns a span moved in time and extended on both sides.
func (s span) shift(by, wider int64) span { return span{s.from + by - wider, s.to + by + wider} }

func (s span) length() int64 { return s.to - s.from }

// A pair is two spans that are compared.
type pair struct{ before, after span }

// windows are the times that a comparison looks at.
type windows struct {
	pair
	// late is the last third of the time after. It doesn't show an effect that went away.
	late span
	// past are pairs from before the change: the same hours on earlier days. They tell how
	// the time of day changes costs, and how much functions vary.
	past []pair
}

// windowsOf returns the windows of a trigger. If costs grow from the start of a process, the
// time before is as long as the time after, and so has starts of processes, too.
func windowsOf(t Trigger, o Options, grows bool) windows {
	var w windows
	if t.Version == "" {
		w.after = span{t.Now - day, t.Now}
		w.before = span{t.Now - 8*day, t.Now - 7*day}
		for d := range int64(o.Days - 1) {
			w.past = append(w.past, pair{span{t.Now - (d+3)*day, t.Now - (d+2)*day}, span{t.Now - (d+2)*day, t.Now - (d+1)*day}})
		}
	} else {
		w.after = span{t.Since, t.Now}
		w.before = span{t.Since - max(int64(o.Before), w.after.length()), t.Since}
		if !grows {
			// An hour is needed, even if another version was in it.
			w.before.from = max(w.before.from, min(t.Prior, t.Since-int64(time.Hour)))
		}
		// A wider time around the same middle has more samples, and the same time of day.
		wider := int64(0)
		if t.Now-t.Since <= int64(time.Hour) {
			wider = int64(30 * time.Minute)
		}
		for d := int64(1); d <= int64(o.Days); d++ {
			w.past = append(w.past, pair{w.before.shift(-d*day, 0), w.after.shift(-d*day, wider)})
		}
	}
	w.late = span{w.after.to - w.after.length()/3, w.after.to}
	return w
}
