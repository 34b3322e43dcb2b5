/// How the items of a slice are found: its discriminators, as far as a program can follow them without other resources.
enum SliceTest: Sendable, Equatable {
    case pattern(path: String, json: String)
    case types(path: String, [String])
    case codes(path: String, [[String]])
    case exists(path: String, Bool)

    /// The tests of a slice; nil if a discriminator cannot be followed.
    static func tests(of slice: ProfileElement, in sliced: ProfileElement, extensions: [String: ProfileDefinition]) -> [SliceTest]? {
        if ["extension", "modifierExtension"].contains(sliced.name) {
            return url(of: slice).map { [.pattern(path: "url", json: "\"\(SwiftLiteral.json($0))\"")] }
        }
        guard !sliced.discriminators.isEmpty else { return nil }
        var tests: [SliceTest] = []
        for discriminator in sliced.discriminators {
            guard let found = self.tests(discriminator, slice) else { return nil }
            for test in found where !tests.contains(test) { tests.append(test) }
        }
        return tests.isEmpty ? nil : tests
    }

    /// The URL of an extension's slice.
    static func url(of slice: ProfileElement) -> String? {
        if let json = slice.child("url")?.value?.json, json.hasPrefix("\""), json.count > 2 { return String(json.dropFirst().dropLast()) }
        return slice.types.first?.profiles.first.map { String($0.prefix { $0 != "|" }) }
    }

    private static func tests(_ discriminator: ProfileElement.Discriminator, _ slice: ProfileElement) -> [SliceTest]? {
        let path = discriminator.path.split(separator: ".").map(String.init).filter { $0 != "$this" }
        guard !path.contains(where: { $0.contains("(") }) else { return nil }
        switch discriminator.type {
        case "value", "pattern": return values(at: path[...], slice, before: "")
        case "exists":
            guard let element = element(at: path, slice) else { return nil }
            return [.exists(path: path.joined(separator: "."), element.maximum != 0)]
        case "type", "profile":
            guard let element = element(at: path, slice) else { return nil }
            let types = element.types.map(\.code).filter { $0 != "Resource" && $0 != "DomainResource" }
            return types.isEmpty ? nil : [.types(path: path.joined(separator: "."), types)]
        default: return nil
        }
    }

    private static func element(at path: [String], _ slice: ProfileElement) -> ProfileElement? {
        var current = slice
        for name in path {
            guard let next = current.child(name) else { return nil }
            current = next
        }
        return current
    }

    /// The values that a slice fixes at a path, or around or below it.
    private static func values(at path: ArraySlice<String>, _ element: ProfileElement, before: String) -> [SliceTest]? {
        if let value = element.value { return [.pattern(path: before, json: value.json)] }
        if let name = path.first {
            guard let child = element.child(name) else { return nil }
            return values(at: path.dropFirst(), child, before: before.isEmpty ? name : "\(before).\(name)")
        }
        if !element.codes.isEmpty { return [.codes(path: before, element.codes.map { [$0.system, $0.code] })] }
        let required = element.children.filter(\.isRequired)
        let found = required.compactMap { child in values(at: [], child, before: before.isEmpty ? child.name : "\(before).\(child.name)") }
        return found.isEmpty ? nil : found.flatMap { $0 }
    }
}

extension SwiftLiteral {
    /// The content of a JSON string, without the quotes.
    static func json(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
