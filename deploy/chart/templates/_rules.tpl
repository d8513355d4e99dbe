{{/*
The groups of a rule file as the values have them, or nothing when all their alerts are off.
(dict "root" . "file" "files/rules/jobs.yaml")
*/}}
{{- define "tocsin.ruleGroups" -}}
{{- $values := .root.Values.prometheusRule -}}
{{- $groups := list -}}
{{- range (.root.Files.Get .file | fromYaml).groups -}}
{{- $rules := list -}}
{{- range .rules -}}
{{- $change := default dict (get $values.alerts .alert) -}}
{{- if ne (get $change "enabled" | toString) "false" -}}
{{- $rules = append $rules (include "tocsin.rule" (dict "values" $values "rule" . "change" $change) | fromYaml) -}}
{{- end -}}
{{- end -}}
{{- if $rules -}}
{{- $groups = append $groups (set . "rules" $rules) -}}
{{- end -}}
{{- end -}}
{{- if $groups -}}
{{- toYaml $groups -}}
{{- end -}}
{{- end -}}

{{/* One rule: as it is in its file, with what the values change. (dict "values" .Values.prometheusRule "rule" … "change" …) */}}
{{- define "tocsin.rule" -}}
{{- $rule := merge (pick .change "expr" "for") .rule -}}
{{- $labels := merge dict (default dict .change.labels) .values.alertLabels .rule.labels -}}
{{- with .change.severity -}}
{{- /* Where a workload's owner has a say, only the default changes: {{ or $labels.severity "warning" }} */ -}}
{{- if contains "$labels.severity" $.rule.labels.severity -}}
{{- $_ := set $labels "severity" (regexReplaceAll "\"[^\"]*\"" $.rule.labels.severity (. | quote)) -}}
{{- else -}}
{{- $_ := set $labels "severity" . -}}
{{- end -}}
{{- end -}}
{{- $annotations := deepCopy .rule.annotations -}}
{{- with .values.grafanaURL -}}
{{- $_ := set $annotations "dashboard_url" (printf "%s%s" (trimSuffix "/" .) $annotations.dashboard_url) -}}
{{- end -}}
{{- toYaml (mergeOverwrite (deepCopy $rule) (dict "labels" $labels "annotations" $annotations)) -}}
{{- end -}}

{{/* Refuses a change to an alert that is in no file: a misspelt name would change nothing, in silence. */}}
{{- define "tocsin.checkAlerts" -}}
{{- $names := list -}}
{{- range $file, $_ := .Files.Glob "files/rules/*.yaml" -}}
{{- range ($.Files.Get $file | fromYaml).groups -}}
{{- range .rules -}}
{{- $names = append $names .alert -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $name, $_ := .Values.prometheusRule.alerts -}}
{{- if not (has $name $names) -}}
{{- fail (printf "prometheusRule.alerts: no alert is called %q: there are %s" $name (sortAlpha $names | join ", ")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
