package kafkaload

import (
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/kafkaload/kafkatest"
	"github.com/hone-go/hone/internal/load/loadtest"
)

// A service is a broker with a topic for a test.
type service struct {
	broker *kafkatest.Broker
	topic  string
}

func (s *service) Open(t *testing.T, settings loadtest.Settings) load.Sender {
	o := Options{
		Brokers: []string{s.broker.Addr}, Topic: s.topic, Create: 4, Values: values(t, "message {{n}}"),
		Buffer: settings.Parallel, Timeout: settings.Timeout,
		Retries: -1, // what a broker that stood still does not take at once
	}
	if settings.Timeout > 0 {
		o.RequestTimeout = settings.Timeout
	}
	if settings.Refuses {
		o.Topic += ".refused"
		o.Values = values(t, strings.Repeat("x", 3000))
		limit := "1000"
		createTopic(t, o, map[string]*string{"max.message.bytes": &limit})
	}
	sender, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return sender
}

func (s *service) Hold(t *testing.T) (release func()) {
	if err := s.broker.Pause(); err != nil {
		t.Fatal(err)
	}
	release = sync.OnceFunc(func() {
		if err := s.broker.Resume(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(release)
	return release
}

// Seen returns how many messages the topic has.
func (s *service) Seen(t *testing.T) int64 {
	ends, err := kadm.NewClient(client(t, s.broker.Addr)).ListEndOffsets(t.Context(), s.topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	ends.Each(func(o kadm.ListedOffset) { n += o.Offset })
	return n
}

func TestSender(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a broker")
	}
	b := realBroker(t)
	loadtest.Run(t, func(t *testing.T) loadtest.Service {
		s := &service{broker: b, topic: strings.ReplaceAll(t.Name(), "/", ".")}
		createTopic(t, Options{Brokers: []string{b.Addr}, Topic: s.topic, Create: 4}, nil)
		return s
	})
}
