package disk

import "errors"

// A damagedPartition is the error of a partition of which something can't be read.
type damagedPartition struct {
	p   *partition
	err error
}

func (d *damagedPartition) Error() string { return d.err.Error() }
func (d *damagedPartition) Unwrap() error { return d.err }

// damagedIn says which partition err, of reading it, is of, if it is damage.
func damagedIn(p *partition, err error) error {
	var known *damagedPartition
	if !isDamage(err) || errors.As(err, &known) {
		return err
	}
	return &damagedPartition{p, err}
}

// dropAside deletes what is set aside and has expired. s.jobs is locked.
func (s *Store) dropAside(oldest int64) error {
	s.mu.Lock()
	var expired []uint32
	for id, a := range s.aside {
		if !a.Epoch.IsZero() && a.Epoch.UnixNano()+s.epoch <= oldest {
			expired = append(expired, id)
		}
	}
	s.mu.Unlock()
	for _, id := range expired {
		b := s.db.NewBatch()
		s.deletePartition(b, id)
		if err := s.write(b); err != nil {
			return err
		}
		b.Close()
		s.mu.Lock()
		delete(s.aside, id)
		s.mu.Unlock()
	}
	return nil
}
