import FireLiteCore
import FireLiteFHIRPath

/// Rules for extensions: known, at a place for which they are defined, modifiers where they are, and as their definitions say (FHIR, Extensibility).
struct ExtensionRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ object: FHIRObject, _ place: Place) {
        guard let url = object.text("url") else { return }
        // Parts of an extension have names that only its definition knows.
        let isPart =
            place.parent?.object.layout.name == "Extension" && place.element == "extension"
            && !url.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") }
        if isPart { return }
        guard URLRules.isAbsolute(url) else {
            return run.at("url") { run.add(.extensionURL, "the URL of an extension must be absolute") }
        }
        if url.utf8.contains(UInt8(ascii: "|")) {
            return run.at("url") { run.add(.extensionURL, "the URL of an extension must not have a version") }
        }
        let structure: Structure?
        do {
            structure = try run.knowledge.structure(Canonical(url))
        } catch {
            return run.report(error)
        }
        guard let structure else {
            if CrossVersionRules(run).check(object, url) { return }
            checkType(object, url)
            checkPlace(url, place)
            return checkUnknown(url, place)
        }
        guard structure.type == "Extension" else {
            return run.add(.extensionURL, "\(url) is the definition of \(structure.type), not of an extension", profile: structure)
        }
        if structure.isModifier != (place.element == "modifierExtension") {
            run.add(
                .modifierExtension,
                structure.isModifier
                    ? "the extension \(url) is a modifier: it belongs in modifierExtension"
                    : "the extension \(url) is not a modifier: it belongs in extension", profile: structure)
        }
        checkContext(object, structure, place)
        run.validate(object, against: structure)
    }

    // MARK: - Unknown extensions

    /// Whether no package need be added for an extension: those of FHIR itself and its tools, and examples.
    private static func isOpen(_ url: String) -> Bool {
        if url.hasPrefix("http://example.org/") || url.hasPrefix("https://example.org/") { return true }
        let base = "http://hl7.org/fhir/"
        guard url.hasPrefix(base) else { return false }
        // Guides of HL7 are below a country, or `uv`.
        return url.dropFirst(base.count).prefix { $0 != "/" }.count != 2
    }

    /// The type of the value of one of FHIR's own extensions, and its code.
    private func checkType(_ object: FHIRObject, _ url: String) {
        guard let types = CoreExtensions.types(url), let value = object.choice("value") else { return }
        if types.contains(value.type) {
            guard let code = value.text, let codes = CoreExtensions.codes(url, run.release), !codes.contains(code) else { return }
            return run.at(value) { run.add(.code, "the extension \(url) needs a code of its value set, and this is none") }
        }
        let names = types.isEmpty ? "no value but parts" : "a value of the type \(types.sorted().joined(separator: " or "))"
        run.at(value) { run.add(.type, "the extension \(url) has \(names), and this is of the type \(value.type)") }
    }

    /// The place of one of FHIR's own extensions.
    private func checkPlace(_ url: String, _ place: Place) {
        guard ["R4", "R4B"].contains(run.release.name), let home = CoreExtensions.home(url), let parent = place.parent,
            !parent.names.contains(where: { $0 == home || $0.hasPrefix(home + ".") })
        else { return }
        run.add(.extensionContext, "the extension \(url) is not allowed here: it belongs to \(home)")
    }

    private func checkUnknown(_ url: String, _ place: Place) {
        if Self.isOpen(url) || run.knowledge.isOfMissingDependency(url) {
            let severity: ValidationIssue.Severity = place.element == "modifierExtension" ? .warning : .information
            return run.add(.unknownExtension, "the extension \(url) is not known here: add the package that defines it", severity)
        }
        run.add(.unknownExtension, "the extension \(url) is not known: add the package that defines it")
    }

    // MARK: - Context

    private func checkContext(_ object: FHIRObject, _ structure: Structure, _ place: Place) {
        guard !structure.contexts.isEmpty, let parent = place.parent else { return }
        let names = parent.names
        let answers = structure.contexts.map { context in
            run.collectingDoubts {
                switch context.type {
                case "extension": isPart(of: context.expression, parent)
                case "fhirpath": isSelected(by: context.expression, parent)
                default: isElement(context.expression, names, parent)
                }
            }
        }
        if answers.contains(where: { $0.value && $0.doubts.isEmpty }) {
            // One context is enough.
        } else if let doubtful = answers.first(where: \.value) {
            addUndecided("whether the extension \(structure.url) is allowed here could not be decided", structure, doubtful.doubts)
        } else {
            let list = structure.contexts.map(\.expression).joined(separator: ", ")
            run.add(.extensionContext, "the extension \(structure.url) is not allowed here: it belongs to \(list)", profile: structure)
        }
        for expression in structure.contextInvariants {
            do {
                let path = try FHIRPath(expression, options: .definitions)
                if try path.bool(on: parent.object, context: run.context(parent.object.containerResource)) == false {
                    run.add(.extensionContext, "the place of the extension breaks the rule \(expression)", profile: structure)
                }
            } catch {
                addUndecided("the rule \(expression) about the place of the extension could not be evaluated: \(error)", structure, [.rule])
            }
        }
    }

    private func addUndecided(_ message: String, _ structure: Structure, _ doubts: Set<ValidationIssue.Undecided>) {
        run.add(.undecidedConstraint, message, .warning, profile: structure, undecided: .gravest(of: doubts))
    }

    private func isPart(of expression: String, _ parent: Place) -> Bool {
        guard parent.object.layout.name == "Extension", let url = parent.object.text("url") else { return false }
        if url == expression { return true }
        // `url#part`, or a part of the extension named before the full stop.
        guard let hash = expression.firstIndex(of: "#") else { return false }
        return String(expression[expression.index(after: hash)...]) == url
    }

    private func isElement(_ expression: String, _ names: [String], _ parent: Place) -> Bool {
        if ["*", "Element", "Base"].contains(expression) { return true }
        if expression == "Resource" || expression == "DomainResource" { return names.contains(expression) }
        if expression.contains("://") {
            // An element of a profile, or an extension.
            if let hash = expression.firstIndex(of: "#") { return names.contains(String(expression[expression.index(after: hash)...])) }
            return isPart(of: expression, parent) || run.conforms(parent.object, to: expression) == true
        }
        let plain = expression.split(separator: ".").map { $0.prefix { $0 != ":" } }.joined(separator: ".")
        return names.contains(plain) || plain == "CanonicalResource" && parent.object.layout.element(named: "url") != nil
            || plain == "MetadataResource" && parent.object.layout.element(named: "url") != nil
    }

    /// Whether an expression over the resource selects the place; true, and a doubt, if it cannot be evaluated.
    private func isSelected(by expression: String, _ parent: Place) -> Bool {
        var current: Place? = parent
        var isDoubtful = false
        while let place = current {
            do {
                let found = try FHIRPath(expression, options: .definitions).evaluate(on: place.object, context: run.context(nil))
                if found.contains(where: { $0.object === parent.object || $0.bool == true || $0.element === parent.object }) { return true }
            } catch {
                isDoubtful = true
            }
            current = place.parent
        }
        if isDoubtful { run.doubt(.rule) }
        return isDoubtful
    }
}
