package levels

type entry struct {
	level, host, city string
	country           string
}

type index struct {
	entries []*entry
	errors  int
	byHost  map[string]int
	byCity  map[string][]*entry
}

func (x *index) add(level, host, city, country []byte) {
	e := new(entry)
	// want C: 6250000 strings of 16 bytes on average are in use for field level. Line 27 compares it with "ERROR", so it seems to have few values. Look them up in a map with m[string(level)]
	e.level = string(level) // live: only 16
	// want C: field host. Line 30 groups by it
	h := string(host) // live: only 24
	e.host = h
	// want C: field city. Line 31 groups by it
	f := &entry{city: string(city)} // live: only 16
	// want C: field country. Line 32 distinguishes its values, so it seems to have few values. Look them up in a map with m[string(country)], which doesn't copy, and store only new ones. Or make the field a unique.Handle
	e.country = string(country) // live: only 16
	x.entries = append(x.entries, e, f)
	if e.level == "ERROR" {
		x.errors++
	}
	x.byHost[e.host]++
	x.byCity[f.city] = append(x.byCity[f.city], f)
	switch e.country {
	case "de", "fr":
	}
}
