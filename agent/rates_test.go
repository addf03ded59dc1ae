package agent

import "testing"

func TestFinestRateUntilTheLastUser(t *testing.T) {
	rate := 50 // the program's own
	r := &recorder{set: func(n int) int {
		before := rate
		rate = n
		return before
	}}
	for range 2 {
		steps := []struct {
			do   func()
			want int
		}{
			{func() { r.on(10) }, 10},
			{func() { r.on(100) }, 10},
			{func() { r.on(1) }, 1},
			{r.off, 1},
			{r.off, 1},
			{r.off, 50},
		}
		for i, step := range steps {
			step.do()
			if rate != step.want {
				t.Fatalf("step %d: rate %d, want %d", i, rate, step.want)
			}
		}
	}
}
