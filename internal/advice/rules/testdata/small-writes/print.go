package print

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

func print(w io.Writer, f *os.File, rows [][]string) error {
	e := json.NewEncoder(f)
	for _, row := range rows {
		// want C: bufio.Writer around os.Stdout
		fmt.Println(row) // hot: fmt.Println fmt.Fprintln os.(*File).Write
		for _, cell := range row {
			// want C: bufio.Writer around w
			if _, err := fmt.Fprintf(w, "%s,", cell); err != nil { // hot: fmt.Fprintf os.(*File).Write
				return err
			}
			// want C: bufio.Writer around f
			f.WriteString(cell) // hot: os.(*File).WriteString syscall.write
			// want C: bufio.Writer around f
			io.WriteString(f, cell) // hot: io.WriteString os.(*File).WriteString
		}
		// want C: (*json.Encoder).Encode in this loop
		if err := e.Encode(row); err != nil { // hot: encoding/json.(*Encoder).Encode os.(*File).Write
			return err
		}
	}
	return nil
}
