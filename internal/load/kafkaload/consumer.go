package kafkaload

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A consumer reads the topic from where it ended before the run.
type consumer struct {
	topic  string
	client *kgo.Client
	to     *tracker
	stop   context.CancelFunc
	ended  chan struct{}

	mu   sync.Mutex
	next map[int32]int64 // the offset of each partition that is read next
	err  error           // the last one
}

func (o Options) consume(ends kadm.ListedOffsets, to *tracker) (*consumer, error) {
	c := &consumer{topic: o.Topic, to: to, ended: make(chan struct{}), next: make(map[int32]int64)}
	from := make(map[int32]kgo.Offset)
	ends.Each(func(l kadm.ListedOffset) {
		c.next[l.Partition] = l.Offset
		from[l.Partition] = kgo.NewOffset().At(l.Offset)
	})
	client, err := kgo.NewClient(append(o.client(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{o.Topic: from}),
		kgo.KeepControlRecords(), // they count in offsets
	)...)
	if err != nil {
		return nil, fmt.Errorf("settings for Kafka: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	c.client, c.stop = client, stop
	go c.read(ctx)
	return c, nil
}

func (c *consumer) read(ctx context.Context) {
	defer close(c.ended)
	for {
		fetches := c.client.PollFetches(ctx)
		if ctx.Err() != nil {
			return
		}
		now := c.to.at(time.Now())
		fetches.EachPartition(func(p kgo.FetchTopicPartition) {
			c.mu.Lock()
			next := c.next[p.Partition]
			if p.Err != nil {
				c.err = p.Err
			}
			c.mu.Unlock()
			c.to.mu.Lock()
			for _, r := range p.Records {
				if r.Offset < next {
					continue // The client read it again.
				}
				next = r.Offset + 1
				for _, h := range r.Headers {
					if h.Key == markName {
						c.to.arrived(h.Value, now)
					}
				}
			}
			c.to.mu.Unlock()
			c.mu.Lock()
			c.next[p.Partition] = next
			c.mu.Unlock()
		})
	}
}

// drain waits until all that the topic has now was read.
func (c *consumer) drain(ctx context.Context) error {
	ends, err := kadm.NewClient(c.client).ListEndOffsets(ctx, c.topic)
	if err == nil {
		err = ends.Error()
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for err == nil && c.behind(ends) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(err, context.DeadlineExceeded) && c.err != nil {
		err = c.err
	}
	return err
}

func (c *consumer) behind(ends kadm.ListedOffsets) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	behind := false
	ends.Each(func(l kadm.ListedOffset) { behind = behind || c.next[l.Partition] < l.Offset })
	return behind
}

func (c *consumer) close() {
	c.stop()
	<-c.ended
	c.client.Close()
}
