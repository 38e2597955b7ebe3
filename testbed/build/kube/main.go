// One program for four: what they share is most of them, so it is linked only once.
// The name it is started under says which one runs.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlerrors "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

var servers = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllermanager.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
}

func main() {
	name := filepath.Base(os.Args[0])
	if server, known := servers[name]; known {
		os.Exit(cli.Run(server()))
	}
	if name != "kubectl" {
		fmt.Fprintf(os.Stderr, "kube: start it as kube-apiserver, kube-controller-manager, kube-scheduler or kubectl, not as %q\n", name)
		os.Exit(2)
	}
	kubectlerrors.CheckErr(cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()))
}
