import FireLiteCore
import FireLiteSearch

/// The columns of a type's list.
enum Columns {
    /// The number of columns by default, with the id.
    private static let standardCount = 6
    /// The number of columns that a person may choose.
    static let maximum = 24

    /// Those that the type is searched by, the most telling first.
    static func standard(_ layout: Layout, _ parameters: [KnownParameter]) -> [String] {
        let searched = names(layout).filter { parameter($0, parameters) != nil && !minor.contains($0) }
        let first = priority.filter { searched.contains($0) }
        let all = first + searched.filter { !first.contains($0) }
        // A type that is searched by nothing has its first elements.
        let chosen = all.isEmpty ? names(layout).filter { !minor.contains($0) } : all
        return ["id"] + chosen.prefix(standardCount - 1)
    }

    /// The names of a type's elements, a choice once.
    static func names(_ layout: Layout) -> [String] {
        var names: [String] = []
        for element in layout.elements {
            let name = element.choice.map { String($0.name.dropLast(3)) } ?? element.name
            if names.last != name, !hidden.contains(name) { names.append(name) }
        }
        return names
    }

    /// Whether a path leads to elements.
    static func exists(_ path: String, _ layout: Layout) -> Bool {
        var layouts = [layout]
        let steps = path.split(separator: ".", omittingEmptySubsequences: false)
        guard steps.count <= 6 else { return false }
        for (place, step) in steps.enumerated() {
            let elements = layouts.flatMap { ElementValues.elements(named: String(step), of: $0) }
            guard !elements.isEmpty else { return false }
            layouts = elements.compactMap(\.layout)
            if layouts.isEmpty { return place == steps.count - 1 }
        }
        return true
    }

    /// The search parameter that asks for an element, by its name; nil if none does.
    static func parameter(_ element: String, _ parameters: [KnownParameter]) -> KnownParameter? {
        let name = element.lowercased()
        let known = [name, name + "date", name == "value" ? "valuequantity" : name, name == "subject" ? "patient" : name]
        for candidate in known {
            if let found = parameters.first(where: { $0.code.replacingBytes("-", with: "").lowercased() == candidate }) { return found }
        }
        return dated.contains(element) ? parameters.first { $0.code == "date" && $0.kind == "date" } : nil
    }

    private static let hidden: Set<String> = ["text", "contained", "extension", "modifierExtension", "implicitRules"]
    private static let minor: Set<String> = ["id", "meta", "identifier", "language", "partOf", "basedOn", "link", "telecom", "address"]
    /// Elements with the dates that the parameter `date` asks for.
    private static let dated: Set<String> = ["effective", "performed", "occurrence", "period", "date", "created"]
    private static let priority = [
        "name", "title", "code", "vaccineCode", "medication", "type", "value", "class", "birthDate", "gender", "effective", "period",
        "performed", "occurrence", "onset", "authoredOn", "date", "created", "subject", "patient", "beneficiary", "clinicalStatus",
        "status",
        "category", "active",
    ]
}
