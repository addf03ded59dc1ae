package measure

import "github.com/hone-go/hone/internal/load"

// since returns what was allocated after an earlier reading: nil if that is unknown,
// or the service was started anew in between.
func (now *Memory) since(before *Memory) *Memory {
	if now == nil || before == nil || now.Bytes < before.Bytes || now.Objects < before.Objects || now.GCs < before.GCs {
		return nil
	}
	return &Memory{now.Bytes - before.Bytes, now.Objects - before.Objects, now.GCs - before.GCs}
}

// less subtracts what a reading takes, of which one is in each period.
func (m *Memory) less(reading *Memory) *Memory {
	if m == nil || reading == nil {
		return nil
	}
	return &Memory{m.Bytes - min(m.Bytes, reading.Bytes), m.Objects - min(m.Objects, reading.Objects), m.GCs}
}

// sumMemory returns what was allocated over all periods, nil if that of one is unknown.
func sumMemory(periods []*Memory) *Memory {
	var sum Memory
	for _, m := range periods {
		if m == nil {
			return nil
		}
		sum = Memory{sum.Bytes + m.Bytes, sum.Objects + m.Objects, sum.GCs + m.GCs}
	}
	return &sum
}

// costs are those of the requests that allocated m.
func (m *Memory) costs(r *load.Result) []Cost {
	if m == nil || r.Succeeded == 0 {
		return nil
	}
	n := float64(r.Succeeded)
	return []Cost{
		{"memory", "B/op", float64(m.Bytes) / n, n},
		{"memory", "allocs/op", float64(m.Objects) / n, n},
		{"memory", "gcs/op", float64(m.GCs) / n, n},
	}
}
