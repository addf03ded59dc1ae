# hone needs only Go, make and git. `make demo` shows it, `make test` checks it.
# Work on the web UI, and its tests, need Node and Chromium too.

GO      ?= go
OUT     ?= out
DEMO_FOR ?= 3s

# Arguments of the measuring targets, for example: make bench BENCH=Decode COUNT=10
BENCH    ?= .
COUNT    ?= 1
PKGS     ?= ./...
FUZZTIME ?= 30s

# Arguments of fuzz-rewrites: functions to compare for each rule, a regular expression of rules, and a seed.
N    ?= 5000
RULE ?= .
SEED ?= 1

# Modules beside hone's own, and those of them that have tests: see CONTRIBUTING.md.
TESTED  = agent agent/agentgrpc agent/test examples/collect examples/kafkagen examples/shakespeare
MODULES = $(TESTED) bench/agent bench/peers test/agents test/agents/ebpf test/agents/spans

# The newest Go, which the tests also run on; nothing more where the installed Go is as new.
NEWEST = go1.27.1

# The last of the oldest Go that programs with the agent may be built with: see agent/go.mod.
OLDEST = go1.22.12

# Packages with goroutines that share something: tested with -race on the newest Go, and so is the agent.
CONCURRENT = ./internal/fnmetrics ./internal/ingest/... ./internal/load/... ./internal/notify/... ./internal/server/... ./internal/store/...

# What is installed has no symbol table and no DWARF, a third of the file: tracebacks and profiles
# of hone have their names and lines from a table that stays.
STRIP = -ldflags='-s -w'

# One setting for all that is built, so that it is built once. -race needs cgo.
export CGO_ENABLED = 0

PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: help build demo test test-packages test-hone test-all test-installed test-newest test-newest-packages test-newest-hone test-newest-measuring test-race test-beside test-oldest lint gofmt vet staticcheck lint-beside cross bench fuzz fuzz-rewrites web web-check e2e pictures test-web test-web-core test-web-rest test-web-firefox clean

help:
	@echo 'make build   build bin/hone'
	@echo 'make demo    run the tuning loop on examples and look at the result'
	@echo 'make test    before a commit: lint, the tests of hone and of the web UI in a browser'
	@echo 'make test-all  the tests that take long, the newest and the oldest Go, -race, the modules beside hone'
	@echo 'make lint    gofmt, go vet, staticcheck'
	@echo 'make cross   build for every supported platform, whose types make test checks'
	@echo 'make bench   benchmarks; BENCH, COUNT and PKGS select'
	@echo 'make fuzz    every fuzz target for FUZZTIME each; PKGS selects'
	@echo 'make fuzz-rewrites  run N generated functions before and after each rewrite; RULE and SEED select'
	@echo 'make web     build the web UI into web/dist, which is checked in; needs Node'
	@echo 'make e2e     drive it in a browser; E2E selects files and flags of node --test'

build:
	@mkdir -p bin
	$(call go_build,bin/hone ./cmd/hone)

# go build into a file or folder, all that it needs with the same flags. Of downloads it tells how many there were.
define go_build
@mkdir -p $(OUT); echo "$(GO) build -trimpath $(STRIP) -o $(1)"; \
if ! $(GO) build -trimpath $(STRIP) -o $(1) 2>$(OUT)/build.txt; then cat $(OUT)/build.txt >&2; exit 1; fi; \
grep -v '^go: downloading' $(OUT)/build.txt; \
n=$$(grep -c '^go: downloading' $(OUT)/build.txt); if [ $$n -gt 0 ]; then echo "downloaded $$n modules"; fi
endef

# What is shown first needs a small part of hone: the rest is compiled after it.
demo:
	@echo '== Compile what reads and prints profiles, and a program to profile'
	$(call go_build,$(OUT)/bin/ ./examples/demo ./examples/wordindex)
	@$(OUT)/bin/demo -program $(OUT)/bin/wordindex -for $(DEMO_FOR) -dir $(OUT)
	@echo
	@echo '== Compile the rest of hone: a minute or two, the first time'
	@$(MAKE) --no-print-directory build
	@$(OUT)/bin/demo -hone bin/hone -dir $(OUT)/demo

# -short leaves out what takes long: see CONTRIBUTING.md. vet compiles all packages, so that nothing is
# compiled twice when the rest runs in parallel.
test: gofmt vet
	@$(MAKE) --no-print-directory -j 4 test-hone test-packages test-web staticcheck

