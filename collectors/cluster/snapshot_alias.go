package cluster

import (
	"bytes"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// errAliases tells of YAML whose aliases stand for far more than its text; kubectl writes none.
var errAliases = errors.New("the YAML aliases expand to far more than the file holds: write it without them, as kubectl does")

// checkAliases refuses a document whose aliases make more than ten times its text and 1 MiB of it, before anything expands them.
func checkAliases(data []byte) error {
	if !hasIndicator(data, '&') || !hasIndicator(data, '*') {
		return nil
	}
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return err
	}
	e := expansion{limit: 10*len(data) + 1<<20, sizes: map[*yaml.Node]int{}}
	if e.size(&root) > e.limit {
		return &lineError{max(e.line-1, 0), fmt.Errorf("%w (more than %d KiB)", errAliases, e.limit>>10)}
	}
	return nil
}

// hasIndicator tells whether a document may have an anchor, with '&', or an alias, with '*': the byte with a name behind it, and not
// within a word.
func hasIndicator(data []byte, indicator byte) bool {
	for i := 0; ; i++ {
		next := bytes.IndexByte(data[i:], indicator)
		if next < 0 {
			return false
		}
		i += next
		if i+1 < len(data) && isAnchorName(data[i+1]) && (i == 0 || !isAnchorName(data[i-1])) {
			return true
		}
	}
}

func isAnchorName(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// expansion measures a document with its aliases replaced by what they stand for.
type expansion struct {
	limit int
	line  int                // of the first alias with which it was more than the limit
	sizes map[*yaml.Node]int // of anchors; -1 while one is being measured
}

// size gives about the bytes that a node becomes, at most one more than the limit.
func (e *expansion) size(n *yaml.Node) int {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Anchor != "" {
		size, known := e.sizes[n]
		if known {
			return max(size, 0) // one that contains itself is refused by the parser
		}
		e.sizes[n] = -1
	}
	total := len(n.Value) + 1
	for _, child := range n.Content {
		if total = min(total+e.size(child), e.limit+1); total > e.limit {
			if e.line == 0 {
				e.line = child.Line
			}
			break
		}
	}
	if n.Anchor != "" {
		e.sizes[n] = total
	}
	return total
}
