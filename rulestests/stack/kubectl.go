package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Kubectl runs kubectl as the administrator and gives what it printed. The error holds the command line and what kubectl had to say.
func (s *Stack) Kubectl(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.kubectl, append([]string{"--kubeconfig", s.Kubeconfig("admin"), "--cache-dir", s.file("kubectl")}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+s.Dir)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}

// snapshotKinds are what a snapshot holds: all that Tocsin reads of the API's own resources.
const snapshotKinds = "cronjobs.batch,jobs.batch,pods,persistentvolumeclaims,statefulsets.apps,daemonsets.apps,deployments.apps,replicasets.apps," +
	"replicationcontrollers,services,poddisruptionbudgets.policy,horizontalpodautoscalers.autoscaling"

// Snapshot gives what the API server holds of a story's namespace, of its nodes and volumes (they have the namespace's name as their prefix) and
// of the nodes that every story's pods may run on, as a list that --snapshot reads.
func (s *Stack) Snapshot(ctx context.Context, namespace string) (string, error) {
	var all []json.RawMessage
	for _, args := range [][]string{
		{"get", "namespaces,nodes,persistentvolumes,storageclasses.storage.k8s.io"},
		{"get", "-n", namespace, snapshotKinds},
		{"get", "-n", namespace, "events", "--field-selector", "reason=FailedCreate"},
	} {
		text, err := s.Kubectl(ctx, "", append(args, "-o", "json")...)
		if err != nil {
			return "", err
		}
		var list struct{ Items []json.RawMessage }
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return "", err
		}
		all = append(all, list.Items...)
	}
	all = slices.DeleteFunc(all, func(item json.RawMessage) bool {
		var object struct {
			Metadata struct{ Namespace, Name string }
		}
		if err := json.Unmarshal(item, &object); err != nil {
			return false // kubectl's own JSON
		}
		name := object.Metadata.Name
		return object.Metadata.Namespace == "" && name != namespace && !strings.HasPrefix(name, namespace+"-") && !strings.HasPrefix(name, "worker-")
	})
	text, err := yaml.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": all})
	return string(text), err
}
