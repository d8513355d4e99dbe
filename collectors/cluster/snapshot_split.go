package cluster

import (
	"bytes"
	"iter"
)

// document is one document of a file.
type document struct {
	data []byte
	line int // of its first byte, from 1
}

// lines gives each line with its end, and the offset where it starts.
func lines(data []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for from := 0; from < len(data); {
			to := len(data)
			if i := bytes.IndexByte(data[from:], '\n'); i >= 0 {
				to = from + i + 1
			}
			if !yield(from, data[from:to]) {
				return
			}
			from = to
		}
	}
}

// The lines between which kubectl cluster-info dump puts a container's log when it writes to its standard output.
var (
	logStart = []byte("==== START logs for container ")
	logEnd   = []byte("==== END logs for container ")
)

// splitDocuments splits at YAML's document markers, which stand at the start of a line and nowhere else, not even in a block scalar.
// Pretty-printed JSON has no such line. What a marker's own line holds beside it stays, for the parser. Logs are dropped.
func splitDocuments(data []byte) []document {
	var docs []document
	from, first, line, inLog := 0, 1, 0, false
	end := func(at int) {
		if doc := data[from:at]; !isBlank(doc) {
			docs = append(docs, document{doc, first})
		}
	}
	for offset, text := range lines(data) {
		line++
		switch {
		case inLog:
			if inLog = !bytes.HasPrefix(text, logEnd); !inLog {
				from, first = offset+len(text), line+1
			}
		case bytes.HasPrefix(text, logStart):
			end(offset)
			inLog, from = true, len(data)
		case isMarker(text, "---"):
			end(offset)
			from, first = offset, line
		case isMarker(text, "..."):
			end(offset)
			from, first = offset+len(text), line+1
		}
	}
	end(len(data))
	return docs
}

func isMarker(line []byte, marker string) bool {
	if !bytes.HasPrefix(line, []byte(marker)) {
		return false
	}
	return len(line) == len(marker) || bytes.IndexByte([]byte(" \t\r\n"), line[len(marker)]) >= 0
}

// isBlank tells whether a document has nothing but markers, directives, comments and space.
func isBlank(doc []byte) bool {
	for _, text := range lines(doc) {
		if isMarker(text, "---") {
			text = text[3:]
		} else if text[0] == '%' {
			continue
		}
		if text = bytes.TrimSpace(text); len(text) > 0 && text[0] != '#' {
			return false
		}
	}
	return true
}

// jsonStart gives where a document's JSON begins, or -1 when it does not begin as JSON does.
func jsonStart(doc []byte) int {
	from := 0
	if isMarker(doc, "---") {
		from = 3
	}
	i := from + len(doc[from:]) - len(bytes.TrimLeft(doc[from:], " \t\r\n"))
	if i < len(doc) && (doc[i] == '{' || doc[i] == '[') {
		return i
	}
	return -1
}

// splitList splits a YAML list as kubectl writes it, a mapping with the block sequence items, into the rest of the document and the
// items, each still with its dash. It looks at indentation only, since to parse the list as a whole would take many times its size in
// memory. What it cannot split so it leaves whole: nil items. It may be wrong about a list that was written by hand in a form which
// only a parser understands; then an item is no YAML by itself, and the caller parses the whole.
func splitList(doc document) (rest []byte, items []document) {
	const outside, before, inside = 0, 1, 2 // of items
	state, indent, line := outside, 0, doc.line-1
	for _, text := range lines(doc.data) {
		line++
		column, content := indentation(text)
		if len(content) == 0 || content[0] == '#' {
			if state == inside {
				last := &items[len(items)-1]
				last.data = last.data[:len(last.data)+len(text)]
			}
			continue
		}
		isItem := content[0] == '-' && (len(content) == 1 || content[1] == ' ')
		if state == before && isItem {
			state, indent = inside, column
		}
		switch {
		case state == inside && column == indent && isItem:
			items = append(items, document{text[:len(text):cap(text)], line})
			continue
		case state == inside && column > indent:
			last := &items[len(items)-1]
			last.data = last.data[:len(last.data)+len(text)]
			continue
		}
		state = outside
		if column == 0 {
			if key, value := yamlPair(content); key == "items" && value == "" {
				state = before
				continue
			}
		}
		rest = append(rest, text...)
	}
	return rest, items
}

// indentation gives a line's number of leading spaces and what follows them, without the end of the line.
func indentation(line []byte) (int, []byte) {
	content := bytes.TrimLeft(line, " ")
	return len(line) - len(content), bytes.TrimRight(content, " \t\r\n")
}
