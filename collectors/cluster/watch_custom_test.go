package cluster

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Of the custom resources that claim rules name a cluster has some; about one that it does not have it would answer "forbidden" to who
// has no rule for it, so that discovery is asked first.
func TestCustomResources(t *testing.T) {
	mux := http.NewServeMux()
	answer := func(pattern, body string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if r.FormValue("watch") != "" {
				if r.FormValue("sendInitialEvents") != "" {
					writeStatus(w, http.StatusUnprocessableEntity)
					return
				}
				w.(http.Flusher).Flush()
				<-r.Context().Done()
				return
			}
			fmt.Fprint(w, body)
		})
	}
	answer("/apis/kubevirt.io/v1", `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"kubevirt.io/v1","resources":[{"name":"virtualmachines","kind":"VirtualMachine","namespaced":true,"verbs":["list"]}]}`)
	answer("/apis/kubevirt.io/v1/virtualmachines", `{"kind":"VirtualMachineList","apiVersion":"kubevirt.io/v1","metadata":{"resourceVersion":"7"},
		"items":[{"kind":"VirtualMachine","apiVersion":"kubevirt.io/v1","metadata":{"name":"web","namespace":"vms","uid":"u"},"spec":{"claim":"disk"}}]}`)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		writeStatus(w, map[bool]int{true: 404, false: 403}[strings.HasSuffix(r.URL.Path, "/v1alpha1")])
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	w := watchJobs(t, &rest.Config{Host: server.URL}, WatchOptions{
		Resources: []Resource{References},
		Custom:    []schema.GroupVersionResource{{Group: "kubevirt.io", Version: "v1", Resource: "virtualmachines"}, {Group: "volsync.backube", Version: "v1alpha1", Resource: "replicationsources"}},
		Rules: func(kind schema.GroupVersionKind, o map[string]any) ([]string, bool) {
			return []string{o["spec"].(map[string]any)["claim"].(string)}, kind.Kind == "VirtualMachine"
		},
	})
	w.until("the machine's claim", func() bool {
		v := w.store.View()
		defer v.Close()
		all := v.References.In("vms")
		return v.Known(References) && v.Health(References).Up() && len(all) == 1 && len(all[0].Claims) == 1 && all[0].Claims[0] == "disk"
	})
}
