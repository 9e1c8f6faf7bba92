# Everything a person does with this repository. `make demo` and `make test` need nothing prepared.

SWIFT ?= swift
DEMO_STORE ?= .build/demo.store

.PHONY: all build demo test bench format lint clean bootstrap

all: build

bootstrap:
	@script/bootstrap

build: bootstrap
	$(SWIFT) build

demo: bootstrap
	@$(SWIFT) build --quiet -c release --product lkrepl
	@Examples/photos/demo "$$($(SWIFT) build -c release --show-bin-path)/lkrepl" "$(DEMO_STORE)"

test: bootstrap lint
	$(SWIFT) test

bench: bootstrap
	@$(SWIFT) build --quiet -c release --product lkrepl
	@Benchmarks/import "$$($(SWIFT) build -c release --show-bin-path)/lkrepl"

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests

lint:
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests

clean:
	rm -rf .build
