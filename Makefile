# The two commands of the README are `make demo` and `make test`; both set up what they need.

.PHONY: help setup demo server server-tests sync-kills browser-tests browser-pictures logging-tests test release-tests programs example examples slim guides apple-crypto test-sqlcipher nightly tsan asan format lint generate check-generated api check-api bench fuzz site check-site check-snippets install uninstall long-tests lake-tests beyond ten-million

HAND_WRITTEN = Package.swift Plugins Sources Generator Tests Packages Benchmarks Fuzz/Package.swift Fuzz/Fuzz Examples

# For the compiler, in debug builds: `make test SWIFT_FLAGS="-Xswiftc -warnings-as-errors"`.
SWIFT_FLAGS ?=

# Where `make install` puts the tool; DESTDIR is put before it, for packages.
PREFIX ?= /usr/local
DESTDIR ?=

# How many tests run at once. Without a bound all of them do, and one that needs a turn of the few threads of tasks waits for minutes.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 3

# How often `make fuzz` runs each target.
RUNS ?= 200000

# The folder of NDJSON files that `make bench` measures with; synthetic patients unless given.
DATA ?=
BENCH_DATA = $(if $(DATA),--data "$(DATA)")

help:
	@echo "make demo      build the demonstration in release and run it"
	@echo "make install   build in release and install the tool, its manual page and completions in PREFIX (default: /usr/local);"
	@echo "               make uninstall removes them"
	@echo "make test      run the tests of this package"
	@echo "make release-tests  run those that need the classes of every release, Packages/ReleaseTests"
	@echo "make programs  build the programs that no test runs: the benchmarks and the demonstration"
	@echo "make apple-crypto  run the tests of cryptography with the code for Apple's systems, on swift-crypto"
	@echo "make server    build the server, Packages/Server, and start it on a demonstration store, with a token that it prints"
	@echo "make server-tests  run the tests of the server"
	@echo "make sync-kills  let two stores synchronize with a server while each of the three is killed"
	@echo "make browser-tests  test the pages in headless Chromium, with programs from PyPI; make browser-pictures takes those of the documentation"
	@echo "make logging-tests  run the tests of the package that logs statements with swift-log"
	@echo "make example   build the package of examples, MedicationDiary, PatientForm and AsyncPatterns, and run its tests"
	@echo "make slim      generate five classes into the package Examples/SlimModels with the plugin, build it and run its tests"
	@echo "make guides    generate views of US Core and IPS, whose packages are in PACKAGES, into Examples/GuideViews, and check them"
	@echo "make test-sqlcipher  run the tests of the store, the tool, the pages and encrypted syncs with SQLCipher instead of SQLite"
	@echo "make nightly   run the long tests (crashes, faults, damaged files, sizes, soak), fuzzing, sanitizers, nested packages, the site"
	@echo "make tsan      run every test under the thread sanitizer; make asan under the address sanitizer"
	@echo "make fuzz      run the fuzz targets, each RUNS times"
	@echo "make bench     run the benchmarks, with DATA=folder of NDJSON if given, and write Benchmarks/Report"
	@echo "make lake-tests  run the tests of the Python package in Packages/Lake, whose dependencies come from PyPI"
	@echo "make beyond    try stores and a lake with DuckDB, chDB, Polars, Spark and Litestream, which come from PyPI"
	@echo "make examples  import, check, export and compare the official examples of every release, which are in EXAMPLES"
	@echo "make ten-million  measure an import of ten million resources, and what can be asked of them"
	@echo "make generate  regenerate the model classes from the digests"
	@echo "make api       write the list of public symbols, Documentation/API.txt; make check-api only compares it"
	@echo "make site      build the documentation site, .build/site; make check-site also looks for broken links and tries the search"
	@echo "make check-snippets  compile every Swift block of the pages as a user would have it, and the code for SwiftUI, UIKit and AppKit"
	@echo "               with stand-ins for these"
	@echo "make format    format the code; make lint only checks"

setup:
	@./Scripts/setup.sh

demo: setup
	swift build -c release --product demo
	"$$(swift build -c release --show-bin-path)/demo"

