package foreign

import (
	"io"

	"golang.org/x/tools/txtar"
)

func write(w io.Writer, a *txtar.Archive) {
	// want C: state is created per call txtar.Format creates an encoder
	w.Write(txtar.Format(a)) // hot: golang.org/x/tools/txtar.Format golang.org/x/tools/txtar.NewEncoder
	w.Write(txtar.Format(a)) // hot: golang.org/x/tools/txtar.Format runtime.mallocgc
	io.WriteString(w, "")    // hot: golang.org/x/tools/txtar.NewEncoder
}
