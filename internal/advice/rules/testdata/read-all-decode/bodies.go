package bodies

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"os"
)

type order struct{ ID int }

func request(r *http.Request) (o order, err error) {
	// want C: If ContentLength is set
	b, err := io.ReadAll(r.Body) // hot: io.ReadAll bytes.growSlice
	if err != nil {
		return o, err
	}
	return o, json.Unmarshal(b, &o)
}

func stream(r io.Reader) (o order, err error) {
	// want C: ReadAll reads r into growing buffers for json.Unmarshal
	b, err := io.ReadAll(r) // hot: io.ReadAll
	if err == nil {
		err = json.Unmarshal(b, &o)
	}
	return o, err
}

func feed(r io.Reader) (o order, err error) {
	// want C: xml.NewDecoder(r) decodes while reading
	b, err := io.ReadAll(r) // hot: io.ReadAll
	if err != nil {
		return o, err
	}
	return o, xml.Unmarshal(b, &o)
}

func file(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// want C: os.ReadFile
	return io.ReadAll(f) // hot: io.ReadAll
}

func text(r io.Reader) (string, int) {
	// want C: If the size is known
	b, _ := io.ReadAll(r) // hot: io.ReadAll
	return string(b), len(b)
}
