package schedule

import (
	"slices"
	"time"

	"github.com/hone-go/hone/internal/experiment"
)

// A course is what a measurement goes through.
type course struct {
	sampler
	both, head []*benchmark
	begun      announcement
}

// An announcement is what was said of the time that a measurement takes.
type announcement struct {
	at       time.Time // zero: nothing was
	expected time.Duration
	changed  time.Duration // on top of that if every benchmark changed
}

// compare is the course of a comparison. All benchmarks are measured up to the first look,
// and those that are undecided then up to the next one. What changed is measured anew.
func (c *course) compare() error {
	first := c.Looks[0].Pairs
	process := c.begin(c.now(), len(c.both), len(c.head), 2*(c.PreCheck+first))
	for _, b := range c.both {
		c.will(work{what: calibrating, by: b}, 1, 2*c.Benchtime.guess())
		c.will(samplesOf(b), 2*(c.PreCheck+first), c.Benchtime.guess())
	}
	for _, b := range c.head {
		c.will(samplesOf(b), first, c.Benchtime.guess())
	}

	if err := c.calibrate(process); err != nil {
		return err
	}
	if err := c.linkFirst(first); err != nil {
		return err
	}
	fitting, told := c.fit(c.now(), c.both, c.PreCheck, first)
	if err := c.tell(told...); err != nil {
		return err
	}
	c.both = fitting
	for _, b := range c.both {
		b.leaveSetup()
	}

	noise := calibratedNoise(c.both)
	c.expectMore(c.both, func(*benchmark) experiment.Floor { return noise })
	if c.ProfileAll {
		c.expectProfiles(c.both, 2)
		c.expectProfiles(c.head, 1)
	}
	if err := c.announce(c.both); err != nil {
		return err
	}
	if err := c.preCheck(first); err != nil {
		return err
	}

	seen, err := c.inLooks(experiment.Measure, c.both)
	if err != nil {
		return err
	}
	changed := among(c.both, seen.Changed)
	again, told := c.confirmable(c.now(), among(c.both, seen.Unconfirmed), seen.Worse)
	if err := c.tell(told...); err != nil {
		return err
	}
	if !c.ProfileAll {
		c.expectProfiles(changed, 2)
	}
	if len(again) > 0 {
		c.linksToConfirm(again)
		if seen, err = c.inLooks(experiment.Repeat, again); err != nil {
			return err
		}
	}

	explained := among(changed, seen.Changed)
	if err := c.measureHead(first, explained); err != nil {
		return err
	}
	if c.taken == 0 {
		return nil // nothing that profiles could explain
	}
	c.keep = 0
	if c.ProfileAll {
		explained = c.both
		if err := c.profile(c.head, experiment.Head); err != nil {
			return err
		}
	}
	return c.profile(explained, experiment.Base, experiment.Head)
}

// measure is the course of a measurement that compares nothing: round by round, so that a
// slow spell of the machine spreads over all benchmarks. Profiles follow. Who asks for one
// sample is after the profiles, so there each benchmark is profiled right after its sample:
// interrupted, there are those of all that was measured.
func (c *course) measure() error {
	for _, b := range c.head {
		c.will(samplesOf(b), c.Count, c.Benchtime.guess())
	}
	c.expectProfiles(c.head, 1)
	once := c.Count == 1 && c.Benchtime.Iterations == 0 // else what it takes is known behind the first round only
	if once {
		if err := c.announce(nil); err != nil {
			return err
		}
	}
	for round := range c.Count {
		for _, b := range c.head {
			if err := c.wait(); err != nil {
				return err
			}
			if err := c.sample(b, nil); err != nil {
				return err
			}
			if once {
				if err := c.profiles(b, experiment.Head); err != nil {
					return err
				}
			}
		}
		if round == 0 && !once {
			if err := c.announce(nil); err != nil { // now that every benchmark has told what it takes
				return err
			}
		}
	}
	if once {
		return nil
	}
	for _, b := range c.head {
		if err := c.profiles(b, experiment.Head); err != nil {
			return err
		}
	}
	return nil
}

// calibrate calibrates those benchmarks for which there is time, by processes of a length.
func (c *course) calibrate(process time.Duration) error {
	for i, b := range c.both {
		if i > 0 && !c.allows(c.now(), c.For/2) {
			late := c.both[i:]
			for _, b := range late {
				c.drop(b)
			}
			c.both = c.both[:i]
			return c.tell(c.noTime("measure", late)...)
		}
		out, took, err := c.do(Calibrate{b.n, Length{process, c.Benchtime.Iterations}})
		if err != nil {
			return err
		}
		b.costs = out.Costs
		c.failing(b, out)
		// A number of iterations that was asked for stays.
		if b.samples = c.Benchtime; c.Benchtime.Iterations == 0 {
			b.samples = Length{Iterations: Iterations(c.Benchtime.Duration, b.costs.mean())}
		}
		c.done(work{what: calibrating, by: b}, took)
		c.will(samplesOf(b), 0, b.takes(b.samples))
	}
	return nil
}

