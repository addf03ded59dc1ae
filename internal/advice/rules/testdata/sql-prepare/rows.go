package rows

import (
	"context"
	"database/sql"
)

func insert(ctx context.Context, db *sql.DB, tx *sql.Tx, names []string) error {
	for _, n := range names {
		// want C: by row (*sql.DB).Exec makes a round trip in each iteration
		if _, err := db.Exec("INSERT INTO names VALUES ($1)", n); err != nil { // hot: database/sql.(*DB).Exec
			return err
		}
		var id int
		// want C: makes a round trip in each iteration
		if err := tx.QueryRowContext(ctx, "SELECT id FROM names WHERE name = $1", n).Scan(&id); err != nil { // hot: database/sql.(*Tx).QueryRowContext
			return err
		}
	}
	// want C: Keep the prepared statement
	stmt, err := db.Prepare("SELECT 1") // hot: database/sql.(*DB).Prepare
	if err != nil {
		return err
	}
	return stmt.Close()
}
