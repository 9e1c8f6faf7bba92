# All tasks of this repository. `make demo` and `make test` need no preparation.

SWIFT ?= swift
DEMO_STORE ?= .build/demo.store
# The JSON file that `make bench` writes its table to.
BENCH_JSON ?= .build/benchmarks.json

.PHONY: sanitize all build demo docs test faults bench bench-quick bench-smoke format lint clean bootstrap bootstrap-tests

all: build

bootstrap:
	@script/bootstrap

bootstrap-tests:
	@script/bootstrap tests

build: bootstrap
	$(SWIFT) build

demo: bootstrap
	@$(SWIFT) build --quiet -c release --product lkrepl
	@Examples/photos/demo "$$($(SWIFT) build -c release --show-bin-path)/lkrepl" "$(DEMO_STORE)"

docs: bootstrap
	@$(SWIFT) build --quiet -c release --product lkrepl
	@Examples/photos/demo "$$($(SWIFT) build -c release --show-bin-path)/lkrepl" "$(DEMO_STORE)" > /dev/null
	@script/docs "$$($(SWIFT) build -c release --show-bin-path)/lkrepl" "$(DEMO_STORE)"

# The tests run last, so that their result and the list of failures end the output. The benchmarks run first, at a tiny size.
test: bootstrap-tests lint
	@$(MAKE) --no-print-directory bench-smoke
	@SWIFT="$(SWIFT)" script/test

faults: bootstrap
	@Tests/Faults/run

bench: bootstrap
	@Benchmarks/bootstrap
	@$(SWIFT) build --quiet -c release --package-path Benchmarks
	@$(SWIFT) build --quiet -c release --package-path Benchmarks --product lkrepl
	@programs="$$($(SWIFT) build -c release --package-path Benchmarks --show-bin-path)" && \
		SWIFT="$(SWIFT)" Benchmarks/run "$$programs/lkrepl" "$$programs" "$(BENCH_JSON)"

# In debug builds: speed does not matter here, and a release build takes longer than all of the runs.
bench-smoke: bootstrap
	@Benchmarks/bootstrap
	@$(SWIFT) build --quiet --product lkrepl
	@$(SWIFT) build --quiet --package-path Benchmarks
	@Benchmarks/smoke "$$($(SWIFT) build --show-bin-path)/lkrepl" "$$($(SWIFT) build --package-path Benchmarks --show-bin-path)"

bench-quick: bootstrap
	@Benchmarks/bootstrap
	@$(SWIFT) build --quiet -c release --package-path Benchmarks
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks bench 20000 3
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks docbench --smoke
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks textbench --smoke
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks querybench --smoke

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Snippets Examples/bird-list Examples/photo-app Benchmarks/Package.swift Benchmarks/Sources

lint:
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Snippets Examples/bird-list Examples/photo-app Benchmarks/Package.swift Benchmarks/Sources

# Runs the tests of LevelFiles, LevelKit and DocIndex under both sanitizers. The thread sanitizer cannot start threads
# in a forked process, so it skips the fork tests.
SANITIZED = LevelKitTests|LevelFilesTests|DocIndexTests
sanitize: bootstrap
	ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --sanitize=address --scratch-path .build-address --filter '$(SANITIZED)'
	$(SWIFT) test --sanitize=thread -Xswiftc -DLEVELKIT_THREAD_SANITIZER --scratch-path .build-thread \
		--filter '$(SANITIZED)' --skip ForkTests

clean:
	rm -rf .build
