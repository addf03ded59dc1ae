package parse

import (
	"fmt"
	"strconv"
)

type id [4]byte

func parse(text []byte) (id, error) {
	var x id
	err := x.set(text)
	return x, err
}

func (x *id) set(text []byte) error {
	if len(text) != len(x) {
		return fmt.Errorf("%d bytes, not 4", len(text)) // hot: fmt.Errorf
	}
	copy(x[:], text)
	return nil
}

func parseOrNil(text []byte) id {
	// want C: Check the input before the call
	x, err := parse(text) // hot: runtime.newobject
	if err != nil {
		return id{}
	}
	return x
}

func number(text string) int {
	// want C: Check the input before the call
	n, _ := strconv.Atoi(text) // hot: strconv.Atoi strconv.syntaxError
	return n
}
