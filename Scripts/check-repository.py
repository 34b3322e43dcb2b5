#!/usr/bin/env python3
"""Checks what the repository says of itself: words, links, figures, workflows, catalogs, comments and the names of tests.

usage: Scripts/check-repository.py        `make lint` runs it

Prints a line for each fault, with its place, and ends with status 1 if there is one.
"""

import glob
import os
import re
import sys

os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
faults = []


def fault(text):
    faults.append(text)


def expect(holds, text):
    if not holds:
        fault(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def files(folder, *endings):
    """The files of a folder and its folders with one of the endings, without what is built or generated."""
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in (".build", "Generated", "Report"))
        found += [os.path.join(place, name) for name in sorted(names) if name.endswith(endings)]
    return found


# --- Words -----------------------------------------------------------------------------------------------------------

# Phrases that nobody would say aloud, each with what to write instead.
PHRASES = {
    "what is to-one": "to-one elements", "what repeats": "repeating elements", "let go of": "released", "lets go of": "releases",
    "ids of nothing": "unknown ids", "passed over": "skipped", "passes over": "skips", "where there is none": "if there is none",
    "where there are none": "if there are none", "is told": "is called with", "told": "reported", "tells of": "reports",
    "from time to time": "periodically", "is come to": "is needed", "in the terms of": "as", "waits for nobody": "does not wait",
    "stands in the way": "blocks", "for showing": "for inspection", "dear": "expensive", "anew": "again", "once more": "again",
    "in the place of": "instead of", "beside that": "also", "kept aside": "kept separately", "comes about": "happens",
    "come about": "happen", "has to be": "must be", "have to be": "must be", "such with": "those with",
    "the most it may": "the maximum",
    "strand": "thread", "looked after": "managed", "no more than a": "only a", "is of use": "is useful",
}


def lines_with(phrase, text):
    """The numbers of the lines with a phrase as whole words."""
    pattern = rf"(?<![^\W\d_]){re.escape(phrase)}(?![^\W\d_])"
    return [text.count("\n", 0, match.end()) + 1 for match in re.finditer(pattern, text)]


def check_words():
    """Pages, help texts, messages and comments use plain words."""
    expect(lines_with("told", "a\nit was told\nuntold") == [2], "check-repository.py: words: part of a word counts as the word")
    expect(lines_with("once more", "once\nmore, once more") == [2], "check-repository.py: words: a phrase is not found")
    paths = glob.glob("*.md") + ["Makefile", "Package.swift"]
    for folder in [".github", "Benchmarks", "Documentation", "Examples", "Fuzz", "Generator", "Packages", "Scripts", "Sources", "Templates"]:
        paths += files(folder, ".md", ".swift", ".tmpl", ".h", ".c", ".sh", ".yml")
    expect(len(paths) > 250, f"check-repository.py: words: only {len(paths)} files")
    for path in paths:
        text = read(path).lower()
        for phrase, remedy in PHRASES.items():
            if phrase in text:
                for line in lines_with(phrase, text):
                    fault(f"{path}:{line}: '{phrase}': write '{remedy}' or the like")


# --- Links -----------------------------------------------------------------------------------------------------------

def without_blocks(text):
    return "\n".join(text.split("```")[::2])


