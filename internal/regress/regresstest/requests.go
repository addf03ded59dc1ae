package regresstest

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// FillRequests puts the counts of requests of the three instances of Fill: so many per
// minute and instance.
func FillRequests(ctx context.Context, st store.Store, service, version string, from, to, requests int64) error {
	var all []store.Record
	for at := from; at < to; at += minute {
		for i := range 3 {
			r, err := requestsRecord(service, version, fmt.Sprint("i", i), at, requests)
			if err != nil {
				return err
			}
			all = append(all, r)
		}
	}
	return st.Put(ctx, all)
}

// requestsRecord returns the counts of a minute, as hone's agent sends them.
func requestsRecord(service, version, instance string, at, requests int64) (store.Record, error) {
	b := profile.NewBuilder(profile.ValueType{Type: "requests", Unit: "count"})
	endpoint := b.Location(0, 0, profile.Line{Function: b.Function("GET /", "GET /", "", 0)})
	b.Sample([]uint32{endpoint}, []profile.Label{{Key: b.String("endpoint"), Str: b.String("GET /")}}, requests)
	labels, err := store.NewLabels(store.Label{Name: store.LabelService, Value: service}, store.Label{Name: store.LabelKind, Value: "requests"},
		store.Label{Name: store.LabelVersion, Value: version}, store.Label{Name: store.LabelInstance, Value: instance})
	r := store.Record{Labels: labels, Time: at, Duration: minute, Profile: b.Profile()}
	binary.BigEndian.PutUint64(r.ID[:], uint64(at))
	binary.BigEndian.PutUint64(r.ID[8:], hash(service, version, instance, "requests"))
	return r, err
}
