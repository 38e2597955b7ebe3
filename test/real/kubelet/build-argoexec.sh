#!/bin/sh
# Builds argoexec of the version whose controller the testbed runs: sh build-argoexec.sh <file>
set -e
out=$(realpath "$1")
version=$(sed -n 's/^require github.com\/argoproj\/argo-workflows\/v4 //p' "$(dirname "$0")/../../../testbed/build/workflow-controller/go.mod")
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
module=$(cd "$work" && go mod download -json "github.com/argoproj/argo-workflows/v4@$version" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p')
cp -r "$module" "$work/module"
chmod -R u+w "$work/module"
cd "$work/module"
# A link in the repository, and archives of modules hold no links.
cp workflow/executor/osspecific/signal_darwin.go workflow/executor/osspecific/signal_linux.go
CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X github.com/argoproj/argo-workflows/v4.version=$version" -o "$out" ./cmd/argoexec
