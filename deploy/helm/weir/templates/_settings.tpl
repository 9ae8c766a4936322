{{/* What the chart makes of its values: the settings that are no values by themselves. */}}
{{- define "weir.ownSettings" -}}
{{- $all := "0.0.0.0" -}}
upstream: {{ .Values.upstream | quote }}
listen: {{ ternary "https://" "" (ne .Values.tls.secretName "") }}{{ $all }}:8000
monitoring: {{ $all }}:9091
event-loops: {{ .Values.eventLoops }}
timeouts:
  drain-grace: {{ ternary 0 .Values.drain.graceSeconds (ne .Values.mode "standalone") }}s
  drain: {{ .Values.drain.seconds }}s
{{- if .Values.tls.secretName }}
tls:
  certificate: /run/secrets/weir/tls/tls.crt
  key: /run/secrets/weir/tls/tls.key
{{- end }}
{{- if .Values.decision.enabled }}
decision: {{ ternary $all "127.0.0.1" (eq .Values.mode "standalone") }}:{{ .Values.decision.port }}
{{- with .Values.decision.tokensSecret }}
{{- if .name }}
decision-tokens: /run/secrets/weir/decision-tokens/{{ .key }}
decision-tokens-for: all
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.redis }}
{{- if .enabled }}
redis:
  nodes:
    {{- toYaml .nodes | nindent 4 }}
  topology: {{ .topology }}
  {{- if eq .topology "sentinel" }}
  sentinel-master: {{ .sentinelMaster | quote }}
  {{- end }}
  {{- if .username }}
  username: {{ .username | quote }}
  {{- end }}
  database: {{ .database }}
  tls: {{ .tls }}
  {{- if .passwordSecret.name }}
  password-file: /run/secrets/weir/redis-password/{{ .passwordSecret.key }}
  {{- end }}
  {{- if .hashKeySecret.name }}
  hash-key-file: /run/secrets/weir/redis-hash-key/{{ .hashKeySecret.key }}
  {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* All settings but the rules, as a dictionary. One that both the chart and the user set is an error, told by name. */}}
{{- define "weir.settingsWithoutRules" -}}
{{- $own := include "weir.ownSettings" . | fromYaml -}}
{{- range $name, $value := .Values.settings -}}
  {{- if eq $name "rules" -}}
    {{- fail "settings.rules: not here (expected: the value rules)" -}}
  {{- end -}}
  {{- if hasKey $own $name -}}
    {{- if not (and (kindIs "map" $value) (kindIs "map" (get $own $name))) -}}
      {{- fail (printf "settings.%s: set by the chart (expected: its own values, see values.yaml)" $name) -}}
    {{- end -}}
    {{- range $inner, $ignored := $value -}}
      {{- if hasKey (get $own $name) $inner -}}
        {{- fail (printf "settings.%s.%s: set by the chart (expected: its own values, see values.yaml)" $name $inner) -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- toYaml (mustMerge $own .Values.settings) -}}
{{- end }}

{{/* weir.yaml, whole. */}}
{{- define "weir.settings" -}}
{{ include "weir.settingsWithoutRules" . }}
{{- with .Values.rules }}
rules:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/*
An annotation for pods: they are made anew when it changes. Without the rules, which Weir takes over while it runs.
*/}}
{{- define "weir.checksum" -}}
weir/settings: {{ include "weir.settingsWithoutRules" . | sha256sum }}
{{- end }}
