package kafkaload

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/hone-go/hone/internal/load/kafkaload/kafkatest"
)

var broker struct {
	once sync.Once
	*kafkatest.Broker
	dir string
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if broker.Broker != nil && broker.err == nil {
		broker.Kill()
	}
	_ = os.RemoveAll(broker.dir)
	os.Exit(code)
}

// realBroker returns the broker of this package's tests, which do not run in
// parallel, as one of them kills it.
func realBroker(t testing.TB) *kafkatest.Broker {
	t.Helper()
	broker.once.Do(func() {
		broker.dir, broker.err = os.MkdirTemp("", "kafkaload")
		if broker.err == nil {
			broker.Broker, broker.err = kafkatest.Start(broker.dir)
		}
	})
	if errors.Is(broker.err, kafkatest.ErrMissing) && os.Getenv("CI") != "true" {
		fmt.Fprintln(os.Stderr, "== SKIPPED, since Java 17 or Maven is missing: tests against a Kafka broker")
		t.Skip(broker.err)
	}
	if broker.err != nil {
		t.Fatal(broker.err)
	}
	return broker.Broker
}
