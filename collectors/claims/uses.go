package claims

import "tocsin/collectors/cluster"

// use is a set of ways in which a claim is named.
type use uint32

const (
	livePod         use = 1 << iota
	deletionBlocker     // a Pod that keeps the claim from being deleted
	terminatedPod
	deployment
	statefulSet // its Pod template, not its claim templates
	daemonSet
	replicationController
	replicaSet
	cronJob
	job
	zeroReplicas // a template of any of them, scaled to zero
	source       // a clone or snapshot is being made of it
	customResource
	finishedJob
	oldRevision // a ReplicaSet of a Deployment that has since dropped the claim
)

func (u use) any(of use) bool { return u&of != 0 }

// uses are the ways in which the claims of a namespace are named, by name.
type uses struct {
	named     map[string]use
	ephemeral map[string][]*cluster.Pod // Pods with an ephemeral volume whose claim has the name
	pods      map[cluster.UID]struct{}  // nil until asked for
}

func collect(in *Namespace) *uses {
	u := &uses{named: make(map[string]use, len(in.Claims)), ephemeral: map[string][]*cluster.Pod{}}
	for _, p := range in.Pods {
		for _, c := range p.Claims {
			if c.Ephemeral {
				u.ephemeral[c.Name] = append(u.ephemeral[c.Name], p)
			} else {
				u.named[c.Name] |= usedBy(p, false)
			}
		}
	}
	u.templates(in)
	for _, c := range in.Claims {
		if c.CloneOf != "" && c.Phase != phaseBound && c.Phase != phaseLost {
			u.named[c.CloneOf] |= source
		}
	}
	for _, s := range in.Snapshots {
		if s.Claim != "" && !s.Ready {
			u.named[s.Claim] |= source
		}
	}
	for _, r := range in.References {
		u.add(customResource, r.Claims)
	}
	return u
}

// usedBy tells how a Pod uses the claim of one of its volumes. Every Pod that may still run uses it, scheduled or not. Deletion has
// rules of its own: it waits for every Pod on a node, even one that has ended, but only while its containers may live for an ephemeral
// volume (k8s.io/kubernetes pkg/controller/volume/pvcprotection/pvc_protection_controller.go, podUsesPVCForDeletion).
func usedBy(p *cluster.Pod, ephemeral bool) use {
	u := livePod
	if p.Terminal() {
		u = terminatedPod
	}
	shutDown := p.Deleted != 0 && p.Grace == 0
	if p.Node != "" && (!ephemeral || !shutDown) {
		u |= deletionBlocker
	}
	return u
}

func (u *uses) add(how use, claims []string) {
	for _, c := range claims {
		u.named[c] |= how
	}
}

// templates takes in the claims that Pod templates name.
func (u *uses) templates(in *Namespace) {
	scaled := func(how use, replicas int32) use {
		if replicas <= 0 {
			return zeroReplicas
		}
		return how
	}
	for _, w := range in.Deployments {
		u.add(scaled(deployment, w.Replicas), w.Template.Claims)
	}
	for _, w := range in.StatefulSets {
		u.add(scaled(statefulSet, w.Replicas), w.Template.Claims)
	}
	for _, w := range in.DaemonSets {
		u.add(daemonSet, w.Template.Claims)
	}
	for _, w := range in.ReplicationControllers {
		u.add(scaled(replicationController, w.Replicas), w.Template.Claims)
	}
	for _, w := range in.ReplicaSets {
		how := scaled(replicaSet, w.Replicas)
		if how == zeroReplicas && ofDeployment(w) {
			how = oldRevision // the Deployment's own template tells whether it is the present one
		}
		u.add(how, w.Template.Claims)
	}
	for _, w := range in.CronJobs {
		u.add(cronJob, w.Claims)
	}
	for _, w := range in.Jobs {
		how := job
		if w.Finished() {
			how = finishedJob
		}
		u.add(how, w.Claims)
	}
}

// ofDeployment tells whether the ReplicaSet is a Deployment's. One that something else controls, such as an Argo Rollout, is not known
// to be old.
func ofDeployment(w *cluster.Workload) bool {
	o, ok := w.Controller()
	return ok && o.Kind == "Deployment"
}

// of gives the ways in which a claim is named. A Pod's ephemeral volume has the claim of its name only if the Pod owns it
// (k8s.io/component-helpers/storage/ephemeral, VolumeIsForPod).
func (u *uses) of(c *cluster.Claim) use {
	how := u.named[c.Name]
	for _, p := range u.ephemeral[c.Name] {
		if o, ok := c.Controller(); ok && o.UID == p.UID {
			how |= usedBy(p, true)
		}
	}
	return how
}

// hasPod tells whether the Pod with the UID is listed.
func (u *uses) hasPod(pods []*cluster.Pod, uid cluster.UID) bool {
	if u.pods == nil {
		u.pods = make(map[cluster.UID]struct{}, len(pods))
		for _, p := range pods {
			u.pods[p.UID] = struct{}{}
		}
	}
	_, ok := u.pods[uid]
	return ok
}
