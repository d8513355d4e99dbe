package synthetic

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// condition of a Pod.
type phase uint8

const (
	running phase = iota
	succeeded
	exited    // failed with exit code 1
	oomKilled // failed with exit code 137
	pulling   // an image cannot be had
	crashing  // a container crashes again and again
	pending   // no node for it
)

// pod is what a Pod is made of.
type pod struct {
	namespace, name string
	labels          map[string]string
	owners          []metav1.OwnerReference
	created         time.Time
	phase           phase
	node            node // none while pending
	claims          []string
	template        corev1.PodSpec
	lasted          time.Duration // of what has ended
	role            Role
	shape           string // of its managedFields
}

// podSpec gives the spec that a template has.
func podSpec(app string, restart corev1.RestartPolicy, claims ...string) corev1.PodSpec {
	c := corev1.Container{
		Name: "main", Image: "registry.example.com/platform/" + app + ":v1.17.3", ImagePullPolicy: corev1.PullIfNotPresent,
		Args: []string{"--config=/etc/app/config.yaml", "--log-format=json", "--region=eu-west-1"},
		Env: []corev1.EnvVar{
			{Name: "LOG_LEVEL", Value: "info"}, {Name: "OTEL_EXPORTER_OTLP_ENDPOINT", Value: "http://otel-collector.observability:4317"},
			{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.name"}}},
			{Name: "DATABASE_PASSWORD", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: app + "-db"}, Key: "password"}}},
		},
		Resources:                corev1.ResourceRequirements{Requests: resources("250m", "256Mi", ""), Limits: resources("1", "512Mi", "")},
		VolumeMounts:             []corev1.VolumeMount{{Name: "config", MountPath: "/etc/app", ReadOnly: true}, {Name: serviceAccountVolume, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true}},
		TerminationMessagePath:   corev1.TerminationMessagePathDefault,
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		SecurityContext:          &corev1.SecurityContext{AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
	}
	if restart == corev1.RestartPolicyAlways {
		c.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}, {Name: "metrics", ContainerPort: 9090, Protocol: corev1.ProtocolTCP}}
		c.ReadinessProbe = probe("/readyz")
	}
	spec := corev1.PodSpec{
		RestartPolicy: restart, TerminationGracePeriodSeconds: new(int64(30)), DNSPolicy: corev1.DNSClusterFirst, ServiceAccountName: app, DeprecatedServiceAccount: app,
		SchedulerName: corev1.DefaultSchedulerName, SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: new(true), FSGroup: new(int64(2000))},
		Volumes: []corev1.Volume{
			{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: app}, DefaultMode: new(int32(420))}}},
		},
	}
	for i, claim := range claims {
		name := fmt.Sprintf("claim-%d", i)
		spec.Volumes = append(spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}})
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: "/" + name})
	}
	spec.Containers = []corev1.Container{c}
	return spec
}

func probe(path string) *corev1.Probe {
	return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("http"), Scheme: corev1.URISchemeHTTP}},
		TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3}
}

// addPod makes a Pod as the API server, the scheduler and the kubelet leave it.
func (g *generator) addPod(p pod) {
	g.podsUsed++
	o := &corev1.Pod{ObjectMeta: g.meta(p.namespace, p.name, p.created, p.labels)}
	o.OwnerReferences = p.owners
	o.Annotations = map[string]string{"checksum/config": fmt.Sprintf("%064x", len(p.labels)*7919)}
	o.Spec = *p.template.DeepCopy()
	o.Spec.Volumes = append(o.Spec.Volumes, tokenVolume())
	o.Spec.EnableServiceLinks, o.Spec.Priority, o.Spec.PreemptionPolicy = new(true), new(int32(0)), new(corev1.PreemptLowerPriority)
	o.Spec.NodeName = p.node.name
	o.Spec.Tolerations = append(o.Spec.Tolerations,
		corev1.Toleration{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))},
		corev1.Toleration{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))})
	if len(p.claims) > 0 {
		for i, claim := range p.claims {
			o.Spec.Volumes = append(o.Spec.Volumes, corev1.Volume{Name: fmt.Sprintf("data-%d", i), VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}})
			o.Spec.Containers[0].VolumeMounts = append(o.Spec.Containers[0].VolumeMounts, corev1.VolumeMount{Name: fmt.Sprintf("data-%d", i), MountPath: "/data"})
		}
	}
	g.podStatus(o, p)
	kubelet := manager{name: "kubelet", subresource: "status", at: p.created.Add(20 * time.Second)}
	if p.phase == pending {
		kubelet.name = "kube-scheduler"
	}
	g.manage(o, fmt.Sprintf("pod/%s/%d/%d", p.shape, p.phase, len(p.claims)), manager{name: "kube-controller-manager", at: p.created}, kubelet)
	g.put("pods", Object{o, p.role})
}

