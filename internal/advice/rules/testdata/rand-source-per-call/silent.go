package silent

import (
	"math/rand"
	"time"
)

type dice struct{ r *rand.Rand }

func newDice() *dice {
	return &dice{rand.New(rand.NewSource(time.Now().UnixNano()))} // hot: math/rand.NewSource
}

var source = rand.NewSource(1) // hot: math/rand.NewSource

func (d *dice) roll() int {
	return d.r.Intn(6) + rand.Intn(6) // hot: math/rand.(*Rand).Intn
}
