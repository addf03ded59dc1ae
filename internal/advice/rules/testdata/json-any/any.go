package any

import (
	"encoding/json"
	"io"
)

type labels map[string]any

func read(text []byte, r io.Reader) (any, error) {
	var v any
	// want C: decoded into or encoded from any json.Unmarshal builds maps
	if err := json.Unmarshal(text, &v); err != nil { // hot: encoding/json.Unmarshal encoding/json.(*decodeState).objectInterface
		return nil, err
	}
	var rows []map[string]interface{}
	// want C: because []map[string]interface{} doesn't describe it
	if err := json.NewDecoder(r).Decode(&rows); err != nil { // hot: encoding/json.(*Decoder).Decode
		return nil, err
	}
	return rows, nil
}

func write(l labels, payload map[string]any) ([]byte, error) {
	// want C: sorts the keys of labels
	if _, err := json.Marshal(l); err != nil { // hot: encoding/json.Marshal
		return nil, err
	}
	// want C: sorts the keys of map[string]any
	return json.Marshal(payload) // hot: encoding/json.Marshal
}
