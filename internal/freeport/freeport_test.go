package freeport

import (
	"net"
	"slices"
	"testing"
)

// TestAddresses: they differ, and whoever wants to can listen at them.
func TestAddresses(t *testing.T) {
	found, err := Addresses(20)
	if err != nil || len(found) != 20 {
		t.Fatalf("%v, %v", found, err)
	}
	for i, at := range found {
		if slices.Contains(found[:i], at) {
			t.Errorf("%s is there twice", at)
		}
		l, err := net.Listen("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
}
