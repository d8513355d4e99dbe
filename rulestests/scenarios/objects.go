package scenarios

import "fmt"

// node is a Node's YAML: one that only the story's own pods may run on.
func node(story, name string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Node
metadata: {name: %[2]s, labels: {kubernetes.io/hostname: %[2]s, kubernetes.io/os: linux, story: %[1]s}}
spec: {taints: [{key: story, value: %[1]s, effect: NoSchedule}]}
---
`, story, name)
}

// onOwnNodes is what a pod's spec says to run on the story's own nodes and nowhere else.
func onOwnNodes(story string) string {
	return fmt.Sprintf(`nodeSelector: {story: %[1]s}
      tolerations: [{key: story, value: %[1]s, effect: NoSchedule}]`, story)
}
