// Package freeport finds addresses for servers that are started later, for tests.
package freeport

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// Addresses returns so many on the loopback interface that nobody listens at, nor will
// by chance: systems choose ports from 32768 on for who asks for any.
func Addresses(n int) ([]string, error) {
	var found []string
	for tries := 0; len(found) < n; tries++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000)))
		if err == nil {
			defer l.Close() // until all are found, so that they differ
			found = append(found, l.Addr().String())
		} else if tries > 1000 {
			return nil, fmt.Errorf("there is no free port: %w", err)
		}
	}
	return found, nil
}
