package scrape

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hone-go/hone/internal/ingest"
)

// An activeJob is a Job that is being scraped.
type activeJob struct {
	Job             // with defaults
	given   Job     // as configured
	rules   []*rule // of Relabel
	client  *http.Client
	ordered []string // names of Profiles

	files map[string]*targetFile // Run's alone

	// Guarded by Scraper.mu.
	targets  map[string]*scrapeTarget // by place.key
	problems []error
	dropped  int
}

// A scrapeTarget is a place that is scraped, with how that goes.
type scrapeTarget struct {
	place
	job    *activeJob
	cancel context.CancelFunc
	ended  chan struct{} // closed when no request is under way and none will be

	mu     sync.Mutex
	status []ProfileStatus // in the order of activeJob.ordered
	missed int64
}

// newJob makes a job ready. A limit of the bytes of a profile holds for it, too; 0 is none.
func newJob(given Job, limit int64) (*activeJob, error) {
	j := &activeJob{Job: given.withDefaults(), given: given, targets: map[string]*scrapeTarget{}}
	for i := range j.Relabel {
		r, err := j.Relabel[i].compile()
		if err != nil {
			return nil, err
		}
		j.rules = append(j.rules, r)
	}
	cfg, err := j.TLS.Config()
	if err != nil {
		return nil, err
	}
	if j.MaxBody == 0 || limit > 0 && limit < j.MaxBody {
		j.MaxBody = limit
	}
	j.MaxBody = cmp.Or(j.MaxBody, 64<<20)
	for name := range j.Profiles {
		j.ordered = append(j.ordered, name)
	}
	// Those of a moment first: they are then of the same moment, nearly.
	slices.SortFunc(j.ordered, func(a, b string) int {
		if d := j.Profiles[a].Seconds - j.Profiles[b].Seconds; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	j.client = newClient(cfg)
	return j, nil
}

func newClient(cfg *tls.Config) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = cfg
	transport.MaxIdleConnsPerHost = 1
	transport.Proxy = nil // targets are near; the environment's proxy is for what is far
	// Profiles are compressed already. What claims to be compressed once more
	// would be decompressed here without any bound.
	transport.DisableCompression = true
	return &http.Client{
		Transport: transport,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			switch {
			case len(via) > maxRedirects:
				return fmt.Errorf("redirected more than %d times", maxRedirects)
			case via[0].URL.Scheme == "https" && r.URL.Scheme != "https":
				return errors.New("redirected from https to http")
			}
			return nil
		},
	}
}

// answerError is an answer that is no profile.
type answerError struct {
	status int
	text   string
}

// get reads what a URL answers.
func (j *activeJob) get(ctx context.Context, target string, body *bytes.Buffer, share *ingest.Share) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return err
	}
	if err := j.Auth.Authorize(r); err != nil {
		return err
	}
	r.Header.Set("User-Agent", "hone")
	resp, err := j.client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	limit := j.MaxBody
	if resp.StatusCode != http.StatusOK {
		limit = 512
	}
	n, err := body.ReadFrom(io.LimitReader(share.Charged(resp.Body), limit+1))
	if resp.StatusCode != http.StatusOK {
		line, _, _ := strings.Cut(strings.TrimSpace(body.String()), "\n")
		text := "the target answers " + resp.Status
		if line != "" && !strings.HasPrefix(line, "<") {
			text += ": " + strings.Trim(strconv.Quote(line[:min(len(line), 200)]), `"`)
		}
		return &answerError{resp.StatusCode, text}
	}
	var noMemory *ingest.Error
	switch {
	case errors.As(err, &noMemory):
		return noMemory
	case err != nil:
		return fmt.Errorf("the answer broke off after %d bytes: %w", n, err)
	case n > limit:
		return fmt.Errorf("the answer is larger than %d bytes, which is the limit (max_body)", limit)
	case resp.ContentLength > n:
		return fmt.Errorf("the answer has only %d of %d bytes", n, resp.ContentLength)
	case resp.Header.Get("Content-Encoding") != "":
		return fmt.Errorf("the answer has an unexpected Content-Encoding %.20q", resp.Header.Get("Content-Encoding"))
	}
	return nil
}

// url returns where a profile of a target is.
func (t *scrapeTarget) url(name string) string {
	p := t.job.Profiles[name]
	u := t.base
	if strings.HasPrefix(p.Path, "/") {
		u.Path = p.Path
	} else {
		u.Path = path.Join(u.Path, p.Path)
	}
	params, _ := url.ParseQuery(u.RawQuery) // it was encoded here
	for key, values := range p.Params {
		params[key] = values
	}
	if p.Seconds > 0 {
		params.Set("seconds", strconv.Itoa(p.Seconds))
	}
	u.RawQuery = params.Encode()
	return u.String()
}

// maxRedirects is how many redirections are followed.
const maxRedirects = 3
