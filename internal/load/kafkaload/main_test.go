package kafkaload

import (
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
	kafkatest.SkipShort(t)
	broker.once.Do(func() {
		broker.dir, broker.err = os.MkdirTemp("", "kafkaload")
		if broker.err == nil {
			broker.Broker, broker.err = kafkatest.Start(broker.dir)
		}
	})
	kafkatest.SkipMissing(t, broker.err)
	return broker.Broker
}
