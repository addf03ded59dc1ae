package disk

import (
	"fmt"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// checkProfile describes what is wrong with a profile of a service and epoch; "" means nothing.
func checkProfile(d *format.Dictionary, service string, start, epoch int64, h *format.Head, totals []int64, s *format.Samples) string {
	if int(h.Series) >= len(d.Series) || int(h.Schema) >= len(d.Schemas) {
		return fmt.Sprintf("profile %d refers to a series or schema that is not in the dictionary", h.Seq)
	}
	if own := d.Series[h.Series].Labels.Get(store.LabelService); own != service || store.Window(h.Time, epoch) != start {
		return fmt.Sprintf("profile %d, of service %q, is in the wrong partition", h.Seq, own)
	}
	if len(d.Schemas[h.Schema].Types) != int(h.Types) || d.Schemas[h.Schema].Measures != d.Series[h.Series].Measures {
		return fmt.Sprintf("profile %d has a schema that doesn't fit its series", h.Seq)
	}
	for t, want := range totals {
		sum := int64(0)
		for _, v := range s.Values[t] {
			sum += v
		}
		if sum != want {
			return fmt.Sprintf("the values of profile %d add up to %d of %s, not %d", h.Seq, sum, d.Schemas[h.Schema].Types[t].Type, want)
		}
	}
	return ""
}
