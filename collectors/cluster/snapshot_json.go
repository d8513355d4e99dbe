package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// The functions below find where the values of a JSON text begin and end, and check no more of it than that takes: each object is
// parsed by itself afterwards, or, when nobody wants its kind, not at all. They keep a count and no stack, so that no depth harms them.

// errCut tells that the text ends within a value.
var errCut = errors.New("the JSON ends too early")

// jsonError is an error at an offset of a text.
type jsonError struct {
	offset int
	err    error
}

func (e *jsonError) Error() string { return e.err.Error() }
func (e *jsonError) Unwrap() error { return e.err }

// skipSpace gives the offset of the first byte from i that is no white space.
func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// skipValue gives the offset after the value that begins at i.
func skipValue(data []byte, i int) (int, error) {
	depth, start := 0, i
	for i < len(data) {
		switch c := data[i]; c {
		case '"':
			end, ok := skipString(data, i)
			if !ok {
				return 0, &jsonError{start, errCut}
			}
			i = end
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth == 0 {
				return 0, unexpected(data, i)
			}
			depth--
			i++
		case ' ', '\t', '\n', '\r', ',', ':':
			if depth == 0 {
				return 0, unexpected(data, i)
			}
			i++
			continue
		default:
			for i < len(data) && bytes.IndexByte([]byte(" \t\r\n,:{}[]\""), data[i]) < 0 {
				i++
			}
		}
		if depth == 0 {
			return i, nil
		}
	}
	return 0, &jsonError{start, errCut}
}

func unexpected(data []byte, i int) error {
	c, _ := utf8.DecodeRune(data[i:])
	return &jsonError{i, fmt.Errorf("unexpected %q in JSON", c)}
}

func skipString(data []byte, i int) (int, bool) {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '"':
			return i + 1, true
		case '\\':
			i++
		}
	}
	return 0, false
}

// members calls do with the key, in quotes as it stands, and the offsets of each value of the object that begins at i, and gives the
// offset after the object.
func members(data []byte, i int, do func(key string, from, to int) error) (int, error) {
	return elements(data, i, '}', func(from int) (int, error) {
		end, ok := 0, false
		if data[from] == '"' {
			end, ok = skipString(data, from)
		}
		if !ok {
			return 0, unexpected(data, from)
		}
		key := string(data[from:end])
		from = skipSpace(data, end)
		if from == len(data) {
			return 0, &jsonError{i, errCut}
		}
		if data[from] != ':' {
			return 0, unexpected(data, from)
		}
		from = skipSpace(data, from+1)
		to, err := skipValue(data, from)
		if err != nil {
			return 0, err
		}
		return to, do(key, from, to)
	})
}

// elements calls do with the offset of each element of the array, or member of the object, that begins at i, and gives the offset
// after it. do gives the offset after the element.
func elements(data []byte, i int, end byte, do func(from int) (int, error)) (int, error) {
	start := i
	i = skipSpace(data, i+1)
	if i < len(data) && data[i] == end {
		return i + 1, nil
	}
	for i < len(data) {
		to, err := do(i)
		if err != nil {
			return 0, err
		}
		i = skipSpace(data, to)
		switch {
		case i == len(data):
			return 0, &jsonError{start, errCut}
		case data[i] == end:
			return i + 1, nil
		case data[i] != ',':
			return 0, unexpected(data, i)
		}
		i = skipSpace(data, i+1)
	}
	return 0, &jsonError{start, errCut}
}

// peekJSON reads an object's identity without parsing the rest of it. items are the offsets of its member items when that is an array,
// and more tells that it is a part of a longer list.
func peekJSON(data []byte) (id identity, items [][2]int, isList, more bool, err error) {
	start := skipSpace(data, 0)
	if start == len(data) || data[start] != '{' {
		return id, nil, false, false, nil
	}
	_, err = members(data, start, func(key string, from, to int) error {
		switch key {
		case `"apiVersion"`:
			id.apiVersion = jsonString(data[from:to])
		case `"kind"`:
			id.kind = jsonString(data[from:to])
		case `"metadata"`:
			if data[from] != '{' {
				return nil
			}
			_, err := members(data, from, func(key string, from, to int) error {
				switch key {
				case `"name"`:
					id.name = jsonString(data[from:to])
				case `"namespace"`:
					id.namespace = jsonString(data[from:to])
				case `"continue"`:
					more = jsonString(data[from:to]) != ""
				}
				return nil
			})
			return err
		case `"items"`:
			if data[from] != '[' {
				return nil
			}
			isList = true
			_, err := elements(data, from, ']', func(from int) (int, error) {
				to, err := skipValue(data, from)
				items = append(items, [2]int{from, to})
				return to, err
			})
			return err
		}
		return nil
	})
	return id, items, isList, more, err
}

// jsonString gives the text of a JSON string without escapes, which no name has; "" for anything else.
func jsonString(raw []byte) string {
	s, err := strconv.Unquote(string(raw))
	if err != nil || raw[0] != '"' {
		return ""
	}
	return s
}
