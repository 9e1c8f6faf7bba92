# Everything a person does with this repository. `make demo` and `make test` need nothing prepared.

SWIFT ?= swift
DEMO_STORE ?= .build/demo.store

.PHONY: all build demo test faults bench format lint clean bootstrap

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

faults: bootstrap
	@Tests/Faults/run

bench: bootstrap
	@Benchmarks/bootstrap
	@$(SWIFT) build --quiet -c release --product lkrepl
	@Benchmarks/import "$$($(SWIFT) build -c release --show-bin-path)/lkrepl"
	@$(SWIFT) build --quiet -c release --package-path Benchmarks
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks bench
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks docbench

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Snippets Examples/photo-app Benchmarks/Package.swift Benchmarks/Sources

lint:
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Snippets Examples/photo-app Benchmarks/Package.swift Benchmarks/Sources

clean:
	rm -rf .build
