package calls

import (
	"bufio"
	"encoding/xml"
	"time"
)

func documents(d *xml.Decoder, start *xml.StartElement, b []byte, v any) error {
	// want C: (*xml.Decoder).DecodeElement walks the type by reflection
	err := d.DecodeElement(v, start) // hot: encoding/xml.(*Decoder).DecodeElement
	if err != nil {
		return err
	}
	// want C: needed (*xml.Decoder).Decode walks the type by reflection
	err = d.Decode(v) // hot: encoding/xml.(*Decoder).Decode
	if err != nil {
		return err
	}
	// want C: more than needed xml.Unmarshal walks the type by reflection
	return xml.Unmarshal(b, v) // hot: encoding/xml.Unmarshal
}

func piece(r *bufio.Reader) ([]byte, error) {
	// want C: ReadSlice returns the bytes in the buffer
	return r.ReadBytes(10) // alloc: bufio.(*Reader).ReadBytes
}

func stamped(text string) (time.Time, error) {
	// want C: more than needed time.Parse parses the layout for each text
	return time.Parse(time.DateTime, text) // hot: time.Parse
}
