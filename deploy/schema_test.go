package deploy

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// pair is values of which the chart takes good and refuses bad.
type pair struct {
	Name string          `json:"name"`
	Good json.RawMessage `json:"good"`
	Bad  json.RawMessage `json:"bad"`
	Says string          `json:"says"`
}

func TestBadValuesAreRefused(t *testing.T) {
	text, err := os.ReadFile("testdata/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var pairs []pair
	if err := yaml.UnmarshalStrict(text, &pairs); err != nil {
		t.Fatal(err)
	}
	helm := tool(t, "helm", "chart")
	for _, p := range pairs {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			if _, err := Template(helm, ".", p.Good); err != nil {
				t.Errorf("good values %s: %v", p.Good, err)
			}
			switch _, err := Template(helm, ".", p.Bad); {
			case p.Says == "":
				t.Error("the pair does not say what is wrong")
			case err == nil:
				t.Errorf("bad values %s are taken", p.Bad)
			case !strings.Contains(err.Error(), p.Says):
				t.Errorf("bad values %s: %v\nwant it to say %q", p.Bad, err, p.Says)
			}
		})
	}
}

// free are the places of the schema where any key may stand: what is not this chart's to know.
var free = []string{"/properties/global", "/properties/extraManifests/items"}

// TestSchemaIsStrict: every object of the schema says which keys it takes, and each of them has a type.
func TestSchemaIsStrict(t *testing.T) {
	walkSchema("", schemaOf(t), func(at string, s map[string]any) {
		_, isObject := s["properties"]
		if s["type"] == "object" || isObject {
			if further, ok := s["additionalProperties"]; (!ok || further == true) && !slices.Contains(free, at) {
				t.Errorf("%s takes any key: say additionalProperties", at)
			}
			if isObject && s["additionalProperties"] != false {
				t.Errorf("%s has keys of its own and takes others: say additionalProperties false", at)
			}
		}
		if s["type"] == nil && s["enum"] == nil && s["$ref"] == nil {
			t.Errorf("%s has no type", at)
		}
		if s["type"] == "array" && s["items"] == nil {
			t.Errorf("%s says nothing of its items", at)
		}
	})
}

// TestSchemaAndValuesNameTheSame: values.yaml shows every key that there is, but for those below what is empty by default.
func TestSchemaAndValuesNameTheSame(t *testing.T) {
	text, err := os.ReadFile("chart/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var values map[string]any
	if err := yaml.UnmarshalStrict(text, &values); err != nil {
		t.Fatal(err)
	}
	sameKeys(t, "", schemaOf(t), values)
}

// optional are keys that have no default to show.
var optional = []string{"/global", "/podSecurityContext/fsGroup", "/podSecurityContext/supplementalGroups", "/resources"}

func sameKeys(t *testing.T, at string, schema, values map[string]any) {
	t.Helper()
	known, _ := schema["properties"].(map[string]any)
	if len(values) == 0 {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(known)) {
		here := at + "/" + key
		if slices.Contains(optional, here) {
			continue
		}
		value, ok := values[key]
		if !ok {
			t.Errorf("values.schema.json has %s, which values.yaml does not show", here)
		}
		if below, ok := value.(map[string]any); ok {
			sameKeys(t, here, known[key].(map[string]any), below)
		}
	}
}

func schemaOf(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile("chart/values.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

// walkSchema visits every schema in a schema.
func walkSchema(at string, s map[string]any, visit func(at string, s map[string]any)) {
	visit(at, s)
	for _, key := range []string{"items", "additionalProperties"} {
		if below, ok := s[key].(map[string]any); ok {
			walkSchema(at+"/"+key, below, visit)
		}
	}
	for _, key := range []string{"properties", "patternProperties", "definitions"} {
		below, _ := s[key].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(below)) {
			walkSchema(at+"/"+key+"/"+name, below[name].(map[string]any), visit)
		}
	}
}
