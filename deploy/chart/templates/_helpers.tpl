{{/* Names. A release called tocsin gives objects called tocsin, as the runbooks have it. */}}
{{- define "tocsin.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "tocsin.fullname" -}}
{{- $name := include "tocsin.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "tocsin.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "tocsin.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The name of what is not of a namespace: two releases of one name in two namespaces must not share it. */}}
{{- define "tocsin.clusterName" -}}
{{- $name := include "tocsin.fullname" . -}}
{{- if eq $name .Release.Namespace -}}
{{- $name -}}
{{- else -}}
{{- printf "%s-%s" .Release.Namespace $name -}}
{{- end -}}
{{- end -}}

{{/* What selects the Pods. It is never changed: a workload's selector cannot be. */}}
{{- define "tocsin.selectorLabels" -}}
app.kubernetes.io/name: {{ include "tocsin.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tocsin.labels" -}}
{{- $own := dict "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_")
  "app.kubernetes.io/version" (.Chart.AppVersion | replace "+" "_")
  "app.kubernetes.io/managed-by" .Release.Service -}}
{{- include "tocsin.selectorLabels" . }}
{{- with omit (merge $own .Values.commonLabels) "app.kubernetes.io/name" "app.kubernetes.io/instance" }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "tocsin.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (default $.Chart.AppVersion .tag) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Whether a StatefulSet divides the namespaces between its Pods, "true" or "". */}}
{{- define "tocsin.sharded" -}}
{{- if gt (int .Values.shards) 1 -}}true{{- end -}}
{{- end -}}

{{/* The Service that governs the StatefulSet: a headless one, which the one that is scraped cannot become once it is there. */}}
{{- define "tocsin.shardsService" -}}
{{- printf "%s-shards" (include "tocsin.fullname" .) -}}
{{- end -}}

{{/* What is there to scrape it, "true" or "". */}}
{{- define "tocsin.serviceMonitor" -}}
{{- if or .Values.serviceMonitor.enabled .Values.kubePrometheusStack -}}true{{- end -}}
{{- end -}}

{{- define "tocsin.prometheusRule" -}}
{{- if or .Values.prometheusRule.enabled .Values.kubePrometheusStack -}}true{{- end -}}
{{- end -}}

{{- define "tocsin.dashboards" -}}
{{- if or .Values.dashboards.enabled .Values.kubePrometheusStack -}}true{{- end -}}
{{- end -}}

{{/* The labels of an object that the Prometheus Operator selects: (dict "root" . "labels" its own). */}}
{{- define "tocsin.operatorLabels" -}}
{{- $labels := include "tocsin.labels" .root | fromYaml -}}
{{- with .root.Values.kubePrometheusStack -}}
{{- $_ := set $labels "release" . -}}
{{- end -}}
{{- toYaml (mergeOverwrite $labels .labels) -}}
{{- end -}}

{{/* Refuses what the schema cannot see. */}}
{{- define "tocsin.check" -}}
{{- if not (has true (values .Values.collectors)) -}}
{{- fail "collectors: every collector is off: leave at least one on" -}}
{{- end -}}
{{- if and (eq .Values.rbac.scope "namespaces") (not .Values.namespaces) -}}
{{- fail "rbac.scope namespaces: name the namespaces in `namespaces`" -}}
{{- end -}}
{{- range .Values.namespaces -}}
{{- if has . $.Values.namespacesExclude -}}
{{- fail (printf "namespace %q is both in namespaces and in namespacesExclude" .) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.metricAllowlist .Values.metricDenylist -}}
{{- fail "metricAllowlist and metricDenylist exclude each other: give one" -}}
{{- end -}}
{{- if and (include "tocsin.serviceMonitor" .) (not .Values.service.enabled) -}}
{{- fail "serviceMonitor: finds its targets by the Service: leave service.enabled on" -}}
{{- end -}}
{{- if and (include "tocsin.sharded" .) (semverCompare "<1.28.0-0" .Capabilities.KubeVersion.Version) -}}
{{- fail (printf "shards: need Kubernetes 1.28, whose Pods know their number in a StatefulSet; this is %s" .Capabilities.KubeVersion.Version) -}}
{{- end -}}
{{- end -}}
