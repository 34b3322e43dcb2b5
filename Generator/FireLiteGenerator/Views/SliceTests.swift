/// How the items of a slice are found: its discriminators, as far as the items themselves answer them.
enum SliceTest: Sendable, Equatable {
    case pattern(path: String, json: String)
    case types(path: String, [String])
    case codes(path: String, [[String]])
    case exists(path: String, Bool)
    /// References to resources of these types.
    case targets(path: String, [String])
    /// Resources of these types that pass the tests.
    case resource(path: String, [String], [SliceTest])
    /// Resources that name a profile.
    case profile(String)
    case any([[SliceTest]])
    case none([[SliceTest]])

    /// Why a slice has no tests.
    struct Failure: Error {
        let reason: String
    }

    /// The tests of a slice.
    ///
    /// - Throws: `Failure` if a discriminator cannot be followed.
    static func tests(of slice: ProfileElement, in sliced: ProfileElement) throws(Failure) -> [SliceTest] {
        if ["extension", "modifierExtension"].contains(sliced.name) {
            guard let url = url(of: slice) else { throw Failure(reason: "the profile does not say which URL the extension has") }
            return [.pattern(path: "url", json: "\"\(SwiftLiteral.json(url))\"")]
        }
        guard !sliced.discriminators.isEmpty else { throw Failure(reason: "the profile has no discriminator for it") }
        var tests: [SliceTest] = []
        for discriminator in sliced.discriminators {
            for test in try self.tests(discriminator, slice) where !tests.contains(test) { tests.append(test) }
        }
        return tests
    }

    /// The URL of an extension's slice.
    static func url(of slice: ProfileElement) -> String? {
        if let json = slice.child("url")?.value?.json, json.hasPrefix("\""), json.count > 2 { return String(json.dropFirst().dropLast()) }
        return slice.types.first?.profiles.first.map { String($0.prefix { $0 != "|" }) }
    }

    private static func tests(_ discriminator: ProfileElement.Discriminator, _ slice: ProfileElement) throws(Failure) -> [SliceTest] {
        let path = discriminator.path.split(separator: ".").map(String.init).filter { $0 != "$this" }
        let text = "\(discriminator.type) of \(discriminator.path)"
        if path == ["resolve()"], ["type", "profile"].contains(discriminator.type) {
            let targets = slice.types.filter { $0.code == "Reference" }.flatMap(\.targets)
            guard !targets.isEmpty else { throw Failure(reason: "the packages do not say to which types its references lead") }
            return [.targets(path: "", targets)]
        }
        guard !path.contains(where: { $0.contains("(") }) else {
            throw Failure(reason: "its discriminator, the \(text), is not in the item itself")
        }
        switch discriminator.type {
        case "value", "pattern":
            var open: [String] = []
            if let found = values(at: path[...], slice, before: "", open: &open) { return found }
            if let set = open.first {
                throw Failure(reason: "the codes of \(set) are not in the packages: name the package that has them in `dependencies`")
            }
        case "exists":
            if let element = element(at: path, slice) { return [.exists(path: path.joined(separator: "."), element.maximum != 0)] }
        case "type", "profile":
            let types = (element(at: path, slice)?.types ?? []).map(\.code).filter { $0 != "Resource" && $0 != "DomainResource" }
            if !types.isEmpty { return [.types(path: path.joined(separator: "."), types)] }
        default: break
        }
        throw Failure(reason: "the profile fixes nothing for its discriminator, the \(text)")
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
    ///
    /// - Parameter open: gets the value sets whose codes are not known.
    private static func values(at path: ArraySlice<String>, _ element: ProfileElement, before: String, open: inout [String]) -> [SliceTest]?
    {
        if let value = element.value { return [.pattern(path: before, json: value.json)] }
        if let name = path.first {
            guard let child = element.child(name) else { return nil }
            return values(at: path.dropFirst(), child, before: before.isEmpty ? name : "\(before).\(name)", open: &open)
        }
        if !element.codes.isEmpty { return [.codes(path: before, element.codes.map { [$0.system] + ($0.code.map { [$0] } ?? []) })] }
        if let set = element.valueSet { open.append(set) }
        var found: [SliceTest] = []
        for child in element.children where child.isRequired {
            found += values(at: [], child, before: before.isEmpty ? child.name : "\(before).\(child.name)", open: &open) ?? []
        }
        return found.isEmpty ? nil : found
    }

    /// What a profile says that its resources are about: fixed codes of its required elements, and the codes of their bindings.
    static func subject(of root: ProfileElement) -> [SliceTest] {
        var tests: [SliceTest] = []
        for child in root.children where child.isRequired && child.sliceName == nil {
            guard !child.types.isEmpty, child.types.allSatisfy({ ["CodeableConcept", "Coding"].contains($0.code) }) else { continue }
            var open: [String] = []
            tests += values(at: [], child, before: child.name, open: &open) ?? []
        }
        return tests
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
