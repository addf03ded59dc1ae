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
		// want C: Wrap os.Stdout in a bufio.Writer before the loop
		fmt.Println(row) // hot: fmt.Println fmt.Fprintln os.(*File).Write
		for _, cell := range row {
			// want C: Wrap w in a bufio.Writer before the loop
			if _, err := fmt.Fprintf(w, "%s,", cell); err != nil { // hot: fmt.Fprintf os.(*File).Write
				return err
			}
			// want C: Wrap f in a bufio.Writer before the loop
			f.WriteString(cell) // hot: os.(*File).WriteString syscall.write
			// want C: Wrap f in a bufio.Writer before the loop
			io.WriteString(f, cell) // hot: io.WriteString os.(*File).WriteString
		}
		// want C: makes a system call in each iteration
		if err := e.Encode(row); err != nil { // hot: encoding/json.(*Encoder).Encode os.(*File).Write
			return err
		}
	}
	return nil
}