# The tests of cmd/hone change the working directory, so that none runs beside another one of its process, and
# wait half of their time. Some processes share them by the first letter of their names, in parts of about the same length.
HONE = A-B C-K L-Z_0-9

test-hone: $(HONE:%=test-hone-%)

test-hone-%:
	$(GO) test $(TESTFLAGS) -short -run '^(Test|Fuzz|Example)[$*]' ./cmd/hone

test-packages:
	@packages=$$($(GO) list ./...) && $(GO) test $(TESTFLAGS) -short $$(echo "$$packages" | grep -v '/cmd/hone$$')

# CI runs this after make test. Two parts run in parallel, since tests wait much. Those of hone come when what
# they have in common with other parts is compiled.
test-all: test-installed
	@$(MAKE) --no-print-directory -j 2 test-newest-packages test-race test-newest-measuring test-newest-hone test-web-rest test-beside test-oldest

# Most tests wait more than they compute, so more of them run at a time than there are processors.
# lint has vetted all there is. No test reads the DWARF of its own binary, and without it
# linking takes two thirds of the time. The timeout, for a package, only bounds a hang.
TESTFLAGS = -p 4 -vet=off -ldflags=-w -timeout 30m

# What was recorded on the installed Go: on the newest one these tests take a sample, or are skipped.
test-installed:
	$(GO) test $(TESTFLAGS) -run '^(TestParity|TestCost)$$' ./cmd/hone ./internal/advice/rules

# All tests on the newer one of the installed Go and NEWEST. Those of cmd/hone take longer than all others.
test-newest: test-newest-packages test-newest-hone test-newest-measuring

test-newest-packages:
	@$(ON_NEWEST) packages=$$($(GO) list ./...) && $(GO) test $(TESTFLAGS) $$(echo "$$packages" | grep -v '/cmd/hone$$')

MEASURING = '^Test(Examples|TuneExamples|KilledFixAndTune|Tour|LoadShakespeare|LoadAgainst)$$'

test-newest-hone: $(HONE:%=test-newest-hone-%)

test-newest-hone-%:
	@$(ON_NEWEST) $(GO) test $(TESTFLAGS) -run '^(Test|Fuzz|Example)[$*]' -skip $(MEASURING) ./cmd/hone

test-newest-measuring:
	@$(ON_NEWEST) $(GO) test $(TESTFLAGS) -run $(MEASURING) ./cmd/hone

# With real agents, brokers and a cluster, which -short leaves out.
test-race: export CGO_ENABLED = 1
test-race: export HONE_REAL = 1
test-race:
	@if command -v "$$($(GO) env CC)" >/dev/null; then \
		$(ON_NEWEST) $(GO) test $(TESTFLAGS) -short -race $(CONCURRENT) && (cd agent && $(GO) test $(TESTFLAGS) -short -race ./...); \
	elif [ "$$CI" = true ]; then \
		echo 'there is no C compiler: -race needs one'; exit 1; \
	else \
		echo; echo '== SKIPPED, since there is no C compiler: the tests with -race'; echo; \
	fi

# Begins a command line that runs on the newer one of the installed Go and NEWEST.
ON_NEWEST = newest=$(NEWEST); installed=$$($(GO) env GOVERSION); \
	if [ "$$(printf '%s\n' "$$installed" "$$newest" | sort -V | tail -n 1)" = "$$installed" ]; then newest=local; fi; \
	if ! GOTOOLCHAIN=$$newest $(GO) version; then \
		if [ "$$CI" = true ]; then echo '$(NEWEST) is missing: CI has to test with it'; exit 1; fi; \
		echo; echo "== SKIPPED, since $(NEWEST) cannot be had: tests on the newest Go. They run on $$installed"; echo; newest=local; \
	fi; \
	export GOTOOLCHAIN=$$newest;

# One after the other: their tests measure time.
test-beside: lint-beside
	@set -e; for module in $(TESTED); do (cd $$module && $(GO) test $(TESTFLAGS) -p 1 ./...); done

test-oldest:
	@export GOTOOLCHAIN=$(OLDEST); cd agent && \
	if $(GO) version; then \
		$(GO) test $(TESTFLAGS) -short ./...; \
	elif [ "$$CI" = true ]; then \
		echo '$(OLDEST) is missing: CI has to test the agent with it'; exit 1; \
	else \
		echo; echo '== SKIPPED, since $(OLDEST) cannot be had: the tests of the agent on the oldest Go'; echo; \
	fi

