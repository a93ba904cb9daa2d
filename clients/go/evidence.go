package groundwire

import (
	"slices"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// Evidence is what claims are judged by: either documents or one context with
// the ranges of it that can be cited. Make it with [DocumentEvidence] or
// [ContextEvidence]; the zero value is no evidence, which the server refuses.
type Evidence struct {
	context   string
	documents []Document
	ranges    []Range
}

// Document is a source of its own.
type Document struct {
	// ID is the id by which claims cite the document, such as "S0": 1 to 256
	// characters, none of them a control character, and no white space at its
	// ends. The documents of a call have distinct ids.
	ID string
	// Title is its title, on one line. It is shown to the model above the text
	// and stays when the text is removed. Empty: none.
	Title string
	// Text is its text: at least one visible character, at most
	// [Limits.MaxTextCharacters].
	Text string
}

// Range is a part of a context that claims can cite.
type Range struct {
	// ID is the id by which claims cite the range, as [Document.ID]. Several
	// ranges may share one, and are then cited together.
	ID string
	// Span is where the range is in the context, in characters.
	Span Span
}

// DocumentEvidence is evidence of documents, at most [Limits.MaxSources] of
// them. They are joined in their order, each below a line with its id and
// title.
func DocumentEvidence(documents ...Document) Evidence {
	return Evidence{documents: slices.Clone(documents)}
}

// ContextEvidence is evidence of one text, at most [Limits.MaxTextCharacters]
// characters, and the ranges of it that claims can cite, at most
// [Limits.MaxSources] of them. Without ranges the text is one source as a
// whole.
func ContextEvidence(text string, ranges ...Range) Evidence {
	return Evidence{context: text, ranges: slices.Clone(ranges)}
}

// isZero reports whether there is no evidence.
func (e Evidence) isZero() bool {
	return e.context == "" && len(e.documents) == 0 && len(e.ranges) == 0
}

// message encodes the evidence, which is in the field.
func (e Evidence) message(w *writing, field string) *pb.Evidence {
	m := &pb.Evidence{Context: w.text(e.context, "%s.context", field)}
	for i, d := range e.documents {
		m.Sources = append(m.Sources, &pb.Source{
			Id: w.text(d.ID, "%s.sources[%d].id", field, i),
			Kind: &pb.Source_Document{Document: &pb.Document{
				Text:  w.text(d.Text, "%s.sources[%d].document.text", field, i),
				Title: w.text(d.Title, "%s.sources[%d].document.title", field, i),
			}},
		})
	}
	for i, r := range e.ranges {
		m.Sources = append(m.Sources, &pb.Source{
			Id: w.text(r.ID, "%s.sources[%d].id", field, i),
			Kind: &pb.Source_Range{Range: &pb.Span{
				Start: w.int32(r.Span.Start, ReasonInvalidSource, "%s.sources[%d].range.start", field, i),
				End:   w.int32(r.Span.End, ReasonInvalidSource, "%s.sources[%d].range.end", field, i),
			}},
		})
	}
	return m
}
