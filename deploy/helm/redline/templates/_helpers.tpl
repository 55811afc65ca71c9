{{/* The name of all objects: the release, with "redline" unless it says so itself. */}}
{{- define "redline.name" -}}
{{- if contains "redline" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-redline" (.Release.Name | trunc 42 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{- define "redline.selector" -}}
app.kubernetes.io/name: redline
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "redline.labels" -}}
{{ include "redline.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "redline.secret" -}}
{{- .Values.secret.existing | default (include "redline.name" .) -}}
{{- end -}}

{{/* Whether there is an admin token in the Secret. */}}
{{- define "redline.hasAdminToken" -}}
{{- if or .Values.secret.existing .Values.secret.adminToken -}}true{{- end -}}
{{- end -}}

{{/* Whether a Secret is mounted. */}}
{{- define "redline.hasSecret" -}}
{{- if or (eq .Values.store.type "REDIS") (include "redline.hasAdminToken" .) -}}true{{- end -}}
{{- end -}}
