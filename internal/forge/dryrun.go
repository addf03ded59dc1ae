package forge

import (
	"fmt"
	"io"
)

// DryRun prints what Post would do, without sending anything.
func DryRun(w io.Writer, t *Target, r *Report) error {
	token := "no token: nothing would be posted"
	if t.Token != "" {
		token = "with a token"
	}
	if t.JobToken {
		token = "with CI_JOB_TOKEN, which can't comment or set a status"
	}
	_, err := fmt.Fprintf(w, "%s, %s\n", t.API, token)
	if err == nil && t.Change > 0 {
		_, err = fmt.Fprintf(w, "comment on %s #%d: create it, or replace the one that begins with its first line\n\n%s\n", t.Project, t.Change, r.text())
	} else if err == nil {
		_, err = fmt.Fprintf(w, "no comment: there isn't a pull or merge request\n")
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "status %s of %s: %s, %s\n", r.context(), t.Commit, r.State, r.shortTitle())
	}
	return err
}
