package regress

import (
	"fmt"
	"sync"
)

// Limits bound the memory that looking for regressions takes. Services are compared one
// after the other, so the limits are for one. With 0, there are none.
type Limits struct {
	// Functions is the number of functions of a service that are compared one by one:
	// the most expensive ones.
	Functions int `toml:"functions"`
	// Instances is the number of instances of a service that are compared.
	Instances int `toml:"instances"`
	// Series is the number of versions of services and kinds of profiles that are
	// looked at.
	Series int `toml:"series"`
}

// DefaultLimits returns the default limits.
func DefaultLimits() Limits {
	return Limits{Functions: 10_000, Instances: 100, Series: 20_000}
}

// Check returns an error if a limit is invalid.
func (l Limits) Check() error {
	for name, n := range map[string]int{"functions": l.Functions, "instances": l.Instances, "series": l.Series} {
		if n < 0 {
			return fmt.Errorf("invalid %s %d: use a number such as 1000, or 0 for all", name, n)
		}
	}
	return nil
}

// notes logs where a limit cuts, once per limit, service and kind.
type notes struct {
	log  func(string)
	mu   sync.Mutex
	told map[string]bool
}

func (n *notes) tell(what string, limit int, service, kind string) {
	text := fmt.Sprintf("Looking for regressions in %s of %s: more than %d %s, the limit regressions.%s; the rest isn't compared", kind, service, limit, what, what)
	n.mu.Lock()
	known := n.told[text] || len(n.told) > 1000
	if !known {
		if n.told == nil {
			n.told = map[string]bool{}
		}
		n.told[text] = true
	}
	n.mu.Unlock()
	if !known && n.log != nil {
		n.log(text)
	}
}
