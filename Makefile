SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# The version is the newest one of CHANGELOG.md; the linker adds the commit.
COMMIT ?= $(shell git describe --always --dirty --exclude='*' 2>/dev/null | tr - .)
LDFLAGS := -X main.commit=$(COMMIT)
# nomsgpack leaves out of gin a codec that no operation uses: 6 MB. The compiler collects garbage less often than by default:
# a build of everything takes 254 instead of 326 seconds of CPU, and up to 1.9 instead of 1.4 GB.
COMPILED := -trimpath -tags=nomsgpack
GOBUILD := GOGC=$${GOGC:-400} go build $(COMPILED)
# The tests use what the build has compiled. lint vets; the linker leaves out symbols and what debuggers read.
GOTEST := GOGC=$${GOGC:-400} go test $(COMPILED) -vet=off -ldflags=-s

# Packages that the race detector does not instrument. They only compute, on values that one goroutine owns, and are
# where tests spend their time: instrumented, a comparison of bcrypt takes 14 times as long, a receipt four times, and
# an upload of a large picture five times.
COMPUTING := golang.org/x/crypto/blowfish github.com/klauspost/compress/flate compress/flate hash/adler32 hash/crc32 \
	image image/color image/draw image/jpeg image/png github.com/disintegration/imaging \
	golang.org/x/image/font/opentype golang.org/x/image/font/sfnt golang.org/x/image/vector
UNINSTRUMENTED := $(foreach package,$(COMPUTING),-gcflags=$(package)=-race=false)
GORACE := $(GOTEST) -race $(UNINSTRUMENTED)

.PHONY: help run demo build build-dev test race long pages delivery machines robot habits fuzz cover bench chaos soak pictures lint vuln sbom release package-check release-check upgrade-check fmt generate clean

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-13s %s\n", $$1, $$2}'

run: ## Build and run everything on this machine (DATA_DIR, HTTP_ADDR choose where)
	@echo "== looking for the servers: PostgreSQL and Redis"
	@scripts/ensure-tools.sh
	@echo "== compiling banca-dev (the first build compiles all dependencies and takes some minutes)"
	@$(MAKE) --no-print-directory build-dev
	./.bin/banca-dev dev

demo: build-dev ## Build and run a demonstration on this machine: a history, robots that sell, a reset every hour (FLAGS)
	@scripts/ensure-tools.sh
	./.bin/banca-dev demo $(FLAGS)

build: ## Build ./.bin/banca, which is what is shipped
	$(GOBUILD) -ldflags '-s -w $(LDFLAGS)' -o ./.bin/banca ./cmd/banca

build-dev: ## Build ./.bin/banca-dev: banca with dev, demo, bench, chaos and soak
	$(GOBUILD) -ldflags '$(LDFLAGS)' -o ./.bin/banca-dev ./cmd/banca-dev

# Packages with tests that wait come first, so that the others compute meanwhile.
test: ## Run all tests
	@scripts/ensure-tools.sh test
	@$(GOTEST) -parallel 4 -timeout 15m -json ./test ./web ./internal/sales ./internal/auth ./... | go run $(COMPILED) ./internal/dev/testkit/slowest

race: ## Run the tests of packages with goroutines and locks with the race detector, and break a platform for a minute
	@scripts/ensure-tools.sh test
	@BANCA_TARGETS=race $(GORACE) -parallel 4 -timeout 15m -json $$(scripts/sharing.sh) | go run $(COMPILED) ./internal/dev/testkit/slowest
	BANCA_TARGETS=chaos $(GORACE) -timeout 15m -run 'InChaos|AtOnce|SentTwice|FiveTabs|KeptUpToDate|Polled' ./test ./web ./api

long: ## Run the tests of minutes: the walks of the panel and the counter in a browser, three years of months
	@scripts/ensure-tools.sh test
	@BANCA_TARGETS=long $(GOTEST) -parallel 4 -timeout 15m -json -run 'PanelInABrowser|PointOfSale|MonthsLeave' ./test ./internal/app | \
		go run $(COMPILED) ./internal/dev/testkit/slowest

pages: ## Open every page of the panel in a browser, in both widths and colour schemes (minutes)
	@scripts/ensure-tools.sh test
	BANCA_TARGETS=pages $(GOTEST) -timeout 15m -count 1 -run '^Test(EveryPageInABrowser|ListsOnAPhone)$$' ./web

