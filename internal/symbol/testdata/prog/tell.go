//go:build !cross

package main

import (
	"encoding/json"
	"os"
	"reflect"
)

// tell writes the report.
func tell(main func()) {
	maps, _ := os.ReadFile("/proc/self/maps")
	out.Maps = string(maps)
	out.Main = uint64(reflect.ValueOf(main).Pointer())
	json.NewEncoder(os.Stdout).Encode(out)
}
