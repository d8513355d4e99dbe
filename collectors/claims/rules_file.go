package claims

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/util/jsonpath"
)

// maxRulesBytes bounds a rules file; the default rules are about a kilobyte.
const maxRulesBytes = 1 << 20

// LoadRules gives the default rules and those of a YAML file:
//
//	defaults: true                 # false: without the default rules
//	references:                    # custom resources that name claims of their namespace
//	- group: example.com
//	  version: v1
//	  resource: databases          # plural, as in kubectl api-resources
//	  kind: Database               # only where it is not the regular singular of the resource
//	  claims:                      # JSONPath expressions as kubectl takes them, which give names
//	  - "{.spec.storage[*].claimName}"
//	spared:                        # claims that are kept on purpose, and no orphans
//	- labels: app=archive          # a label selector
//	- annotation: example.com/keep # the key of an annotation; * at its end stands for any rest
//
// The error has a line for each fault, with the file and the line in it.
func LoadRules(path string) (Rules, error) {
	file, err := os.Open(path)
	if err != nil {
		return Rules{}, fmt.Errorf("read claim rules: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxRulesBytes+1)) // its size is not asked for: a device or pipe has none
	if err != nil {
		return Rules{}, fmt.Errorf("read claim rules: %w", err)
	}
	if len(data) > maxRulesBytes {
		return Rules{}, fmt.Errorf("%s: more than %d KiB, which is more than claim rules may have: is it the right file?", path, maxRulesBytes>>10)
	}
	return parseRules(path, data)
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)`)

func parseRules(path string, data []byte) (Rules, error) {
	r := rulesReader{path: path, rules: Rules{}}
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	var documents [2]yaml.Node
	for i := range documents {
		err := decoder.Decode(&documents[i])
		if err == nil {
			continue
		}
		if err.Error() != "EOF" {
			m := yamlLine.FindStringSubmatch(err.Error())
			line, _ := strconv.Atoi(m[1])
			r.fail(&yaml.Node{Line: max(line, 1)}, "%s", m[2])
		}
		break
	}
	if documents[1].Kind != 0 {
		r.fail(&documents[1], "a second document: claim rules are one document")
	}
	defaults := true
	if d := documents[0]; d.Kind == yaml.DocumentNode && len(d.Content) == 1 && d.Content[0].Tag != "!!null" {
		defaults = r.file(d.Content[0])
	}
	if len(r.faults) > 0 {
		return Rules{}, errors.Join(r.faults...)
	}
	if defaults {
		d := DefaultRules()
		r.rules.References = append(d.References, r.rules.References...)
		r.rules.Spare = append(d.Spare, r.rules.Spare...)
	}
	return r.rules, nil
}

// file reads the whole document, and tells whether the default rules apply.
func (r *rulesReader) file(n *yaml.Node) (defaults bool) {
	defaults = true
	fields := r.fields(n, "claim rules", "defaults", "references", "spared")
	if d := fields["defaults"]; d != nil && (d.Kind != yaml.ScalarNode || d.Decode(&defaults) != nil) {
		r.fail(d, "defaults must be true or false")
	}
	for _, item := range r.items(fields["references"], "references") {
		r.reference(item)
	}
	for _, item := range r.items(fields["spared"], "spared") {
		r.spare(item)
	}
	return defaults
}

func (r *rulesReader) reference(n *yaml.Node) {
	fields := r.fields(n, "a reference", "group", "version", "resource", "kind", "claims")
	if fields == nil {
		return
	}
	rule := Rule{GroupVersionResource: schema.GroupVersionResource{
		// Kubernetes' own groups are read without rules; a rule must not reach for Secrets.
		Group:    r.name(n, fields, "group", validation.IsDNS1123Subdomain),
		Version:  r.name(n, fields, "version", validation.IsDNS1035Label),
		Resource: r.name(n, fields, "resource", validation.IsDNS1035Label),
	}}
	if fields["kind"] != nil {
		rule.Kind = r.name(n, fields, "kind", func(v string) []string { return validation.IsDNS1035Label(strings.ToLower(v)) })
	}
	paths := r.items(fields["claims"], "claims")
	if len(paths) == 0 && (fields["claims"] == nil || fields["claims"].Kind == yaml.SequenceNode) {
		r.fail(n, "a reference without claims: give JSONPath expressions such as {.spec.claimName}")
	}
	for _, p := range paths {
		text, ok := r.text(p, "claims")
		if !ok {
			continue
		}
		path, err := normalPath(text)
		if err != nil {
			r.fail(p, "JSONPath %q: %s", text, err)
			continue
		}
		rule.paths = append(rule.paths, path)
	}
	r.rules.References = append(r.rules.References, rule)
}

// normalPath gives the expression in braces, as kubectl takes it with or without them and the leading dot. It must be one expression,
// since text around it would become part of a claim's name.
func normalPath(text string) (string, error) {
	whole := errors.New("must be one expression, with nothing around it")
	path := strings.TrimSpace(text)
	if strings.Trim(path, "{}$.") == "" {
		return "", errors.New("must name a field, such as {.spec.claimName}")
	}
	if !strings.HasPrefix(path, "{") {
		if strings.Contains(path, "{") {
			return "", whole
		}
		if !strings.HasPrefix(path, ".") && !strings.HasPrefix(path, "[") && !strings.HasPrefix(path, "$") {
			path = "." + path
		}
		path = "{" + path + "}"
	}
	parser, err := jsonpath.Parse("claims", path)
	if err != nil {
		return "", err
	}
	if len(parser.Root.Nodes) != 1 || parser.Root.Nodes[0].Type() != jsonpath.NodeList {
		return "", whole
	}
	nodes := parser.Root.Nodes[0].(*jsonpath.ListNode).Nodes
	if len(nodes) == 0 || nodes[0].Type() == jsonpath.NodeText || nodes[0].Type() == jsonpath.NodeIdentifier {
		return "", errors.New("must name a field, such as {.spec.claimName}")
	}
	return path, nil
}

func (r *rulesReader) spare(n *yaml.Node) {
	fields := r.fields(n, "a spared entry", "labels", "annotation")
	if fields == nil {
		return
	}
	var spare Spare
	if f := fields["labels"]; f != nil {
		if text, ok := r.text(f, "labels"); ok {
			selector, err := labels.Parse(text)
			switch {
			case err != nil:
				r.fail(f, "label selector %q: %s", text, err)
			case selector.Empty():
				r.fail(f, "an empty label selector would spare every claim")
			}
			spare.Labels = selector
		}
	}
	if f := fields["annotation"]; f != nil {
		text, ok := r.text(f, "annotation")
		prefix, open := strings.CutSuffix(text, "*")
		whole := prefix
		if open {
			whole += "x" // whatever may follow
		}
		switch bad := validation.IsQualifiedName(whole); {
		case !ok:
		case open && prefix == "":
			r.fail(f, "the annotation key * would spare every claim that has any")
		case len(bad) > 0:
			r.fail(f, "annotation key %q: %s", text, bad[0])
		}
		spare.Annotation = text
	}
	if len(fields) == 0 {
		r.fail(n, "a spared entry needs labels or annotation")
	}
	r.rules.Spare = append(r.rules.Spare, spare)
}
