package silent

import (
	"reflect"
	"strconv"
)

func toString(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	}
	return reflect.ValueOf(v).String() // hot: reflect.ValueOf
}

func kind(v any, w any) reflect.Kind {
	k := reflect.TypeOf(v).Kind() // hot: reflect.TypeOf
	switch w.(type) {
	case string:
		return reflect.String
	}
	return k
}

func field(arg any) (any, string) {
	v := reflect.ValueOf(arg).Elem().Field(0).Interface() // hot: reflect.packEface
	switch arg := v.(type) {
	case string:
		return v, arg
	}
	return v, ""
}

var names = map[string]int{}

func init() {
	f, _ := reflect.TypeFor[struct{ A int }]().FieldByName("A") // hot: reflect.TypeFor
	names["A"] = f.Index[0]
}
