package texts

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io"
)

func diagnose(w *bytes.Buffer, values [][]byte) error {
	for _, v := range values {
		// want C: hex.NewEncoder allocates buffers of more than 1 kB per call
		if _, err := hex.NewEncoder(w).Write(v); err != nil { // hot: encoding/hex.NewEncoder
			return err
		}
	}
	return nil
}

func attach(w io.Writer, data []byte) error {
	// want C: If the data is in one piece
	e := base64.NewEncoder(base64.StdEncoding, w) // hot: encoding/base64.NewEncoder
	if _, err := e.Write(data); err != nil {
		return err
	}
	return e.Close()
}
