import FireLiteCore
import Foundation

extension SampleMapping {
    private static let members: Set<String> = ["code", "valueQuantity", "category", "profile", "values"]

    /// The mapping with your own merged into it, member by member: each member of a type replaces the existing one, and the others stay.
    ///
    /// ```json
    /// {"HKQuantityTypeIdentifierHeartRate": {"code": {"coding": [{"system": "http://loinc.org", "code": "8867-4"}]},
    ///   "valueQuantity": {"unit": "bpm", "system": "http://unitsofmeasure.org", "code": "/min"}, "category": ["vital-signs"]}}
    /// ```
    /// A quantity type may be named without its prefix: `HeartRate`. `profile` is a list of addresses, `values` an object from a category's
    /// value to a concept like `code`.
    /// - Parameter json: UTF-8.
    /// - Throws: ``SampleError/Code/invalidMapping`` with line and path; ``SampleError/Code/damaged`` with the line if it is not JSON.
    public func merging(json: Data) throws -> SampleMapping {
        let document = try JSONItem.read(json)
        guard document.isObject else { throw Self.invalid("a mapping is an object from types to codes", document, "") }
        var mapping = self
        for (name, value) in document.pairs {
            let type = SampleType(rawValue: name).kind == .other ? SampleType.quantity(name) : SampleType(rawValue: name)
            guard value.isObject else { throw Self.invalid("an object is expected", value, name) }
            var entry = mapping.entries[type] ?? Entry()
            for (member, content) in value.pairs {
                let path = "\(name).\(member)"
                switch member {
                case "code": entry.codes = try Self.codings(content, path)
                case "valueQuantity": entry.unit = try Self.unit(content, path, over: entry.unit)
                case "category": entry.categories = try Self.texts(content, path)
                case "profile": entry.profiles = try Self.texts(content, path)
                case "values":
                    guard content.isObject else { throw Self.invalid("an object from values to concepts is expected", content, path) }
                    for (key, concept) in content.pairs { entry.values[key] = try Self.codings(concept, "\(path).\(key)") }
                default: throw Self.invalid("only \(Self.members.sorted().joined(separator: ", ")) are expected", content, path)
                }
            }
            mapping.entries[type] = entry
        }
        return mapping
    }

    private static func invalid(_ message: String, _ value: JSONItem, _ path: String) -> SampleError {
        SampleError(.invalidMapping, message, line: value.line, path: path.isEmpty ? nil : path)
    }

    private static func text(_ object: JSONItem, _ name: String, _ path: String) throws -> String {
        guard let value = object[name] else { throw invalid("\(name) is missing", object, path) }
        guard let text = value.text, !text.isEmpty else { throw invalid("a text is expected", value, "\(path).\(name)") }
        return text
    }

    private static func texts(_ list: JSONItem, _ path: String) throws -> [String] {
        guard list.isArray else { throw invalid("a list of texts is expected", list, path) }
        return try list.items.enumerated().map { index, element in
            guard let text = element.text, !text.isEmpty else { throw invalid("a text is expected", element, "\(path)[\(index)]") }
            return text
        }
    }

    private static func codings(_ concept: JSONItem, _ path: String) throws -> [SampleCoding] {
        guard let list = concept["coding"], list.isArray else { throw invalid("a concept with a list 'coding' is expected", concept, path) }
        return try list.items.enumerated().map { index, element in
            let place = "\(path).coding[\(index)]"
            guard element.isObject else { throw invalid("an object is expected", element, place) }
            for (name, value) in element.pairs where !["system", "code", "display"].contains(name) {
                throw invalid("only system, code and display are expected", value, "\(place).\(name)")
            }
            return SampleCoding(
                system: try text(element, "system", place), code: try text(element, "code", place),
                display: element["display"] == nil ? nil : try text(element, "display", place))
        }
    }

    /// A unit, whose missing members stay as they were.
    private static func unit(_ object: JSONItem, _ path: String, over old: Unit?) throws -> Unit {
        guard object.isObject else { throw invalid("an object with unit, system and code is expected", object, path) }
        var unit = old ?? Unit("", code: "")
        for (name, value) in object.pairs {
            let content = try text(object, name, path)
            switch name {
            case "unit": unit.unit = content
            case "system": unit.system = content
            case "code": unit.code = content
            default: throw invalid("only unit, system and code are expected", value, "\(path).\(name)")
            }
        }
        if unit.code.isEmpty { throw invalid("code is missing", object, path) }
        if unit.unit.isEmpty { unit.unit = unit.code }
        return unit
    }
}
