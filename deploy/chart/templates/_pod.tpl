{{/* The Pods, whichever kind of workload makes them. */}}
{{- define "tocsin.pod" -}}
metadata:
  labels: {{- merge (include "tocsin.selectorLabels" . | fromYaml) .Values.podLabels .Values.commonLabels | toYaml | nindent 4 }}
  annotations:
    kubectl.kubernetes.io/default-container: tocsin
    {{- with .Values.claimRules }}
    checksum/claim-rules: {{ toYaml . | sha256sum }}
    {{- end }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "tocsin.serviceAccountName" . }}
  automountServiceAccountToken: true
  enableServiceLinks: false
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    seccompProfile: {type: RuntimeDefault}
    {{- with .Values.podSecurityContext }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  containers:
    - name: tocsin
      image: {{ include "tocsin.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: {{- include "tocsin.args" . | nindent 8 }}
      {{- $memory := dig "limits" "memory" "" .Values.resources }}
      {{- if or $memory (include "tocsin.sharded" .) }}
      env:
        {{- if include "tocsin.sharded" . }}
        - name: SHARD
          valueFrom:
            fieldRef: {fieldPath: "metadata.labels['apps.kubernetes.io/pod-index']"}
        {{- end }}
        {{- if $memory }}
        # Mebibytes with six zeros behind them, read as bytes, are 95 % of the limit: the rest is for what Go's heap is not.
        - name: MEMORY_LIMIT_MIB
          valueFrom:
            resourceFieldRef: {resource: limits.memory, divisor: 1Mi}
        - name: GOMEMLIMIT
          value: $(MEMORY_LIMIT_MIB)000000
        {{- end }}
      {{- end }}
      ports:
        - {name: http, containerPort: 10227, protocol: TCP}
        {{- if .Values.web.config.secretName }}
        - {name: probes, containerPort: {{ .Values.web.config.probePort }}, protocol: TCP}
        {{- end }}
      livenessProbe:
        httpGet: {path: /livez, port: {{ include "tocsin.probePort" . }}}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: {path: /readyz, port: {{ include "tocsin.probePort" . }}}
        periodSeconds: 5
        timeoutSeconds: 5
      {{- with .Values.resources }}
      resources: {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      {{- if or .Values.web.config.secretName .Values.claimRules }}
      volumeMounts:
        {{- if .Values.web.config.secretName }}
        - {name: web, mountPath: /etc/tocsin/web, readOnly: true}
        {{- end }}
        {{- if .Values.claimRules }}
        - {name: claim-rules, mountPath: /etc/tocsin/claim-rules, readOnly: true}
        {{- end }}
  volumes:
    {{- with .Values.web.config.secretName }}
    - name: web
      secret: {secretName: {{ . }}}
    {{- end }}
    {{- if .Values.claimRules }}
    - name: claim-rules
      configMap: {name: {{ include "tocsin.fullname" . }}-claim-rules}
    {{- end }}
  {{- end }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- range . }}
    {{- $own := dict "labelSelector" (dict "matchLabels" (include "tocsin.selectorLabels" $ | fromYaml)) }}
    - {{ toYaml (merge (deepCopy .) $own) | nindent 6 | trim }}
    {{- end }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