# Without the toolchain's libraries the tool runs for everyone on the machine; on Apple's systems they are part of the system.
STATIC = $(if $(filter Linux,$(shell uname -s)),--static-swift-stdlib -Xlinker -lcurl)

install:
	@./Scripts/setup.sh install
	swift build -c release --product firelite $(STATIC)
	Scripts/install.sh "$$(swift build -c release --show-bin-path)/firelite" "$(DESTDIR)$(PREFIX)"

uninstall:
	Scripts/install.sh --remove "$(DESTDIR)$(PREFIX)"

# What the tests need, and nothing else: no benchmarks, and of the releases only the classes of R4.
BUILD_TESTS = swift build --product FireLitePackageTests $(SWIFT_FLAGS)

# With the servers that can be installed here; tests of the others are skipped.
test: setup
	$(BUILD_TESTS)
	Scripts/servers.sh run Scripts/failures-last.sh swift test --skip-build $(SWIFT_FLAGS)

# The programs that no test runs.
programs: setup
	swift build --product Benchmarks $(SWIFT_FLAGS)
	swift build --product demo $(SWIFT_FLAGS)

# Nested packages that depend on FireLite alone build into the same folder, where its modules are compiled already. SwiftPM would take the description of
# the last build there for theirs, unless it makes each again.
SHARED_BUILD = --scratch-path "$(CURDIR)/.build" --disable-build-manifest-caching

# A package of its own, as the classes of all releases take longer to compile than all the rest.
RELEASE_TESTS = swift test --skip-build --package-path Packages/ReleaseTests $(SHARED_BUILD) $(SWIFT_FLAGS)

release-tests: setup
	swift build --product ReleaseTestsPackageTests --package-path Packages/ReleaseTests $(SHARED_BUILD) $(SWIFT_FLAGS)
	$(RELEASE_TESTS)

# The server on synthetic patients, from nothing. Its package builds FireLite again in its own .build.
SERVER_DATABASE ?= .build/server-demo.sqlite

server: setup
	@./Scripts/setup.sh server
	swift build -c release --product firelite
	swift build -c release --product firelite-server --package-path Packages/Server
	@test -e "$(SERVER_DATABASE)" || "$$(swift build -c release --show-bin-path)/firelite" demo --database "$(SERVER_DATABASE)" >/dev/null
	"$$(swift build -c release --show-bin-path --package-path Packages/Server)/firelite-server" --database "$(SERVER_DATABASE)" --history

# CI sets it to the folder of the root package, whose modules are compiled there already. Whoever goes on to build the root package would lose the
# checkouts of the server's dependencies, so it has a folder of its own otherwise.
SERVER_BUILD ?=

server-tests: setup
	@./Scripts/setup.sh server
	swift build --product FireLiteServerPackageTests --package-path Packages/Server $(SERVER_BUILD) $(SWIFT_FLAGS)
	swift test --skip-build --package-path Packages/Server $(SERVER_BUILD) $(SWIFT_FLAGS)

# Two stores that synchronize with a server while one of the three is killed in each of KILL_ROUNDS rounds, with the programs of the debug build.
KILL_ROUNDS ?= 100

sync-kills: setup
	@./Scripts/setup.sh server
	$(BUILD_BROWSER)
	Scripts/sync-kills.py $(BROWSER_PROGRAMS) $(KILL_ROUNDS)

# The pages by what a person does, with the server of the debug build.
BROWSER_PROGRAMS = "$$(swift build --show-bin-path)/firelite" "$$(swift build --show-bin-path --package-path Packages/Server $(SERVER_BUILD))/firelite-server"
BUILD_BROWSER = swift build --product firelite $(SWIFT_FLAGS) \
    && swift build --product firelite-server --package-path Packages/Server $(SERVER_BUILD) $(SWIFT_FLAGS)

browser-tests: setup
	@./Scripts/setup.sh server
	@./Scripts/setup.sh browser
	$(BUILD_BROWSER)
	Scripts/browser.sh $(BROWSER_PROGRAMS) test

