package kafkaload

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/hone-go/hone/internal/load"
)

// A lastError is that of a client's connections. The client does not say why a
// message failed that is not sent again.
type lastError struct{ atomic.Pointer[error] }

func (l *lastError) OnBrokerConnect(_ kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	if err != nil {
		l.Store(&err)
	}
}

func (l *lastError) OnBrokerE2E(_ kgo.BrokerMetadata, _ int16, e kgo.BrokerE2E) {
	if err := e.Err(); err != nil {
		l.Store(&err)
	}
}

// get returns the error, nil if there was none.
func (l *lastError) get() error {
	if err := l.Load(); err != nil {
		return *err
	}
	return nil
}

var (
	errBacklog = &load.Failure{Class: load.ClassBacklog, Text: "too many messages or bytes are waiting for acknowledgement"}
	errGaveUp  = &load.Failure{Class: load.ClassNone, Text: "the run ended before the message was acknowledged"}
)

// failure returns why a message of a size failed, where batches have a number of bytes
// and a connection had a last error. The class of what brokers say is their own name for it.
func failure(err error, size, batch int, last error) *load.Failure {
	var said *kerr.Error
	switch {
	case errors.Is(err, kerr.MessageTooLarge) && size > batch-recordOverhead:
		return &load.Failure{Class: "message too large", Text: fmt.Sprintf("not sent: %d bytes don't fit into a batch of %d (-batch)", size, batch)}
	case errors.Is(err, kgo.ErrRecordRetries) && last != nil:
		f := load.FailureOf(last)
		return &load.Failure{Class: f.Class, Text: f.Text + ", and the message was not sent again (-retries)"}
	case errors.Is(err, kgo.ErrClientClosed), errors.Is(err, context.Canceled):
		return errGaveUp
	case errors.Is(err, kgo.ErrRecordTimeout):
		return &load.Failure{Class: load.ClassTimeout, Text: err.Error()}
	case errors.As(err, &said):
		return &load.Failure{Class: strings.ToLower(strings.ReplaceAll(said.Message, "_", " ")), Text: "the broker refused the message: " + err.Error()}
	case errors.Is(err, kgo.ErrRecordRetries):
		return &load.Failure{Class: "retries used up", Text: err.Error()}
	}
	return load.FailureOf(err)
}

// recordOverhead is what a message needs of a batch besides its own bytes, or a bit more.
const recordOverhead = 128
