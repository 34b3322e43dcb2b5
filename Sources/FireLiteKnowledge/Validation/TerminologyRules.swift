import FireLiteCore
import FireLiteFHIRPath

/// Rules for CodeSystems beside their constraints (FHIR, CodeSystem).
struct CodeSystemRules {
    private let run: ValidationRun
    private static let standard = "http://hl7.org/fhir/concept-properties#"
    /// The types of the properties that FHIR defines.
    private static let types = [
        "inactive": "boolean", "deprecated": "dateTime", "deprecationDate": "dateTime", "retirementDate": "dateTime", "parent": "code",
        "child": "code", "notSelectable": "boolean", "status": "code", "partOf": "code", "synonym": "code", "comment": "string",
        "itemWeight": "decimal",
    ]

    init(_ run: ValidationRun) { self.run = run }

    func check(_ system: FHIRResource) {
        checkContent(system)
        let declared = checkProperties(system)
        let codes = Set(Self.concepts(of: system).compactMap { $0.text("code") })
        checkConcepts(of: system, declared, codes, depth: 0)
    }

    private static func concepts(of object: FHIRObject) -> [FHIRObject] {
        object.children("concept").flatMap { [$0] + concepts(of: $0) }
    }

    private func checkContent(_ system: FHIRResource) {
        let content = system.text("content")
        let number = Self.concepts(of: system).count
        if let count = system.integer("count") {
            if content == "complete", count != number {
                run.at("count") { run.add(.codeSystem, "a complete code system has as many concepts as it states") }
            } else if content != "supplement", content != "complete", number > count {
                run.at("count") { run.add(.codeSystem, "there are more concepts than it states") }
            }
        }
        if content == "supplement", system.text("supplements") == nil {
            run.add(.codeSystem, "a supplement names the code system that it adds to")
        } else if content != "supplement", system.text("supplements") != nil {
            run.at("supplements") { run.add(.codeSystem, "only a supplement adds to another code system") }
        }
        if content == "not-present", number > 0 {
            run.at("content") { run.add(.codeSystem, "concepts are present, although the content says they are not") }
        }
    }

    /// The types of the properties by their codes.
    private func checkProperties(_ system: FHIRResource) -> [String: String] {
        var declared: [String: String] = [:]
        var uris: Set<String> = []
        run.forEach("property", of: system) { property, _ in
            let (code, uri, type) = (property.text("code") ?? "", property.text("uri"), property.text("type") ?? "")
            if declared[code] != nil { run.add(.codeSystem, "another property has the same code") }
            declared[code] = declared[code] ?? type
            guard let uri else { return }
            if !uris.insert(uri).inserted { run.add(.codeSystem, "another property has the same URI") }
            guard uri.hasPrefix(Self.standard) else { return }
            let name = String(uri.dropFirst(Self.standard.count))
            guard let expected = Self.types[name] else {
                return run.add(.codeSystem, "FHIR has no concept property of this URI", .warning)
            }
            if type != expected { run.add(.codeSystem, "the property of this URI has the type \(expected)") }
            if code != name { run.add(.codeSystem, "the property of this URI usually has the code \(name)", .warning) }
        }
        return declared
    }

    private func checkConcepts(of object: FHIRObject, _ declared: [String: String], _ codes: Set<String>, depth: Int) {
        guard depth < 100 else { return }
        run.forEach("concept", of: object) { concept, _ in
            guard run.mayContinue() else { return }
            run.forEach("property", of: concept) { property, _ in
                guard let code = property.text("code"), let value = property.choice("value") else { return }
                guard let type = declared[code] else {
                    // The properties that FHIR defines need no declaration.
                    let severity: ValidationIssue.Severity = Self.types[code] == nil ? .warning : .information
                    return run.at("code") { run.add(.codeSystem, "the code system does not declare this property", severity) }
                }
                if value.type != type { return run.at(value) { run.add(.codeSystem, "the property is declared with the type \(type)") } }
                if type == "code", code == "parent" || code == "child", let text = value.text, !codes.contains(text) {
                    run.at(value) { run.add(.codeSystem, "there is no concept with this code") }
                }
            }
            checkConcepts(of: concept, declared, codes, depth: depth + 1)
        }
    }
}

