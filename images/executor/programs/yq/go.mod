module images/yq

go 1.26.0

require github.com/mikefarah/yq/v4 v4.54.1
