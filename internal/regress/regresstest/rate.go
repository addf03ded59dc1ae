package regresstest

import (
	"math"
	"math/rand/v2"
)

// idle is the share of an average instance's CPU that doesn't depend on requests.
const idle = 0.05

// requests returns about how many requests an instance has in a bucket, in the time that is
// profiled. They follow its load, whatever a version's code costs. Counts cover all of the
// time and profiles a sixth of it, so the rates of both differ by chance.
func (f *Fleet) requests(instance string, t int64) float64 {
	rng := rand.New(rand.NewPCG(f.cfg.Seed, hash(f.cfg.Service, instance, t, "requests")))
	const perCore = 100.0 // requests per second of CPU time
	busy := f.cores(instance, t) - idle*f.cfg.Cores
	return busy * perCore * perMinute * float64(bucket/minute) * math.Exp(0.02*rng.NormFloat64())
}
