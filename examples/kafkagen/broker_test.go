package main

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/load/kafkaload/kafkatest"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// TestBroker sends with each version to a real broker, and reads what arrived:
// each message of the first version once, and nothing else.
func TestBroker(t *testing.T) {
	broker := kafkatest.ForTest(t)
	const devices = 50_000
	var made keep
	sendMarshal(t.Context(), sampleTask(t, devices), &made)
	for i, v := range versions {
		how := [][]string{nil}
		if i == len(versions)-1 {
			how = append(how, []string{"-acks", "leader", "-compression", "none"})
		}
		for _, more := range how {
			topic := "devices-" + v.name + strconv.Itoa(len(more))
			args := slices.Concat([]string{"-version", v.name, "-n", strconv.Itoa(devices), "-topic", topic, "-create", "3"}, more, []string{broker.Addr})
			var out strings.Builder
			if err := run(t.Context(), args, &out); err != nil {
				t.Fatal(err)
			}
			if r := readResult(t, out.String()); r.SuccessCount != devices || r.FailCount != 0 || len(r.ParseFail) != 0 || r.Msg != "success" {
				t.Errorf("%s %q: %+v", v.name, more, r)
			}
			checkTopic(t, broker.Addr, topic, made.messages)
		}
	}
	err := run(t.Context(), []string{"-topic", "nowhere", broker.Addr}, new(strings.Builder))
	if err == nil || !strings.Contains(err.Error(), "UNKNOWN_TOPIC_OR_PARTITION") {
		t.Errorf("a topic that is missing: %v", err)
	}
}

// checkTopic checks that a topic has each of these messages once, and no others.
func checkTopic(t *testing.T, broker, topic string, messages []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ends, err := kadm.NewClient(client).ListEndOffsets(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	left := 0 // to read: partitions are from 0 to their ends, without gaps
	ends.Each(func(o kadm.ListedOffset) { left += int(o.Offset) })
	if left != len(messages) {
		t.Errorf("%s has %d messages, want %d", topic, left, len(messages))
	}
	missing := make(map[string]bool, len(messages))
	for _, m := range messages {
		missing[m] = true
	}
	for left > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("%s: %v, with %d messages left to read", topic, err, left)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			left--
			if !missing[string(r.Value)] {
				t.Errorf("%s has what was not sent, or twice: %q", topic, r.Value)
			}
			delete(missing, string(r.Value))
		})
	}
	if len(missing) > 0 {
		t.Errorf("%s lacks %d messages", topic, len(missing))
	}
}