lint: gofmt vet staticcheck

gofmt:
	@unformatted="$$(gofmt -l $$(find . -name '*.go' -not -path '*/testdata/*' -not -path './web/node_modules/*'))"; \
	if [ -n "$$unformatted" ]; then echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; fi

vet:
	$(GO) vet ./...

staticcheck:
	$(GO) tool staticcheck ./...

# The modules beside hone's own have many dependencies, to be compiled first.
lint-beside:
	@staticcheck=$$($(GO) tool -n staticcheck) && cd agent && $$staticcheck ./...
	@set -e; for module in $(MODULES); do echo "vet $$module"; (cd $$module && $(GO) vet ./...); done

cross:
	@set -e; for p in $(PLATFORMS); do \
		echo "build $$p"; \
		export GOOS=$${p%/*} GOARCH=$${p#*/}; \
		$(GO) build -trimpath -o /dev/null ./...; \
		(cd agent && $(GO) build -trimpath -o /dev/null ./...); \
	done

bench:
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) $(PKGS)

# go test fuzzes one target of one package at a time.
fuzz:
	@set -e; for pkg in $$($(GO) list $(PKGS)); do \
		targets=$$($(GO) test -list '^Fuzz' $$pkg); \
		for f in $$(echo "$$targets" | grep '^Fuzz' || true); do \
			echo "fuzz $$pkg $$f $(FUZZTIME)"; \
			$(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$pkg; \
		done; \
	done

fuzz-rewrites:
	$(GO) test -run '^TestRewrites$$' -v -vet=off -ldflags=-w -timeout 0 ./internal/advice/rules -rewrites $(N) -rule '$(RULE)' -seed $(SEED)

# What npm ci installed, as npm itself notes it.
web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@

web: web/node_modules/.package-lock.json
	cd web && npm run --silent check && npm run --silent test && npm run --silent build

# A release is built without Node, from web/dist: it has to be what the sources give.
web-check: web/node_modules/.package-lock.json
	cd web && npm run --silent check && npx tsc -p e2e && npm run --silent test
	@built=$$(mktemp -d); trap 'rm -rf "$$built"' EXIT; \
	(cd web && npx vite build --logLevel warn --emptyOutDir --outDir "$$built") && \
	if ! diff -r "$$built" web/dist; then echo 'web/dist is not what web/src gives: run make web'; exit 1; fi

e2e: web/node_modules/.package-lock.json
	cd web && npm run --silent e2e -- $(E2E)

# What changes in the look of the pages since a revision: make pictures AGAINST=main.
AGAINST ?= HEAD
pictures: web
	node web/e2e/differences.mjs --against '$(AGAINST)' $(OUT)/differences.html

# Begins a command line that needs Node: CI has to check the pages, a machine without Node checks the rest.
NEED_NPM = if ! command -v npm >/dev/null; then \
		if [ "$$CI" = true ]; then echo 'npm is missing: the web UI cannot be checked'; exit 1; fi; \
		echo; echo '== SKIPPED, since npm is missing: type check and tests of web/src, web/dist against web/src, tests in a browser'; echo; \
		exit; \
	fi;

# What passed before with the same inputs doesn't run again, except in CI: see test/unchanged.sh.
test-web:
	@$(NEED_NPM) \
	node --version | test/unchanged.sh web-check web bench/ui internal/compare/testdata internal/report/testdata -- $(MAKE) --no-print-directory web-check && \
	$(MAKE) --no-print-directory test-web-core

# The flows in a browser that people use most. A build without the state of git is the same until hone changes.
test-web-core: web/node_modules/.package-lock.json
	@$(GO) build -buildvcs=false $(STRIP) -o $(OUT)/test/hone ./cmd/hone
	@{ node --version; $(GO) version; "$${CHROMIUM:-chromium-headless-shell}" --version 2>/dev/null || true; } | \
	test/unchanged.sh web-core $(OUT)/test/hone web agent examples testdata -- \
	env HONE_BIN=$(abspath $(OUT)/test/hone) E2E_PART=core $(MAKE) --no-print-directory e2e

# The other tests in a browser.
test-web-rest:
	@$(NEED_NPM) E2E_PART=rest $(MAKE) --no-print-directory e2e

# The core in Firefox. CI doesn't run it.
test-web-firefox:
	@$(NEED_NPM) E2E_BROWSER=firefox E2E_PART=core $(MAKE) --no-print-directory e2e

clean:
	rm -rf bin $(OUT)
