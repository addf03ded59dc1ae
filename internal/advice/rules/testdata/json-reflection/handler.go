package handler

import (
	"bytes"
	"encoding/json"
	"io"
)

type request struct {
	Sensor   string `json:"sensor"`
	Readings []int  `json:"readings"`
}

type answer struct{ Stored string }

func process(texts []string) ([]string, error) {
	var all []string
	for _, text := range texts {
		req := &request{}
		// want C: by reflection json.Unmarshal decodes request by reflection
		if err := json.Unmarshal([]byte(text), req); err != nil { // hot: encoding/json.Unmarshal reflect.Value.Set
			return nil, err
		}
		// want C: by reflection json.Marshal encodes answer by reflection
		out, err := json.Marshal(&answer{req.Sensor}) // hot: encoding/json.Marshal
		if err != nil {
			return nil, err
		}
		all = append(all, string(out))
	}
	return all, nil
}

func stream(w io.Writer, r io.Reader, rows []answer) error {
	d := json.NewDecoder(r)
	var a answer
	// want C: (*json.Decoder).Decode decodes answer by reflection
	if err := d.Decode(&a); err != nil { // hot: encoding/json.(*Decoder).Decode
		return err
	}
	// want C: (*json.Encoder).Encode encodes []answer by reflection
	return json.NewEncoder(w).Encode(rows) // hot: encoding/json.(*Encoder).Encode
}

func decode[T any](text []byte) (v T, err error) {
	// want C: (*json.Decoder).Decode inspects each value by reflection
	err = json.NewDecoder(bytes.NewReader(text)).Decode(&v) // hot: encoding/json.(*Decoder).Decode
	return v, err
}

func reply(w io.Writer, err error) error {
	return json.NewEncoder(w).Encode(err.Error()) // hot: encoding/json.(*Encoder).Encode
}
