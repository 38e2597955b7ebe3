module testbed/kustomize

go 1.26

require sigs.k8s.io/kustomize/kustomize/v5 v5.8.1