delivery: ## Check what is delivered: generated clients, documents, compose file, manifests, alerts, users of the object store
	@scripts/ensure-tools.sh delivery
	BANCA_TARGETS=delivery $(GOTEST) -timeout 15m -count 1 -run Delivered ./deploy ./storage ./test

fuzz: ## Run each fuzz target for FUZZTIME (10s); TARGET chooses some by a pattern
	@scripts/fuzz.sh

machines: ## Run two machines over PgBouncer, Sentinel, a Redis Cluster and a standby, and kill some of them (minutes)
	@scripts/ensure-tools.sh test
	BANCA_TARGETS=machines $(GORACE) -timeout 30m -count 1 -v -run 'Machines' ./test
	$(GORACE) -timeout 10m -count 1 -run 'Cluster|AnotherMaster|ComesBack|QueuesAndNews|Pooler|Replica' ./internal/risk ./storage

robot: ## Sell TICKETS (2000) by keys at /vender beside 32 sellers of PACE (32) sales a second, 0 for as many as are answered, and compare
	@scripts/ensure-tools.sh test
	BANCA_TARGETS=long BANCA_ROBOT_TICKETS=$(or $(TICKETS),2000) BANCA_ROBOT_PACE=$(or $(PACE),32) $(GOTEST) -timeout 120m -count 1 -v -run '^TestPointOfSaleRobot$$' ./test

habits: ## Sell TICKETS (300) by keys at /vender as a cashier of other systems types, and compare each with what was meant
	@scripts/ensure-tools.sh test
	BANCA_TARGETS=long BANCA_HABITS_TICKETS=$(or $(TICKETS),300) $(GOTEST) -timeout 120m -count 1 -v -run '^TestPointOfSaleHabits$$' ./test

cover: ## Run all tests and show the coverage of each function
	@scripts/ensure-tools.sh test
	go test -timeout 10m -coverpkg=./... -coverprofile=coverage.out ./...
	go tool cover -func=coverage.out

chaos: build-dev ## Break a platform of its own under load and prove that nothing is lost (FAULTS, SEED)
	./.bin/banca-dev chaos --faults $(or $(FAULTS),100) --seed $(or $(SEED),0)

soak: build-dev ## Run a platform of its own at half of its capacity for MINUTES (30) and name what grows
	./.bin/banca-dev soak --length $(or $(MINUTES),30)m

pictures: ## Write pictures of the panel's pages to var/pictures and docs/pictures (PAGE: a part of a path, LANGUAGES=es,en, LOOK=light,dark,light-360,dark-360)
	@scripts/ensure-tools.sh test
	BANCA_PICTURES=$(or $(PAGE),all) BANCA_PICTURES_LANGUAGE=$(LANGUAGES) BANCA_PICTURES_LOOK=$(LOOK) $(GOTEST) -timeout 60m -count 1 -run '^TestPictures(OfThe(Counter|Manual))?$$' ./web ./test
	go run $(COMPILED) ./internal/dev/manual var/pictures docs/pictures

bench: build-dev ## Measure the sale path against this machine's Postgres, then sales with all that follows
	./.bin/banca-dev bench
	./.bin/banca-dev bench --only whole

# lint reads what the tests have compiled: with other flags the whole module would be compiled a second time.
lint: ## Check formatting, vet, golangci-lint and go.mod
	@COMPILED_WITH='$(COMPILED)' scripts/lint.sh

vuln: ## Report known vulnerabilities in dependencies (needs the network; VULN_DB names a copy of the database)
	@scripts/vuln.sh

sbom: ## Write the bill of materials of the shipped program to .bin/banca.cdx.json
	@scripts/sbom.sh

release: ## Build archives, Debian packages, OCI archives, bill of materials and SHA256SUMS into dist/ (ARCHITECTURES)
	@scripts/dist.sh

package-check: ## Install the Debian package of `make release` on a fresh Debian: setup, sale, upgrade, removal (as root)
	@scripts/package-check.sh

release-check: ## Check the newest version of CHANGELOG.md before it is tagged (some minutes)
	@scripts/release.sh

upgrade-check: ## Install this release over the last one while that one sells
	@scripts/upgrade.sh

fmt: ## Format all Go files
	gofmt -w .

generate: build-dev ## Write openapi.yaml from the code
	./.bin/banca-dev openapi > openapi.yaml.tmp
	mv openapi.yaml.tmp openapi.yaml

clean: ## Remove what was built (not the data in ./var)
	rm -rf ./.bin/banca ./.bin/banca-dev coverage.out openapi.yaml.tmp
