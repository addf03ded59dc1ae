package trace

import (
	"errors"
	"reflect"
	"testing"

	"github.com/hone-go/hone/profile"
)

// Time is of the innermost function that is not Go's own, and says in which one that was.
func TestSpend(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "intervals", Unit: "count"}, profile.ValueType{Type: "wall", Unit: "nanoseconds"})
	at := func(name, file string) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function(name, name, file, 0), Line: 1})
	}
	state := func(s string) []profile.Label {
		return []profile.Label{{Key: b.String(StateLabel), Str: b.String(s)}}
	}
	sleep, park := at("time.Sleep", "/usr/go/src/time/sleep.go"), at("runtime.gopark", "/usr/go/src/runtime/proc.go")
	doze, work := at("main.doze", "main.go"), at("main.work", "main.go")
	b.Sample([]uint32{sleep, doze, work}, state("sleep"), 2, 30)
	b.Sample([]uint32{sleep, doze}, state("sleep"), 1, 10)
	b.Sample([]uint32{work}, state("running"), 1, 50)
	b.Sample([]uint32{park}, state("sync"), 1, 5) // none of the program's functions
	p := b.Profile()
	p.DurationNanos = 100
	got, err := Spend(p, &Stats{Goroutines: 3, Idle: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := &Spent{
		Duration: 100, Goroutines: 3, LeftOut: &LeftOut{Idle: 1}, Total: 95,
		States: []StateTime{{"running", 50, 1}, {"sleep", 40, 3}, {"sync", 5, 1}},
		Places: []*PlaceTime{
			{StateTime{"running", 50, 1}, "main.work", "main.go", ""},
			{StateTime{"sleep", 40, 3}, "main.doze", "main.go", "time.Sleep"},
			{StateTime{"sync", 5, 1}, "runtime.gopark", "/usr/go/src/runtime/proc.go", ""},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
		for _, p := range got.Places {
			t.Errorf("%+v", *p)
		}
	}

	cpu := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"}).Profile()
	if _, err := Spend(cpu, nil); !errors.Is(err, ErrNoWall) {
		t.Errorf("a CPU profile: %v", err)
	}
}
