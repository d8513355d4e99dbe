package rulestests

import (
	"os/exec"
	"strings"
	"testing"

	"tocsin/rulestests/tools"
)

const alertmanagerExample = "../deploy/examples/alertmanager.yml"

// TestAlertmanagerExample asks amtool whether Alertmanager would load the example, and where it would send what.
func TestAlertmanagerExample(t *testing.T) {
	amtool := tools.Require(t, "amtool")
	if out, err := exec.Command(amtool, "check-config", alertmanagerExample).CombinedOutput(); err != nil {
		t.Fatalf("amtool check-config: %v\n%s", err, out)
	}
	for _, c := range []struct{ labels, receiver string }{
		{"alertname=PodStranded severity=critical", "pager"},
		{"alertname=CronJobNoSuccess severity=critical namespace=billing", "pager"},
		{"alertname=JobFailed severity=warning", "channel"},
		{"alertname=NodeDrainWouldStrandPods severity=info", "inventory"},
		{"alertname=SomebodyElses", "channel"}, // no severity of ours: nothing is lost
	} {
		args := append([]string{"config", "routes", "test", "--config.file", alertmanagerExample, "--verify.receivers", c.receiver}, strings.Fields(c.labels)...)
		if out, err := exec.Command(amtool, args...).CombinedOutput(); err != nil {
			t.Errorf("%s is to reach %s: %s", c.labels, c.receiver, out)
		}
	}
}
