package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// keep prints a verdict, and puts it into the file of results.
func (o *options) keep(v verdict) error {
	fmt.Printf("%-32s %-10s %-12s %6.3f %5d calls %5.0f s  %s\n", v.ID, v.State, v.Speed, v.Time, v.Calls, v.Seconds, v.Why)
	kept, err := readLines[verdict](o.results)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	kept = append(slices.DeleteFunc(kept, func(old verdict) bool { return old.ID == v.ID }), v)
	slices.SortFunc(kept, func(a, b verdict) int { return strings.Compare(a.ID, b.ID) })
	var text bytes.Buffer
	for _, one := range kept {
		line, err := json.Marshal(one)
		if err != nil {
			return err
		}
		text.Write(append(line, '\n'))
	}
	return os.WriteFile(o.results, text.Bytes(), 0o666)
}

const (
	right  = "right"
	faster = "faster"
)

// summarize counts verdicts, and names those that disagree with the facts.
func (o *options) summarize(all []fact, edits string) error {
	kept, err := readLines[verdict](o.results)
	if err != nil {
		return err
	}
	by := make(map[string]verdict)
	for _, v := range kept {
		by[v.ID] = v
	}
	judged, gained, saysRight, saysFaster := 0, 0, 0, 0
	for _, f := range all {
		v, ok := by[f.ID]
		if !ok {
			fmt.Printf("%s: not judged\n", f.ID)
			continue
		}
		judged++
		if v.State == right {
			saysRight++
		}
		large := f.Time < 1-smallGain
		if large {
			gained++
			if v.Speed == faster {
				saysFaster++
			}
		}
		if v.State != right || large != (v.Speed == faster) {
			fmt.Printf("%s, gain %.1f %%: %s, %s: %s\n", f.ID, 100*(1-f.Time), v.State, v.Speed, v.Why)
		}
	}
	fmt.Printf("authors: %d commits; right: %d; with a gain over %.0f %%: %d, of these faster: %d\n", judged, saysRight, 100*smallGain, gained, saysFaster)
	if err := summarizeEdits(by, edits); err != nil {
		return err
	}
	loops, share := 0, 0.0
	for _, f := range all {
		if v, ok := by[loopID(&f)]; ok && f.Time < 1-smallGain {
			loops++
			share += min(1, max(0, 1-cmp.Or(v.Time, 1))/(1-f.Time))
		}
	}
	fmt.Printf("loop: %d commits; mean share of the author's gain: %.0f %%\n", loops, 100*share/max(1, float64(loops)))
	return nil
}

func summarizeEdits(by map[string]verdict, name string) error {
	edits, err := readLines[edit](name)
	if err != nil {
		return err
	}
	judged, accepted := 0, 0
	counts := make(map[string]int)
	for _, e := range edits {
		v, ok := by[e.ID]
		if !ok {
			fmt.Printf("%s: not judged\n", e.ID)
			continue
		}
		judged++
		counts[v.State+", "+v.Speed]++
		if v.State == right && v.Speed == faster {
			accepted++
			fmt.Printf("%s (%s): right and faster: %s\n", e.ID, e.Kind, v.Why)
		}
	}
	fmt.Printf("wrong patches: %d; right and faster: %d; %v\n", judged, accepted, counts)
	return nil
}