browser-pictures: setup
	@./Scripts/setup.sh server
	@./Scripts/setup.sh browser
	$(BUILD_BROWSER)
	Scripts/browser.sh $(BROWSER_PROGRAMS) documentation Sources/FireLiteBrowser/FireLiteBrowser.docc/Resources

# Statements in swift-log, which is downloaded for it.
logging-tests: setup
	swift build --product FireLiteLoggingPackageTests --package-path Packages/Logging $(SERVER_BUILD) $(SWIFT_FLAGS)
	swift test --skip-build --package-path Packages/Logging $(SERVER_BUILD) $(SWIFT_FLAGS)

# The Apple half of the cryptography, with swift-crypto, which is downloaded for it.
apple-crypto:
	swift build --build-tests --package-path Tests/AppleCrypto $(SWIFT_FLAGS)
	swift test --skip-build --package-path Tests/AppleCrypto $(SWIFT_FLAGS)

example: setup
	swift build --product ExamplesPackageTests --package-path Examples $(SHARED_BUILD) $(SWIFT_FLAGS)
	swift test --skip-build --package-path Examples $(SHARED_BUILD) $(SWIFT_FLAGS)

# The plugin in another package: generates its classes, compares them, builds and tests it.
SLIM_MODELS = cd Examples/SlimModels && swift package --allow-writing-to-package-directory generate-fhir-models \
    --target SlimModels --names-target SlimModelsNames --settings fhir-models.json

slim: setup
	$(SLIM_MODELS)
	$(SLIM_MODELS) --check
	swift build --build-tests --package-path Examples/SlimModels $(SWIFT_FLAGS)
	swift test --skip-build --package-path Examples/SlimModels $(SWIFT_FLAGS)

# Views of the profiles of two guides, whose packages are in PACKAGES: generated, compared, compiled and checked. The program is the one that the
# plugin runs; for the plugin SwiftPM would compile FireLite again.
PACKAGES ?= ../shared/data/packages
INSTANCES ?= 10000
GUIDE_VIEWS = cd Examples/GuideViews && "$(CURDIR)/.build/debug/FireLiteModelsCommand" --package "$(CURDIR)" --extensions \
    --output Sources/GuideViews/Generated --settings fhir-models.json
GUIDE_CHECKS = --package-path Examples/GuideViews $(SHARED_BUILD) $(SWIFT_FLAGS)

guides: setup
	swift build --product FireLiteModelsCommand $(SWIFT_FLAGS)
	mkdir -p Examples/GuideViews/packages
	for name in us-core-6.1.0 ips-1.1.0; do \
	    cp "$(PACKAGES)/$$name.tgz" Examples/GuideViews/packages && mkdir -p Examples/GuideViews/packages/$$name \
	        && tar -xzf "$(PACKAGES)/$$name.tgz" -C Examples/GuideViews/packages/$$name || exit 1; done
	$(GUIDE_VIEWS)
	$(GUIDE_VIEWS) --check
	cd Examples/GuideViews && ./make-checks.py Sources/GuideViews/Generated ../../Sources/FireLiteR4/Generated >Sources/GuideChecks/Made.swift
	swift build --product GuideChecks $(GUIDE_CHECKS)
	cd Examples/GuideViews && "$(CURDIR)/.build/debug/GuideChecks" packages/us-core-6.1.0 packages/ips-1.1.0 --instances $(INSTANCES)

# Builds in a folder of its own, as no build product can be shared with the other library. Installs libsqlcipher-dev if it can.
SQLCIPHER = --traits SQLCipher --scratch-path .build/sqlcipher

test-sqlcipher:
	@./Scripts/setup.sh sqlcipher
	swift build --product FireLitePackageTests $(SQLCIPHER) $(SWIFT_FLAGS)
	swift test --skip-build $(SQLCIPHER) $(SWIFT_FLAGS) --filter '^(FireLiteTests|FireLiteCLITests|FireLiteBrowserTests)\.|EncryptedSyncTests'

