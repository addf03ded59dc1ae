package disk

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// readWhole reads what is always in memory, heals what is damaged, and sets partitions
// aside that can't be healed.
func (s *Store) readWhole() error {
	if err := s.findDeletions(); err != nil {
		return err
	}
	if err := s.readAndHeal(); err != nil || len(s.deleted) == 0 {
		return err
	}
	return s.deleteAgain()
}

func (s *Store) readAndHeal() error {
	var hit spans
	for {
		byID, lost, err := s.readIndex(hit)
		if err != nil && !isDamage(err) {
			return err
		}
		if s.health.suspects() {
			more, tables, err := s.health.examine(s.o.FS, s.dir)
			if err != nil {
				return err
			}
			if len(tables) > 0 {
				hit = append(hit, more...)
				s.rewriteLater(tables)
				s.parts = map[partitionName]*partition{}
				continue
			}
		}
		if err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(lost)) {
			p := byID[id]
			if p == nil {
				p = &partition{id: id}
			}
			s.setAside(p, lost[id])
		}
		if len(hit) > 0 {
			s.rewrites.Lock()
			defer s.rewrites.Unlock()
			if err := s.healAll(hit, false); err != nil {
				return err
			}
			_, err = s.heal() // what that met
			return err
		}
		return nil
	}
}

// readPartitions reads the partitions, and returns them by number. Those that
// can't be read are in lost. missing is set where some may be missing.
func (s *Store) readPartitions(missing bool) (byID map[uint32]*partition, lost map[uint32]error, err error) {
	byID, lost = map[uint32]*partition{}, map[uint32]error{}
	s.next, s.deleted = 0, slices.Clone(s.listed)
	for _, id := range s.listed {
		s.next = max(s.next, id+1)
	}
	one := func(key, value []byte) error {
		info, err := format.ReadPartition(value)
		if err != nil {
			return err
		}
		p := &partition{id: binary.BigEndian.Uint32(key[1:]), Partition: info, stored: true}
		s.next = max(s.next, p.id+1)
		if slices.Contains(s.listed, p.id) {
			return nil
		}
		if info.Deleted() {
			s.deleted = append(s.deleted, p.id)
			return nil
		}
		byID[p.id] = p
		name := partitionName{p.Epoch, p.Service}
		before := s.parts[name]
		switch {
		case p.Problem != "":
			lost[p.id] = errors.New(p.Problem)
		case before != nil: // the one that couldn't be read for a while
			lost[before.id] = errors.New("it could not be read before, and another one has taken its place")
			s.parts[name] = p
		default:
			s.parts[name] = p
		}
		return nil
	}
	err = s.scanPrefix([]byte{format.KindPartition}, one)
	if !isDamage(err) && !(err == nil && missing) {
		return byID, lost, err
	}
	// One by one, then. Those that are in the part that can't be read have other
	// keys, which tell their numbers.
	clear(byID)
	clear(lost)
	clear(s.parts)
	s.deleted = slices.Clone(s.listed)
	last, err := s.lastPartition()
	if err != nil {
		return nil, nil, err
	}
	s.next = max(s.next, last+1)
	for id := range last + 1 {
		if slices.Contains(s.listed, id) {
			continue
		}
		key := format.PartitionKey(format.KindPartition, id)
		_, found, err := get(s.db, key, func(value []byte) (struct{}, error) { return struct{}{}, one(key, value) })
		if err == nil && !found && missing {
			lost[id] = format.Damaged(key, "it is missing")
		} else if isDamage(err) {
			lost[id] = err
		} else if err != nil {
			return nil, nil, err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(lost)) {
		if byID[id] == nil {
			s.reconstruct(id, byID, lost)
		}
	}
	return byID, lost, nil
}
