package agent

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A spool is a folder of profiles that wait for the server. Its files are
// complete when they have their name, TIME-RUN-N.profile: when the profile was
// taken, in ns since 1970 and 20 digits, so that names are ordered by time, and
// its key, which begins with the run of the program that took it.
//
// A file is two lines of text, each ended by \n, and the profile:
//
//	hone-spool 1 CRC      8 hexadecimal digits: IEEE CRC-32 of all that follows
//	QUERY                 the parameters of the request
//	BODY                  the profile as it is sent
//
// Processes may share a folder. Each sends its own files, and those of others
// once they have lain for adoptAfter: their process has ended, or can't keep
// up. (Or they are of the future, before the clock was set back.) Two that send
// the same one send the same key.
type spool struct {
	dir        string
	run        string
	maxBytes   int64
	maxAge     time.Duration
	adoptAfter time.Duration

	names []string // read ahead by next
}

const (
	spoolMagic  = "hone-spool 1 "
	spoolSuffix = ".profile"
	spoolTemp   = ".writing-" // prefix of files that are being written
)

var errMalformed = errors.New("malformed file")

var errSpoolTooSmall = errors.New("the profile is larger than the whole spool")

// spoolDir returns the default folder: profiles for one server are not to be
// sent to another one, nor with another service's token.
func spoolDir(service, server string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, service)
	h := fnv.New64a()
	_, _ = h.Write([]byte(service + "\x00" + server))
	return filepath.Join(cache, "hone", "spool", fmt.Sprintf("%.40s-%016x", name, h.Sum64())), nil
}

// put writes a profile, and drops the oldest ones where there is no room for it.
func (s *spool) put(p *parcel) (dropped int, err error) {
	content := append([]byte(p.query), '\n')
	content = append(content, p.body...)
	if int64(len(content)) > s.maxBytes {
		return 0, fmt.Errorf("%w: %d bytes", errSpoolTooSmall, len(content))
	}
	// Function names and labels are nobody else's business.
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return 0, err
	}
	dropped, err = s.makeRoom(int64(len(content)))
	if err != nil {
		return dropped, err
	}
	f, err := os.OpenFile(filepath.Join(s.dir, spoolTemp+randomText()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return dropped, err
	}
	_, err = fmt.Fprintf(f, "%s%08x\n", spoolMagic, crc32.ChecksumIEEE(content))
	if err == nil {
		_, err = f.Write(content)
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = rename(f.Name(), s.path(p))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return dropped, err
}

func (s *spool) path(p *parcel) string {
	return filepath.Join(s.dir, fmt.Sprintf("%020d-%s%s", p.taken.UnixNano(), p.key, spoolSuffix))
}

// makeRoom removes what is too old, and the oldest files until size bytes fit.
func (s *spool) makeRoom(size int64) (dropped int, err error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return 0, err
	}
	sizes := make([]int64, len(entries))
	for i, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // another process has sent it
		}
		if strings.HasPrefix(e.Name(), spoolTemp) && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(filepath.Join(s.dir, e.Name())) // of a process that was killed
			continue
		}
		sizes[i] = info.Size()
		size += info.Size()
	}
	for i, e := range entries {
		taken, _, ok := spoolName(e.Name())
		if !ok {
			continue
		}
		if time.Since(taken) <= s.maxAge && size <= s.maxBytes {
			break
		}
		if os.Remove(filepath.Join(s.dir, e.Name())) == nil {
			dropped++
		}
		size -= sizes[i]
	}
	return dropped, nil
}

// next returns a file to send, nil if there is none, and how many there were
// that cannot be sent anymore. Further calls return further files, and after
// the last one the first again.
func (s *spool) next() (p *parcel, dropped int) {
	if len(s.names) == 0 {
		entries, _ := os.ReadDir(s.dir) // without a folder there are none
		for _, e := range entries {
			if taken, key, ok := spoolName(e.Name()); ok && (strings.HasPrefix(key, s.run) || time.Since(taken).Abs() > s.adoptAfter) {
				s.names = append(s.names, e.Name())
			}
		}
	}
	for len(s.names) > 0 {
		name := s.names[0]
		s.names = s.names[1:]
		p, err := s.read(name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // dropped, or another process has sent it
		case err == nil && time.Since(p.taken) <= s.maxAge:
			return p, dropped
		case err == nil || errors.Is(err, errMalformed):
			if os.Remove(filepath.Join(s.dir, name)) == nil {
				dropped++
			}
		}
	}
	return nil, dropped
}

func (s *spool) read(name string) (*parcel, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		return nil, err
	}
	taken, key, ok := spoolName(name)
	head, content, ok2 := bytes.Cut(data, []byte("\n"))
	crc, ok3 := strings.CutPrefix(string(head), spoolMagic)
	sum, err := strconv.ParseUint(crc, 16, 32)
	query, body, ok4 := bytes.Cut(content, []byte("\n"))
	if !ok || !ok2 || !ok3 || !ok4 || err != nil || crc32.ChecksumIEEE(content) != uint32(sum) {
		return nil, errMalformed
	}
	return &parcel{taken: taken, key: key, query: string(query), body: body, spooled: true}, nil
}

func (s *spool) remove(p *parcel) { _ = os.Remove(s.path(p)) }

// waiting returns how many files there are and how many bytes they have.
func (s *spool) waiting() (files int, size int64) {
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		if _, _, ok := spoolName(e.Name()); !ok {
			continue
		}
		if info, err := e.Info(); err == nil {
			files++
			size += info.Size()
		}
	}
	return files, size
}

// spoolName takes a file's name apart.
func spoolName(name string) (taken time.Time, key string, ok bool) {
	name, ok = strings.CutSuffix(name, spoolSuffix)
	if !ok {
		return time.Time{}, "", false
	}
	ns, key, ok := strings.Cut(name, "-")
	n, err := strconv.ParseInt(ns, 10, 64)
	return time.Unix(0, n), key, ok && err == nil && len(ns) == 20 && key != ""
}

// A parcel is a profile on its way to the server.
type parcel struct {
	taken time.Time // when it was complete
	key   string    // unique, so that the server knows it again
	query string    // of the request: labels, time and key
	body  []byte    // the profile

	spooled bool // it is a file of the spool
}
