package jsonreq

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// processGenerated is processReflection with code generated for the two types
// instead of encoding/json, which looks at them anew for each message.
func processGenerated(requests []string) ([]string, error) {
	responses := []string{}
	for i, text := range requests {
		req := &request{}
		if err := decodeRequest(text, req); err != nil {
			return nil, fmt.Errorf("request %d: %w", i, err)
		}
		stored := ""
		for _, n := range req.Readings {
			stored += strconv.Itoa(n) + ";"
		}
		answer := appendResponse(nil, &response{Sensor: req.Sensor, Stored: stored})
		responses = append(responses, string(answer))
	}
	return responses, nil
}

// processBuilder is processGenerated with a builder: += copies all of the text
// so far for each reading.
func processBuilder(requests []string) ([]string, error) {
	responses := []string{}
	for i, text := range requests {
		req := &request{}
		if err := decodeRequest(text, req); err != nil {
			return nil, fmt.Errorf("request %d: %w", i, err)
		}
		var stored strings.Builder
		for _, n := range req.Readings {
			stored.WriteString(strconv.Itoa(n))
			stored.WriteString(";")
		}
		answer := appendResponse(nil, &response{Sensor: req.Sensor, Stored: stored.String()})
		responses = append(responses, string(answer))
	}
	return responses, nil
}

// processPooled is processBuilder without the garbage: what a request needs
// only while it is answered is kept for the next one, readings are formatted
// where they end up, and the slice of responses has its final size. What is
// left to allocate is what the caller gets.
func processPooled(requests []string) ([]string, error) {
	s := scratches.Get().(*scratch)
	defer s.release()
	responses := make([]string, len(requests))
	for i, text := range requests {
		if err := decodeRequest(text, &s.req); err != nil {
			return nil, fmt.Errorf("request %d: %w", i, err)
		}
		// What appendResponse writes, without a string for Stored: digits,
		// signs and semicolons need no escaping.
		b := append(s.buf[:0], `{"sensor":`...)
		b = appendString(b, s.req.Sensor)
		b = append(b, `,"stored":"`...)
		for _, n := range s.req.Readings {
			b = append(strconv.AppendInt(b, int64(n), 10), ';')
		}
		b = append(b, `"}`...)
		responses[i] = string(b)
		s.buf = b
	}
	return responses, nil
}

// A scratch is what processPooled works in. Nothing of it reaches the caller.
type scratch struct {
	req request
	buf []byte
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// maxKept bounds the bytes a scratch may keep in each of its parts: one huge
// request must not be paid for until the next garbage collection.
const maxKept = 64 << 10

func (s *scratch) release() {
	s.req.Sensor = "" // a part of the request's text
	if cap(s.buf) > maxKept {
		s.buf = nil
	}
	if cap(s.req.Readings) > maxKept/8 {
		s.req.Readings = nil
	}
	scratches.Put(s)
}
