// Package storetest tests engines against the contract of [store.Store]: one test per
// sentence of the contract, and a random test against a very simple model.
package storetest

import (
	"fmt"
	"testing"

	"github.com/hone-go/hone/internal/store"
)

// Run tests an engine. open returns an empty store, without a retention. Run closes it.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t)
			defer s.Close() // most tests leave it open
			test.run(t, s)
		})
	}
	t.Run("Random", func(t *testing.T) {
		for seed := range uint64(3) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				Random(t, open(t), seed, 60, nil)
			})
		}
	})
}

// RunDurable is Run for an engine that still has its profiles after it was closed. open
// opens the store in a directory, which is empty the first time.
func RunDurable(t *testing.T, open func(t *testing.T, dir string) store.Store) {
	Run(t, func(t *testing.T) store.Store { return open(t, t.TempDir()) })
	t.Run("Reopen", func(t *testing.T) {
		dir := t.TempDir()
		s := open(t, dir)
		testReopen(t, s, func() store.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir)
			return s
		})
		s.Close()
	})
	t.Run("RandomReopen", func(t *testing.T) {
		dir := t.TempDir()
		Random(t, open(t, dir), 100, 100, func() store.Store { return open(t, dir) })
	})
}

// tests are the sentences of the contract.
var tests = []struct {
	name string
	run  func(t *testing.T, s store.Store)
}{
	{"Empty", testEmpty},
	{"RealProfiles", testRealProfiles},
	{"PutTwice", testPutTwice},
	{"PutTwiceInOneCall", testPutTwiceInOneCall},
	{"PutKnown", testPutKnown},
	{"Delete", testDelete},
	{"PutTwiceAtOnce", testPutTwiceAtOnce},
	{"PutNothing", testPutNothing},
	{"PutInAnyOrder", testPutInAnyOrder},
	{"PutKeepsNoReference", testPutKeepsNoReference},
	{"ConcurrentUse", testConcurrentUse},
	{"ProfilesWithoutSamples", testProfilesWithoutSamples},
	{"ManySampleTypes", testManySampleTypes},
	{"SampleLabels", testSampleLabels},
	{"LargeNumbers", testLargeNumbers},
	{"StrangeTimes", testStrangeTimes},
	{"StrangeLabels", testStrangeLabels},
	{"ManySeries", testManySeries},
	{"FromTo", testFromTo},
	{"Zero", testZero},
	{"Selector", testSelector},
	{"ID", testID},
	{"By", testBy},
	{"Step", testStep},
	{"SampleType", testSampleType},
	{"SharedSampleTypes", testSharedSampleTypes},
	{"NothingCommon", testNothingCommon},
	{"LabelNames", testLabelNames},
	{"Lasting", testLasting},
	{"Top", testTop},
	{"Limit", testLimit},
	{"Totals", testTotals},
	{"Heat", testHeat},
	{"Labels", testLabels},
	{"Version", testVersion},
	{"MergedProfilesAreTheCallers", testMergedProfilesAreTheCallers},
	{"Cancelled", testCancelled},
	{"Closed", testClosed},
	{"CloseWaits", testCloseWaits},
}
