#!/usr/bin/env python3
"""Compiles the code for Apple's interfaces where they are not: against stand-ins with Apple's signatures.

usage: Scripts/check-apple.py          `make check-snippets` builds the modules first

The stand-ins in Tests/FireLiteTests/Fixtures declare what this library uses of SwiftUI, UIKit, AppKit, Charts and UndoManager, with Apple's isolation and
sendability and without content. FireLiteUI is compiled with them as a whole, once as for UIKit and once as for AppKit, and then the views of the examples,
of the pages and of the tutorials with that module: names, types, isolation and sending between threads are checked as in any build. What Apple's
declarations say beyond the stand-ins, and whatever happens when the code runs, is not. On Apple's systems the package itself compiles these files.
"""

import glob
import os
import platform
import re
import subprocess
import sys
import tempfile

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.chdir(root)

STAND_INS = "Tests/FireLiteTests/Fixtures"
UI = "Sources/FireLiteUI"


class Compiler:
    def __init__(self, folder):
        self.folder = folder
        built = subprocess.run(["swift", "build", "--show-bin-path"], check=True, capture_output=True, text=True).stdout.strip()
        self.flags = ["-I", os.path.join(built, "Modules")]
        for path in glob.glob("Sources/*/module.modulemap"):
            self.flags += ["-I", os.path.dirname(path)]
        # A folder that ends in -tool has the same module, built for a plugin.
        for path in sorted(glob.glob(os.path.join(built, "CFireLite*.build/module.modulemap"))):
            if "-tool.build" not in path:
                self.flags += ["-Xcc", "-fmodule-map-file=" + path]
        # What the package's modules share is visible to modules of the package of this name.
        with open(os.path.join(built, os.pardir, os.pardir, "debug.yaml"), encoding="utf-8") as file:
            found = re.search(r'"-package-name","([^"]+)"', file.read())
        self.package = ["-package-name", found.group(1)] if found else []
        self.faults = []

    def stand_in(self, name, *uses):
        """Makes a module of a stand-in, in a folder of its own: `canImport` must see only those that are meant."""
        os.mkdir(os.path.join(self.folder, name))
        output = os.path.join(self.folder, name, name + ".swiftmodule")
        sources = glob.glob(f"{STAND_INS}/{name}/*.swift")
        self.run(name, ["-emit-module", "-module-name", name, "-o", output] + self.folders(uses) + sources, [])

    def folders(self, names):
        return [word for name in names for word in ["-I", os.path.join(self.folder, name)]]

    def module(self, name, sources, uses, extra=(), title=None, emits=True):
        """Compiles a module as far as SIL, where sending is checked, and keeps it for those that import it."""
        # Not /dev/null: the compiler deletes the output of what failed, and root may delete that too.
        output = os.path.join(self.folder, "output.sil")
        words = ["-module-name", name, "-parse-as-library", "-Onone", "-wmo", "-emit-sil", "-o", output] + self.folders(uses) + list(extra)
        if emits:
            os.makedirs(os.path.join(self.folder, name), exist_ok=True)
            words += ["-emit-module", "-emit-module-path", os.path.join(self.folder, name, name + ".swiftmodule")]
        self.run(title or name, words + sorted(sources), self.flags)

    def run(self, title, words, flags):
        command = ["swiftc", "-swift-version", "6", "-enable-upcoming-feature", "ExistentialAny", "-warnings-as-errors", "-diagnostic-style", "llvm"]
        result = subprocess.run(command + words + flags, capture_output=True, text=True)
        if result.returncode != 0:
            lines = [line for line in result.stderr.split("\n") if ": error: " in line] or [result.stderr.strip()]
            self.faults += [f"{title}: {line}" for line in dict.fromkeys(lines)]


def main():
    if platform.system() == "Darwin":
        print("Apple's own modules are here: the package and the examples compile this code")
        return
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(folder)
        for name in ["SwiftUI", "UIKit", "AppKit", "ObjectiveC"]:
            compiler.stand_in(name)
        compiler.stand_in("Charts", "SwiftUI")
        # UndoManager is one of Foundation's classes, so files that use it import only that.
        undo = ["-Xfrontend", "-import-module", "-Xfrontend", "ObjectiveC"]
        apple = compiler.package + undo
        sources = glob.glob(UI + "/*.swift")
        compiler.module("FireLiteUI", sources, ["SwiftUI", "AppKit", "ObjectiveC"], apple, "FireLiteUI with AppKit", emits=False)
        compiler.module("FireLiteUI", sources, ["SwiftUI", "UIKit", "ObjectiveC"], apple, "FireLiteUI with UIKit")
        views = ["FireLiteUI", "SwiftUI", "UIKit", "ObjectiveC"]
        examples = "Examples/MedicationDiary/Sources"
        compiler.module("DiaryModel", glob.glob(examples + "/DiaryModel/*.swift"), [])
        compiler.module("DiaryViews", glob.glob(examples + "/DiaryViews/*.swift"), ["DiaryModel", "Charts"] + views)
        compiler.module("PatientForm", glob.glob("Examples/PatientForm/Sources/PatientForm/*.swift"), views)
        for path in [
            "Tests/FireLiteTests/Examples/SwiftUIExamples.swift", "Tests/FireLiteUITests/Examples/ViewExamples.swift",
            "Tests/FireLiteUITests/Examples/UIKitExamples.swift",
        ]:
            compiler.module("PageViews", [path], views, undo, title=path)
        for path in sorted(glob.glob("Sources/*/*.docc/Tutorials/Code/*.swift")):
            if "import SwiftUI" in open(path, encoding="utf-8").read():
                compiler.module("Step", [path], views, title=path)
        if compiler.faults:
            sys.exit("\n".join(compiler.faults + [f"{len(compiler.faults)} faults in the code for Apple's systems"]))
    print("the code for SwiftUI, UIKit and AppKit compiles with stand-ins")


main()
