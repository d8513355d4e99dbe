package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// maxWhole bounds a list that is parsed as a whole when its items are no YAML one by one: only a list written by hand is such, and to
// parse a large one whole would take minutes and gigabytes to say that it is broken.
const maxWhole = 4 << 20

// documents reads a file's text.
func (l *loader) documents(path string, data []byte) error {
	docs := splitDocuments(data)
	var items []item
	for i, doc := range docs {
		found, err := l.expand(path, doc, i)
		if err != nil {
			if err := l.complain(path, outcome{line: lineOf(doc, err), broken: err}); err != nil {
				return err
			}
			continue
		}
		items = append(items, found...)
	}
	return l.take(path, docs, items, 0)
}

// maxNested bounds how deep lists may lie in lists.
const maxNested = 10

// take decodes items and keeps what they are. docs are the documents that they come from, nil for those that lie in an item.
func (l *loader) take(path string, docs []document, items []item, depth int) error {
	outcomes := l.decodeAll(items)
	for i := 0; i < len(items); {
		end := i + 1
		for end < len(items) && items[end].list == items[i].list {
			end++
		}
		results := outcomes[i:end]
		if docs != nil {
			results = l.secondTry(docs[items[i].list], items[i:end], results)
		}
		for j := range results {
			o := &results[j]
			switch {
			case o.nested != nil:
				if err := l.nested(path, *o, depth+1); err != nil {
					return err
				}
			case o.broken != nil:
				if err := l.complain(path, *o); err != nil {
					return err
				}
			default:
				l.put(o, path)
			}
		}
		i = end
	}
	return nil
}

// nested takes the items of a list that is an item itself.
func (l *loader) nested(path string, o outcome, depth int) error {
	if depth > maxNested {
		o.broken = fmt.Errorf("lists lie in lists more than %d deep", maxNested)
		return l.complain(path, o)
	}
	items, err := l.expandJSON(path, document{o.nested, o.line}, 0, 0)
	if err != nil {
		o.broken = err
		return l.complain(path, o)
	}
	if o.remade {
		for i := range items {
			items[i].line = o.line
		}
	}
	return l.take(path, nil, items, depth)
}

// complain makes a broken document the reading's error, or, when it is lenient, counts it.
func (l *loader) complain(path string, o outcome) error {
	where := fmt.Sprintf("%s:%d", path, o.line)
	if id := o.String(); id != "" {
		where += ": " + id
	}
	if !l.options.Lenient {
		return fmt.Errorf("%s: %w (mend or remove it, or leave it out with --snapshot-lenient)", where, o.broken)
	}
	if r, known := snapshotKinds[o.gvk()]; known {
		l.countInvalid(r, o.identity)
		l.out.present[r] = true
		l.found++
	}
	if l.broken++; l.broken <= maxComplaints {
		l.options.Logger.Warn("document left out of the snapshot", "file", where, "err", o.broken)
	}
	return nil
}

// expand gives the objects of a document: itself, or the items of the list that it is.
func (l *loader) expand(path string, doc document, index int) ([]item, error) {
	if start := jsonStart(doc.data); start >= 0 {
		items, err := l.expandJSON(path, doc, start, index)
		if err == nil {
			return items, nil
		}
		if len(doc.data) > maxWhole {
			return nil, err
		}
		// It may be YAML in flow style, which begins in the same way.
		items, yamlErr := l.expandWhole(path, doc, index)
		if yamlErr == nil || errors.Is(yamlErr, errAliases) {
			return items, yamlErr
		}
		return nil, err
	}
	if !bytes.HasPrefix(doc.data, []byte("items:")) && !bytes.Contains(doc.data, []byte("\nitems:")) {
		return []item{{document: doc, yaml: true, list: index}}, nil
	}
	rest, parts := splitList(doc)
	head, _, err := toJSON(rest)
	if err != nil || jsonStart(head) != 0 || len(parts) == 0 {
		return l.expandWhole(path, doc, index)
	}
	id, _, _, more, err := peekJSON(head)
	if err != nil {
		return nil, err
	}
	element, isList := l.list(path, id, true, more)
	if !isList {
		return []item{{document: doc, yaml: true, list: index}}, nil
	}
	items := make([]item, len(parts))
	for i, part := range parts {
		items[i] = item{document: part, yaml: true, dash: true, defaults: element, list: index}
	}
	return items, nil
}

