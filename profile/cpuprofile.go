package profile

import (
	"io"
	"math"
)

// decodeCPUProfile decodes a .cpuprofile of V8, as Chrome's developer tools and
// node --cpu-prof write it
// (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile):
//
//	{"nodes": [{"id", "callFrame": {"functionName", "url", "lineNumber"…}, "hitCount"?, "children"?: [id…], "parent"?}…],
//	 "startTime", "endTime", "samples"?: [id…], "timeDeltas"?: [µs…]}
//
// Lines count from 0. A delta is the time since the previous sample, so a sample lasts
// until the next one. The root, which has no parent, isn't a function and is left out.
func decodeCPUProfile(open func() (io.Reader, error), lim Limits, m *meter) (*Profile, error) {
	in, err := open()
	if err != nil {
		return nil, err
	}
	j := newJSONReader(in, ".cpuprofile", lim)
	c := cpuProfile{j: j, lim: lim, mem: m, index: map[int64]int32{}}
	c.m = newImported([]ValueType{{"samples", "count"}, {"time", "nanoseconds"}}, lim, m)
	if err := j.object(c.field); err != nil {
		return nil, err
	}
	p, err := c.profile()
	m.give(c.taken)
	return p, err
}

type cpuProfile struct {
	j     *jsonReader
	lim   Limits
	mem   *meter
	taken int64 // memory of the fields below, taken from mem
	m     *imported

	index      map[int64]int32 // of nodes, by id
	nodes      []cpuNode
	children   []cpuChild
	samples    []int64 // ids of nodes
	deltas     []float64
	start, end float64 // µs
}

type cpuNode struct {
	location uint32
	hits     int64
	parent   int32 // -1 for none
	parentID int64 // -1 for none, or if children are listed instead
	root     bool
}

// cpuChild is a child that a node lists.
type cpuChild struct {
	parent int32
	id     int64
}

// take takes n bytes of memory.
func (c *cpuProfile) take(n int64) error {
	c.taken += n
	err := c.mem.take(n)
	if err != nil {
		c.taken -= n
	}
	return err
}

func (c *cpuProfile) id() (int64, error) {
	v, err := c.j.number()
	if err == nil && (v != math.Trunc(v) || math.Abs(v) > 1<<52) {
		err = c.j.errorf("%v is not the id of a node", v)
	}
	return int64(v), err
}

func (c *cpuProfile) field(key []byte) (err error) {
	j := c.j
	switch string(key) {
	case "nodes":
		return j.array(func(int) error { return c.node() })
	case "samples":
		return j.array(func(int) error {
			id, err := c.id()
			if err == nil {
				err = c.take(16) // including old arrays after growing
			}
			c.samples = append(c.samples, id)
			return err
		})
	case "timeDeltas":
		return j.array(func(int) error {
			d, err := j.number()
			if err == nil {
				err = c.take(16)
			}
			c.deltas = append(c.deltas, d)
			return err
		})
	case "startTime":
		c.start, err = j.number()
		return err
	case "endTime":
		c.end, err = j.number()
		return err
	}
	return j.skip()
}

func (c *cpuProfile) node() error {
	j := c.j
	n := cpuNode{parent: -1, parentID: -1}
	number := int32(len(c.nodes))
	id, hasID := int64(0), false
	var name, url string
	line := int64(0)
	err := j.object(func(key []byte) (err error) {
		switch string(key) {
		case "id":
			id, err = c.id()
			hasID = true
			return err
		case "parent":
			n.parentID, err = c.id()
			return err
		case "hitCount":
			hits, err := j.number()
			if err != nil {
				return err
			}
			n.hits, err = j.rounded(hits)
			return err
		case "children":
			return j.array(func(int) error {
				child, err := c.id()
				if err == nil {
					err = c.take(2 * bytesOf[cpuChild](1))
				}
				c.children = append(c.children, cpuChild{number, child})
				return err
			})
		case "callFrame":
			return j.object(func(key []byte) error {
				switch string(key) {
				case "functionName":
					text, err := j.stringOrSkip()
					name = string(text)
					return err
				case "url":
					text, err := j.stringOrSkip()
					url = string(text)
					return err
				case "lineNumber":
					at, err := j.index()
					line = int64(at) + 1
					return err
				}
				return j.skip()
			})
		}
		return j.skip()
	})
	if err != nil {
		return err
	}
	if _, twice := c.index[id]; twice || !hasID {
		return j.errorf("node %d has the id of another node, or none", number)
	}
	if len(c.nodes) >= c.lim.Locations {
		return &LimitError{"locations", int64(c.lim.Locations)}
	}
	if err := c.take(64 + 2*bytesOf[cpuNode](1)); err != nil {
		return err
	}
	n.root = name == "(root)" && url == ""
	if name == "" {
		name = "(anonymous)"
	}
	n.location = c.m.location(name, url, max(0, line))
	c.index[id] = number
	c.nodes = append(c.nodes, n)
	return c.m.check()
}

// profile returns the profile after the whole file was read.
func (c *cpuProfile) profile() (*Profile, error) {
	j := c.j
	if len(c.nodes) == 0 {
		return nil, j.errorf("it has no nodes")
	}
	for _, child := range c.children {
		i, ok := c.index[child.id]
		if !ok {
			return nil, j.errorf("child node %d is missing", child.id)
		}
		if c.nodes[i].parent >= 0 {
			return nil, j.errorf("node %d has two parents", child.id)
		}
		c.nodes[i].parent = child.parent
	}
	for i := range c.nodes {
		n := &c.nodes[i]
		if n.parent < 0 && n.parentID >= 0 {
			parent, ok := c.index[n.parentID]
			if !ok {
				return nil, j.errorf("parent node %d is missing", n.parentID)
			}
			n.parent = parent
		}
	}
	counts, times := make([]int64, len(c.nodes)), make([]float64, len(c.nodes))
	if err := c.take(16 * int64(len(c.nodes))); err != nil {
		return nil, err
	}
	if len(c.samples) == 0 {
		for i := range c.nodes {
			counts[i] = c.nodes[i].hits
		}
	}
	if len(c.deltas) > 0 && len(c.deltas) != len(c.samples) {
		return nil, j.errorf("there are %d samples, but %d timeDeltas", len(c.samples), len(c.deltas))
	}
	at := c.start
	for s, id := range c.samples {
		i, ok := c.index[id]
		if !ok {
			return nil, j.errorf("sample %d refers to node %d, which is missing", s, id)
		}
		counts[i]++
		if len(c.deltas) == 0 {
			continue
		}
		at += c.deltas[s]
		if s+1 < len(c.deltas) {
			times[i] += max(0, c.deltas[s+1])
		} else if c.end > at {
			times[i] += c.end - at
		}
	}
	var stack []uint32
	for i := range c.nodes {
		ns, err := j.rounded(times[i] * 1000)
		if err != nil {
			return nil, err
		}
		if counts[i] == 0 && ns == 0 {
			continue
		}
		stack = stack[:0]
		steps := 0
		for n := int32(i); n >= 0; n = c.nodes[n].parent {
			if steps++; steps > len(c.nodes) {
				return nil, j.errorf("node %d is among its own callers", i)
			}
			if !c.nodes[n].root || c.nodes[n].parent >= 0 {
				stack = append(stack, c.nodes[n].location)
			}
		}
		if err := c.m.add(stack, nil, []int64{counts[i], ns}); err != nil {
			return nil, err
		}
	}
	p, err := c.m.profile()
	if err == nil && c.end > c.start {
		p.DurationNanos, err = j.rounded((c.end - c.start) * 1000)
	}
	return p, err
}
