// Package jsonreq answers batches of requests in JSON: once as it was first
// written, and once per tuning step. README.md tells how each step was found.
package jsonreq

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Process answers requests, in their order. A request that cannot be read
// fails the batch.
//
// It is the version in use. A step of the loop changes this one line;
// BenchmarkInUse of two revisions then tells what the step gave.
func Process(requests []string) ([]string, error) { return processPooled(requests) }

// processReflection is the program as it was first written: right, and slow
// where a profile says so.
func processReflection(requests []string) ([]string, error) {
	responses := []string{}
	for i, text := range requests {
		req := &request{}
		if err := json.Unmarshal([]byte(text), req); err != nil {
			return nil, fmt.Errorf("request %d: %w", i, err)
		}
		stored := ""
		for _, n := range req.Readings {
			stored += strconv.Itoa(n) + ";"
		}
		answer, err := json.Marshal(&response{Sensor: req.Sensor, Stored: stored})
		if err != nil {
			return nil, fmt.Errorf("response %d: %w", i, err)
		}
		responses = append(responses, string(answer))
	}
	return responses, nil
}
