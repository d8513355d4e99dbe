// Command path prints where the named tools are, one line each, and builds what is missing: go run ./rulestests/tools/path promtool.
package main

import (
	"context"
	"fmt"
	"os"

	"tocsin/rulestests/tools"
)

func main() {
	for _, name := range os.Args[1:] {
		path, err := tools.Path(context.Background(), name, os.Stderr)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(path)
	}
}