/// Rules for ValueSets beside their constraints (FHIR, ValueSet).
struct ValueSetRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ set: FHIRResource) {
        guard let compose = set.child("compose") else { return }
        let parameters = set.children("extension").filter { $0.text("url")?.hasSuffix("/valueset-parameter") ?? false }
            .compactMap { $0.extensionValue("name")?.text }
        run.at("compose") {
            for name in ["include", "exclude"] {
                run.forEach(name, of: compose) { part, _ in check(part, parameters) }
            }
        }
    }

    private func check(_ part: FHIRObject, _ parameters: [String]) {
        let system = part.text("system")
        if let system {
            if !URLRules.isAbsolute(system) { run.at("system") { run.add(.valueSet, "the system must be absolute") } }
            if system.contains("|") { run.at("system") { run.add(.valueSet, "the version belongs into the element version") } }
            if system.hasPrefix("http://hl7.org/fhir/ValueSet/") || run.knowledge.definition(Canonical(system), type: "ValueSet") != nil {
                run.at("system") { run.add(.valueSet, "names a value set, where a code system is needed: use the element valueSet") }
            }
        }
        var seen: Set<String> = []
        run.forEach("concept", of: part) { concept, _ in
            guard let code = concept.text("code") else { return }
            if !seen.insert(code).inserted { run.add(.valueSet, "the code is listed twice", .warning) }
            if let system, run.codes.existence(of: CodeQuestion(system: system, code: code)) == .notMember {
                run.at("code") { run.add(.code, "the code system \(system) has no such code") }
            }
        }
        run.forEach("filter", of: part) { filter, _ in check(filter, system, parameters) }
    }

    private static let truths: Set<String> = ["notSelectable", "inactive", "abstract"]

    private func check(_ filter: FHIRObject, _ system: String?, _ parameters: [String]) {
        checkExpression(filter, parameters)
        guard let property = filter.text("property"), let operation = filter.text("op"), let value = filter.text("value") else { return }
        if operation == "exists" || Self.truths.contains(property) && operation == "=" {
            if value != "true", value != "false" { run.at("value") { run.add(.valueSet, "the value must be true or false") } }
            return
        }
        if operation == "regex" {
            var context = FHIRPathContext()
            context.variables["pattern"] = [FHIRPathValue(value)]
            if (try? FHIRPath("''.matches(%pattern)", options: .definitions).evaluate(context: context)) == nil {
                run.at("value") { run.add(.valueSet, "the value is no regular expression") }
            }
            return
        }
        let namesCode = ["concept", "code", "parent", "child"].contains(property)
        guard namesCode, let system, ["is-a", "descendent-of", "is-not-a", "generalizes", "="].contains(operation) else { return }
        if run.codes.existence(of: CodeQuestion(system: system, code: value)) == .notMember {
            run.at("value") { run.add(.valueSet, "the code system \(system) has no such code") }
        }
    }

    /// A filter whose value is an expression over the parameters of the value set.
    private func checkExpression(_ filter: FHIRObject, _ parameters: [String]) {
        guard case .annotated(let value)? = filter.layout.element(named: "value").flatMap({ filter.value($0.slot) }),
            let expression = value.element.extensionValue(Knowledge.base + "cqf-expression")?.object
        else { return }
        run.at("value") {
            if let language = expression.text("language"), language != "text/fhirpath" {
                return run.add(.valueSet, "the language of the expression must be text/fhirpath")
            }
            guard let text = expression.text("expression") else { return }
            guard (try? FHIRPath(text)) != nil else { return run.add(.valueSet, "the expression is not FHIRPath") }
            for name in Self.variables(text) where !parameters.contains(name) {
                run.add(.valueSet, "the expression uses a parameter that the value set does not have")
            }
        }
    }

    private static func variables(_ text: String) -> [String] {
        text.split(separator: "%").dropFirst(text.hasPrefix("%") ? 0 : 1).map { part in
            String(part.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
        }
    }
}

/// Rules for ConceptMaps: codes that their systems and value sets have (FHIR, ConceptMap).
struct ConceptMapRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ map: FHIRResource) {
        let sourceSet = map.choice("source")?.text ?? map.choice("sourceScope")?.text
        let targetSet = map.choice("target")?.text ?? map.choice("targetScope")?.text
        run.forEach("group", of: map) { group, _ in
            let (source, target) = (group.text("source"), group.text("target"))
            run.forEach("element", of: group) { element, _ in
                guard run.mayContinue() else { return }
                check(element, system: source, set: sourceSet, severity: .error)
                run.forEach("target", of: element) { code, _ in check(code, system: target, set: targetSet, severity: .warning) }
            }
        }
    }

    private func check(_ object: FHIRObject, system: String?, set: String?, severity: ValidationIssue.Severity) {
        guard let code = object.text("code"), let system else { return }
        let question = CodeQuestion(system: Canonical(system).url, code: code)
        run.at("code") {
            if run.codes.existence(of: question) == .notMember {
                run.add(.conceptMap, "the code system \(system) has no such code")
            } else if let set, run.knowledge.definition(Canonical(set), type: "ValueSet") != nil,
                run.codes.membership(of: question, in: Canonical(set)) == .notMember
            {
                run.add(.conceptMap, "the value set \(set) has no such code", severity)
            }
        }
    }
}
