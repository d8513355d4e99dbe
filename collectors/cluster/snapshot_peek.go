package cluster

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// identity is what names an object; "" where it could not be read.
type identity struct{ apiVersion, kind, namespace, name string }

// String gives "Kind namespace/name", as far as it is known, on one line.
func (i identity) String() string {
	s := strings.TrimSuffix(strings.TrimSpace(i.kind+" "+objectName(i.namespace, i.name)), "/")
	if len(s) > 600 || strings.ContainsFunc(s, unicode.IsControl) { // no API server lets such a name in
		return fmt.Sprintf("%.600q", s)
	}
	return s
}

// peekYAML reads an object's identity without parsing it, from the lines at the indentation of its first key: a Secret is thus never
// parsed at all, and an object that is no YAML can still be named.
func peekYAML(data []byte) identity {
	var id identity
	base, metadata, child := -1, false, -1
	for _, text := range lines(data) {
		column, content := indentation(text)
		if base < 0 && len(content) > 1 && content[0] == '-' && content[1] == ' ' {
			inner, rest := indentation(content[1:])
			column, content = column+1+inner, rest
		}
		if len(content) == 0 || content[0] == '#' || isMarker(text, "---") {
			continue
		}
		if base < 0 {
			base = column
		}
		if column > base && (!metadata || (child >= 0 && column != child)) {
			continue
		}
		key, value := yamlPair(content)
		switch {
		case column <= base:
			metadata = key == "metadata"
			switch key {
			case "kind":
				id.kind = value
			case "apiVersion":
				id.apiVersion = value
			}
		case key == "name":
			id.name = value
		case key == "namespace":
			id.namespace = value
		}
		if metadata && column > base {
			child = column
		}
	}
	return id
}

var plainPair = regexp.MustCompile(`^("?)([A-Za-z]+)("?):(?:\s+(?:"([-\w./:]*)"|'([-\w./:]*)'|([\w][-\w./:]*)))?\s*(?:\s#.*)?$`)

// yamlPair gives a key and its value from a line, "" when it is not a pair as simple as names are.
func yamlPair(content []byte) (key, value string) {
	if bytes.IndexByte(content, ':') < 0 {
		return "", ""
	}
	m := plainPair.FindSubmatch(content)
	if m == nil || len(m[1]) != len(m[3]) {
		return "", ""
	}
	return string(m[2]), string(m[4]) + string(m[5]) + string(m[6])
}
