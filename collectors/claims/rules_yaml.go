package claims

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// rulesReader reads a rules file and collects its faults.
type rulesReader struct {
	path   string
	rules  Rules
	faults []error
}

func (r *rulesReader) fail(at *yaml.Node, format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("%s:%d: %s", r.path, at.Line, fmt.Sprintf(format, args...)))
}

// name reads a required field whose form is checked.
func (r *rulesReader) name(n *yaml.Node, fields map[string]*yaml.Node, field string, check func(string) []string) string {
	f := fields[field]
	if f == nil {
		r.fail(n, "a reference without %s", field)
		return ""
	}
	text, ok := r.text(f, field)
	if bad := check(text); ok && len(bad) > 0 {
		r.fail(f, "%s %q: %s", field, text, bad[0])
	}
	return text
}

// text reads a string.
func (r *rulesReader) text(n *yaml.Node, what string) (string, bool) {
	n = followed(n)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		r.fail(n, "%s must be text", what)
		return "", false
	}
	return n.Value, true
}

// items gives the entries of a list; none when it is absent.
func (r *rulesReader) items(n *yaml.Node, what string) []*yaml.Node {
	if n == nil || n.Tag == "!!null" {
		return nil
	}
	n = followed(n)
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "%s must be a list", what)
		return nil
	}
	return n.Content
}

// fields gives the fields of a mapping by name, nil when it is none. Names that are not among the known ones are faults.
func (r *rulesReader) fields(n *yaml.Node, what string, known ...string) map[string]*yaml.Node {
	n = followed(n)
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s must be a mapping of %s", what, strings.Join(known, ", "))
		return nil
	}
	fields := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case !slices.Contains(known, key.Value):
			r.fail(key, "%s has no field %q: the fields are %s", what, key.Value, strings.Join(known, ", "))
		case fields[key.Value] != nil:
			r.fail(key, "%s has the field %q twice", what, key.Value)
		default:
			fields[key.Value] = value
		}
	}
	return fields
}

// followed gives what an alias stands for.
func followed(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}
