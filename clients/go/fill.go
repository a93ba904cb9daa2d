package groundwire

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// filled is a field of a struct of this package, and how the contract has it. Its
// tag says what its name and its type do not: `pb:"NAME,CHECK..."`, NAME being
// that of the contract where it is another one, "-" for what is not in the
// message, and each CHECK one of these.
//
//	set         it has to be set
//	share       in [0, 1]
//	difference  in [-1, 1]
//	cosine      in [-1, 1], but for what rounding adds
//	positive    at least 0
//	unbounded   at least 0, or infinite
//	day         a text that is a day, or empty
//	elsewhere   a span in a text that only the server was sent
//
// Other numbers have to be finite.
type filled struct {
	index                     int
	desc                      protoreflect.FieldDescriptor
	low, high                 float64
	isSet, isDay, isElsewhere bool
}

// known are the fields of each struct that was filled from a kind of message.
var known sync.Map

// pairing is a struct and the name of the message that fills it.
type pairing struct {
	into reflect.Type
	from protoreflect.FullName
}

// done returns what was read, or what of it is against the contract.
func done[Result any](r *reading, result *Result) (*Result, error) {
	if r.err != nil {
		return nil, r.err
	}
	return result, nil
}

// fill sets the fields of a struct to those of a message that have their names.
func (r *reading) fill(into any, m proto.Message) {
	r.fields(reflect.ValueOf(into).Elem(), m.ProtoReflect())
}

func (r *reading) fields(into reflect.Value, m protoreflect.Message) {
	for _, f := range fieldsOf(into.Type(), m.Descriptor()) {
		r.field(into.Field(f.index), m, f)
	}
}

func (r *reading) field(into reflect.Value, m protoreflect.Message, f filled) {
	isThere := m.Has(f.desc)
	if f.isSet && !isThere && !f.desc.IsList() {
		r.breach("%s is missing", f.desc.Name())
	}
	switch {
	case f.desc.IsList():
		list := m.Get(f.desc).List()
		if list.Len() == 0 {
			return
		}
		values := reflect.MakeSlice(into.Type(), list.Len(), list.Len())
		for i := range list.Len() {
			r.value(values.Index(i), list.Get(i), f)
		}
		into.Set(values)
	case into.Kind() != reflect.Pointer:
		r.value(into, m.Get(f.desc), f)
	case isThere:
		into.Set(reflect.New(into.Type().Elem()))
		r.value(into.Elem(), m.Get(f.desc), f)
	}
}

func (r *reading) value(into reflect.Value, value protoreflect.Value, f filled) {
	switch f.desc.Kind() {
	case protoreflect.MessageKind:
		r.message(into, value.Message(), f)
	case protoreflect.EnumKind:
		into.SetString(r.enum(f, value.Enum()))
	case protoreflect.DoubleKind, protoreflect.FloatKind:
		into.SetFloat(r.number(value.Float(), f.low, f.high, string(f.desc.Name())))
	case protoreflect.Int32Kind, protoreflect.Int64Kind:
		into.SetInt(value.Int())
		r.number(float64(value.Int()), f.low, f.high, string(f.desc.Name()))
	default:
		if day, ok := into.Addr().Interface().(*time.Time); ok {
			*day = r.day(value.String(), f)
			return
		}
		if f.isDay {
			r.day(value.String(), f)
		}
		into.Set(reflect.ValueOf(value.Interface()).Convert(into.Type()))
	}
}

func (r *reading) message(into reflect.Value, m protoreflect.Message, f filled) {
	switch target := into.Addr().Interface().(type) {
	case *time.Duration:
		*target = m.Interface().(*durationpb.Duration).AsDuration()
	case *Span:
		span := m.Interface().(*pb.Span)
		characters := r.characters
		if f.isElsewhere {
			characters = int(span.GetEnd())
		}
		*target = r.span(span, characters, string(f.desc.Name()))
	case *Estimate:
		*target = r.estimate(m.Interface().(*pb.Estimate), string(f.desc.Name()))
	case *Claim:
		*target = r.claim(m.Interface().(*pb.Claim))
	case *Extraction:
		*target = r.extraction(m.Interface().(*pb.Extraction))
	default:
		at := r.at
		r.at += ": " + string(f.desc.Name())
		r.fields(into, m)
		r.at = at
	}
}

// day returns a day, and the zero time where none is known.
func (r *reading) day(text string, f filled) time.Time {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil && text != "" {
		r.breach("%s is no date", f.desc.Name())
	}
	return day
}

// enum returns the name of an enum's value, or "" for "not set".
func (r *reading) enum(f filled, number protoreflect.EnumNumber) string {
	values := f.desc.Enum().Values()
	value := values.ByNumber(number)
	switch {
	case value == nil: // of a newer server
		return strconv.Itoa(int(number))
	case number == 0:
		if f.isSet {
			r.breach("%s is missing", f.desc.Name())
		}
		return ""
	}
	return strings.TrimPrefix(string(value.Name()), prefixOf(f.desc.Enum()))
}

// prefixOf is what the names of an enum's values begin with.
func prefixOf(of protoreflect.EnumDescriptor) string {
	return strings.TrimSuffix(string(of.Values().ByNumber(0).Name()), "UNSPECIFIED")
}

// fieldsOf returns the fields of a struct that the message has. It panics where
// the contract has no field of that name, or a tag names a check that there is not.
func fieldsOf(kind reflect.Type, message protoreflect.MessageDescriptor) []filled {
	pair := pairing{kind, message.FullName()}
	if fields, ok := known.Load(pair); ok {
		return fields.([]filled)
	}
	plain := map[string]protoreflect.FieldDescriptor{}
	for i := range message.Fields().Len() {
		desc := message.Fields().Get(i)
		plain[strings.ReplaceAll(string(desc.Name()), "_", "")] = desc
	}
	var fields []filled
	for i := range kind.NumField() {
		name, checks, _ := strings.Cut(kind.Field(i).Tag.Get("pb"), ",")
		if name == "-" {
			continue
		}
		if name == "" {
			name = strings.ToLower(kind.Field(i).Name)
		}
		f := filled{index: i, desc: plain[strings.ReplaceAll(name, "_", "")], low: -math.MaxFloat64, high: math.MaxFloat64}
		if f.desc == nil {
			panic(fmt.Sprintf("%s has no field for %s.%s", pair.from, kind, kind.Field(i).Name))
		}
		for check := range strings.SplitSeq(checks, ",") {
			if !f.check(check) {
				panic(fmt.Sprintf("%q of %s.%s is no check", check, kind, kind.Field(i).Name))
			}
		}
		fields = append(fields, f)
	}
	known.Store(pair, fields)
	return fields
}

// check adds a check, and returns whether there is one of that name.
func (f *filled) check(name string) bool {
	switch name {
	case "": // there is none
	case "set":
		f.isSet = true
	case "share":
		f.low, f.high = 0, 1
	case "difference":
		f.low, f.high = -1, 1
	case "cosine":
		f.low, f.high = -1.001, 1.001
	case "positive":
		f.low = 0
	case "unbounded":
		f.low, f.high = 0, math.Inf(1)
	case "day":
		f.isDay = true
	case "elsewhere":
		f.isElsewhere = true
	default:
		return false
	}
	return true
}
