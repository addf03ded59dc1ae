package text

import (
	"fmt"
	"reflect"
	"strconv"
)

type row struct {
	Name string `column:"name"`
}

func toString(v any) string {
	// want C: Switch on the type of v first
	v = reflect.Indirect(reflect.ValueOf(v)).Interface() // hot: reflect.Indirect reflect.packEface
	switch v := v.(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	}
	return fmt.Sprint(v)
}

func short(arg any) string {
	// want C: Switch on the type of arg first
	var v = reflect.Indirect(reflect.ValueOf(arg)).Interface() // hot: reflect.Indirect reflect.packEface
	switch v := v.(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	}
	return fmt.Sprint(v)
}

func column(r *row, field string) (string, string) {
	// want C: searches the type again
	f, _ := reflect.TypeOf(*r).FieldByName(field) // hot: reflect.(*rtype).FieldByName
	if name := f.Name; name == "" {
		// want C: StructTag).Get
		field = f.Tag.Get("column") // hot: reflect.StructTag.Lookup
	}
	// want C: searches the type again
	return f.Name, reflect.ValueOf(r).Elem().FieldByName(field).String() // hot: reflect.Value.FieldByName
}