// expandWhole is expand for YAML that has to be parsed to see what it is.
func (l *loader) expandWhole(path string, doc document, index int) ([]item, error) {
	data, line, err := toJSON(doc.data)
	if err != nil {
		return nil, &lineError{line, err}
	}
	items, err := l.expandJSON(path, document{data, doc.line}, 0, index)
	for i := range items {
		items[i].line = doc.line
	}
	return items, err
}

// expandJSON gives the objects of one JSON text after the other.
func (l *loader) expandJSON(path string, doc document, from, index int) ([]item, error) {
	var items []item
	line, counted := doc.line, 0
	at := func(offset int) int {
		line += bytes.Count(doc.data[counted:offset], []byte{'\n'})
		counted = offset
		return line
	}
	add := func(from, to int, defaults identity) {
		items = append(items, item{document: document{doc.data[from:to:to], at(from)}, defaults: defaults, list: index})
	}
	for from = skipSpace(doc.data, from); from < len(doc.data); from = skipSpace(doc.data, from) {
		if doc.data[from] == '[' {
			end, err := elements(doc.data, from, ']', func(from int) (int, error) {
				to, err := skipValue(doc.data, from)
				if err == nil {
					add(from, to, identity{})
				}
				return to, err
			})
			if err != nil {
				return nil, err
			}
			from = end
			continue
		}
		to, err := skipValue(doc.data, from)
		if err != nil {
			return nil, err
		}
		text := doc.data[from:to]
		if text[0] != '{' {
			add(from, to, identity{})
			from = to
			continue
		}
		id, parts, hasItems, more, err := peekJSON(text)
		if err != nil {
			return nil, shifted(err, from)
		}
		element, isList := l.list(path, id, hasItems, more)
		if !isList {
			parts, element = [][2]int{{0, len(text)}}, identity{}
		}
		for _, p := range parts {
			add(from+p[0], from+p[1], element)
		}
		from = to
	}
	return items, nil
}

// list tells whether an object is a list, and what its items are when they do not say it themselves. A list of one kind says that the
// kind has been asked for, be it empty.
func (l *loader) list(path string, id identity, hasItems, more bool) (element identity, isList bool) {
	element, isList = id.listOf(hasItems)
	if r, known := snapshotKinds[element.gvk()]; known {
		l.out.present[r] = true
		l.found++
	}
	if isList && more {
		l.options.Logger.Warn("a list in the snapshot is only a part of what the API server had", "file", path, "kind", id.kind)
	}
	return element, isList
}

// decodeAll decodes the items on all processors, in their order.
func (l *loader) decodeAll(items []item) []outcome {
	outcomes := make([]outcome, len(items))
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(items)) {
		running.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(items)); i = next.Add(1) - 1 {
				outcomes[i] = l.decode(items[i])
			}
		})
	}
	running.Wait()
	return outcomes
}

// secondTry parses a YAML list as a whole when one of its items was no YAML by itself. When the list is none either, the items' own
// errors stand, since they tell the object.
func (l *loader) secondTry(doc document, items []item, outcomes []outcome) []outcome {
	broken := false
	for i := range outcomes {
		broken = broken || (outcomes[i].broken != nil && items[i].yaml)
	}
	if !broken || len(doc.data) > maxWhole || !items[0].dash {
		return outcomes
	}
	whole, err := l.expandWhole("", doc, items[0].list)
	if errors.Is(err, errAliases) {
		for i := range outcomes {
			if o := &outcomes[i]; o.broken != nil {
				o.broken = err
			}
		}
	}
	if err != nil || len(whole) == 0 {
		return outcomes
	}
	return l.decodeAll(whole)
}
