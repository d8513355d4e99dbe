package scenarios

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tocsin/rulestests/stack"
)

// sharedClass is a StorageClass of the story's whose volumes are made by hand; volumes of it that any node reaches follow, by number.
func sharedClass(story string, volumes int) string {
	var text strings.Builder
	fmt.Fprintf(&text, `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: %s}
provisioner: kubernetes.io/no-provisioner
---
`, story)
	for i := range volumes {
		text.WriteString(sharedVolume(fmt.Sprintf("%s-%d", story, i+1), story, ""))
	}
	return text.String()
}

// sharedVolume is a PersistentVolume that any node reaches, with further fields of its spec.
func sharedVolume(name, class, spec string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: PersistentVolume
metadata: {name: %s}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: %s
  nfs: {server: files.example, path: /}
  %s
---
`, name, class, spec)
}

// claim is a PersistentVolumeClaim's YAML.
func claim(name, class, annotations string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: %s, annotations: {%s}}
spec: {accessModes: [ReadWriteOnce], storageClassName: %s, resources: {requests: {storage: 1Gi}}}
---
`, name, annotations, class)
}

// ownedBy gives a claim an owner, as an operator does: owners are named by UID.
func ownedBy(claim, configMap string) Action {
	return Action{"the operator makes itself the owner of " + claim, func(ctx context.Context, s *stack.Stack, namespace string) error {
		uid, err := s.Kubectl(ctx, "", "-n", namespace, "get", "configmap", configMap, "-o", "jsonpath={.metadata.uid}")
		if err != nil {
			return err
		}
		_, err = s.Kubectl(ctx, "", "-n", namespace, "patch", "pvc", claim, "-p", fmt.Sprintf(
			`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":%q,"uid":%q}]}}`, configMap, uid))
		return err
	}}
}

// unclaimed is a page about a volume.
func unclaimed(volume, class, reason string) Page {
	return Page{"PersistentVolumeUnclaimed", "info", "PersistentVolume " + volume + " is claimed by nobody (" + reason + ")",
		"persistentvolume=" + volume + " storageclass=" + class + " reason=" + reason}
}

// leftOver is a page about a claim, as the Tocsin of the cluster of that name tells it.
func leftOver(cluster, namespace, claim string) Page {
	return Page{"PersistentVolumeClaimOrphaned", "info", "PersistentVolumeClaim " + namespace + "/" + claim + " is left over in cluster " + cluster,
		"cluster=" + cluster + " namespace=" + namespace + " persistentvolumeclaim=" + claim}
}

// unusedForEightDays lets the API server say of claims that no pod has used them for so long.
func unusedForEightDays(claims ...string) []Action {
	at := time.Now().AddDate(0, 0, -8).UTC().Format(time.RFC3339)
	var actions []Action
	for _, claim := range claims {
		actions = append(actions, Action{"", wait("condition=Unused", "pvc/"+claim).do}, Action{"no pod has used " + claim + " for eight days",
			kubectl("patch", "pvc", claim, "--subresource=status", "-p", fmt.Sprintf(`{"status":{"conditions":[{"type":"Unused","lastTransitionTime":%q}]}}`, at)).do})
	}
	return actions
}

// tomorrow starts a Tocsin, of the cluster named after the story, that judges what the API server holds now as of tomorrow; it takes the place of
// the one before. The API server dates objects itself, so that no story can have claims that are older than the hour for which nobody calls them
// left over.
func tomorrow(story string, e **stack.Exporter) Action {
	return Action{"tocsin --snapshot, as of tomorrow", func(ctx context.Context, s *stack.Stack, namespace string) error {
		held, err := s.Kubectl(ctx, "", "-n", namespace, "get", evidence, "-o", "yaml", "--show-managed-fields")
		if err != nil {
			return err
		}
		if *e != nil {
			(*e).Stop()
		}
		*e, err = s.StartExporter(ctx, stack.ExporterOptions{
			Name: story, Labels: map[string]string{"cluster": story}, Snapshot: held,
			Flags: []string{"--snapshot-time", time.Now().AddDate(0, 0, 1).UTC().Format(time.RFC3339),
				"--no-collector.cronjob", "--no-collector.job", "--no-collector.statefulset", "--no-collector.placement", "--no-collector.daemonset"},
		})
		return err
	}}
}

// giveUp deletes a claim and the volume that it has.
func giveUp(claim string) Action {
	return Action{"kubectl delete pvc " + claim + ", and its volume", func(ctx context.Context, s *stack.Stack, namespace string) error {
		volume, err := s.Kubectl(ctx, "", "-n", namespace, "get", "pvc", claim, "-o", "jsonpath={.spec.volumeName}")
		if err != nil {
			return err
		}
		if _, err := s.Kubectl(ctx, "", "-n", namespace, "delete", "pvc", claim); err != nil {
			return err
		}
		_, err = s.Kubectl(ctx, "", "delete", "pv", volume)
		return err
	}}
}

// evidence is what verdicts on claims rest on. The volumes are left out: they are the whole cluster's, and told by the Tocsin that sees it.
const evidence = "namespaces,nodes,persistentvolumeclaims,pods,statefulsets.apps,daemonsets.apps,deployments.apps,replicasets.apps,replicationcontrollers," +
	"cronjobs.batch,jobs.batch,horizontalpodautoscalers.autoscaling"

