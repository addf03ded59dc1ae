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

# Modules beside hone's own: see CONTRIBUTING.md.
MODULES = bench/agent bench/peers test/agents

PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: help build demo test lint cross bench fuzz web web-check e2e test-web clean

help:
	@echo 'make build   build bin/hone'
	@echo 'make demo    run the tuning loop on examples and look at the result'
	@echo 'make test    lint, cross-build and run all tests: what CI runs'
	@echo 'make lint    gofmt, go vet, staticcheck'
	@echo 'make cross   build for every supported platform'
	@echo 'make bench   benchmarks; BENCH, COUNT and PKGS select'
	@echo 'make fuzz    every fuzz target for FUZZTIME each; PKGS selects'
	@echo 'make web     build the web UI into web/dist, which is checked in; needs Node'
	@echo 'make e2e     drive it in a browser; E2E selects files and flags of node --test'

build:
	@mkdir -p bin
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/hone ./cmd/hone

demo: build
	@mkdir -p $(OUT)
	@$(GO) build -o $(OUT)/wordindex ./examples/wordindex
	@echo
	@echo '== Run a program under the CPU profiler for $(DEMO_FOR)'
	$(OUT)/wordindex -for $(DEMO_FOR) -cpuprofile $(OUT)/cpu.pb.gz
	@echo
	@echo '== Which functions are hot?'
	bin/hone top -nodecount=10 $(OUT)/cpu.pb.gz
	@echo
	@echo '== Which of its lines are?'
	bin/hone list 'main\.addLine$$' $(OUT)/cpu.pb.gz
	@echo
	@echo '== Draw it'
	bin/hone flame -o $(OUT)/flame.html $(OUT)/cpu.pb.gz
	bin/hone flame -o $(OUT)/flame.svg $(OUT)/cpu.pb.gz
	@echo
	@echo 'profile      $(OUT)/cpu.pb.gz'
	@echo 'flame graph  $(OUT)/flame.html (and $(OUT)/flame.svg)'
	@echo
	@echo '== The tuning loop: objective, measure, find, fix, verify, guard'
	@$(GO) run ./examples/demo -hone bin/hone -dir $(OUT)/demo
	@echo
	@echo 'Next: open $(OUT)/flame.html in a browser, then read examples/wordindex/README.md.'

# go test comes last: its closing lines are the verdict.
test: lint cross test-web
	$(GO) test ./...

lint:
	@unformatted="$$(gofmt -l $$(find . -name '*.go' -not -path '*/testdata/*' -not -path './web/node_modules/*'))"; \
	if [ -n "$$unformatted" ]; then echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	@set -e; for module in $(MODULES); do echo "vet $$module"; (cd $$module && $(GO) vet ./...); done

cross:
	@set -e; for p in $(PLATFORMS); do \
		echo "build $$p"; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build -trimpath -o /dev/null ./...; \
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

# CI has to check the pages; a machine without Node checks the rest.
test-web:
	@if command -v npm >/dev/null; then \
		$(MAKE) --no-print-directory web-check e2e; \
	elif [ "$$CI" = true ]; then \
		echo 'npm is missing: the web UI cannot be checked'; exit 1; \
	else \
		echo; echo '== SKIPPED, since npm is missing: type check and tests of web/src, web/dist against web/src, tests in a browser'; echo; \
	fi

clean:
	rm -rf bin $(OUT)
