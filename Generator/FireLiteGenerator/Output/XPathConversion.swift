/// Converts the XPath of a search parameter, which is all that DSTU2 has, to FHIRPath.
enum XPathConversion {
    /// The same selection in FHIRPath; nil for one in another form than those of FHIR's definitions.
    static func expression(_ xpath: String) -> String? {
        var seen: Set<String> = []
        let parts = xpath.split(separator: "|").map { part(String($0.filter { $0 != " " })) }
        guard !parts.contains(nil) else { return nil }
        return parts.compactMap { $0 }.filter { seen.insert($0).inserted }.joined(separator: " | ")
    }

    /// `f:Patient/f:telecom[system/@value='email']`
    private static func part(_ xpath: String) -> String? {
        var steps: [String] = []
        for step in split(xpath) {
            guard step.hasPrefix("f:") else { return nil }
            var name = step.dropFirst(2)
            var rest = Substring()
            if let bracket = name.firstIndex(of: "[") { (name, rest) = (name[..<bracket], name[bracket...]) }
            // `f:*/f:id` is on every resource.
            if name == "*" { name = "Resource" }
            guard name.allSatisfy({ $0.isLetter || $0.isNumber }), let filter = filter(rest) else { return nil }
            steps.append(name + filter)
        }
        // DSTU2 means the resource of the first entry.
        return steps.isEmpty ? nil : steps.joined(separator: ".").replacing(".entry.resource[0]", with: ".entry[0].resource")
    }

    /// The steps between slashes that are not in brackets.
    private static func split(_ xpath: String) -> [String] {
        var steps = [""]
        var depth = 0
        for character in xpath {
            if character == "[" { depth += 1 }
            if character == "]" { depth -= 1 }
            if character == "/", depth == 0 { steps.append("") } else { steps[steps.count - 1].append(character) }
        }
        return steps
    }

    /// `[0]`, `[@url='…']` and `[system/@value='…']`
    private static func filter(_ text: Substring) -> String? {
        if text.isEmpty || text == "[0]" { return String(text) }
        let inner = text.dropFirst().dropLast()
        guard let equals = inner.firstIndex(of: "=") else { return nil }
        let value = inner[inner.index(after: equals)...]
        guard value.first == "'", value.last == "'" else { return nil }
        switch inner[..<equals] {
        case "@url": return ".where(url=\(value)).value"
        case "system/@value": return ".where(system=\(value))"
        default: return nil
        }
    }
}
