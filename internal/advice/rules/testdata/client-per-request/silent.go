package silent

import (
	"database/sql"
	"net/http"
	"time"
)

type store struct{ db *sql.DB }

func newStore() (*store, error) {
	db, err := sql.Open("postgres", "") // hot: database/sql.Open
	return &store{db}, err
}

func init() {
	t := &http.Transport{} // alloc
	t.CloseIdleConnections()
}

func get(url string) error {
	// It shares the default transport.
	c := &http.Client{Timeout: time.Second} // alloc
	resp, err := c.Get(url)                 // hot: net/http.(*Client).Get
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func shared(t *http.Transport, url string) (*http.Response, error) {
	return (&http.Client{Transport: t}).Get(url) // hot: net/http.(*Client).Get
}
