package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/store/disk"
)

// diskStore is the store in a server's data directory.
type diskStore struct {
	*disk.Store
	data      string // the directory
	retention time.Duration
}

func openDisk(ctx context.Context, cfg *Config, log *slog.Logger) (keeper, error) {
	st, err := disk.OpenContext(ctx, filepath.Join(cfg.Data, "store"), disk.Options{
		Retention: time.Duration(cfg.Store.Retention), MaxBytes: int64(cfg.Store.MaxSize), MinFree: int64(cfg.Store.MinFree),
		CacheBytes: int64(cfg.Store.Cache), MaxDictionary: int64(cfg.Store.MaxDictionary), Log: log, Recover: true,
	})
	if err != nil {
		return nil, err
	}
	return &diskStore{st, cfg.Data, time.Duration(cfg.Store.Retention)}, nil
}

func (s *diskStore) ready() error { return s.Ready() }

func (s *diskStore) memory() int64 { return s.Memory() }

func (s *diskStore) state() storeState {
	st := s.Stats()
	out := storeState{figures: StoreFigures(st), retention: s.retention, full: st.Full, expired: st.Expired}
	out.aside, out.notices = s.setAside(st.Aside)
	if n := len(st.Damaged); n > 0 {
		out.notices = append(out.notices, api.Notice{Level: api.LevelError, Text: fmt.Sprintf("%d files of the store are damaged: stop the server and run hone store repair. %s", n, st.Damaged[0])})
	}
	if losses := s.Losses(); len(losses) > 0 {
		out.notices = append(out.notices, lossNotice(losses))
	}
	return out
}

// lossNotice tells what was found to be lost, without names, which not everybody may know.
func lossNotice(losses []disk.Loss) api.Notice {
	services, profiles := map[string]bool{}, int64(0)
	from, to := losses[0].From, losses[0].To
	for _, l := range losses {
		services[l.Service] = true
		profiles += l.Profiles
		if l.From.Before(from) {
			from = l.From
		}
		if l.To.After(to) {
			to = l.To
		}
	}
	return api.Notice{Level: api.LevelError, Since: ms(losses[0].Since), Text: fmt.Sprintf("Lost profiles: %d, of %d services, from %s to %s, because a table of the store is damaged. "+
		"All others are served. The log names the services.", profiles, len(services), from.Format(time.RFC3339), to.Format(time.RFC3339))}
}

// backup writes a copy of the store into a folder of the data directory.
func (s *diskStore) backup(ctx context.Context, name string) (string, error) {
	dir := filepath.Join(s.data, "backups")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	dir = filepath.Join(dir, name)
	return dir, s.Backup(ctx, dir)
}

// StoreFigures are the figures of a store, by name.
func StoreFigures(st disk.Stats) map[string]any {
	return map[string]any{
		"profiles": st.Profiles, "unpacked": st.Fresh, "partitions": st.Partitions,
		"liveBytes": st.LiveBytes, "diskBytes": st.DiskBytes, "cacheBytes": st.CacheBytes, "cacheHits": st.CacheHits, "cacheMisses": st.CacheMiss,
		"aside": len(st.Aside), "damagedFiles": len(st.Damaged),
		"put": st.Put, "duplicates": st.Duplicates, "expired": st.Expired, "full": st.Full, "packed": st.Packed, "dropped": st.Dropped, "lost": st.Lost, "busy": st.Busy,
	}
}

// setAside tells what of the store is not served, or not all.
func (s *diskStore) setAside(all []disk.Aside) (aside []api.Aside, notices []api.Notice) {
	repair := "stop the server, then: hone store repair " + s.data
	damaged, profiles, unsure := 0, int64(0), ""
	for _, set := range all {
		a := api.Aside{Service: set.Service, From: ms(set.Epoch), Since: ms(set.Since), Problem: set.Problem, Next: repair}
		if set.Profiles >= 0 {
			a.Profiles = &set.Profiles
		}
		switch {
		case set.Returning:
			a.Next = "none: it is being brought back"
		default:
			damaged++
			profiles += max(set.Profiles, 0)
			if set.Profiles < 0 {
				unsure = "at least "
			}
		}
		aside = append(aside, a)
	}
	if damaged > 0 {
		number := fmt.Sprintf("%s%d in all", unsure, profiles)
		if profiles == 0 {
			number = "how many is not known"
		}
		notices = append(notices, api.Notice{Level: api.LevelError, Text: fmt.Sprintf("Profiles of %s of services are set aside, %s, because parts of them can't be read: "+
			"stop the server and run hone store repair, which brings back the readable ones.", weeks(damaged), number)})
	}
	for _, r := range s.Recoveries() {
		n := api.Notice{Since: ms(r.Since), Level: api.LevelError, Text: fmt.Sprintf("The store could not be opened as it was: %s. Its readable profiles are being brought back from %s; "+
			"until that is done, totals over the time before are incomplete.", r.Problem, r.Dir)}
		switch {
		case r.Done:
			n.Level = api.LevelWarning
			n.Text = fmt.Sprintf("The store could not be opened as it was: %s. Its readable profiles are back (%v). Its files are in %s until you remove them.", r.Problem, r, r.Dir)
		case r.Waiting != "":
			n.Text += " It waits: " + r.Waiting + "."
		}
		notices = append(notices, n)
	}
	return aside, notices
}

