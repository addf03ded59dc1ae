package silent

import "encoding/json"

type row struct {
	Name  string
	Extra json.RawMessage
}

func typed(text []byte, v any, counts map[string]int) ([]byte, error) {
	var r row
	if err := json.Unmarshal(text, &r); err != nil { // hot: encoding/json.Unmarshal
		return nil, err
	}
	// What v is nobody can say here.
	if _, err := json.Marshal(v); err != nil { // hot: encoding/json.Marshal
		return nil, err
	}
	return json.Marshal(counts) // hot: encoding/json.Marshal
}
