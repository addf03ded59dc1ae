package main

import (
	"context"
	"math/bits"
)

type vec struct{ x, y, z float64 }

func (a vec) add(b vec) vec             { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) scale(k float64) vec       { return vec{a.x * k, a.y * k, a.z * k} }
func (a vec) dot(b vec) float64         { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vec) lerp(b vec, t float64) vec { return a.scale(1 - t).add(b.scale(t)) }
func (a vec) norm2() float64            { return a.dot(a) }

func rotate(x uint64) uint64         { return bits.RotateLeft64(x, 13) ^ x>>7 }
func mix(x uint64) uint64            { return rotate(rotate(x)*0x9e3779b97f4a7c15) + 1 }
func next(state *uint64) uint64      { *state = mix(*state); return *state }
func unit(state *uint64) float64     { return float64(next(state)>>11) / (1 << 53) }
func newVec(state *uint64) vec       { return vec{unit(state), unit(state), unit(state)} }
func newPoint(state *uint64) *vec    { v := newVec(state); return &v }
func grow(to []*vec, v *vec) []*vec  { return append(to, v) }
func points(n int, s *uint64) []*vec { return collect(n, s) }

func collect(n int, state *uint64) (out []*vec) {
	for range n {
		out = grow(out, newPoint(state))
	}
	return out
}

// inlining is small functions that inline into each other several levels deep,
// some of which are also called out of line.
func inlining(ctx context.Context) error {
	state := uint64(1)
	var cloud [][]*vec
	var total float64
	measure := vec.norm2 // the same function, not inlined
	for ctx.Err() == nil {
		for i := range 100000 {
			a, b := newVec(&state), newVec(&state)
			v := a.lerp(b, float64(i)*1e-5)
			total += v.norm2()
			if i%8 == 0 {
				total += measure(v)
			}
		}
		if len(cloud) < 200 {
			cloud = append(cloud, points(500, &state))
		}
	}
	keep = []any{total, cloud}
	return nil
}