// serviceAccountVolume is the name of the volume that every Pod gets.
const serviceAccountVolume = "kube-api-access-7xk2p"

func tokenVolume() corev1.Volume {
	return corev1.Volume{Name: serviceAccountVolume, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{DefaultMode: new(int32(420)), Sources: []corev1.VolumeProjection{
		{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: new(int64(3607)), Path: "token"}},
		{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
		{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
	}}}}
}

// podStatus fills in what the scheduler and the kubelet say.
func (g *generator) podStatus(o *corev1.Pod, p pod) {
	s := &o.Status
	s.QOSClass = corev1.PodQOSBurstable
	started := p.created.Add(3 * time.Second)
	condition := func(t corev1.PodConditionType, ok bool, since time.Time, reason string) {
		c := corev1.PodCondition{Type: t, Status: corev1.ConditionTrue, LastTransitionTime: at(since), Reason: reason}
		if !ok {
			c.Status = corev1.ConditionFalse
		}
		s.Conditions = append(s.Conditions, c)
	}
	if p.phase == pending {
		s.Phase = corev1.PodPending
		condition(corev1.PodScheduled, false, p.created, corev1.PodReasonUnschedulable)
		s.Conditions[0].Message = "0/1000 nodes are available: 1000 node(s) didn't match PersistentVolume's node affinity."
		return
	}
	s.StartTime = ref(p.created)
	s.HostIP, s.PodIP = "172.16.1.1", fmt.Sprintf("10.%d.%d.%d", g.podsUsed>>16&255, g.podsUsed>>8&255, g.podsUsed&255)
	s.HostIPs, s.PodIPs = []corev1.HostIP{{IP: s.HostIP}}, []corev1.PodIP{{IP: s.PodIP}}
	container := corev1.ContainerStatus{Name: "main", Image: o.Spec.Containers[0].Image, ImageID: fmt.Sprintf("registry.example.com/platform/app@sha256:%064x", 7919), Resources: &o.Spec.Containers[0].Resources}
	id := fmt.Sprintf("containerd://%064x", g.podsUsed)
	ready, done, reason, since := false, false, "ContainersNotReady", p.created
	switch p.phase {
	case running:
		s.Phase, ready, reason, since = corev1.PodRunning, true, "", started.Add(10*time.Second)
		container.State.Running, container.Ready, container.Started, container.ContainerID = &corev1.ContainerStateRunning{StartedAt: at(started)}, true, new(true), id
	case pulling:
		s.Phase = corev1.PodPending
		container.Started = new(false)
		container.State.Waiting = &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: `Back-off pulling image "` + container.Image + `"`}
	case crashing:
		s.Phase = corev1.PodRunning
		container.RestartCount, container.Started = 40, new(false)
		container.State.Waiting = &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off 5m0s restarting failed container"}
		container.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 2, Reason: "Error", StartedAt: at(g.ago(4 * time.Minute)), FinishedAt: at(g.ago(3 * time.Minute)), ContainerID: id}
	default:
		done, since, reason = true, started.Add(p.lasted), "PodFailed"
		t := &corev1.ContainerStateTerminated{Reason: "Error", StartedAt: at(started), FinishedAt: at(since), ContainerID: id}
		s.Phase = corev1.PodFailed
		switch p.phase {
		case succeeded:
			s.Phase, t.Reason, reason = corev1.PodSucceeded, "Completed", "PodCompleted"
		case exited:
			t.ExitCode = 1
		case oomKilled:
			t.ExitCode, t.Reason = 137, "OOMKilled"
		}
		container.State.Terminated, container.ContainerID, container.Started = t, id, new(false)
	}
	condition(corev1.PodReadyToStartContainers, !done, started, "")
	condition(corev1.PodInitialized, true, p.created, "")
	condition(corev1.PodReady, ready, since, reason)
	condition(corev1.ContainersReady, ready, since, reason)
	condition(corev1.PodScheduled, true, p.created, "")
	s.ContainerStatuses = []corev1.ContainerStatus{container}
}
