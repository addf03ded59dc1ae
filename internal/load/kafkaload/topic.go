package kafkaload

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// topic asks for the topic, and makes it if that is wanted. It returns where each
// partition ends.
func (o Options) topic(ctx context.Context, client *kgo.Client) (kadm.ListedOffsets, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.DialTimeout+o.RequestTimeout, errNoAnswer)
	defer cancel()
	// Of all questions this one alone is not asked again and again until there is an answer.
	if err := client.Ping(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(o.Brokers, ", "), because(ctx, err))
	}
	admin := kadm.NewClient(client)
	partitions, err := o.find(ctx, admin)
	if errors.Is(err, kerr.UnknownTopicOrPartition) && o.Create > 0 {
		partitions, err = o.create(ctx, admin)
	}
	if err != nil {
		return nil, fmt.Errorf("topic %s: %w", o.Topic, because(ctx, err))
	}
	if o.Partition >= partitions {
		return nil, fmt.Errorf("topic %s has no partition %d; it has %d", o.Topic, o.Partition, partitions)
	}
	if !o.Consume {
		return nil, nil
	}
	offsets, err := admin.ListEndOffsets(ctx, o.Topic)
	if err == nil {
		err = offsets.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("topic %s: can't find its end: %w", o.Topic, because(ctx, err))
	}
	return offsets, nil
}

var errNoAnswer = errors.New("no answer in time")

// because says why a context ended, if that is the error.
func because(ctx context.Context, err error) error {
	if errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	}
	return err
}

func (o Options) find(ctx context.Context, admin *kadm.Client) (partitions int, err error) {
	topics, err := admin.ListTopics(ctx, o.Topic)
	if err != nil {
		return 0, err
	}
	return len(topics[o.Topic].Partitions), topics[o.Topic].Err
}

func (o Options) create(ctx context.Context, admin *kadm.Client) (partitions int, err error) {
	replicas := -1
	if o.Replicas > 0 {
		replicas = o.Replicas
	}
	_, err = admin.CreateTopic(ctx, int32(o.Create), int16(replicas), nil, o.Topic)
	if err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
		return 0, fmt.Errorf("can't create it: %w", err)
	}
	// Brokers learn of it a moment later.
	for {
		partitions, err = o.find(ctx, admin)
		if err == nil || ctx.Err() != nil {
			return partitions, err
		}
		select {
		case <-time.After(pollInterval):
		case <-ctx.Done():
		}
	}
}
