package values

import (
	"fmt"
	"os"
	"reflect"
)

func read(t reflect.Type, k reflect.Kind, mode os.FileMode) error {
	if k == reflect.Map {
		// want B: An error type with t, k, mode in fields
		return fmt.Errorf("values: can't read %v of %s: %s", t, k, mode) // hot: fmt.Errorf fmt.errorf
	}
	return nil
}
