package silent

import "database/sql"

type store struct{ byName *sql.Stmt }

func newStore(db *sql.DB) (*store, error) {
	stmt, err := db.Prepare("SELECT 1") // hot: database/sql.(*DB).Prepare
	return &store{stmt}, err
}

func (s *store) all(db *sql.DB, names []string) error {
	rows, err := db.Query("SELECT name FROM names") // hot: database/sql.(*DB).Query
	if err != nil {
		return err
	}
	for _, n := range names {
		if _, err := s.byName.Exec(n); err != nil { // hot: database/sql.(*Stmt).Exec
			_, err = db.Exec("ROLLBACK") // hot: database/sql.(*DB).Exec
			return err
		}
	}
	return rows.Close()
}
