package cluster

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// lineError is an error at a line of a document, from 0.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string { return e.err.Error() }
func (e *lineError) Unwrap() error { return e.err }

func shifted(err error, by int) error {
	if at, ok := errors.AsType[*jsonError](err); ok {
		return &jsonError{at.offset + by, at.err}
	}
	return err
}

// lineOf gives the line of a file at which reading a document failed.
func lineOf(doc document, err error) int {
	if at, ok := errors.AsType[*jsonError](err); ok {
		return doc.line + bytes.Count(doc.data[:min(at.offset, len(doc.data))], []byte{'\n'})
	}
	if at, ok := errors.AsType[*lineError](err); ok {
		return doc.line + at.line
	}
	return doc.line
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

// toJSON turns a YAML document into JSON. The error of what is no YAML comes with its line within the document, from 0.
func toJSON(data []byte) ([]byte, int, error) {
	if err := checkAliases(data); err != nil {
		line, err := yamlError(data, err)
		return nil, line, err
	}
	out, err := yaml.YAMLToJSON(data)
	if err != nil {
		if inner := errors.Unwrap(err); inner != nil {
			err = inner
		}
		line, err := yamlError(data, err)
		return nil, line, err
	}
	return out, 0, nil
}

// yamlError takes the line, from 0, out of an error of the YAML parser.
func yamlError(data []byte, err error) (int, error) {
	if at, ok := errors.AsType[*lineError](err); ok {
		return at.line, at.err
	}
	text, line := strings.TrimPrefix(err.Error(), "yaml: "), 0
	if m := yamlLine.FindStringSubmatchIndex(text); m != nil {
		line, _ = strconv.Atoi(text[m[2]:m[3]])
		text = text[m[1]:]
		if strings.HasPrefix(text, "did not find expected") {
			line++ // the parser counts lines from 0, the scanner from 1
		}
		line = min(line, bytes.Count(data, []byte{'\n'})+1)
	}
	return max(line-1, 0), errors.New(text)
}
