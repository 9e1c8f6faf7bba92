# Everything a person does with this repository. `make demo` and `make test` need nothing prepared.

SWIFT ?= swift
DEMO_STORE ?= .build/demo.store

.PHONY: sanitize all build demo docs test faults bench bench-quick format lint clean bootstrap

all: build

bootstrap:
	@script/bootstrap

build: bootstrap
	$(SWIFT) build

demo: bootstrap
	@$(SWIFT) build --quiet -c release --product lkrepl
	@Examples/photos/demo "$$($(SWIFT) build -c release --show-bin-path)/lkrepl" "$(DEMO_STORE)"

docs: bootstrap
	@$(SWIFT) build --quiet -c release --product lkrepl
	@Examples/photos/demo "$$($(SWIFT) build -c release --show-bin-path)/lkrepl" "$(DEMO_STORE)" > /dev/null
	@script/docs "$$($(SWIFT) build -c release --show-bin-path)/lkrepl" "$(DEMO_STORE)"

test: bootstrap lint
	$(SWIFT) test

faults: bootstrap
	@Tests/Faults/run

bench: bootstrap
	@Benchmarks/bootstrap
	@$(SWIFT) build --quiet -c release --product lkrepl
	@Benchmarks/import "$$($(SWIFT) build -c release --show-bin-path)/lkrepl"
	@Benchmarks/shellbench "$$($(SWIFT) build -c release --show-bin-path)/lkrepl"
	@$(SWIFT) build --quiet -c release --package-path Benchmarks
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks bench
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks docbench
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks querybench

bench-quick: bootstrap
	@Benchmarks/bootstrap
	@$(SWIFT) build --quiet -c release --package-path Benchmarks
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks bench 20000 3
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks docbench --smoke
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks querybench --smoke

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Snippets Examples/photo-app Benchmarks/Package.swift Benchmarks/Sources

lint:
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Snippets Examples/photo-app Benchmarks/Package.swift Benchmarks/Sources

# The suite of LevelKit under the address sanitizer, then what is concurrent in it under the thread sanitizer.
CONCURRENT = LevelKitTests.*(Concurren|Closing|Checkpoint|Async|Snapshot|FailedWrite|Keyspace|SplitKeys|Maintenance|Statistics|Lifetime)
sanitize: bootstrap
	ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --sanitize=address --scratch-path .build-address --filter 'LevelKitTests|LevelFilesTests'
	$(SWIFT) test --sanitize=thread -Xswiftc -DLEVELKIT_THREAD_SANITIZER --scratch-path .build-thread --filter '$(CONCURRENT)'

clean:
	rm -rf .build
