{{- define "tiphys.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end -}}

{{- define "tiphys.labels" -}}
app.kubernetes.io/part-of: tiphys
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/instance: {{ .Release.Name }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{/* Who does steps: the agent, or the pod of each. */}}
{{- define "tiphys.runner" -}}
{{- if eq .Values.steps "agent" }}tiphys-agent{{ else }}tiphys-step{{ end -}}
{{- end -}}

{{/* The accounts of whole commands, which run in pods in both modes. */}}
{{- define "tiphys.commands" -}}
{{- list "tiphys-deploy" "tiphys-validate" | concat (ternary (list "tiphys-teardown") (list) .Values.teardown.enabled) | toJson -}}
{{- end -}}

{{/* A binding: (list $ kind name namespace accounts). Without a namespace it is for the cluster. */}}
{{- define "tiphys.binding" -}}
{{- $root := index . 0 -}}{{- $namespace := index . 3 -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "RoleBinding" "ClusterRoleBinding" (ne $namespace "") }}
metadata:
  name: {{ index . 2 }}
  {{- with $namespace }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "tiphys.labels" $root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ index . 1 }}
  name: {{ index . 2 }}
subjects:
  {{- range index . 4 }}
  - kind: ServiceAccount
    name: {{ . }}
    namespace: {{ $root.Release.Namespace }}
  {{- end }}
{{- end -}}