# The nested packages, the site, the long tests, fuzzing and the sanitizers, one after another. The nightly workflow runs the same parts, each in a
# job of its own.
nightly: release-tests programs check-site server-tests sync-kills browser-tests logging-tests long-tests slim fuzz tsan asan lake-tests

# More crashes, images, flips and limits than `make test` has time for, extreme sizes, ten minutes of mixed work by two processes, a minute of
# 200 live queries, twice 2,000 sequences of writes compared with models, 10,000 rounds of opening and closing; then every other test with its long
# rounds, among them ten million steps of three devices that synchronize, those that start the compiler, and every class and example of each release.
long-tests: setup
	$(BUILD_TESTS)
	FIRELITE_NIGHTLY=1 FIRELITE_CRASH_ROUNDS=300 FIRELITE_FAULT_SEEDS=20 FIRELITE_FLIPS=20000 FIRELITE_MEMORY_ROUNDS=400 \
	    Scripts/servers.sh run swift test --skip-build $(SWIFT_FLAGS) \
	    --filter 'CrashTests|PowerLossTests|DamagedFileTests|FaultInjectionTests|LimitsTests|HugeTests'
	FIRELITE_FILES='0..<20000' swift test --skip-build $(SWIFT_FLAGS) --filter FileMutationTests
	FIRELITE_NIGHTLY=1 swift test --skip-build $(SWIFT_FLAGS) --filter '\.SoakTests'
	FIRELITE_NIGHTLY=1 swift test --skip-build $(SWIFT_FLAGS) --filter LiveSoakTests
	FIRELITE_NIGHTLY=1 swift test --skip-build $(SWIFT_FLAGS) --filter 'LiveSequenceTests|RandomWriteTests'
	FIRELITE_NIGHTLY=1 swift test --skip-build $(SWIFT_FLAGS) --filter OpenCloseTests
	FIRELITE_NIGHTLY=1 Scripts/servers.sh run swift test --skip-build $(SWIFT_FLAGS) --skip '^FireLiteTests\.'
	FIRELITE_NIGHTLY=1 swift test --skip-build $(SWIFT_FLAGS) --filter '^FireLiteTests\.' \
	    --skip 'CrashTests|PowerLossTests|DamagedFileTests|FaultInjectionTests|LimitsTests|HugeTests|FileMutationTests|SoakTests|LiveSequenceTests|RandomWriteTests|OpenCloseTests'
	swift build --product ReleaseTestsPackageTests --package-path Packages/ReleaseTests $(SHARED_BUILD) $(SWIFT_FLAGS)
	FIRELITE_NIGHTLY=1 $(RELEASE_TESTS)

# Every test under a sanitizer, in a build of its own; repeated ones with a tenth of their repetitions. XCTest is off, as its empty run
# leaks memory.
SANITIZED = FIRELITE_CRASH_ROUNDS=4 FIRELITE_FLIPS=100
SANITIZED_RUN = swift test --skip-build --disable-xctest $(SWIFT_FLAGS)

tsan: setup
	swift build --product FireLitePackageTests --sanitize=thread --scratch-path .build/tsan $(SWIFT_FLAGS)
	$(SANITIZED) FIRELITE_SANITIZER=thread $(SANITIZED_RUN) --sanitize=thread --scratch-path .build/tsan

# The address sanitizer also finds leaks; Scripts/leaks.txt lists those that are not FireLite's.
asan: setup
	swift build --product FireLitePackageTests --sanitize=address --scratch-path .build/asan $(SWIFT_FLAGS)
	LSAN_OPTIONS=suppressions=$(CURDIR)/Scripts/leaks.txt:print_suppressions=0 $(SANITIZED) FIRELITE_SANITIZER=address $(SANITIZED_RUN) --sanitize=address --scratch-path .build/asan
	grep -v 'leak:libcurl' Scripts/leaks.txt > .build/asan/leaks.txt
	ASAN_OPTIONS=fast_unwind_on_malloc=0 LSAN_OPTIONS=suppressions=$(CURDIR)/.build/asan/leaks.txt:print_suppressions=0 $(SANITIZED) FIRELITE_SANITIZER=address $(SANITIZED_RUN) --sanitize=address --scratch-path .build/asan --filter 'TransportTests'