def links(text):
    """The relative links of a page, as path and heading: those of Markdown and of images in HTML, outside of blocks and code."""
    prose = re.sub(r"`[^`\n]*`", "", without_blocks(text))
    targets = re.findall(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)", prose) + re.findall(r'(?:src|srcset|href)="([^"\s]+)"', prose)
    return [(target + "#").split("#")[:2] for target in targets if not re.match(r"[a-z]+:", target)]


def anchors(text):
    """The names that a host gives a page's headings: lower case, blanks as hyphens, without punctuation."""
    headings = [line.lstrip("#").strip().lower() for line in without_blocks(text).split("\n") if line.startswith("#")]
    return {"".join(c for c in heading if c.isalnum() or c in " -_").replace(" ", "-") for heading in headings}


def check_links():
    """The pages of the repository link only to what is there."""
    sample = ("# Adding a FHIR release, `R5`\n[a](B.md) ![c](D/e.svg \"title\") [f](G.md#h-i) [j](#k) [web](https://example.org/x) "
              "`[code](No.md)`\n<img src=\"L/m.svg\"> <source srcset=\"n.svg\">\n```\n[block](No.md)\n```\n")
    expected = [["B.md", ""], ["D/e.svg", ""], ["G.md", "h-i"], ["", "k"], ["L/m.svg", ""], ["n.svg", ""]]
    expect(links(sample) == expected, f"check-repository.py: links: found {links(sample)}")
    expect(anchors(sample) == {"adding-a-fhir-release-r5"}, "check-repository.py: links: headings are not found")
    pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", ".github/pull_request_template.md"]
    for folder in ["Documentation", "Templates", "Fuzz"]:
        pages += glob.glob(f"{folder}/*.md")
    for folder in ["Examples", "Benchmarks"]:
        pages += glob.glob(f"{folder}/**/*.md", recursive=True)
    expect("Documentation/Internals.md" in pages, "check-repository.py: links: no pages in Documentation")
    count = 0
    for page in pages:
        for path, anchor in links(read(page)):
            count += 1
            target = os.path.join(os.path.dirname(page), path) if path else page
            if not os.path.exists(target):
                fault(f"{page}: no file {path}")
            elif anchor:
                expect(anchor in anchors(read(target)), f"{page}: no heading #{anchor} in {os.path.basename(target)}")
    expect(count > 20, f"check-repository.py: links: only {count} links")


# --- README ----------------------------------------------------------------------------------------------------------

def rows(text):
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in text.split("\n") if line.startswith("| ")]


# A row of the comparison, and those of the reports that its figures come from.
FIGURES = [
    ("bulk write of new resources", "bulk write, new", "bulk upsert, new"),
    ("fetch one by id", "fetch one by id", "fetch one by id"),
    ("count by a nested code", "count by nested element, no index", "count by nested element, no index"),
    ("the same with an index", "count by nested element, index", "count by nested element, index"),
    ("single durable write", "single write, durable", "single upsert, durable"),
    ("delete many", "delete many", "delete many"),
    ("open a file, fetch one", "open, fetch one by id", "open, fetch one by id"),
    ("size of a resource", "bytes a resource", ""),
]


def check_figures(readme):
    """Every figure of the comparison stands in a report."""
    sections = [part for part in readme.split("\n## ") if part.startswith("Compared with the alternatives\n")]
    if not sections:
        return fault("README.md: no section 'Compared with the alternatives'")
    shown = [row for row in rows(sections[0]) if any("µs" in cell or "bytes" in cell for cell in row)]
    peers, report = rows(read("Benchmarks/Report/Peers.md")), rows(read("Benchmarks/Report/README.md"))
    if [row[0] for row in shown] != [figure[0] for figure in FIGURES]:
        return fault(f"README.md: the rows of the comparison are {[row[0] for row in shown]}")
    for row, (name, peer_name, report_name) in zip(shown, FIGURES):
        unit = "µs" if report_name else "bytes"
        costs = next((cells for cells in peers if cells[0] == peer_name), None)
        if costs is None:
            fault(f"Benchmarks/Report/Peers.md: no row '{peer_name}'")
            continue
        # With an index it is the peer that has one.
        peer = costs[4] if peer_name.endswith(", index") else costs[2]
        expect(row[1:3] == [f"{costs[1]} {unit}", f"{peer} {unit}"], f"README.md: '{name}' is not what the report says")
        if report_name:
            ratios = next((cells for cells in report if cells[:3] == [report_name, "patients", "10,000"]), None)
            expect(ratios is not None and row[3] == f"{ratios[6]} times", f"README.md: the ratio of '{name}' is not what the report says")


def check_readme():
    """The README's first screen states what the rest of the repository says."""
    readme, manifest = read("README.md"), read("Package.swift")
    check_figures(readme)
    badges = re.findall(r"actions/workflows/([a-z]+\.yml)/badge\.svg", readme)
    # A repository without an address has no badge, and no page stands for one with a placeholder.
    for placeholder in ["OWNER", "not measured"]:
        expect(placeholder not in readme, f"README.md: '{placeholder}'")
    for badge in badges:
        expect(os.path.exists(f".github/workflows/{badge}"), f"README.md: a badge of {badge}, which is no workflow")
    shapes = []
    for name in ["resource-light", "resource-dark"]:
        picture = read(f"Documentation/Pictures/{name}.svg")
        expect(len(picture.encode()) < 20_000 and "href" not in picture, f"{name}.svg: too large, or with a link")
        shapes.append(re.sub(r"#[0-9a-f]{6}\b", "#", picture))
    expect(shapes[0] == shapes[1], "Documentation/Pictures: the light and the dark picture differ in more than colors")
    products = re.findall(r'\.product\(name: "(\w+)", package: "FireLite"\)', readme)
    expect(len(products) >= 2, "README.md: names no products")
    for product in products:
        expect(f'.library(name: "{product}"' in manifest, f"README.md: {product} is no product")


# --- Workflows -------------------------------------------------------------------------------------------------------

def targets(text):
    """The targets of `make` in the commands of a text, in the matrix of a workflow that runs `make ${{ matrix.target }}`, and in a loop of a script
    that runs `make "$part"`."""
    found = set()
    for line in text.split("\n"):
        if line.strip().startswith("#"):
            continue
        for match in re.finditer(r"\bmake ((?:[a-z][a-z-]*(?: |$))+)", line):
            found.update(match.group(1).split())
        matrix = re.search(r"target: \[(.+)\]", line)
        if matrix and "make ${{ matrix.target }}" in text:
            found.update(name.strip() for name in matrix.group(1).split(","))
        loop = re.match(r"\s*for (\w+) in ([a-z -]+); do$", line)
        if loop and f'make "${loop.group(1)}"' in text:
            found.update(loop.group(2).split())
    return found


def check_workflows():
    """The workflows of continuous integration run what the Makefile has, with no more rights than they need."""
    sample = ("# make nothing\nrun: make lint check-generated\nrun: make test SWIFT_FLAGS=\"x\"\ntarget: [a, b-c]\n"
              "run: make ${{ matrix.target }}\nfor part in d e-f; do\n    make \"$part\"\nfor other in g; do")
    expect(targets(sample) == {"lint", "check-generated", "test", "a", "b-c", "d", "e-f"},
           "check-repository.py: workflows: targets are not found")
    makefile = read("Makefile")
    workflows = {os.path.basename(path): read(path) for path in sorted(glob.glob(".github/workflows/*.yml"))}
    if list(workflows) != ["ci.yml", "nightly.yml"]:
        return fault(f".github/workflows has {list(workflows)}")
    for name, text in workflows.items():
        expect(len(targets(text)) >= 4, f"{name}: runs too few targets of make")
        for target in targets(text):
            expect(f"\n{target}:" in makefile, f"{name}: make {target} does not exist")
        expect("\npermissions:\n  contents: read\n" in text, f"{name}: does not limit its rights to reading")
        for word in [": write", "pull_request_target", "secrets."]:
            expect(word not in text, f"{name}: '{word}'")
        # A job without a limit runs for six hours if it hangs.
        jobs = text.count("\n    runs-on: ")
        expect(jobs >= 1 and text.count("\n    timeout-minutes: ") == jobs, f"{name}: a job has no time limit")
        expect("\nconcurrency:\n" in text, f"{name}: no concurrency group")
        # A major version, so that fixes arrive, and no branch.
        actions = re.findall(r"uses: (\S+)", text)
        expect(actions, f"{name}: uses no action")
        for action in actions:
            expect(re.fullmatch(r"[a-z-]+/[a-z-]+@v\d+", action), f"{name}: {action} has no major version")
    # A part that is added to `make nightly` is added to the workflow; what runs before a change lands by hand also runs on the host.
    nightly = next((set(line.split()[1:]) for line in makefile.split("\n") if line.startswith("nightly:")), set())
    expect(len(nightly) >= 4, "Makefile: nightly has too few parts")
    for target in sorted(nightly - targets(workflows["nightly.yml"])):
        fault(f"nightly.yml: does not run make {target}, which make nightly runs")
    script = targets(read(".ci/run"))
    expect(len(script) >= 4, ".ci/run: runs too few targets of make")
    for target in sorted(script - targets(workflows["ci.yml"])):
        fault(f"ci.yml: does not run make {target}, which .ci/run runs")
    # A nested package that no target of the Makefile names would never be built.
    for manifest in sorted(glob.glob("Packages/*/Package.swift")):
        folder = os.path.dirname(manifest)
        expect(folder in makefile, f"Makefile: no target for {folder}")


# --- Catalogs --------------------------------------------------------------------------------------------------------

def check_catalogs():
    """What every documentation catalog has. `make check-site` follows the links."""
    modules = sorted(re.findall(r'\.library\(name: "(\w+)"', read("Package.swift")))
    catalogs = sorted(glob.glob("Sources/*/*.docc") + glob.glob("Generator/*/*.docc"))
    names = sorted(os.path.basename(catalog)[:-5] for catalog in catalogs)
    expect(names == modules, f"catalogs of {sorted(set(names) ^ set(modules))}: each library product has one, and nothing else")
    articles = 0
    for catalog in catalogs:
        name = os.path.basename(catalog)[:-5]
        expect(os.path.basename(os.path.dirname(catalog)) == name, f"{catalog}: not in the folder of its module")
        pages = {os.path.basename(path): read(path) for path in sorted(glob.glob(f"{catalog}/*.md"))}
        landing = pages.get(f"{name}.md", "")
        expect(landing.startswith(f"# ``{name}``\n"), f"{catalog}: no landing page")
        _, _, list_of_topics = landing.partition("\n## Topics\n")
        topics = [first or second for first, second in re.findall(r"\n- (?:<doc:([^>]+)>|``([^`]+)``)", "\n" + list_of_topics)]
        expect(topics, f"{catalog}: the landing page has no topics")
        expect(len(set(topics)) == len(topics), f"{catalog}: the landing page lists something twice")
        for page, text in pages.items():
            if text.startswith("# ``"):
                continue
            articles += 1
            expect(page[:-3] in topics, f"{catalog}: the landing page does not list {page}")
            # A title, and one paragraph of one sentence: the text that lists of pages show.
            title, summary = (text.split("\n\n") + [""])[:2]
            expect(title.startswith("# ") and "\n" not in title, f"{catalog}/{page}: no title of one line")
            expect(not summary.startswith("#") and summary.endswith(".") and len(summary) < 200, f"{catalog}/{page}: no summary of one sentence")
    expect(articles >= 11, f"check-repository.py: catalogs: only {articles} articles")


# --- Code ------------------------------------------------------------------------------------------------------------

TRAPS = ["precondition(", "preconditionFailure(", "assertionFailure(", "fatalError("]


def check_traps():
    """Every trap is a misuse, or an invariant that is marked as one."""
    misuses = 0
    for path in glob.glob("Sources/**/*.swift", recursive=True):
        lines = read(path).split("\n")
        for index, line in enumerate(lines):
            if line.lstrip(" ").startswith("//"):
                continue
            misuses += "misuse(" in line
            if not any(trap in line for trap in TRAPS):
                continue
            if path in ("Sources/FireLiteCore/Misuse.swift", "Sources/FireLiteCore/Objects/SlotMemory.swift"):
                continue
            expect(any("// Invariant:" in above for above in lines[max(index - 3, 0):index]), f"{path}:{index + 1}: {line.strip()}: "
                   "call misuse(), or say above with '// Invariant:' why it cannot happen")
    expect(misuses > 30, f"check-repository.py: traps: only {misuses} misuses")


def check_texts():
    """What escapes marks in texts goes by bytes: Swift's own replacing goes by characters, and a mark with an accent is another one."""
    for path in glob.glob("Sources/**/*.swift", recursive=True):
        if "/Generated/" in path:
            continue
        for number, line in enumerate(read(path).split("\n")):
            expect(not re.search(r"\breplacing\(\"[^\"]*\", with:|replacingOccurrences\(of|components\(separatedBy: \"", line),
                   f"{path}:{number + 1}: use replacingBytes(_:with:) or parts(separatedByBytes:)")


KEYWORDS = {"actor", "class", "enum", "func", "init", "let", "protocol", "struct", "subscript", "typealias", "var"}
ATTRIBUTES = {"final", "override", "frozen", "usableFromInline"}


def check_comments():
    """The library's own public names have a comment, but for those of generated code, which begin with an underscore."""
    for path in files("Sources/FireLiteCore", ".swift") + files("Generator/FireLiteGenerator", ".swift"):
        lines = read(path).split("\n")
        for number, line in enumerate(lines):
            words = re.findall(r"\w+", line)
            access = next((word for word in words if word not in ATTRIBUTES), "")
            keyword = next((index for index, word in enumerate(words) if word in KEYWORDS), None)
            if access not in ("public", "open") or keyword is None or f"{access} " not in line:
                continue
            is_named = words[keyword] not in ("init", "subscript") and keyword + 1 < len(words)
            if words[keyword + 1].startswith("_") if is_named else "(_" in line:
                continue
            above = number - 1
            while above >= 0 and lines[above].strip().startswith("@"):
                above -= 1
            expect(above >= 0 and lines[above].strip().startswith("///"), f"{path}:{number + 1}: no comment")


# --- Promises --------------------------------------------------------------------------------------------------------

def check_fuzz():
    """The fuzz targets build the modules that their sources import, in a package that only the night builds."""
    package = read("Fuzz/Package.swift")
    known = dict(re.findall(r'name: "(FireLite\w*)",\s*dependencies: \[(.*?)\]', package, re.DOTALL))
    needs = {module: set(re.findall(r'"(C?FireLite\w*)"', text)) for module, text in known.items()}

    def reached(module):
        return needs.get(module, set()).union(*(reached(other) for other in needs.get(module, ())), {module})

    for module in re.findall(r'name: "(FireLite\w*)"', package):
        for path in files(f"Sources/{module}", ".swift"):
            # The steps of tutorials are no sources.
            if ".docc/" in path:
                continue
            for other in re.findall(r"^(?:@\w+(?:\(\w+\))? )?(?:package |public )?import (FireLite\w*)", read(path), re.MULTILINE):
                expect(other in reached(module), f"Fuzz/Package.swift: {module} imports {other} in {path}")


def check_nested_packages():
    """Targets of nested packages name the modules of FireLite that their sources import: SwiftPM compiles a target again after changes only of those."""
    products = set(re.findall(r'\.library\(name: "(\w+)"', read("Package.swift")))
    for manifest in files("Packages", "Package.swift") + files("Examples", "Package.swift"):
        folder = manifest.rsplit("/", 1)[0]
        constants = dict(re.findall(r"^let (\w+): \[Target\.Dependency\] = (\[.*?\])", read(manifest), re.MULTILINE | re.DOTALL))
        for text in re.split(r"\n        \.(?=(?:target|executableTarget|testTarget)\()", read(manifest))[1:]:
            name = re.search(r'name: "([\w-]+)"', text).group(1)
            given = re.search(r'path: "([\w/-]+)"', text)
            path = given.group(1) if given else ("Tests/" if text.startswith("testTarget") else "Sources/") + name
            text += "".join(value for name, value in constants.items() if re.search(rf"\b{name}\b", text))
            named = set(re.findall(r'"([\w-]+)"', text))
            for file in files(f"{folder}/{path}", ".swift"):
                for module in IMPORT.findall(read(file)):
                    if module in products:
                        expect(module in named, f"{manifest}: {name} imports {module} in {file}")


IMPORT = re.compile(r"^(?:@\w+(?:\(\w+\))? )?(?:package |public )?import (?:\w+ )?(\w+)$", re.MULTILINE)


def check_targets():
    """Each target of the package names the modules that its sources import, and no hand-written file is too long."""
    package = read("Package.swift")
    targets = re.split(r"\n        \.(?:target|executableTarget|testTarget|plugin|systemLibrary)\(", package[package.index("    targets: ["):])[1:]
    targets = {re.search(r'name: "(\w+)"', text).group(1): text for text in targets}
    count = 0
    for name, text in targets.items():
        path = re.search(r'path: "([^"]+)"', text)
        folder = path.group(1) if path else f"Tests/{name}" if name.endswith("Tests") else f"Sources/{name}"
        named = set(re.findall(r'"(\w+)"', text))
        for file in files(folder, ".swift"):
            source = read(file)
            expect(source.count("\n") <= 500, f"{file}: more than 500 lines")
            # The steps of tutorials are no sources; the peers are a package of their own; the Generator writes imports.
            if ".docc/" in file or "/Peers/" in file or file.startswith(("Generator", "Tests/FireLiteGeneratorTests")):
                continue
            for module in set(IMPORT.findall(re.sub(r'"""\n.*?"""', "", source, flags=re.DOTALL))) & set(targets):
                count += 1
                # The SQLite libraries are one dependency, by trait.
                if module not in named and not module.startswith("CFireLiteSQL"):
                    named.add(module)
                    fault(f"Package.swift: {name} imports {module} in {file}")
    expect(count > 1000, f"check-repository.py: targets: only {count} imports")


def check_promises():
    """Every suite and test that a page names exists."""
    suites, tests = {}, set()
    for path in glob.glob("Tests/**/*.swift", recursive=True) + glob.glob("Packages/*/Tests/**/*.swift", recursive=True):
        text = read(path)
        own = set(re.findall(r"\bfunc (\w+)", text))
        tests |= own
        for name in re.findall(r"\b(?:struct|class|enum|extension|actor) (\w+)", text) + [os.path.basename(path)[:-6].split("+")[0]]:
            suites.setdefault(name, set()).update(own)
    count = 0
    for page in glob.glob("*.md") + glob.glob("Documentation/*.md") + glob.glob("Sources/*/*.docc/*.md"):
        if page == "CHANGELOG.md":
            continue
        name, text = os.path.basename(page), without_blocks(read(page))
        for suite, test in re.findall(r"`(\w+Tests)(?:\.(\w+))?`", text):
            count += 1
            if suite not in suites:
                # Test targets are named so, too.
                expect(os.path.isdir(f"Tests/{suite}") or glob.glob(f"Packages/*/Tests/{suite}"), f"{name}: no suite {suite}")
            elif test:
                expect(test in suites[suite], f"{name}: {suite} has no test {test}")
        # A test after another of its suite is named alone.
        for span in re.findall(r"`\w+Tests(?:\.\w+)?`((?:,\s+`[a-z]\w+`)+)", text):
            for test in re.findall(r"`(\w+)`", span):
                count += 1
                expect(test in tests, f"{name}: no test {test}")
    expect(count > 200, f"check-repository.py: promises: only {count} tests")


for check in [
    check_words, check_links, check_readme, check_workflows, check_catalogs, check_traps, check_texts, check_comments, check_fuzz,
    check_targets, check_nested_packages, check_promises,
]:
    check()
for line in faults:
    print(line, file=sys.stderr)
if faults:
    sys.exit(f"{len(faults)} faults")
