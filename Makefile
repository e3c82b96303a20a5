SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -X main.version=$(VERSION)

.PHONY: help run build test cover bench lint fmt generate clean

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-10s %s\n", $$1, $$2}'

run: ## Build and run everything on this machine (DATA_DIR, HTTP_ADDR choose where)
	@scripts/ensure-tools.sh
	@$(MAKE) --no-print-directory build
	./.bin/banca dev

build: ## Build ./.bin/banca
	go build -trimpath -ldflags '$(LDFLAGS)' -o ./.bin/banca ./cmd/banca

test: ## Run all tests with the race detector
	@scripts/ensure-tools.sh test
	go test -race -timeout 10m ./...

cover: ## Run all tests and show the coverage of each function
	@scripts/ensure-tools.sh test
	go test -timeout 10m -coverpkg=./... -coverprofile=coverage.out ./...
	go tool cover -func=coverage.out

bench: build ## Measure the sale path against this machine's Postgres
	./.bin/banca bench

lint: ## Check formatting, vet, golangci-lint and go.mod
	@scripts/lint.sh

fmt: ## Format all Go files
	gofmt -w .

generate: build ## Write openapi.yaml from the code
	./.bin/banca openapi > openapi.yaml.tmp
	mv openapi.yaml.tmp openapi.yaml

clean: ## Remove what was built (not the data in ./var)
	rm -rf ./.bin/banca coverage.out openapi.yaml.tmp
