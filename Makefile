# Everything a newcomer types: `make run` to look, `make test` to check.
SHELL      := bash
.SHELLFLAGS := -o pipefail -c
GO       ?= go
CACHE    := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/tocsin
LINTER   := $(CACHE)/tools/golangci-lint
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
REVISION := $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
BRANCH   := $(shell git rev-parse --abbrev-ref HEAD 2>/dev/null || echo unknown)
STAMP    := github.com/prometheus/common/version
LDFLAGS  := -s -w -X $(STAMP).Version=$(VERSION) -X $(STAMP).Revision=$(REVISION) -X $(STAMP).Branch=$(BRANCH)
FUZZTIME ?= 10s
PORT     ?= 10227

.PHONY: all build run test lint fuzz bench clean

all: build

build: ## the static binary ./tocsin
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o tocsin ./cmd/tocsin

run: build ## serve the sample cluster of deploy/example
	@echo
	@echo "The sample cluster of deploy/example is at http://localhost:$(PORT)/ (its stories: deploy/example/README.md). Try:"
	@echo
	@echo "  curl -s localhost:$(PORT)/metrics | grep -E '^tocsin_cronjob_state.*(suspended|blocked|late|missed)'"
	@echo "  curl -s localhost:$(PORT)/metrics | grep -E '^tocsin_cronjob_(skipped_runs|seconds_since_last_success).*purge'"
	@echo "  curl -s localhost:$(PORT)/metrics | grep -E '^tocsin_(job_failed|cronjob_active_run_stalled)'"
	@echo
	./tocsin --snapshot deploy/example --web.listen-address=:$(PORT)

test: ## every test, with the race detector, and each fuzz target for a moment
	$(GO) vet ./...
	@# -v tells what is skipped and why; what merely passes is left out.
	$(GO) test -race -v ./... 2>&1 | grep -vE '^(=== |PASS$$|\s*--- PASS|\?   )'
	$(MAKE) --no-print-directory fuzz

fuzz: ## each fuzz target for FUZZTIME (one at a time: go test takes no more)
	@grep -rlE '^func Fuzz' --include='*_test.go' collectors cmd rules | xargs -n1 dirname | sort -u | while read dir; do \
		for target in $$(grep -rhoE '^func Fuzz[A-Za-z0-9]+' $$dir/*_test.go | cut -c6- | sort -u); do \
			echo "fuzzing $$dir $$target for $(FUZZTIME)"; \
			$(GO) test -run='^$$' -fuzz="^$$target$$" -fuzztime=$(FUZZTIME) -fuzzminimizetime=20x ./$$dir || exit 1; \
		done; \
	done

lint: $(LINTER) ## golangci-lint, built from its module
	$(LINTER) run ./...

$(LINTER): rulestests/tools/golangci-lint.mod
	@mkdir -p $(dir $@)
	$(GO) build -modfile=$(CURDIR)/$< -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $@

bench: ## what a verdict, a record and a scrape cost
	$(GO) test -run='^$$' -bench=. -benchmem ./...

clean:
	rm -f tocsin
