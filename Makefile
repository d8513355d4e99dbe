# Everything a newcomer types: `make run` to look, `make test` to check.
SHELL      := bash
.SHELLFLAGS := -o pipefail -c
GO       ?= go
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
REVISION := $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
BRANCH   := $(shell git rev-parse --abbrev-ref HEAD 2>/dev/null || echo unknown)
STAMP    := github.com/prometheus/common/version
LDFLAGS  := -s -w -X $(STAMP).Version=$(VERSION) -X $(STAMP).Revision=$(REVISION) -X $(STAMP).Branch=$(BRANCH)
FUZZTIME ?= 10s
PORT     ?= 10227
IMAGE     ?= tocsin
PLATFORMS ?=
DIST      := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
# What is released is the same to the byte wherever it is built: no paths, no build machine, no branch, and the commit's time.
RELEASE   := -trimpath -buildvcs=false -ldflags '-s -w -buildid= -X $(STAMP).Version=$(VERSION) -X $(STAMP).Revision=$(REVISION)'
EPOCH     := $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
BUILDER   ?= $(firstword $(foreach b,docker podman buildah nerdctl,$(if $(shell command -v $(b)),$(b))))
PROMETHEUS ?= http://127.0.0.1:9090
PICTURES   ?= docs/img
PREVIEW    := dashboards/preview

.PHONY: all build run demo test e2e lint fuzz bench bench-allocations bench-scale image dist dashboards-preview clean

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
	@# Built before the tests, whose time is limited; where one cannot be built, its tests say so.
	-@$(GO) run ./rulestests/tools/path promtool pint amtool prometheus alertmanager helm kustomize >/dev/null
	@# -v tells what is skipped and why; what merely passes is left out.
	$(GO) test -race -v ./... 2>&1 | grep -vE '^(=== |PASS$$|\s*--- PASS|\?   )'
	$(MAKE) --no-print-directory fuzz

e2e: ## every story on a real control plane, with real alerts and pages (the first time, the tools are built: minutes)
	$(GO) run ./rulestests/e2e

demo: ## the same stories, told as they happen; Ctrl-C ends it
	@$(GO) run ./rulestests/e2e --demo

fuzz: ## each fuzz target for FUZZTIME (one at a time: go test takes no more)
	@grep -rlE '^func Fuzz' --include='*_test.go' collectors cmd rules | xargs -n1 dirname | sort -u | while read dir; do \
		for target in $$(grep -rhoE '^func Fuzz[A-Za-z0-9]+' $$dir/*_test.go | cut -c6- | sort -u); do \
			echo "fuzzing $$dir $$target for $(FUZZTIME)"; \
			$(GO) test -run='^$$' -fuzz="^$$target$$" -fuzztime=$(FUZZTIME) -fuzzminimizetime=20x ./$$dir || exit 1; \
		done; \
	done

lint: ## golangci-lint, built from its module
	"$$($(GO) run ./rulestests/tools/path golangci-lint)" run ./...

bench: ## what a verdict, a record and a scrape cost
	$(GO) test -run='^$$' -bench=. -benchmem ./...

bench-allocations: ## fails when a benchmark allocates more often than rulestests/allocations/allocations.txt says (ALLOCATIONSFLAGS=--update writes it anew)
	$(GO) run ./rulestests/allocations $(ALLOCATIONSFLAGS)

bench-scale: ## beside kube-state-metrics, on 96,000 objects behind a real API server (half an hour; SCALEFLAGS='--scale 0.1' is a tenth)
	$(GO) run ./rulestests/scale $(SCALEFLAGS)

image: ## the container image IMAGE:VERSION, with docker, podman, buildah or nerdctl; PLATFORMS=linux/amd64,linux/arm64 for both
	@test -n "$(BUILDER)" || { echo "make image needs docker, podman, buildah or nerdctl; make dist needs none of them" >&2; exit 1; }
	$(BUILDER) build . --build-arg VERSION=$(VERSION) --build-arg REVISION=$(REVISION) --build-arg GO_VERSION=$$($(GO) env GOVERSION | cut -c3-) \
		$(if $(filter podman buildah,$(notdir $(BUILDER))),--timestamp $(EPOCH),--build-arg SOURCE_DATE_EPOCH=$(EPOCH)) \
		$(if $(PLATFORMS),--platform $(PLATFORMS)) $(IMAGE_FLAGS) \
		$(if $(and $(PLATFORMS),$(filter podman buildah,$(notdir $(BUILDER)))),--manifest,-t) $(IMAGE):$(VERSION)

dist: ## dist/: an archive and an SBOM (CycloneDX) for each platform, and their checksums; no container engine is needed
	rm -rf dist && mkdir -p dist
	@sbom="$$($(GO) run ./rulestests/tools/path cyclonedx-gomod)" && for platform in $(DIST); do \
		name=tocsin-$(VERSION)-$${platform/\//-} && mkdir dist/$$name && echo $$name && \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) build $(RELEASE) -o dist/$$name/tocsin ./cmd/tocsin && \
		"$$sbom" bin -json -std -noserial -notimestamp -version $(VERSION) -output dist/$$name.cdx.json dist/$$name/tocsin && \
		cp LICENSE README.md CHANGELOG.md dist/$$name/ && \
		tar --create --sort=name --format=ustar --mtime=@$(EPOCH) --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' -C dist $$name | gzip -9n > dist/$$name.tar.gz && \
		rm -r dist/$$name || exit 1; \
	done
	cd dist && sha256sum * > SHA256SUMS
	@cat dist/SHA256SUMS

dashboards-preview: $(PREVIEW)/node_modules/.package-lock.json ## a picture of each dashboard, from the Prometheus at PROMETHEUS (needs node 20 and chromium)
	npm --prefix $(PREVIEW) run --silent build
	node $(PREVIEW)/render.mjs --prometheus $(PROMETHEUS) --dashboards dashboards --out $(PICTURES) $(PREVIEWFLAGS)

$(PREVIEW)/node_modules/.package-lock.json: $(PREVIEW)/package-lock.json
	cd $(PREVIEW) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

clean:
	rm -rf tocsin dist
