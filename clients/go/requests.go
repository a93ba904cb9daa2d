package groundwire

import (
	"fmt"
	"math"
	"reflect"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// writing encodes a request and collects what has no encoding in protobuf. Such
// a request cannot be sent to be refused, so the client answers for the server;
// everything else is left to the server.
type writing struct {
	// at is the field that the request itself is in, such as "request.".
	at         string
	reason     string
	violations []FieldViolation
}

// refuse notes a violation. An error has one reason: that of its first.
func (w *writing) refuse(reason, description, field string, args ...any) {
	if w.reason == "" {
		w.reason = reason
	}
	if w.reason == reason {
		w.violations = append(w.violations, FieldViolation{w.at + fmt.Sprintf(field, args...), description})
	}
}

// done returns the error of the request, if it has one.
func (w *writing) done() error {
	if w.violations == nil {
		return nil
	}
	return badRequest(w.reason, w.violations)
}

// text returns the text, which has to be valid UTF-8.
func (w *writing) text(value, field string, args ...any) string {
	if !utf8.ValidString(value) {
		w.refuse(ReasonMalformedRequest, "not valid UTF-8", field, args...)
	}
	return value
}

// int32 returns the number, which must not wrap around.
func (w *writing) int32(value int, reason, field string, args ...any) int32 {
	if value < math.MinInt32 || value > math.MaxInt32 {
		w.refuse(reason, "beyond 32 bits", field, args...)
	}
	return int32(value)
}

// fill sets the fields of a message to those of a struct that have their names.
func (w *writing) fill(m proto.Message, from any) {
	w.fields(m.ProtoReflect(), reflect.ValueOf(from), "")
}

// fields sets the fields of a message, which is in the field that at leads to.
func (w *writing) fields(m protoreflect.Message, from reflect.Value, at string) {
	for _, f := range fieldsOf(from.Type(), m.Descriptor()) {
		value, field := from.Field(f.index), at+string(f.desc.Name())
		isMessage := f.desc.Kind() == protoreflect.MessageKind
		switch {
		case f.desc.IsList():
			list := m.Mutable(f.desc).List()
			for i := range value.Len() {
				each := fmt.Sprintf("%s[%d]", field, i)
				if isMessage {
					w.message(list.AppendMutable().Message(), value.Index(i), each)
				} else {
					list.Append(w.scalar(value.Index(i), f, each))
				}
			}
		case value.Kind() == reflect.Pointer && value.IsNil():
		case isMessage:
			w.message(m.Mutable(f.desc).Message(), reflect.Indirect(value), field)
		case value.Kind() == reflect.Pointer || !value.IsZero():
			m.Set(f.desc, w.scalar(reflect.Indirect(value), f, field))
		}
	}
}

func (w *writing) message(m protoreflect.Message, from reflect.Value, field string) {
	switch from := from.Interface().(type) {
	case time.Duration:
		proto.Merge(m.Interface(), durationpb.New(from))
	case Evidence:
		proto.Merge(m.Interface(), from.message(w, field))
	case ChatToolCall:
		proto.Merge(m.Interface(), from.message(w, field))
	default:
		w.fields(m, reflect.ValueOf(from), field+".")
	}
}

func (w *writing) scalar(value reflect.Value, f filled, field string) protoreflect.Value {
	switch f.desc.Kind() {
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(w.enum(f.desc.Enum(), value.String(), field))
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(w.int32(int(value.Int()), ReasonInvalidOption, "%s", field))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(value.Bool())
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(value.Float())
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(w.text(value.String(), "%s", field))
	default:
		panic(fmt.Sprintf("%s is of the kind %s, which no request has", f.desc.FullName(), f.desc.Kind()))
	}
}

// enum returns the number of an enum's value, 0 for the empty one.
func (w *writing) enum(of protoreflect.EnumDescriptor, name, field string) protoreflect.EnumNumber {
	value := of.Values().ByName(protoreflect.Name(prefixOf(of) + name))
	if name != "" && (value == nil || value.Number() == 0) {
		w.refuse(ReasonInvalidOption, fmt.Sprintf("%q is unknown", name), "%s", field)
	}
	if value == nil {
		return 0
	}
	return value.Number()
}

// newVerifyClaimsRequest encodes a request.
func newVerifyClaimsRequest(claims []ClaimInput, evidence Evidence, options VerifyOptions) (*pb.VerifyClaimsRequest, error) {
	w, m := writing{}, &pb.VerifyClaimsRequest{}
	w.fill(m, struct {
		Claims   []ClaimInput
		Evidence Evidence
		Options  VerifyOptions
	}{claims, evidence, options})
	return m, w.done()
}

// message encodes the request, which is in the field.
func (r AnswerRequest) message(at string) (*pb.VerifyAnswerRequest, error) {
	w, m := writing{at: at}, &pb.VerifyAnswerRequest{}
	w.fill(m, r)
	return m, w.done()
}
