package synthetic

import (
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Options say what cluster to make.
type Options struct {
	Sizes
	Crowd Crowd
	Seed  uint64
	// Now is the instant at which the truth holds first. Seconds are cut off.
	Now time.Time
}

// Generate makes the cluster's objects and hands each to emit, which must not keep those it changes. It gives the cluster's truth.
// Sizes that leave no room for the cluster's stories are an error, and so is what emit returns.
func Generate(o Options, emit func(Object) error) (*Truth, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	g := &generator{Options: o, emit: emit, truth: newTruth(), fields: map[string][]byte{},
		now: o.Now.UTC().Truncate(time.Minute), random: rand.New(rand.NewPCG(o.Seed, 1))}
	g.storageClasses()
	g.namespaces()
	g.nodes()
	g.daemonSets()
	g.statefulSets()
	g.cronJobs()
	g.freeJobs()
	g.looseClaims()
	g.deployments()
	g.unclaimedVolumes()
	g.crowd()
	for _, r := range [...]string{"cronjobs", "jobs", "pods", "persistentvolumeclaims", "persistentvolumes", "statefulsets", "daemonsets", "deployments",
		"replicasets", "replicationcontrollers", "nodes", "poddisruptionbudgets", "horizontalpodautoscalers"} {
		g.truth.add("tocsin_source_objects", float64(g.made[r]), r)
	}
	for _, c := range [...]string{"cronjob", "job", "volume", "statefulset", "placement", "daemonset"} {
		g.truth.add("tocsin_collector_success", 1, c)
	}
	return g.truth, g.err
}

// generator is the work on one cluster.
type generator struct {
	Options
	now    time.Time
	random *rand.Rand
	emit   func(Object) error
	err    error // the first
	truth  *Truth
	made   map[string]int // objects by resource
	uids   uint64
	fields map[string][]byte

	usable       []node         // nodes that take any Pod
	usableIn     map[string]int // those by zone
	cordoned     []node
	allNodes     []node
	turn         int // whose turn among the usable nodes it is
	podsUsed     int
	claimsUsed   int
	volumesUsed  int
	jobsUsed     int
	scratchJobs  int // finished Jobs that are to name a claim
	cronJobClaim int // CronJobs that are to name a claim
}

// fail keeps the first error; after it nothing is emitted.
func (g *generator) fail(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
}

func (g *generator) put(resource string, o Object) {
	if g.err != nil {
		return
	}
	if g.made == nil {
		g.made = map[string]int{}
	}
	g.made[resource]++
	g.err = g.emit(o)
}

// ago gives the instant a while before now.
func (g *generator) ago(d time.Duration) time.Time { return g.now.Add(-d) }

// age is how old the cluster is.
const age = 300 * 24 * time.Hour

func at(t time.Time) metav1.Time { return metav1.NewTime(t) }

func ref(t time.Time) *metav1.Time { m := metav1.NewTime(t); return &m }

// between gives a random whole number of seconds.
func (g *generator) between(least, most time.Duration) time.Duration {
	return least + time.Duration(g.random.Int64N(int64((most-least)/time.Second)))*time.Second
}

// uid gives the next UID: no two objects have the same, and the same cluster has the same ones.
func (g *generator) uid() types.UID {
	g.uids++
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", g.random.Uint32(), g.random.Uint32()&0xffff, g.random.Uint32()&0xfff, g.random.Uint32()&0xfff, g.uids))
}

// suffix gives the random letters at the end of a generated name.
func (g *generator) suffix() string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	b := make([]byte, 5)
	for i := range b {
		b[i] = letters[g.random.IntN(len(letters))]
	}
	return string(b)
}

func namespaceName(i int) string { return fmt.Sprintf("team-%03d", i) }

// namespaceOf spreads what is numbered over the namespaces.
func (g *generator) namespaceOf(i int) string { return namespaceName(i % g.Namespaces) }

func (g *generator) meta(namespace, name string, created time.Time, labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: g.uid(), Generation: 1, CreationTimestamp: at(created), Labels: labels}
}

func owner(apiVersion, kind, name string, uid types.UID) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: uid, Controller: new(true), BlockOwnerDeletion: new(true)}}
}

func (g *generator) namespaces() {
	for i := range g.Namespaces {
		name := namespaceName(i)
		ns := &corev1.Namespace{
			ObjectMeta: g.meta("", name, g.ago(age), map[string]string{corev1.LabelMetadataName: name, "team": name}),
			Spec:       corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{corev1.FinalizerKubernetes}},
			Status:     corev1.NamespaceStatus{Phase: corev1.NamespaceActive},
		}
		ns.Generation = 0
		g.put("namespaces", Object{Object: ns})
	}
}

// The storage classes.
const (
	zonalClass   = "fast"
	networkClass = "shared"
	localClass   = "local"
)

func (g *generator) storageClasses() {
	for _, of := range [...][2]string{{zonalClass, "ebs.csi.aws.com"}, {networkClass, "efs.csi.aws.com"}, {localClass, "kubernetes.io/no-provisioner"}} {
		c := &storagev1.StorageClass{
			ObjectMeta: metav1.ObjectMeta{Name: of[0], UID: g.uid(), CreationTimestamp: at(g.ago(age))}, Provisioner: of[1],
			ReclaimPolicy: new(corev1.PersistentVolumeReclaimDelete), VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
		}
		g.put("storageclasses", Object{Object: c})
	}
}
