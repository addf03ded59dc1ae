package kafkaload

import (
	"context"
	"errors"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/hone-go/hone/internal/load"
)

// failureOf returns why a message failed. What brokers say is a class by their own
// name for it.
func failureOf(err error) *load.Failure {
	var said *kerr.Error
	switch {
	case errors.Is(err, kgo.ErrClientClosed), errors.Is(err, context.Canceled):
		return errGaveUp
	case errors.Is(err, kgo.ErrRecordTimeout):
		return &load.Failure{Class: "timeout", Text: err.Error()}
	case errors.As(err, &said):
		return &load.Failure{Class: strings.ToLower(strings.ReplaceAll(said.Message, "_", " ")), Text: err.Error()}
	case errors.Is(err, kgo.ErrRecordRetries):
		return &load.Failure{Class: "retries used up", Text: err.Error()}
	}
	return load.FailureOf(err)
}
