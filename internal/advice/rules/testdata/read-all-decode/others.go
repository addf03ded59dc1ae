package others

import (
	"encoding/json"
	"io"
	"os"
)

var settings, _ = io.ReadAll(os.Stdin) // hot: io.ReadAll

type reader struct{}

func (reader) ReadAll(r io.Reader) ([]byte, error) { return nil, nil }

func decode(r io.Reader, v any) error {
	reader{}.ReadAll(r)                 // hot: other.ReadAll
	return json.NewDecoder(r).Decode(v) // hot: encoding/json.(*Decoder).Decode
}

func file(name string) ([]byte, error) {
	return os.ReadFile(name) // hot: os.ReadFile io.ReadAll
}
