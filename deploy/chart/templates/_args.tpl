{{/* The command line, one flag per line. What is tocsin's own default is left out. */}}
{{- define "tocsin.args" -}}
- --web.listen-address=:10227
{{- with .Values.web }}
{{- if ne .telemetryPath "/metrics" }}
- --web.telemetry-path={{ .telemetryPath }}
{{- end }}
{{- if ne (int .maxRequests) 40 }}
- --web.max-requests={{ int .maxRequests }}
{{- end }}
{{- if .config.secretName }}
- --web.config.file=/etc/tocsin/web/{{ .config.key }}
- --web.probe-address=:{{ .config.probePort }}
{{- end }}
{{- end }}
{{- range $name, $on := .Values.collectors }}
{{- if not $on }}
- --no-collector.{{ $name }}
{{- end }}
{{- end }}
{{- if not .Values.events }}
- --no-source.events
{{- end }}
{{- if include "tocsin.sharded" . }}
- --total-shards={{ int .Values.shards }}
- --shard=$(SHARD)
{{- end }}
{{- range .Values.namespaces }}
- --namespace={{ . }}
{{- end }}
{{- range .Values.namespacesExclude }}
- --namespace-exclude={{ . }}
{{- end }}
{{- if ne .Values.defaultTimezone "UTC" }}
- --default-timezone={{ .Values.defaultTimezone }}
{{- end }}
{{- if ne .Values.startGrace "2m" }}
- --start-grace={{ .Values.startGrace }}
{{- end }}
{{- if ne .Values.rolloutDeadline "10m" }}
- --rollout-deadline={{ .Values.rolloutDeadline }}
{{- end }}
{{- if ne (int .Values.maxSeriesPerMetric) 10000 }}
- --max-series-per-metric={{ int .Values.maxSeriesPerMetric }}
{{- end }}
{{- range .Values.metricAllowlist }}
- {{ printf "--metric-allowlist=%s" . | quote }}
{{- end }}
{{- range .Values.metricDenylist }}
- {{ printf "--metric-denylist=%s" . | quote }}
{{- end }}
{{- if .Values.claimRules }}
- --claims.rules-file=/etc/tocsin/claim-rules/claim-rules.yaml
{{- end }}
{{- if ne .Values.log.level "info" }}
- --log.level={{ .Values.log.level }}
{{- end }}
{{- if ne .Values.log.format "logfmt" }}
- --log.format={{ .Values.log.format }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* The port of the probes' questions: what has TLS or authentication has one of its own for them. */}}
{{- define "tocsin.probePort" -}}
{{- ternary "probes" "http" (ne .Values.web.config.secretName "") -}}
{{- end -}}
