package silent

import "encoding/json"

// point has a codec of its own.
type point struct{ x, y int }

func (p point) MarshalJSON() ([]byte, error)     { return []byte("[0,0]"), nil }
func (p *point) UnmarshalJSON(text []byte) error { return nil }

type config struct{ Name string }

var loaded config

func init() {
	_ = json.Unmarshal([]byte("{}"), &loaded) // hot: encoding/json.Unmarshal
}

func points(text []byte, raw json.RawMessage) ([]byte, error) {
	var p point
	if err := json.Unmarshal(text, &p); err != nil { // hot: encoding/json.Unmarshal
		return nil, err
	}
	if _, err := json.Marshal(raw); err != nil { // hot: encoding/json.Marshal
		return nil, err
	}
	if _, err := json.Marshal(17); err != nil { // hot: encoding/json.Marshal
		return nil, err
	}
	var anything any
	if err := json.Unmarshal(text, &anything); err != nil { // hot: encoding/json.Unmarshal
		return nil, err
	}
	if !json.Valid(text) { // hot: encoding/json.Valid
		return nil, nil
	}
	return json.Marshal(loaded)
}
