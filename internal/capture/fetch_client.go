package capture

import (
	"net/http"
)

// Client returns a client for other requests to the servers of sources, such as
// for symbols. It has the fetcher's TLS files and timeout, and knows the scheme
// https+insecure.
func (f *Fetcher) Client() (*http.Client, error) {
	config, err := f.tlsConfig()
	if err != nil {
		return nil, err
	}
	t := insecureTransport{
		checked:   &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: config},
		unchecked: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: config.Clone()},
	}
	t.unchecked.TLSClientConfig.InsecureSkipVerify = true
	timeout := f.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	return &http.Client{Transport: t, CheckRedirect: checkRedirect, Timeout: timeout + headerSlack}, nil
}

// insecureTransport does not check the certificates of servers that are asked
// for by the scheme https+insecure.
type insecureTransport struct{ checked, unchecked *http.Transport }

func (t insecureTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != insecureScheme {
		return t.checked.RoundTrip(req)
	}
	req = req.Clone(req.Context())
	req.URL.Scheme = "https"
	return t.unchecked.RoundTrip(req)
}
