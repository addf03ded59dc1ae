package disk

import (
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// A getter reads values by key, like [pebble.Reader].
type getter interface {
	Get(key []byte) (value []byte, closer io.Closer, err error)
}

// get reads the value of a key and decodes it with read. found is false if there is no such
// key.
func get[T any](db getter, key []byte, read func(value []byte) (T, error)) (v T, found bool, err error) {
	value, closer, err := db.Get(key)
	if err == pebble.ErrNotFound {
		return v, false, nil
	}
	if err != nil {
		return v, false, fmt.Errorf("%s: %w", format.KeyName(key), err)
	}
	defer closer.Close()
	v, err = read(value)
	return v, true, format.InKey(key, err)
}

// scan calls f with the keys from start to before end and their values, which are valid during
// the call. It adds the key to errors of f about a value.
func scan(db pebble.Reader, start, end []byte, f func(key, value []byte) error) (err error) {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: start, UpperBound: end})
	if err != nil {
		return err
	}
	defer func() {
		if e := it.Close(); err == nil {
			err = e
		}
	}()
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return fmt.Errorf("%s: %w", format.KeyName(it.Key()), err)
		}
		if err := f(it.Key(), value); err != nil {
			return format.InKey(it.Key(), err)
		}
	}
	return nil
}

// scanPrefix is scan for the keys with a prefix. It checks their lengths.
func scanPrefix(db pebble.Reader, prefix []byte, f func(key, value []byte) error) error {
	return scan(db, prefix, format.After(prefix), func(key, value []byte) error {
		if err := format.CheckKey(key); err != nil {
			return format.Damaged(key, "%v", err)
		}
		return f(key, value)
	})
}
