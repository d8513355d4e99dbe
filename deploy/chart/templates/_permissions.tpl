{{/*
The rules of a role: list and watch on what the collectors that are on read, from files/permissions.yaml.
(dict "root" . "namespaced" (list true false)): whether resources of namespaces are wanted, of the cluster, or both.
*/}}
{{- define "tocsin.permissions" -}}
{{- $values := .root.Values -}}
{{- $wanted := .namespaced -}}
{{- $groups := dict -}}
{{- $table := .root.Files.Get "files/permissions.yaml" | fromYaml -}}
{{- $resources := list -}}
{{- range $collector, $reads := $table.collectors -}}
{{- if get $values.collectors $collector -}}
{{- $resources = concat $resources $reads -}}
{{- end -}}
{{- end -}}
{{- if $values.collectors.volume -}}
{{- $rules := $values.claimRules -}}
{{- if ne (get $rules "defaults" | toString) "false" -}}
{{- $resources = concat $resources $table.claimRules -}}
{{- end -}}
{{- range $rules.references -}}
{{- $resources = append $resources (dict "group" .group "resource" .resource "namespaced" true) -}}
{{- end -}}
{{- end -}}
{{- range $resources -}}
{{- if and (has .namespaced $wanted) (or $values.events (ne .resource "events")) -}}
{{- $_ := set $groups .group (append (default list (get $groups .group)) .resource) -}}
{{- end -}}
{{- end -}}
{{- range $group, $names := $groups }}
- apiGroups: [{{ $group | quote }}]
  resources: {{- $names | uniq | sortAlpha | toYaml | nindent 4 }}
  verbs: [list, watch]
{{- end }}
{{- end -}}
