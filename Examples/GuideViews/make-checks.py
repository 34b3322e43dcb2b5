#!/usr/bin/env python3
"""make-checks.py FOLDER…: writes Swift code that creates and rewrites an object of every view in the given folders, to standard output.

Reads the generated code, whose lines have one form. FOLDER is `Generated/Profiles`; further folders have the enums of choice elements.
"""

import pathlib
import re
import sys

STRUCT = re.compile(r"^( *)public struct (\w+): (Resource)?ProfileView \{")
ENUM = re.compile(r"^( *)public enum (\w+): (?:Equatable|FHIRChoice)")
CASE = re.compile(r"^ *case (`?\w+`?)\((.+)\)")
INIT = re.compile(r"^ *public init\((.*)\) \{")
PROPERTY = re.compile(r"^ *public var (`?\w+`?): (.+?) \{ get (throws )?\{")
SETTABLE = " nonmutating set "
DOC = re.compile(r"^ */// `([^`]+)`(?: (\d+\.\.[\d*]+)|, a view of)")
TITLE = re.compile(r"^/// .*, a view of `(\w+)`: <(.*)>")


class View:
    def __init__(self, name, is_resource, element, url, object_class):
        self.name, self.is_resource, self.element, self.url, self.object_class = name, is_resource, element, url, object_class
        self.parameters, self.properties = [], []


def split(text):
    """The parameters of an initializer: names and types."""
    parts = [part.split(": ", 1) for part in text.split(", ")] if text else []
    return [(name.strip("`"), kind) for name, kind in parts]


def read(folders):
    views, enums = [], {}
    for path in sorted(path for folder in folders for path in pathlib.Path(folder).rglob("*.swift")):
        stack, doc, url = [], None, ""
        current = None
        for line in path.read_text(encoding="utf-8").split("\n"):
            if match := TITLE.match(line):
                doc, url = (match.group(1), None), match.group(2)
            elif match := DOC.match(line):
                doc = (match.group(1), match.group(2))
            elif match := STRUCT.match(line):
                depth = len(match.group(1)) // 4
                stack = stack[:depth]
                name = ".".join([view.name for view in stack[-1:]] + [match.group(2)])
                element = doc[0] if doc else ""
                current = View(name, bool(match.group(3)), element, url, "")
                stack.append(current)
                views.append(current)
            elif match := ENUM.match(line):
                depth = len(match.group(1)) // 4
                owner = stack[depth - 1].name + "." if depth and len(stack) >= depth else ""
                cases = enums.setdefault(owner + match.group(2), [])
                enum = cases
            elif (match := CASE.match(line)) and "let value" not in line:
                enum.append((match.group(1), match.group(2)))
            elif (match := INIT.match(line)) and current and "_ object" not in line:
                depth = (len(line) - len(line.lstrip())) // 4
                stack[depth - 1].parameters = split(match.group(1))
            elif (match := PROPERTY.match(line)) and stack and "get " in line:
                depth = (len(line) - len(line.lstrip())) // 4
                if depth:
                    stack[depth - 1].properties.append((match.group(1), match.group(2), bool(match.group(3)), SETTABLE in line, doc))
    return views, enums


def function(name):
    return "make" + name.replace(".", "_")


def expression(kind, element, views, enums, profile):
    """Code that makes a random value of a type."""
    place = f'"{profile}", "{element}"'
    if kind.startswith("["):
        return f"list({{ maker in maker.{expression(kind[1:-1], element, views, enums, profile)} }})"
    if kind in views:
        return f"{function(kind)}()"
    if kind in enums:
        return f"choice{kind.replace('.', '_')}({place})"
    return f"value({kind}.self, {place})"


def main():
    views, enums = read(sys.argv[1:])
    names = {view.name for view in views}
    used = set()
    for view in views:
        for _, kind in view.parameters + [(name, kind) for name, kind, *_ in view.properties]:
            used.add(kind.strip("[]?"))
    print("// Made by make-checks.py of the generated views.\n")
    print("import FireLiteCore\nimport FireLiteProfiles\nimport FireLiteR4\nimport GuideViews\n")
    print("@MainActor let checks: [GuideCheck] = [")
    for view in views:
        if view.is_resource:
            print(f'    GuideCheck(name: "{view.name}", url: "{view.url}", type: "{view.element}",'
                  f" make: {{ $0.{function(view.name)}().object }},\n"
                  f"        rewrite: {{ object in if let object = object as? {view.element} {{ rewrite{view.name.replace('.', '_')}({view.name}(object)) }} }},\n"
                  f"        issues: {{ object in (object as? {view.element}).map {{ {view.name}($0).issues }} ?? [] }}),")
    print("]\n\nextension Maker {")
    print("    /// A random resource that follows a profile; nil for a profile without a view.")
    print("    mutating func resource(following profile: String) -> FHIRResource? {\n        switch profile {")
    for view in views:
        if view.is_resource:
            print(f'        case "{view.url}": return {function(view.name)}().object')
    print("        default: return nil\n        }\n    }\n")
    for name in sorted(used & enums.keys()):
        cases = enums[name]
        print(f"    mutating func choice{name.replace('.', '_')}(_ profile: String, _ element: String) -> {name} {{")
        print(f"        switch choice({len(cases)}, [{', '.join(chr(34) + kind + chr(34) for _, kind in cases)}], profile, element) {{")
        for index, (case, kind) in enumerate(cases):
            label = "default" if index == len(cases) - 1 else f"case {index}"
            print(f"        {label}: return .{case}(value({kind}.self, profile, element))")
        print("        }\n    }\n")
    for view in views:
        known = {name.strip("`"): doc for name, _, _, _, doc in view.properties}
        values = []
        for name, kind in view.parameters:
            doc = known.get(name)
            element = doc[0] if doc else f"{view.element}.{name}"
            values.append(f"{name}: {expression(kind, element, names, enums, view.url)}")
        print(f"    mutating func {function(view.name)}() -> {view.name} {{")
        print("        depth += 1\n        defer { depth -= 1 }")
        print(f"        let view = {view.name}({', '.join(values)})")
        asked = {name for name, _ in view.parameters}
        for name, kind, is_required, is_settable, doc in view.properties:
            if not is_settable or name.strip("`") in asked:
                continue
            value = expression(kind.rstrip("?"), doc[0], names, enums, view.url)
            # Other items of a list with slices come after those of the slices.
            is_sliced = any(other and other[0].startswith(doc[0] + ":") for *_, other in view.properties)
            print(f'        if wants("{view.url}", "{doc[0]}") {{ view.{name} {"+=" if is_sliced else "="} {value} }}')
        print(f'        complete(view.object, "{view.url}", "{view.element}")\n        return view\n    }}\n')
    print("}\n")
    for view in views:
        print(f"private func rewrite{view.name.replace('.', '_')}(_ view: {view.name}) {{")
        for name, kind, is_required, is_settable, _ in view.properties:
            plain = kind.strip("[]?")
            inner = f"rewrite{plain.replace('.', '_')}"
            if is_required:
                recursion = f" {inner}(value);" if plain in names else ""
                label = "" if name == "value" else name.strip("`") + " "
                label = f"{name.strip('`')}: "
                print(f"    if let value = try? view.{name} {{{recursion} view.set({label}value) }}")
            elif is_settable:
                if plain in names:
                    print(f"    for value in {'view.' + name if kind.startswith('[') else '[view.' + name + '].compactMap({ $0 })'} {{ {inner}(value) }}")
                print(f"    view.{name} = view.{name}")
        print("}\n")


main()
