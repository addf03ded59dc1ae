package schedule

import (
	"github.com/hone-go/hone/internal/experiment"
)

// A sampler takes samples and profiles, as far as the outlook allows.
type sampler struct {
	outlook
	steps
	waiter waiter
	turns  *experiment.Turns
	taken  int // samples
}

// failing notes whether a benchmark failed.
func (s *sampler) failing(b *benchmark, out Outcome) bool {
	if out.Failed {
		b.failed = true
		s.drop(b)
	}
	return out.Failed
}

// link has a layout of a benchmark's binary linked unless it is there. It returns the
// layout, or 0, which is the binary as linked at first, where it can't be had.
func (s *sampler) link(b *benchmark, layout int) (int, error) {
	if layout == 0 || !s.isLinked(b) {
		return 0, nil
	}
	l := s.links[b.binary]
	if l.linked[layout] {
		return layout, nil
	}
	out, took, err := s.do(Link{N: b.n, Layout: layout, Keep: layout - 1}) // two pairs are a block: the other one may come again
	if err != nil {
		return 0, err
	}
	s.forecast.done(linksOf(b.binary), took)
	switch {
	case out.Failed:
		s.oneLayout(b.binary)
		return 0, s.tell(Warn{b.Package + ": measured in one layout only: " + out.Why})
	case took > l.measuring && s.Layouts == AutoLayouts && !l.slow:
		l.slow = took <= confirmingLink
		s.oneLayout(b.binary)
		return 0, s.tell(linksTooLong(b.Package, took, l.slow && !s.limited()))
	}
	l.linked[layout] = true
	return layout, nil
}

// pairs measures n pairs of each benchmark, block by block.
func (s *sampler) pairs(phase experiment.Phase, some []*benchmark, n int) error {
	return experiment.Pairs(s.turns, some, phase, n, func(b *benchmark, slots []experiment.Slot) error {
		if !b.failed {
			if err := s.wait(); err != nil {
				return err
			}
			b.late = !s.allowsBlock(s.now(), b, phase, len(slots))
		}
		if b.failed || b.late {
			s.leaveOut(b, len(slots))
			return nil
		}
		return s.block(b, phase, slots)
	})
}

// block takes the samples of a block.
func (s *sampler) block(b *benchmark, phase experiment.Phase, slots []experiment.Slot) error {
	step := Samples{N: b.n, Phase: phase, Slots: slots, Layouts: make([]int, len(slots)), Costs: b.costs}
	for i := range slots {
		step.Layouts[i] = b.nextLayout(phase)
	}
	for i, layout := range step.Layouts {
		var err error
		if step.Layouts[i], err = s.link(b, layout); err != nil {
			return err
		}
	}
	step.Lengths = b.processes()
	return s.take(b, step)
}

// sample takes one sample of the head, that there is nothing to compare with.
func (s *sampler) sample(b *benchmark, slot *experiment.Slot) error {
	step := Samples{N: b.n, Phase: experiment.Measure, Layouts: []int{0}, Lengths: []Length{s.Benchtime}, Costs: b.costs}
	if b.failed {
		s.leaveOut(b, 1)
		return nil
	}
	if slot != nil {
		layout, err := s.link(b, b.nextLayout(experiment.Measure))
		if err != nil {
			return err
		}
		step.Slots, step.Layouts = []experiment.Slot{*slot}, []int{layout}
	}
	return s.take(b, step)
}

func (s *sampler) take(b *benchmark, step Samples) error {
	out, _, err := s.do(step)
	if err != nil {
		return err
	}
	if s.failing(b, out) {
		s.leaveOut(b, max(1, len(step.Slots)))
		return nil
	}
	b.costs, s.waiter.crowded = out.Costs, out.Crowded
	for _, took := range out.Took {
		s.forecast.done(samplesOf(b), took)
		s.taken++
	}
	return nil
}

// leaveOut tells the forecast of samples that don't come.
func (s *sampler) leaveOut(b *benchmark, n int) {
	for range n {
		s.forecast.done(samplesOf(b), 0)
	}
}

// wait waits until there is a core, as long as it may.
func (s *sampler) wait() error {
	s.waiter.begin(s.Wait, s.rest(s.now()))
	for s.waiter.looks() {
		out, took, err := s.do(CheckMachine{})
		if err != nil {
			return err
		}
		if what := s.waiter.looked(out.Used, out.Cores, took); what != "" {
			if err := s.tell(Waiting{what}); err != nil {
				return err
			}
		}
	}
	return nil
}

// profiles takes the profiles of one side, each kind by itself: kinds disturb each other,
// and all of them the numbers.
func (s *sampler) profiles(b *benchmark, side experiment.Side) error {
	for _, kind := range s.Profiles {
		of := work{what: kind, by: b}
		if b.failed {
			s.forecast.done(of, 0)
			continue
		}
		_, took, err := s.do(Profile{N: b.n, Side: side, Kind: kind, Length: s.profileLength(kind), Costs: b.costs})
		if err != nil {
			return err
		}
		s.forecast.done(of, took)
	}
	return nil
}
