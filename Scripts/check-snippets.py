#!/usr/bin/env python3
"""Compiles every Swift block of the pages as a user would have it.

usage: Scripts/check-snippets.py [PAGE… | Tutorials]        `make check-snippets` builds the modules first

Each block goes into a file of its own, with the imports that GettingStarted.md shows, that of the page's own module and those that the page itself shows.
Files with the same imports make a module: what one file imports is visible in all files of a module, so others would hide an import that a page forgets.
Each block is compiled twice with Swift 6: in a function of a class of the main actor, as a view model has it, and in a function of no actor. Each file of a tutorial is compiled as it is. What a block uses and does not declare are values of the reader; Scripts/snippets.txt lists them for each page.
"""

import glob
import os
import platform
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.chdir(root)

BLOCK = re.compile(r"^```swift\n(.*?)^```", re.S | re.M)
IMPORT = re.compile(r"^import \w+$", re.M)
# Blocks that begin so stand at the level of a file.
DECLARATION = re.compile(r"^(?:@MainActor |final |public )*(?:struct|class|extension) ")


class Context:
    """What a page's blocks use: lines of Scripts/snippets.txt."""

    def __init__(self):
        self.parameters, self.locals, self.members, self.imports, self.actors, self.skipped, self.code = ([] for _ in range(7))


def contexts():
    found, current = {}, None
    with open("Scripts/snippets.txt", encoding="utf-8") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if not line.strip() or line.strip().startswith("#"):
                continue
            if not line.startswith(" "):
                current = found.setdefault(line, Context())
                continue
            kind, _, text = line.strip().partition(" ")
            {"given": current.parameters, "made": current.locals, "member": current.members, "import": current.imports,
             "actor": current.actors, "skip": current.skipped, "code": current.code}[kind].append(text)
    return found


def pages():
    found = sorted(glob.glob("Sources/*/*.docc/*.md") + glob.glob("Generator/*/*.docc/*.md")) + ["README.md"]
    return [(path, os.path.basename(path)) for path in found]


def indented(text, width):
    return "".join(" " * width + line + "\n" if line else "\n" for line in text.split("\n"))


def source(number, block, imports, context, isolation):
    """A file with a block. Imports stand at its beginning, declarations beside the function."""
    body = IMPORT.sub("", block).strip("\n")
    names = sorted(set(imports) | set(IMPORT.findall(block)))
    head = "\n".join(names) + "\n\n"
    if DECLARATION.match(body):
        # Types of one name stand on several pages.
        return head + f"enum Page{number} {{}}\n" + body + "\n"
    effects = "async throws" if re.search(r"\bawait\b", body) else "throws"
    parameters = ", ".join(context.parameters)
    owner = f"@MainActor final class Model{number}" if isolation == "actor" else f"struct Model{number}"
    members = "".join(f"    {text}\n" for text in context.members)
    made = "".join(f"        {text}\n" for text in context.locals)
    return (f"{head}{owner} {{\n{members}    init() {{}}\n    func block({parameters}) {effects} {{\n{made}        do {{\n{indented(body, 12)}"
            "        }\n    }\n}\n")


def compiler():
    built = subprocess.run(["swift", "build", "--show-bin-path"], check=True, capture_output=True, text=True).stdout.strip()
    flags = ["-I", os.path.join(built, "Modules")]
    for path in glob.glob("Sources/*/module.modulemap"):
        flags += ["-I", os.path.dirname(path)]
    # A folder that ends in -tool has the same module, built for a plugin.
    for path in glob.glob(os.path.join(built, "CFireLite*.build/module.modulemap")):
        if "-tool.build" in path: continue
        flags += ["-Xcc", "-fmodule-map-file=" + path]
    command = ["xcrun", "swiftc"] if platform.system() == "Darwin" else ["swiftc"]
    return command + flags + ["-module-cache-path", os.path.join(built, "ModuleCache")]


def unread(folder):
    """The output that nobody reads. Not /dev/null: the compiler deletes the output of what failed, and root may delete that too."""
    return os.path.join(folder, "output.sil")


