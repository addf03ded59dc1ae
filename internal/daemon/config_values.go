package daemon

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// configDuration is a length of time as text: "30s", "7d".
type configDuration time.Duration

func (d *configDuration) UnmarshalText(text []byte) error {
	v, err := api.ParseDuration(string(text))
	*d = configDuration(v)
	return err
}

// configSize is a number of bytes as text: "512MB", "100GiB".
type configSize int64

// configPrefix is an address, or a network of addresses: "10.0.0.1", "10.0.0.0/8".
type configPrefix netip.Prefix

func (p *configPrefix) UnmarshalText(text []byte) error {
	v, err := netip.ParsePrefix(string(text))
	if one, aerr := netip.ParseAddr(string(text)); aerr == nil {
		v, err = netip.PrefixFrom(one, one.BitLen()), nil
	}
	if err != nil {
		return fmt.Errorf("invalid address %q: use 10.0.0.1 or 10.0.0.0/8", text)
	}
	*p = configPrefix(v.Masked())
	return nil
}

// configRate is a number of bytes per second as text, or -1 for no limit.
type configRate int64

func (r *configRate) UnmarshalText(text []byte) error {
	if string(text) == "-1" {
		*r = -1
		return nil
	}
	var size configSize
	err := size.UnmarshalText(text)
	*r = configRate(size)
	return err
}

var sizePattern = lazyregexp.New(`^(\d+(?:\.\d+)?)\s*([kKMGT]?)(i?)B?$`)

func (s *configSize) UnmarshalText(text []byte) error {
	m := sizePattern.FindStringSubmatch(strings.TrimSpace(string(text)))
	if m == nil || m[3] != "" && m[2] == "" {
		return fmt.Errorf("invalid size %q: use 512MB or 100GiB", text)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return err
	}
	unit := 1000.0
	if m[3] != "" {
		unit = 1024
	}
	for range strings.Index("kMGT", strings.Replace(m[2], "K", "k", 1)) + 1 {
		if m[2] != "" {
			n *= unit
		}
	}
	if n >= 1<<62 {
		return fmt.Errorf("%s is too large", text)
	}
	*s = configSize(n)
	return nil
}