// volumes are the stories of what is left over.
func volumes() []Scenario { return []Scenario{orphans()} }

func orphans() Scenario {
	const name = "orphans"
	set := func(set string, replicas int) string {
		return statefulSet(set, replicas, claimTemplate(name), "")
	}
	available := unclaimed("orphans-spare", "orphans-disks", "available")
	left := func(claim string) Page { return leftOver(name, name, claim) }
	released := unclaimed("orphans-archive", "orphans-archives", "released_retained")
	var later *stack.Exporter
	return Scenario{
		Name: name, Clusters: []string{name},
		Story: "A set is deleted, another one scaled down, an archive's claim deleted: what they leave is told, and what only looks like it is not.",
		Objects: sharedClass(name, 7) + set("shop", 1) + set("cache", 2) + set("asleep", 1) +
			// A volume that nobody has claimed yet, one that waits for a claim to come, and one with a claim that goes.
			sharedVolume("orphans-spare", "orphans-disks", "") +
			sharedVolume("orphans-reserved", "orphans-reserved", "claimRef: {namespace: orphans, name: to-come}") +
			sharedVolume("orphans-archive", "orphans-archives", "") + claim("archive", "orphans-archives", "") +
			claim("kept", name, "helm.sh/resource-policy: keep") + claim("managed", name, "") + claim("reports", name, "") +
			`apiVersion: v1
kind: ConfigMap
metadata: {name: operator}
---
` + cronJob("reports", "", `schedule: "0 4 29 2 *"`, "", "volumes: [{name: reports, persistentVolumeClaim: {claimName: reports}}]"),
		Steps: []Step{{
			Say: "three sets run on volumes; a CronJob that runs on leap days, an operator and a Helm release have claims that no pod uses",
			Do: []Action{ownedBy("managed", "operator"),
				rolledOut("statefulset/shop"), rolledOut("statefulset/cache"), rolledOut("statefulset/asleep"),
				{"", wait("jsonpath={.status.phase}=Bound", "pvc", "--all").do}},
			See: []string{
				`tocsin_persistentvolumeclaims{namespace="orphans", state="in_use", reason="pod"} == 4`,
				`tocsin_persistentvolumeclaims{namespace="orphans", state="reserved", reason="cronjob_template"} == 1`,
				`tocsin_persistentvolumeclaims{namespace="orphans", state="reserved", reason="owner_reference"} == 1`,
			},
		}, {
			Say: "the shop is deleted, the cache scaled down, another set put to sleep for the night, and the archive's claim deleted",
			Do: []Action{
				kubectl("delete", "statefulset", "shop"), kubectl("scale", "statefulset", "cache", "--replicas=1"),
				kubectl("scale", "statefulset", "asleep", "--replicas=0"), kubectl("delete", "pvc", "archive"),
			},
			See: []string{
				`tocsin_persistentvolumeclaims{namespace="orphans", state="reserved", reason="scaled_to_zero"} == 1`,
				// For an hour a claim that nothing names counts as one that something is about to use.
				`tocsin_persistentvolumeclaims{namespace="orphans", state="reserved", reason="new"} == 3`,
				`tocsin_persistentvolume_unclaimed{persistentvolume="orphans-archive", claim_namespace="orphans", claim_name="archive", reason="released_retained"} == 1`,
			},
		}, {
			Say: "a week goes by without a pod that uses them",
			Do:  append(unusedForEightDays("data-shop-0", "data-cache-1", "kept", "data-asleep-0", "managed", "reports"), tomorrow(name, &later)),
			See: []string{
				`tocsin_persistentvolumeclaim_orphaned{cluster="orphans", persistentvolumeclaim="data-shop-0", reason="statefulset_deleted"} == 1`,
				`tocsin_persistentvolumeclaim_orphaned{cluster="orphans", persistentvolumeclaim="data-cache-1", reason="statefulset_scaled_down"} == 1`,
				`tocsin_persistentvolumeclaim_orphaned{cluster="orphans", persistentvolumeclaim="kept", reason="kept_by_helm"} == 1`,
				`sum(tocsin_persistentvolumeclaims{cluster="orphans", state="reserved"}) == 3`,
			},
			Page:     []Page{available, released, left("data-shop-0"), left("data-cache-1"), left("kept")},
			Patience: 4 * minute,
		}, {
			Say: "somebody has looked at what is in them: the claims, the archive's volume and the spare one are deleted",
			Do: []Action{kubectl("delete", "pv", "orphans-archive", "orphans-spare"),
				giveUp("data-shop-0"), giveUp("data-cache-1"), giveUp("kept"), tomorrow(name, &later)},
			Gone: []string{
				`tocsin_persistentvolume_unclaimed{persistentvolume=~"orphans-.*"}`,
				`tocsin_persistentvolumeclaims{namespace="orphans", reason="new"}`,
			},
			Resolve: []Page{available, released, left("data-shop-0"), left("data-cache-1"), left("kept")},
		}},
		Silent: []string{
			`tocsin_persistentvolume_unclaimed{persistentvolume="orphans-reserved"}`,
			`tocsin_persistentvolumeclaim_orphaned{namespace="orphans", persistentvolumeclaim!~"data-shop-0|data-cache-1|kept"}`,
		},
	}
}
