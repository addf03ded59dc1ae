package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

type order struct {
	ID       int               `json:"id"`
	Customer string            `json:"customer"`
	Lines    []orderLine       `json:"lines"`
	Notes    map[string]string `json:"notes"`
}

type orderLine struct {
	SKU   string  `json:"sku"`
	Count int     `json:"count"`
	Price float64 `json:"price"`
}

func orderText(n int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"customer":"customer %d","lines":[{"sku":"a-%d","count":%d,"price":%d.25},{"sku":"b","count":1,"price":3e2}],"notes":{"gift":"yes","to":"someone \u00e9lse"}}`, i, i%17, i, i%5, i%100)
	}
	b.WriteByte(']')
	return b.String()
}

// jsonDecode decodes orders into structs and into any, and keeps the last ones.
func jsonDecode(ctx context.Context) error {
	text := []byte(orderText(400))
	for ctx.Err() == nil {
		orders, err := decodeOrders(text)
		if err != nil {
			return err
		}
		values, err := decodeAny(text)
		if err != nil {
			return err
		}
		keep = []any{orders, values, revenue(orders)}
	}
	return nil
}

func decodeOrders(text []byte) (orders []order, err error) {
	err = json.Unmarshal(text, &orders)
	return orders, err
}

func decodeAny(text []byte) (v any, err error) {
	err = json.Unmarshal(text, &v)
	return v, err
}

func revenue(orders []order) map[string]float64 {
	sums := map[string]float64{}
	for _, o := range orders {
		for _, l := range o.Lines {
			sums[o.Customer] += l.total()
		}
	}
	return sums
}

func (l orderLine) total() float64 { return float64(l.Count) * l.Price }