def check_tutorials():
    """Compiles the steps of the tutorials, each a module of its own, as they show one file as it grows."""
    files = sorted(glob.glob("Sources/*/*.docc/Tutorials/Code/*.swift"))
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            result = subprocess.run(
                compiler() + ["-swift-version", "6", "-module-name", "Step", "-parse-as-library", "-Onone", "-wmo", "-emit-sil", "-o", unread(folder),
                              path, "-suppress-warnings", "-diagnostic-style", "llvm"], capture_output=True, text=True)
            if result.returncode != 0:
                faults += [line for line in result.stderr.split("\n") if ": error: " in line] or [f"{path}: {result.stderr}"]
    if faults:
        sys.exit("\n".join(faults + [f"{len(faults)} faults in the steps of the tutorials"]))
    print(f"{len(files)} steps of tutorials compile")


def main():
    wanted = set(sys.argv[1:])
    if not wanted or "Tutorials" in wanted:
        check_tutorials()
        if wanted == {"Tutorials"}:
            return
    known = contexts()
    start = next(text for path, name in pages() if name == "GettingStarted.md" for text in [open(path, encoding="utf-8").read()])
    standard = sorted(set(IMPORT.findall("\n".join(BLOCK.findall(start)))))
    if not standard:
        sys.exit("GettingStarted.md shows no import")
    files = {}
    modules = {}
    with tempfile.TemporaryDirectory() as folder:
        count = 0
        for path, name in pages():
            if wanted and name not in wanted:
                continue
            text = open(path, encoding="utf-8").read()
            context = known.get(name, Context())
            code = [file for folder_of_code in context.code for file in sorted(glob.glob(folder_of_code + "/**/*.swift", recursive=True))]
            blocks = [(match.group(1), text[:match.start()].count("\n") + 2) for match in BLOCK.finditer(text)]
            own = re.match(r"Sources/(\w+)/", path)
            imports = standard + ([f"import {own.group(1)}"] if own else []) + ["import " + module for module in context.imports]
            # Imports of an earlier block hold for the page.
            for block, _ in blocks:
                if not any(text in block for text in context.skipped):
                    imports = imports + IMPORT.findall(block)
            for block, line in blocks:
                if any(text in block for text in context.skipped) or not IMPORT.sub("", block).strip():
                    continue
                for isolation in ["actor", "none"]:
                    isActors = DECLARATION.match(IMPORT.sub("", block).strip("\n")) or any(text in block for text in context.actors)
                    if isolation == "none" and isActors:
                        continue
                    count += 1
                    file = os.path.join(folder, f"{os.path.splitext(name)[0]}_{line}_{isolation}.swift")
                    with open(file, "w", encoding="utf-8") as output:
                        output.write(source(count, block, imports, context, isolation))
                    files[file] = f"{path}:{line}"
                    module = modules.setdefault(frozenset(imports + IMPORT.findall(block)), set())
                    module.add(file)
                    module.update(code)

        def compiled(numbered):
            # Sending is checked after types are, while SIL is made.
            number, module = numbered
            return subprocess.run(
                command + ["-swift-version", "6", "-module-name", f"Snippets{number}", "-parse-as-library", "-Onone", "-wmo", "-emit-sil", "-o",
                           os.path.join(folder, f"output{number}.sil")] + sorted(module) + ["-suppress-warnings", "-diagnostic-style", "llvm"],
                capture_output=True, text=True)

        command = compiler()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(compiled, enumerate(sorted(modules.values(), key=len, reverse=True))))
        faults = []
        for line in (line for result in results for line in result.stderr.split("\n")):
            match = re.match(r"(.*\.swift):\d+:\d+: error: (.*)", line)
            if match:
                isolation = match.group(1).rsplit("_", 1)[1][:-6]
                where = "on the main actor" if isolation == "actor" else "on no actor"
                faults.append(f"{files.get(match.group(1), match.group(1))}: {where}: {match.group(2)}")
        if faults or any(result.returncode != 0 for result in results):
            print("\n".join(faults) or "".join(result.stderr for result in results), file=sys.stderr)
            sys.exit(f"{len(faults)} faults in the Swift blocks of the pages")
        print(f"{count} files with the Swift blocks of the pages compile, in {len(modules)} modules by what they import")


main()
