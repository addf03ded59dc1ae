package main

import (
	"sort"

	"github.com/google/pprof/profile"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hone-go/hone/bench/peers/internal/corpus"
)

// encode writes a profile as runtime/pprof does: only what the samples use,
// identifiers in the order of first use.
func encode(head *profile.Profile, typ string, stacks []*stack, vals [][]int64, at, dur int64) []byte {
	e := &encoder{str: map[string]int64{"": 0}, strs: []string{""}, loc: map[*profile.Location]uint64{}, fn: map[*profile.Function]uint64{}, mp: map[*profile.Mapping]uint64{}}
	var b []byte
	for _, t := range corpus.SampleTypes[typ] {
		b = e.sub(b, 1, e.valueType(t[0], t[1]))
	}
	var tail []byte
	for i, s := range stacks {
		var m, ids []byte
		for _, l := range s.locs {
			id, ok := e.loc[l]
			if !ok {
				id = uint64(len(e.loc) + 1)
				e.loc[l] = id
				tail = e.location(tail, id, l)
			}
			ids = protowire.AppendVarint(ids, id)
		}
		m = e.sub(m, 1, ids)
		var vb []byte
		for _, v := range vals[i] {
			vb = protowire.AppendVarint(vb, uint64(v))
		}
		m = e.sub(m, 2, vb)
		keys := make([]string, 0, len(s.labels))
		for k := range s.labels {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			for _, v := range s.labels[k] {
				var lb []byte
				lb = e.num(lb, 1, e.s(k))
				lb = e.num(lb, 2, e.s(v))
				m = e.sub(m, 3, lb)
			}
		}
		for k, vs := range s.nums {
			for _, v := range vs {
				var lb []byte
				lb = e.num(lb, 1, e.s(k))
				lb = e.num(lb, 3, v)
				m = e.sub(m, 3, lb)
			}
		}
		b = e.sub(b, 2, m)
	}
	maps := make([]*profile.Mapping, len(e.mp))
	for m, id := range e.mp {
		maps[id-1] = m
	}
	for i, m := range maps {
		var mb []byte
		mb = e.num(mb, 1, int64(i+1))
		mb = e.num(mb, 2, int64(m.Start))
		mb = e.num(mb, 3, int64(m.Limit))
		mb = e.num(mb, 4, int64(m.Offset))
		mb = e.num(mb, 5, e.s(m.File))
		mb = e.num(mb, 6, e.s(m.BuildID))
		if m.HasFunctions {
			mb = e.num(mb, 7, 1)
		}
		b = e.sub(b, 3, mb)
	}
	b = append(b, tail...)
	pt := corpus.PeriodTypes[typ]
	ptb := e.valueType(pt[0], pt[1])
	for _, s := range e.strs {
		b = protowire.AppendTag(b, 6, protowire.BytesType)
		b = protowire.AppendString(b, s)
	}
	b = e.num(b, 9, at)
	period := int64(1)
	switch typ {
	case "cpu":
		b = e.num(b, 10, dur)
		period = 1e7
	case "heap":
		period = 524288
	}
	b = e.sub(b, 11, ptb)
	return e.num(b, 12, period)
}

type encoder struct {
	str  map[string]int64
	strs []string
	loc  map[*profile.Location]uint64
	fn   map[*profile.Function]uint64
	mp   map[*profile.Mapping]uint64
}

func (e *encoder) s(s string) int64 {
	i, ok := e.str[s]
	if !ok {
		i = int64(len(e.strs))
		e.str[s] = i
		e.strs = append(e.strs, s)
	}
	return i
}

func (e *encoder) num(b []byte, f protowire.Number, v int64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, f, protowire.VarintType), uint64(v))
}

func (e *encoder) sub(b []byte, f protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, f, protowire.BytesType), m)
}

func (e *encoder) valueType(t, u string) []byte {
	return e.num(e.num(nil, 1, e.s(t)), 2, e.s(u))
}

func (e *encoder) location(b []byte, id uint64, l *profile.Location) []byte {
	m := e.num(nil, 1, int64(id))
	if l.Mapping != nil {
		mid, ok := e.mp[l.Mapping]
		if !ok {
			mid = uint64(len(e.mp) + 1)
			e.mp[l.Mapping] = mid
		}
		m = e.num(m, 2, int64(mid))
	}
	m = e.num(m, 3, int64(l.Address))
	var fns []byte
	for _, ln := range l.Line {
		var lb []byte
		if f := ln.Function; f != nil {
			fid, ok := e.fn[f]
			if !ok {
				fid = uint64(len(e.fn) + 1)
				e.fn[f] = fid
				fb := e.num(nil, 1, int64(fid))
				fb = e.num(fb, 2, e.s(f.Name))
				fb = e.num(fb, 3, e.s(f.SystemName))
				fb = e.num(fb, 4, e.s(f.Filename))
				fb = e.num(fb, 5, f.StartLine)
				fns = e.sub(fns, 5, fb)
			}
			lb = e.num(lb, 1, int64(fid))
		}
		lb = e.num(lb, 2, ln.Line)
		m = e.sub(m, 4, lb)
	}
	return append(e.sub(b, 4, m), fns...)
}

type stack struct {
	locs   []*profile.Location
	labels map[string][]string
	nums   map[string][]int64
	w      float64 // CPU: hits; else the first value
	vals   []int64
	hot    bool
}
