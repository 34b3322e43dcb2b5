import FireLite
import Foundation
import TestSupport

/// Writes resources as apps on FireKit do: an independent description of what `migrate` reads, driven by the classes' layouts.
struct RealmWriter {
    /// How far the text is from FHIR's JSON.
    enum Style: CaseIterable {
        /// What FireKit's encoder writes: every list, filled or empty.
        case encoder
        /// What a walk through Realm's objects writes: keys, nulls, wrappers, names of Swift.
        case dump
    }

    private static let reserved = ["for", "class", "import", "protocol", "extension", "operator", "repeat", "description", "hash"]

    let style: Style
    let release: FHIRRelease
    var generator: SeededGenerator

    /// A resource's text.
    ///
    /// - Parameter namesType: whether it has a `resourceType`.
    mutating func resource(_ tree: JSONTree, key: String, namesType: Bool = true) throws -> String {
        var written = try object(tree, try layout(of: tree), key: key)
        if case .object(var members) = written {
            if !namesType { members["resourceType"] = style == .dump && generator.percent(50) ? .null : nil }
            written = .object(members)
        }
        return Self.text(written)
    }

    private func layout(of tree: JSONTree) throws -> Layout? {
        guard case .string(let name) = tree["resourceType"] else { return nil }
        return release.resourceType(named: name)?._layout
    }

    private mutating func newKey() -> String { "00000000-0000-4000-8000-\(String(generator.int(100_000_000_000...999_999_999_999)))" }

    private mutating func object(_ tree: JSONTree, _ layout: Layout?, key: String? = nil) throws -> JSONTree {
        guard case .object(let members) = tree, let layout else { return tree }
        var written: [String: JSONTree] = [:]
        for (name, value) in members {
            guard let element = layout.element(named: name) else {
                written[name] = value
                continue
            }
            let isPlain = members["_\(name)"] != nil
            let isRenamed = style == .dump && Self.reserved.contains(name)
            written[isRenamed ? "\(name)_fhir" : name] = try self.value(value, element, isPlain: isPlain)
        }
        for element in layout.elements where members[element.name] == nil && members["_\(element.name)"] == nil {
            let isUsual = element.isList && element.name != "id"
            if style == .encoder, isUsual { written[element.name] = .array([]) }
            if style == .dump, generator.percent(60) { written[element.name] = isUsual ? .array([]) : .null }
            if style == .dump, element.type != nil, generator.percent(5) { written[element.name] = .object([:]) }
        }
        if style == .dump || (key != nil && members["id"] == nil) { written["pk"] = .string(key ?? newKey()) }
        if style == .dump, layout.isResource { written["_versionId"] = .null }
        return .object(written)
    }

    private mutating func value(_ value: JSONTree, _ element: LayoutElement, isPlain: Bool) throws -> JSONTree {
        // Nulls of a list belong to positions of ids and extensions.
        if isPlain { return value }
        guard case .array(let items) = value else {
            let item = try item(value, element)
            return element.name != "id" && generator.percent(10) ? .array([item]) : item
        }
        let written = try items.map { try item($0, element) }
        return written.count == 1 && generator.percent(10) ? written[0] : .array(written)
    }

    private mutating func item(_ value: JSONTree, _ element: LayoutElement) throws -> JSONTree {
        if let type = element.primitive { return primitive(value, type, isInList: element.isList) }
        if let type = element.type { return try object(value, type._layout) }
        let written = try object(value, try layout(of: value))
        guard style == .dump, let name = value["resourceType"] else { return written }
        let json = Data(Self.text(written).utf8).base64EncodedString()
        return .object(["resourceType": name, "json": .string(json), "pk": .string(newKey()), "meta": .null])
    }

    // MARK: - Primitives

    private mutating func primitive(_ value: JSONTree, _ type: PrimitiveType, isInList: Bool) -> JSONTree {
        switch (value, type) {
        case (.string(let text), .dateTime), (.string(let text), .instant): return moment(text)
        case (.string(let text), .date) where style == .dump: return day(text)
        case (.string(let text), .time) where style == .dump: return time(text)
        case (.number(let literal), .decimal):
            if style == .encoder { return generator.percent(10) ? .string(literal) : value }
            return .object(["pk": .string(newKey()), "_value": .string(literal)])
        default: return style == .dump && isInList ? .object(["pk": .string(newKey()), "value": value]) : value
        }
    }

    /// FireKit keeps an offset that it read without a colon.
    private mutating func moment(_ text: String) -> JSONTree {
        var written = text
        if text.count > 10, text.dropLast(3).last?.isNumber == true, text.suffix(3).first == ":", generator.percent(30),
            ["+", "-"].contains(text.suffix(6).prefix(1))
        {
            written = String(text.dropLast(3) + text.suffix(2))
        }
        guard style == .dump else { return .string(written) }
        return .object([
            "pk": .string(newKey()), "dateString": .string(written), "timeZoneIdentifier": .null, "timeZoneString": .null,
            "value": .string("2001-01-01T00:00:00.000Z"),
        ])
    }

    private mutating func day(_ text: String) -> JSONTree {
        let parts = text.split(separator: "-").map { JSONTree.number(String(Int($0) ?? 0)) }
        let isPrivate = generator.percent(50)
        var members: [String: JSONTree] = ["pk": .string(newKey()), "year": parts[0]]
        members[isPrivate ? "_month" : "month"] = parts.count > 1 ? parts[1] : .null
        members[isPrivate ? "_day" : "day"] = parts.count > 2 ? .object(["value": parts[2]]) : .null
        return .object(members)
    }

    private mutating func time(_ text: String) -> JSONTree {
        let parts = text.split(separator: ":").map(String.init)
        return .object([
            "pk": .string(newKey()), "hour": .number(String(Int(parts[0]) ?? 0)), "minute": .number(String(Int(parts[1]) ?? 0)),
            "second": .number("0"), "tookSecondsFromString": .string(parts[2]),
        ])
    }

    // MARK: - Text

    static func text(_ tree: JSONTree) -> String {
        switch tree {
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\(text($0.value))" }.joined(separator: ",") + "}"
        case .array(let items): "[" + items.map { text($0) }.joined(separator: ", ") + "]"
        case .string(let text): quoted(text)
        case .number(let literal): literal
        case .boolean(let value): value ? "true" : "false"
        case .null: "null"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\u{0}"..."\u{1F}": result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
