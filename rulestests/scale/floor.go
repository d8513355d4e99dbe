package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// floor is what no exporter that reads whole objects can fall below: the lists of the seven resources in protobuf, one after the other.
type floor struct {
	Decoded, Raw float64 // seconds, with the objects decoded and with the bytes thrown away
	Bytes        int64
}

// measureFloor runs floorOnly in a process of its own, so that it does not share a heap with the bench.
func (b *bench) measureFloor(ctx context.Context) (floor, error) {
	var f floor
	self, err := os.Executable()
	if err != nil {
		return f, err
	}
	out, err := exec.CommandContext(ctx, self, "floor", b.server.kubeconfig).Output()
	if err != nil {
		return f, fmt.Errorf("floor: %w", err)
	}
	return f, json.Unmarshal(out, &f)
}

// floorOnly measures the floor and writes it as JSON.
func floorOnly(ctx context.Context, kubeconfig string, out io.Writer) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	var f floor
	for _, decode := range []bool{true, false} {
		began := time.Now()
		for _, l := range lists() {
			n, err := l.read(ctx, config, decode)
			if err != nil {
				return err
			}
			f.Bytes += n
		}
		if decode {
			f.Decoded = time.Since(began).Seconds()
		} else {
			f.Raw = time.Since(began).Seconds()
		}
	}
	return json.NewEncoder(out).Encode(f)
}

type list struct {
	version  schema.GroupVersion
	resource string
	into     runtime.Object
}

func lists() []list {
	return []list{
		{batchv1.SchemeGroupVersion, "cronjobs", &batchv1.CronJobList{}},
		{batchv1.SchemeGroupVersion, "jobs", &batchv1.JobList{}},
		{corev1.SchemeGroupVersion, "nodes", &corev1.NodeList{}},
		{corev1.SchemeGroupVersion, "persistentvolumeclaims", &corev1.PersistentVolumeClaimList{}},
		{corev1.SchemeGroupVersion, "persistentvolumes", &corev1.PersistentVolumeList{}},
		{corev1.SchemeGroupVersion, "pods", &corev1.PodList{}},
		{appsv1.SchemeGroupVersion, "statefulsets", &appsv1.StatefulSetList{}},
	}
}

// read lists from the API server's cache and gives the bytes where they are not decoded.
func (l list) read(ctx context.Context, config *rest.Config, decode bool) (int64, error) {
	c := rest.CopyConfig(config)
	c.GroupVersion, c.APIPath = &l.version, "/apis"
	if l.version.Group == "" {
		c.APIPath = "/api"
	}
	c.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c.AcceptContentTypes, c.ContentType = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf
	c.DisableCompression = true
	client, err := rest.RESTClientFor(c)
	if err != nil {
		return 0, err
	}
	request := client.Get().Resource(l.resource).VersionedParams(&metav1.ListOptions{ResourceVersion: "0"}, scheme.ParameterCodec)
	if decode {
		return 0, request.Do(ctx).Into(l.into)
	}
	body, err := request.Stream(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = body.Close() }()
	return io.Copy(io.Discard, body)
}
