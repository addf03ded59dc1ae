package silent

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
)

func buffered(w io.Writer, rows []string) error {
	b := bufio.NewWriter(os.Stdout)
	var buf bytes.Buffer
	for _, row := range rows {
		fmt.Fprintln(b, row)    // hot: fmt.Fprintln bufio.(*Writer).Write os.(*File).Write
		fmt.Fprintln(w, row)    // hot: fmt.Fprintln bufio.(*Writer).Write os.(*File).Write
		fmt.Fprintln(&buf, row) // hot: fmt.Fprintln bytes.(*Buffer).Write
		log.Println(row)        // hot: log.Println os.(*File).Write
	}
	if _, err := os.Stdout.Write(buf.Bytes()); err != nil { // hot: os.(*File).Write
		return err
	}
	return b.Flush() // hot: bufio.(*Writer).Flush os.(*File).Write
}