# The whole report: FireLite beside SQLite's C API and beside GRDB, which is downloaded for it. Run it on an idle machine.
bench: setup
	swift run -c release Benchmarks $(BENCH_DATA) --repeat 5 --report Benchmarks/Report
	swift run -c release --package-path Benchmarks/Peers Peers $(BENCH_DATA) --report Benchmarks/Report

# The Python package that publishes lakes, in an environment of its own, with the tool of the debug build. FIRELITE_NIGHTLY=1 makes the rounds longer.
LAKE = .build/lake

lake-tests: setup
	swift build --product firelite $(SWIFT_FLAGS)
	python3 -m venv $(LAKE)
	$(LAKE)/bin/python -m pip install -q --disable-pip-version-check -e "Packages/Lake[test]"
	cd Packages/Lake && "$(CURDIR)/$(LAKE)/bin/python" -m mypy
	cd Packages/Lake && FIRELITE="$$(cd "$(CURDIR)" && swift build --show-bin-path)/firelite" "$(CURDIR)/$(LAKE)/bin/python" -m pytest

# What the page BeyondOneMachine.md describes, with the programs it names; parts whose programs are missing are skipped.
beyond: setup
	swift build -c release --product firelite
	@Scripts/beyond.sh "$$(swift build -c release --show-bin-path)/firelite"

# Imports, checks and exports the official examples of every release, which are in EXAMPLES, a folder with one for each release, and compares them.
EXAMPLES ?= examples

examples: setup
	swift build $(SWIFT_FLAGS) --product firelite
	@Scripts/examples.py "$$(swift build --show-bin-path)/firelite" "$(EXAMPLES)"

# Takes some minutes and 25 GB of disk; the figures of one run are on Documentation/Measurements.md.
ten-million: setup
	swift build -c release --product firelite
	swift build -c release --product Benchmarks
	@Scripts/ten-million.sh "$$(swift build -c release --show-bin-path)"

fuzz: setup
	@if Scripts/fuzz.sh --available; then Scripts/fuzz.sh $(RUNS); else echo "no fuzzing: this toolchain has no libFuzzer"; fi

format:
	swift format format --in-place --parallel --recursive $(HAND_WRITTEN)

# Also checks what the pages, the workflows and the comments say: see Scripts/check-repository.py.
lint:
	swift format lint --strict --parallel --recursive $(HAND_WRITTEN)
	Scripts/check-repository.py

generate:
	swift run Generator

check-generated:
	swift run $(SWIFT_FLAGS) Generator --check

# The modules whose symbols are listed and whose pages are built: those of these two programs and three more, which `make test` has made.
BUILD_MODULES = swift build $(SWIFT_FLAGS) --product firelite && swift build $(SWIFT_FLAGS) --target FireLiteUI && swift build $(SWIFT_FLAGS) --target FireLitePreviews && swift build $(SWIFT_FLAGS) --target FireLiteR4Names && swift build $(SWIFT_FLAGS) --product Generator

# The public symbols, from the modules of the debug build.
api:
	$(BUILD_MODULES)
	Scripts/api.sh >.build/API.txt
	mv .build/API.txt Documentation/API.txt

check-api:
	$(BUILD_MODULES)
	@Scripts/api.sh >.build/API.txt
	@diff -u Documentation/API.txt .build/API.txt || \
	    { echo "the public symbols differ from Documentation/API.txt: if that is meant, run make api and commit it" >&2; exit 1; }

# The documentation site, with the toolchain's docc, from the modules of the debug build. Any warning is an error.
site:
	$(BUILD_MODULES)
	Scripts/site.sh

check-site: site
	Scripts/check-site.py

# Each Swift block of the pages in a file and a module of its own, on the main actor and elsewhere. Then what only Apple's systems compile.
check-snippets:
	$(BUILD_MODULES)
	swift build $(SWIFT_FLAGS) --target FireLiteDSTU2
	swift build $(SWIFT_FLAGS) --target FireLiteSTU3
	Scripts/check-snippets.py
	Scripts/check-apple.py
