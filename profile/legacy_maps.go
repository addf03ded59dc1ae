package profile

import (
	"bytes"
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// Limits of a memory map. A process has a few hundred mappings with code; Linux allows
// 65,530 of all kinds.
const (
	maxMapBytes      = 16 << 20
	maxMapMappings   = 1 << 17
	maxMapAttributes = 256
	maxMapName       = 256 // bytes in the name of an attribute
)

// memoryMapMarks are texts in the line before a memory map.
var memoryMapMarks = [...]string{"--- Memory map: ---", "MAPPED_LIBRARIES:"}

func beginsMemoryMap(line []byte) bool {
	for _, mark := range memoryMapMarks {
		if bytes.Contains(line, []byte(mark)) {
			return true
		}
	}
	return false
}

// memoryMap decodes the mappings after the current line, if there are any, and finds the
// mapping of each location. A line is as in /proc/PID/maps, or brief:
//
//	00400000-00500000 r-xp 00000000 00:00 0 /bin/prog
//	0x400000-0x500000: /bin/prog (@0) 1f2e3d4c
//
// After a line "name=value", $name in later lines means value.
func (l *legacy) memoryMap(line []byte) error {
	var err error
	for ; !beginsMemoryMap(line); line, err = l.next() {
		if err != nil {
			break
		}
	}
	for err == nil {
		if line, err = l.next(); err == nil {
			err = l.mapLine(line)
		}
	}
	if err != io.EOF {
		return err
	}
	tidyMappings(l)
	findMappings(l)
	return nil
}

const (
	mapRange = `^\s*(?:0x)?([0-9A-Fa-f]+)[\s-]?\s*(?:0x)?([0-9A-Fa-f]+):?`
	mapPerm  = `(?:\s+([-rwxp]+))?`
)

var (
	// start, end, permissions, offset, device, inode, file
	fullMapping = lazyregexp.New(mapRange + mapPerm +
		`(?:\s+([0-9A-Fa-f]+))?\s+[0-9A-Fa-f]+:[0-9A-Fa-f]+\s+[0-9]+(?:\s+(\S+))?`)
	// start, end, permissions, file, offset, build id
	briefMapping = lazyregexp.New(mapRange + mapPerm +
		`(?:\s+(\S+))?(?:\s+\(@([0-9A-Fa-f]+)\))?(?:\s+([0-9A-Fa-f]+))?`)
)

// mapLine decodes a line of the memory map. It skips unknown lines.
func (l *legacy) mapLine(line []byte) error {
	if l.mapBytes += len(line) + 1; l.mapBytes > maxMapBytes {
		return &LimitError{"bytes in the memory map", maxMapBytes}
	}
	text := string(cutLogPrefix(line))
	a := &l.attributes
	if n := strings.Count(text, "$"); n > 0 && len(a.pairs) > 0 {
		// Values may contain names, too: n lines can expand to 2ⁿ bytes.
		if a.expanded += len(text) + n*a.longest; a.expanded > maxMapBytes {
			return &LimitError{"bytes in the memory map", maxMapBytes}
		}
		if a.replacer == nil {
			a.replacer = strings.NewReplacer(a.pairs...)
		}
		text = a.replacer.Replace(text)
	}
	m, code, ok := parseMapping(text)
	if !ok {
		name, value, found := strings.Cut(text, "=")
		if !found {
			return nil
		}
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case len(a.pairs) >= 2*maxMapAttributes:
			return &LimitError{"attributes in the memory map", maxMapAttributes}
		case len(name) > maxMapName:
			return &LimitError{"bytes in the name of an attribute", maxMapName}
		}
		a.pairs = append(a.pairs, "$"+name, value)
		a.longest = max(a.longest, len(value))
		a.replacer = nil
		return nil
	}
	if !code {
		return nil
	}
	l.p.Mappings = append(l.p.Mappings, m)
	if len(l.p.Mappings) > maxMapMappings {
		return &LimitError{"mappings", maxMapMappings}
	}
	return nil
}

// parseMapping parses a line of a memory map. code reports whether the mapping may be
// executable, according to the line.
func parseMapping(line string) (m Mapping, code, ok bool) {
	var start, end, perm, offset string
	if f := fullMapping.FindStringSubmatch(line); f != nil {
		start, end, perm, offset, m.File = f[1], f[2], f[3], f[4], f[5]
	} else if f := briefMapping.FindStringSubmatch(line); f != nil {
		start, end, perm, m.File, offset, m.BuildID = f[1], f[2], f[3], f[4], f[5], f[6]
	} else {
		return m, false, false
	}
	if perm != "" && !strings.Contains(perm, "x") {
		return m, false, true
	}
	for _, f := range []struct {
		text string
		to   *uint64
	}{{start, &m.Start}, {end, &m.Limit}, {cmp.Or(offset, "0"), &m.Offset}} {
		v, err := strconv.ParseUint(f.text, 16, 64)
		if err != nil {
			return m, false, false
		}
		*f.to = v
	}
	return m, true, true
}

// cutLogPrefix removes the prefix of a log, such as "I0102 main.cc:12] ".
func cutLogPrefix(line []byte) []byte {
	end := bytes.IndexAny(line, "[]")
	if end < 0 || line[end] != ']' || end+1 == len(line) || bytes.IndexByte([]byte("\t\n\f\r "), line[end+1]) < 0 {
		return line
	}
	number := digitsBefore(line[:end])
	if number == end || number < 2 || line[number-1] != ':' {
		return line
	}
	return line[end+2:]
}

