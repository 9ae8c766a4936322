{{/* Weir's container. */}}
{{- define "weir.container" -}}
name: weir
image: {{ include "weir.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
args: [run, -c, /etc/weir/weir.yaml]
{{- with .Values.env }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
ports:
  - name: http
    containerPort: 8000
  - name: monitoring
    containerPort: 9091
  {{- if and .Values.decision.enabled (eq .Values.mode "standalone") }}
  - name: decision
    containerPort: {{ .Values.decision.port }}
  {{- end }}
# The containers behind a sidecar start when this has succeeded.
startupProbe:
  httpGet: {path: /readyz, port: monitoring}
  periodSeconds: 1
  failureThreshold: 60
readinessProbe:
  httpGet: {path: /readyz, port: monitoring}
  periodSeconds: 2
  failureThreshold: 1
livenessProbe:
  httpGet: {path: /healthz, port: monitoring}
  periodSeconds: 10
  timeoutSeconds: 5
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities: {drop: [ALL]}
  seccompProfile: {type: RuntimeDefault}
volumeMounts:
  # The folder, not the file: only so a change of the rules is seen.
  - {name: weir-settings, mountPath: /etc/weir, readOnly: true}
  {{- if .Values.tls.secretName }}
  - {name: weir-tls, mountPath: /run/secrets/weir/tls, readOnly: true}
  {{- end }}
  {{- if and .Values.decision.enabled .Values.decision.tokensSecret.name }}
  - {name: weir-decision-tokens, mountPath: /run/secrets/weir/decision-tokens, readOnly: true}
  {{- end }}
  {{- if and .Values.redis.enabled .Values.redis.passwordSecret.name }}
  - {name: weir-redis-password, mountPath: /run/secrets/weir/redis-password, readOnly: true}
  {{- end }}
  {{- if and .Values.redis.enabled .Values.redis.hashKeySecret.name }}
  - {name: weir-redis-hash-key, mountPath: /run/secrets/weir/redis-hash-key, readOnly: true}
  {{- end }}
  {{- range $index, $secret := .Values.secrets }}
  - {name: weir-secret-{{ $index }}, mountPath: {{ $secret.mountPath | quote }}, readOnly: true}
  {{- end }}
  {{- with .Values.volumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* An item of initContainers: it starts before the other containers, and ends after them. */}}
{{- define "weir.sidecar" -}}
{{ include "weir.container" . }}
restartPolicy: Always
{{- end }}

{{/* Items of volumes, for Weir's container. */}}
{{- define "weir.volumes" -}}
- name: weir-settings
  configMap: {name: {{ include "weir.fullname" . }}}
{{- if .Values.tls.secretName }}
- name: weir-tls
  secret: {secretName: {{ .Values.tls.secretName | quote }}}
{{- end }}
{{- if and .Values.decision.enabled .Values.decision.tokensSecret.name }}
- name: weir-decision-tokens
  secret: {secretName: {{ .Values.decision.tokensSecret.name | quote }}}
{{- end }}
{{- if and .Values.redis.enabled .Values.redis.passwordSecret.name }}
- name: weir-redis-password
  secret: {secretName: {{ .Values.redis.passwordSecret.name | quote }}}
{{- end }}
{{- if and .Values.redis.enabled .Values.redis.hashKeySecret.name }}
- name: weir-redis-hash-key
  secret: {secretName: {{ .Values.redis.hashKeySecret.name | quote }}}
{{- end }}
{{- range $index, $secret := .Values.secrets }}
- name: weir-secret-{{ $index }}
  secret: {secretName: {{ $secret.name | quote }}}
{{- end }}
{{- with .Values.volumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
