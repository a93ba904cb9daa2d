{{- define "groundwire.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "groundwire.image" -}}
{{- $image := required "image.repository: build the image with Dockerfile.cpu or Dockerfile.gpu, and say where it is" .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{ $image }}@{{ .Values.image.digest }}
{{- else -}}
{{ $image }}:{{ required "image.tag or image.digest: say which image" .Values.image.tag }}
{{- end }}
{{- end }}

{{- define "groundwire.labels" -}}
app.kubernetes.io/name: groundwire
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* The pods of one part: dict "root" $ "part" "server" or "envoy". */}}
{{- define "groundwire.selector" -}}
app.kubernetes.io/name: groundwire
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{/* The pods of all servers. */}}
{{- define "groundwire.servers" -}}
matchLabels:
  app.kubernetes.io/name: groundwire
  app.kubernetes.io/instance: {{ .Release.Name }}
matchExpressions:
  - {key: app.kubernetes.io/component, operator: In, values: [server, outputs]}
{{- end }}

{{- define "groundwire.podSecurity" -}}
runAsNonRoot: true
{{- range $name := list "runAsUser" "runAsGroup" "fsGroup" }}
{{- with index $.Values $name }}
{{ $name }}: {{ int64 . }}
{{- end }}
{{- end }}
{{- if .Values.fsGroup }}
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "groundwire.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* One pod of a part a machine, where there are enough. */}}
{{- define "groundwire.spread" -}}
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {{- include "groundwire.selector" . | nindent 6 }}
{{- end }}