// tidyMappings joins adjacent parts of a mapping, puts the mapping of the program first,
// and numbers them.
func tidyMappings(l *legacy) {
	var maps []Mapping
	for _, m := range l.p.Mappings {
		if n := len(maps); n > 0 && continues(&maps[n-1], &m) {
			last := &maps[n-1]
			last.Limit = m.Limit
			last.File = cmp.Or(m.File, last.File)
			last.BuildID = cmp.Or(m.BuildID, last.BuildID)
			continue
		}
		maps = append(maps, m)
	}
	for i, m := range maps {
		file := strings.TrimSpace(strings.ReplaceAll(m.File, "(deleted)", ""))
		if file != "" && file[0] != '[' && !isLibrary(file) {
			maps[0], maps[i] = maps[i], maps[0]
			break
		}
	}
	// Huge pages under the text of a program hide its first mapping.
	if len(maps) > 1 && strings.HasPrefix(maps[0].File, "/anon_hugepage") && maps[0].Limit == maps[1].Start {
		maps = maps[1:]
	}
	// A text segment that was mapped again is where linkers put programs.
	const linked = 0x400000
	if len(maps) > 0 && maps[0].Start-maps[0].Offset == linked {
		maps[0].Start, maps[0].Offset = linked, 0
	}
	l.p.Mappings = maps
}

// continues reports whether b is the rest of the mapping a.
func continues(a, b *Mapping) bool {
	same := func(x, y string) bool { return x == y || x == "" || y == "" }
	return same(a.File, b.File) && same(a.BuildID, b.BuildID) && a.Limit == b.Start &&
		(a.Offset == 0 || b.Offset == 0 || a.Offset+(a.Limit-a.Start) == b.Offset)
}

// isLibrary reports whether file is named like a shared library: prog.so, or
// prog.so.6 and such.
func isLibrary(file string) bool {
	for rest := file; ; {
		_, after, found := strings.Cut(rest, ".so")
		if !found {
			return false
		}
		if after == "" || len(after) > 1 && (after[0] == '.' || after[0] == '_') && isDigit(after[1]) {
			return true
		}
		rest = after
	}
}

// findMappings sets the mapping of each location: the first one that contains its
// address. If none does, a mapping whose offset in the file shows that its first part is
// missing may be extended to contain it. Otherwise, a mapping of all addresses is added
// for this location and all later ones without a mapping. Text profiles of Go programs
// have no mappings; this gives them the one that a symbolizer needs.
func findMappings(l *legacy) {
	p := l.p
	var bounds []uint64
	for _, m := range p.Mappings {
		bounds = append(bounds, m.Start, m.Limit)
		if m.Offset <= m.Start {
			bounds = append(bounds, m.Start-m.Offset)
		}
	}
	told, missing := newCover(bounds), newCover(bounds)
	for i, m := range p.Mappings {
		told.add(m.Start, m.Limit, uint32(i))
		if m.Offset <= m.Start {
			missing.add(m.Start-m.Offset, m.Start, uint32(i))
		}
	}
	all := uint32(none)
	for i := range p.Locations {
		loc := &p.Locations[i]
		if loc.Address == 0 {
			continue
		}
		m := told.at(loc.Address)
		if m == none && all == none {
			if m = missing.at(loc.Address); m != none {
				found := &p.Mappings[m]
				told.add(found.Start-found.Offset, found.Start, m)
				found.Start -= found.Offset
				found.Offset = 0
			}
		}
		if m == none {
			if all == none {
				all = uint32(len(p.Mappings))
				p.Mappings = append(p.Mappings, Mapping{Limit: math.MaxUint64})
			}
			m = all
		}
		loc.Mapping = m + 1
	}
	for i := range p.Mappings {
		p.Mappings[i].ID = uint64(i + 1)
	}
}

const none = math.MaxUint32

// A cover finds the interval with an address; if there are several, the one with the
// lowest number. It is a segment tree over the parts between all bounds.
type cover struct {
	bounds []uint64 // sorted; part i is from bounds[i] up to bounds[i+1]
	lowest []uint32 // [len(bounds)+i] is of part i, [j] of all below 2j and 2j+1
}

func newCover(bounds []uint64) *cover {
	bounds = slices.Clone(bounds)
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	return &cover{bounds, slices.Repeat([]uint32{none}, 2*len(bounds))}
}

// add adds the interval from start up to end, which have to be among the bounds.
func (c *cover) add(start, end uint64, number uint32) {
	i, _ := slices.BinarySearch(c.bounds, start)
	j, _ := slices.BinarySearch(c.bounds, end)
	n := len(c.bounds)
	for i, j = i+n, j+n; i < j; i, j = i/2, j/2 {
		if i&1 == 1 {
			c.lowest[i] = min(c.lowest[i], number)
			i++
		}
		if j&1 == 1 {
			j--
			c.lowest[j] = min(c.lowest[j], number)
		}
	}
}

// at returns the number of the interval with an address, or none.
func (c *cover) at(address uint64) uint32 {
	i, found := slices.BinarySearch(c.bounds, address)
	if !found {
		i--
	}
	if i < 0 {
		return none
	}
	lowest := uint32(none)
	for i += len(c.bounds); i > 0; i /= 2 {
		lowest = min(lowest, c.lowest[i])
	}
	return lowest
}
