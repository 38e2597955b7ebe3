module images/kubeseal

go 1.26.2

require github.com/bitnami-labs/sealed-secrets v0.36.6