// linkFirst has benchmarks measured in several layouts, as many as there are pairs, and
// links the first one, which tells what that takes.
func (c *course) linkFirst(pairs int) error {
	if c.Layouts == NoLayouts {
		return nil
	}
	c.links = make(map[string]*links)
	for _, b := range c.both {
		l := c.links[b.binary]
		if l == nil {
			l = &links{linked: make(map[int]bool)}
			c.links[b.binary] = l
		}
		l.measuring += 2 * b.takes(b.samples)
	}
	c.expectLinks(c.both, pairs)
	for _, b := range c.both {
		if b.failed || !c.allows(c.now(), c.For/2) {
			continue
		}
		if _, err := c.link(b, firstLayout); err != nil {
			return err
		}
	}
	return nil
}

// preCheck measures the base against itself, for the noise. Other programs may slow the machine
// after the calibration, so time for the first look is kept: pairs take that many.
func (c *course) preCheck(first int) error {
	if c.PreCheck == 0 {
		return nil
	}
	if c.limited() {
		measuring := max(0, c.left(c.now())) * time.Duration(first) / time.Duration(c.PreCheck+first)
		c.keep += measuring
		defer func() { c.keep -= measuring }()
	}
	if err := c.pairs(experiment.PreCheck, c.both, c.PreCheck); err != nil {
		return err
	}
	out, _, err := c.do(Judge{experiment.PreCheck})
	if err != nil {
		return err
	}
	c.expectMore(c.both, func(b *benchmark) experiment.Floor { return out.Judgement.Noise[b.ID] })
	return nil
}

// inLooks measures benchmarks up to the first look, and those that are still open then up
// to the next one. It returns what the last look says.
func (c *course) inLooks(phase experiment.Phase, all []*benchmark) (Judgement, error) {
	var seen Judgement
	pairs, some := 0, all
	for _, look := range c.Looks {
		if pairs > 0 {
			c.expectMore(some, func(*benchmark) experiment.Floor { return experiment.Floor{} })
			// For want of time a look came early. It was a look.
			some = slices.DeleteFunc(among(all, seen.Open), func(b *benchmark) bool { return b.late || b.failed })
			if len(some) == 0 {
				return seen, nil
			}
			c.keepFor(c.now(), phase, among(all, seen.Changed), some, look.Pairs)
		}
		if pairs > 0 || phase != experiment.Measure { // else they are expected from the start
			c.expectSamples(some, look.Pairs-pairs)
		}
		if err := c.pairs(phase, some, look.Pairs-pairs); err != nil {
			return Judgement{}, err
		}
		out, _, err := c.do(Judge{phase})
		if err != nil {
			return Judgement{}, err
		}
		seen, pairs = out.Judgement, look.Pairs
		if phase == experiment.Measure {
			for _, b := range among(some, seen.Unconfirmed) {
				if b.seen == 0 {
					b.seen = pairs
				}
			}
		}
	}
	return seen, nil
}

// measureHead measures what there is nothing to compare with, each n times as long as there
// is time beside profiles of what is explained, and has all judged anew.
func (c *course) measureHead(n int, explained []*benchmark) error {
	if len(c.head) == 0 {
		return nil
	}
	c.keep = c.profilesCost(explained...)
	var late []*benchmark
	for round := range n {
		for _, b := range c.head {
			if !c.allows(c.now(), c.at(samplesOf(b)).cost) {
				c.leaveOut(b, 1)
				if round == 0 {
					late = append(late, b)
				}
				continue
			}
			slot := c.turns.Alone(experiment.Measure, experiment.Head)
			if err := c.sample(b, &slot); err != nil {
				return err
			}
		}
	}
	if err := c.tell(c.noTime("measure", late)...); err != nil {
		return err
	}
	return c.tell(Judge{experiment.Measure})
}

// profile takes the profiles of benchmarks, of some sides, as long as there is time.
func (c *course) profile(some []*benchmark, sides ...experiment.Side) error {
	var late []*benchmark
	for _, b := range some {
		if !c.allows(c.now(), c.profilesCost(b)*time.Duration(len(sides))/2) {
			late = append(late, b)
			c.drop(b)
			continue
		}
		for _, side := range sides {
			if err := c.profiles(b, side); err != nil {
				return err
			}
		}
	}
	return c.tell(c.noTime("profile", late)...)
}

// among returns those of some benchmarks that a judgement names.
func among(some []*benchmark, named map[ID]bool) []*benchmark {
	var found []*benchmark
	for _, b := range some {
		if named[b.ID] {
			found = append(found, b)
		}
	}
	return found
}

// announce says how long the run will take from here on, as long as none of the benchmarks
// that are compared has changed, and if all have.
func (c *course) announce(compared []*benchmark) error {
	now := c.now()
	c.begun = announcement{now, c.rest(now), c.ifChanged(now, compared)}
	return c.tell(Announce{c.begun.expected, c.begun.expected + c.begun.changed})
}
