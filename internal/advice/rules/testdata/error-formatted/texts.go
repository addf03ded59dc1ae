package texts

import (
	"errors"
	"fmt"
)

func texts(key string, named name, n int) (error, error) {
	// want B: The concatenation copies "unknown key ", key for each error
	a := errors.New("unknown key " + key) // hot: errors.New runtime.concatstring2
	// want B: fmt.Sprintf formats n, named for each error
	b := errors.New(fmt.Sprintf("bad %d of %s", n, named)) // hot: errors.New fmt.Sprintf
	if n > 0 {
		// want B: The concatenation copies key, string(named) for each error
		return errors.New(key + string(named)), nil // hot: errors.New runtime.concatstring2
	}
	if n < 0 {
		return errors.New(key), nil // hot: errors.New
	}
	return a, b
}

type name string
