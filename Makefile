# All tasks of this repository; CONTRIBUTING.md lists them. `make demo`, `make test` and `make install` need no
# preparation.

SWIFT ?= swift
# Where `make install` installs. A package builder sets DESTDIR, which stands before PREFIX.
PREFIX ?= /usr/local
DESTDIR ?=
DEMO_STORE ?= .build/demo.store
# The JSON file that `make bench` writes its table to.
BENCH_JSON ?= .build/benchmarks.json

# Which tests `make test` runs: quick, rest (what Tests/only-in-check.txt lists) or all.
TESTS ?= quick

# The network, as in script/steps; TRAITS= builds without it.
TRAITS ?= --traits Network
# The demo needs only the server, whose packages are built in half the time. What was built with the whole network is
# used for it as well.
DEMO_TRAITS ?= $(if $(wildcard .build/checkouts/swift-nio-ssl),$(TRAITS),--traits Server)

export SWIFT TRAITS

# Homebrew's libraries are outside the compiler's default directories.
ifeq ($(shell uname -s),Darwin)
export CPATH := $(shell brew --prefix)/include:$(CPATH)
export LIBRARY_PATH := $(shell brew --prefix)/lib:$(LIBRARY_PATH)
else
# So that the installed program does not need the libraries of the Swift toolchain. On macOS they belong to the system.
STATIC = --static-swift-stdlib
endif

.PHONY: all build demo demo-sync serve browser readme docs test check check-long check-release release install uninstall \
	faults bench bench-quick bench-smoke format lint sanitize clean bootstrap bootstrap-tests

all: build

bootstrap:
	@script/bootstrap

bootstrap-tests:
	@script/bootstrap tests

build: bootstrap
	$(SWIFT) build $(TRAITS)

demo:
	@TRAITS="$(DEMO_TRAITS)" script/demo "$(DEMO_STORE)"

# Two stores and a server of this machine.
demo-sync:
	@script/demo-sync .build/demo-sync

# Shows the store of the demo in a browser on this machine until ^C.
serve: bootstrap
	@$(SWIFT) build $(DEMO_TRAITS) --quiet --product lkrepl
	@test -d "$(DEMO_STORE)" || \
		Examples/photos/demo "$$($(SWIFT) build --show-bin-path)/lkrepl" "$(DEMO_STORE)" > /dev/null
	@"$$($(SWIFT) build --show-bin-path)/lkrepl" serve "$(DEMO_STORE)"

# Visits the pages of the inspector in Chromium.
browser: bootstrap
	@$(SWIFT) build $(TRAITS) --quiet --product lkrepl
	@test -d "$(DEMO_STORE)" || \
		Examples/photos/demo "$$($(SWIFT) build --show-bin-path)/lkrepl" "$(DEMO_STORE)" > /dev/null
	@Tests/Browser/run "$$($(SWIFT) build --show-bin-path)/lkrepl" "$(DEMO_STORE)"

test:
	@script/bootstrap
	@script/test $(TESTS)

check:
	@script/bootstrap
	@script/check

# The long variants of all tests: many more seeds, kills and random steps. Takes hours.
check-long:
	@script/bootstrap tests
	@LEVELKIT_TEST_LONG=1 script/test all

# What is delivered: an installation of a release build.
check-release:
	@Tests/Installation/run

# The files of an installation below PREFIX, made in STAGE first.
STAGE ?= .build/stage
INSTALLED = bin/lkrepl share/man/man1/lkrepl.1 share/bash-completion/completions/lkrepl \
	share/zsh/site-functions/_lkrepl share/fish/vendor_completions.d/lkrepl.fish

release: $(STAGE)/bin/lkrepl

# Builds only if a source is newer, so that `sudo make install` after `make release` compiles nothing as root.
$(STAGE)/bin/lkrepl: Package.swift $(shell find Sources -type f)
	@script/release "$(STAGE)" $(STATIC)

install: $(STAGE)/bin/lkrepl
	@for file in $(INSTALLED); do \
		case $$file in bin/*) mode=755 ;; *) mode=644 ;; esac; \
		install -d "$(DESTDIR)$(PREFIX)/$$(dirname $$file)" && \
		install -m $$mode "$(STAGE)/$$file" "$(DESTDIR)$(PREFIX)/$$file" && \
		echo "installed $(DESTDIR)$(PREFIX)/$$file" || exit 1; \
	done

uninstall:
	@for file in $(INSTALLED); do rm -f "$(DESTDIR)$(PREFIX)/$$file" || exit 1; done

# The documentation of the public modules as a web site.
docs: bootstrap
	@script/documentation .build/documentation

# Records the session in README.md.
readme: bootstrap
	@$(SWIFT) build $(TRAITS) --quiet --product lkrepl
	@Examples/photos/demo "$$($(SWIFT) build --show-bin-path)/lkrepl" "$(DEMO_STORE)" > /dev/null
	@script/readme "$$($(SWIFT) build --show-bin-path)/lkrepl" "$(DEMO_STORE)"
	@script/photographer "$$($(SWIFT) build --show-bin-path)/lkrepl"

faults: bootstrap
	@Tests/Faults/run

# Measures the program that `make install` installs.
bench: $(STAGE)/bin/lkrepl
	@script/bootstrap benchmarks
	@$(SWIFT) build --quiet -c release --package-path Benchmarks
	@Benchmarks/run "$(STAGE)/bin/lkrepl" \
		"$$($(SWIFT) build -c release --package-path Benchmarks --show-bin-path)" "$(BENCH_JSON)"

# In debug builds: speed does not matter here, and a release build takes longer than all of the runs.
bench-smoke:
	@script/bootstrap benchmarks
	@$(SWIFT) build $(TRAITS) --quiet --product lkrepl
	@$(SWIFT) build --quiet --package-path Benchmarks
	@Benchmarks/smoke "$$($(SWIFT) build --show-bin-path)/lkrepl" "$$($(SWIFT) build --package-path Benchmarks --show-bin-path)"

bench-quick:
	@script/bootstrap benchmarks
	@$(SWIFT) build --quiet -c release --package-path Benchmarks
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks bench 20000 3
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks docbench --smoke
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks textbench --smoke
	@$(SWIFT) run --skip-build -c release --package-path Benchmarks querybench --smoke

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Snippets Examples/bird-list Examples/photo-app Benchmarks/Package.swift Benchmarks/Sources

lint:
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Snippets Examples/bird-list Examples/photo-app Benchmarks/Package.swift Benchmarks/Sources

# Runs the tests of the libraries up to DocIndex under both sanitizers. The thread sanitizer cannot start threads
# in a forked process, so it skips the fork tests; tests that measure memory skip themselves.
SANITIZED = LevelKitTests|LevelFilesTests|DocumentModelTests|TextIndexingTests|DocIndexTests
sanitize: bootstrap
	ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --sanitize=address --scratch-path .build-address --filter '$(SANITIZED)'
	$(SWIFT) test --sanitize=thread -Xswiftc -DLEVELKIT_THREAD_SANITIZER --scratch-path .build-thread \
		--filter '$(SANITIZED)' --skip ForkTests

clean:
	rm -rf .build