func weeks(n int) string {
	if n == 1 {
		return "1 week"
	}
	return fmt.Sprintf("%d weeks", n)
}

var (
	descKept     = prometheus.NewDesc("hone_store_profiles", "Profiles kept.", nil, nil)
	descUnpacked = prometheus.NewDesc("hone_store_unpacked_profiles", "Profiles kept that are not packed yet.", nil, nil)
	descLive     = prometheus.NewDesc("hone_store_live_bytes", "Size of the profiles on disk.", nil, nil)
	descDisk     = prometheus.NewDesc("hone_store_disk_bytes", "Size of all files of the store.", nil, nil)
	descCache    = prometheus.NewDesc("hone_store_cache_bytes", "Memory of what the store keeps between calls.", nil, nil)
	descPut      = prometheus.NewDesc("hone_store_put_total", "Profiles put in, by what became of them.", []string{"result"}, nil)
	descAside    = prometheus.NewDesc("hone_store_aside_partitions", "Weeks of services that are not served, because parts of them can't be read.", nil, nil)
	descDamaged  = prometheus.NewDesc("hone_store_damaged_files", "Files of the store that are known to be damaged.", nil, nil)
	descReturn   = prometheus.NewDesc("hone_store_recovering", "Stores that could not be opened as they were and are not all back yet.", nil, nil)
	descReturned = prometheus.NewDesc("hone_store_recovered_total", "Profiles of stores that could not be opened as they were, by what became of them; lost are those known of.", []string{"result"}, nil)
	descLost     = prometheus.NewDesc("hone_store_lost_profiles_total", "Profiles found to be lost, as a block of a table is damaged.", nil, nil)
	descDropped  = prometheus.NewDesc("hone_store_dropped_total", "Profiles removed for their age or for room.", nil, nil)
)

func (s *diskStore) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descKept, descUnpacked, descLive, descDisk, descCache, descPut, descAside, descDamaged, descReturn, descReturned, descLost, descDropped} {
		ch <- d
	}
}

func (s *diskStore) Collect(ch chan<- prometheus.Metric) {
	st := s.Stats()
	metric := metricsTo(ch)
	metric(descKept, prometheus.GaugeValue, st.Profiles)
	metric(descUnpacked, prometheus.GaugeValue, st.Fresh)
	metric(descLive, prometheus.GaugeValue, st.LiveBytes)
	metric(descDisk, prometheus.GaugeValue, st.DiskBytes)
	metric(descCache, prometheus.GaugeValue, st.CacheBytes)
	metric(descPut, prometheus.CounterValue, st.Put, "kept")
	metric(descPut, prometheus.CounterValue, st.Duplicates, "duplicate")
	metric(descPut, prometheus.CounterValue, st.Expired, "expired")
	metric(descPut, prometheus.CounterValue, st.Full, "full")
	metric(descAside, prometheus.GaugeValue, int64(len(st.Aside)))
	metric(descDamaged, prometheus.GaugeValue, int64(len(st.Damaged)))
	returning, back, lost := int64(0), int64(0), int64(0)
	for _, r := range s.Recoveries() {
		if !r.Done {
			returning++
		}
		back, lost = back+r.Kept, lost+r.Lost
	}
	metric(descReturn, prometheus.GaugeValue, returning)
	metric(descReturned, prometheus.CounterValue, back, "kept")
	metric(descReturned, prometheus.CounterValue, lost, "lost")
	metric(descLost, prometheus.CounterValue, st.Lost)
	metric(descDropped, prometheus.CounterValue, st.Dropped)
}
