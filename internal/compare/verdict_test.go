package compare

import (
	"testing"

	"github.com/hone-go/hone/internal/experiment"
)

func TestMethod(t *testing.T) {
	for tested, want := range map[int]string{
		0: "measured apart; 95 % intervals, and nothing to test",
		1: "measured apart; 95 % intervals, verdicts corrected for one test",
		2: "measured apart; 95 % intervals, verdicts corrected for 2 tests",
	} {
		s := &Sides{Family: &experiment.Family{Apart: true, Tested: tested, Alpha: 0.05}}
		if got := s.method(); got != want {
			t.Errorf("%d tests: %s, want %s", tested, got, want)
		}
	}
}
