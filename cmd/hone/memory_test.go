package main

import "testing"

func TestMachineMemory(t *testing.T) {
	if n := machineMemory(); n < 64<<20 {
		t.Errorf("the machine has %d bytes", n)
	}
}
