import FireLite
import FireLiteCore
import Foundation

/// A search, as FHIR writes it in an address or built from its parts.
///
/// ```swift
/// let search = SearchRequest(type: "Patient").where("name", "peter").where("birthdate", "ge1970").sort("-birthdate").count(20)
/// ```
public struct SearchRequest: Sendable, Hashable {
    /// A parameter with its modifier or chain, and its value, in which commas separate alternatives.
    public struct Parameter: Sendable, Hashable {
        /// The name with what follows it: `name:exact`, `subject:Patient.name`.
        public let name: String
        /// The value, with its escapes.
        public let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The resource whose compartment is searched.
    public struct Compartment: Sendable, Hashable {
        /// The type of the resource.
        public let type: String
        /// Its logical id.
        public let id: String

        package init(type: String, id: String) {
            self.type = type
            self.id = id
        }
    }

    /// The type of the results; nil for all types.
    public private(set) var type: String?
    /// The compartment that is searched; nil for the whole store.
    public private(set) var compartment: Compartment?
    /// Whether it is the operation `$everything`.
    public private(set) var isEverything = false
    /// The parameters in their order.
    public private(set) var parameters: [Parameter] = []

    /// A search for resources of a type, or of all types.
    ///
    /// - Parameters:
    ///   - type: the resource type; nil for all.
    ///   - compartment: the resource whose compartment is searched; nil for the whole store.
    public init(type: String?, in compartment: Compartment? = nil) {
        self.type = type
        self.compartment = compartment
    }

    /// The operation `$everything` of a resource.
    package init(everythingOf compartment: Compartment) {
        self.compartment = compartment
        isEverything = true
    }

    /// Reads an address: `Patient?name=peter`, `Patient/1/Observation?code=…`, `Patient/1/$everything`, `?_id=1`, with or without a base.
    ///
    /// - Parameter address: the address, percent-encoded or not.
    /// - Throws: `SearchError.invalid`.
    public init(_ address: String) throws {
        let question = address.utf8.firstIndex(of: UInt8(ascii: "?")) ?? address.endIndex
        var segments = Self.path(address[..<question])
        if segments.last == "_search" { segments.removeLast() }
        if question < address.endIndex {
            var query = String(Substring(address.utf8[question...].dropFirst()))
            parameters = try query.withUTF8 { try Self.parameters($0) }
        }
        switch segments.count {
        case 0: break
        case 1: type = segments[0]
        case 2 where segments[1].hasPrefix("$"):
            throw SearchError(.notSupported, "the operation is that of one resource: write \(segments[0])/id/$everything")
        case 2:
            type = segments[0]
            parameters.insert(Parameter(name: "_id", value: Self.escaped(segments[1])), at: 0)
        case 3:
            compartment = Compartment(type: segments[0], id: segments[1])
            if segments[2] == "$everything" {
                isEverything = true
            } else if segments[2].hasPrefix("$") {
                let hint = NearWords.hint(for: segments[2], among: ["$everything"])
                throw SearchError(.notSupported, "of the operations this library has $everything, not '\(segments[2])'\(hint)")
            } else if segments[2] != "*" {
                type = segments[2]
            }
        default: throw SearchError(.invalid, "the path of a search has at most three parts: Patient/1/Observation")
        }
    }

    /// The parts of a path from the first resource type on.
    private static func path(_ text: Substring) -> [String] {
        var text = text
        var segments: [Substring]
        if text.utf8.contains(UInt8(ascii: ":")), let scheme = text.range(of: "://") {
            text = text[scheme.upperBound...]
            segments = parts(of: text, "/").dropFirst().map { $0 }
            if let first = segments.firstIndex(where: { $0.first?.isUppercase ?? false }) {
                segments.removeSubrange(..<first)
            } else {
                segments = []
            }
        } else {
            segments = parts(of: text, "/")
        }
        return segments.map(unescaped)
    }

    /// The parts between separators. By bytes, as an address is one of bytes.
    private static func parts(of text: Substring, _ separator: Unicode.Scalar) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: separator)).map { Substring($0) }
    }

    /// The text without percent encoding, if it has any. An address that was typed may have a bare percent sign.
    private static func unescaped(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return String(text).removingPercentEncoding ?? String(text)
    }

    /// The parameters of what follows the question mark.
    private static func parameters(_ bytes: UnsafeBufferPointer<UInt8>) throws -> [Parameter] {
        var parameters: [Parameter] = []
        var start = 0
        while start < bytes.count {
            var (end, middle) = (start, -1)
            while end < bytes.count, bytes[end] != UInt8(ascii: "&") {
                if middle < 0, bytes[end] == UInt8(ascii: "=") { middle = end }
                end += 1
            }
            if end > start {
                guard middle > start else { throw SearchError(.invalid, "a parameter is a name, an equals sign and a value") }
                parameters.append(Parameter(name: decoded(bytes[start..<middle]), value: decoded(bytes[(middle + 1)..<end])))
            }
            start = end + 1
        }
        return parameters
    }

    private static func decoded(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
        guard bytes.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "%") }) else { return text }
        return unescaped(text.replacingBytes("+", with: " ")[...])
    }

    // MARK: - Building

    /// A text as a value in which commas, bars, dollars and backslashes stand for themselves.
    ///
    /// - Parameter text: any text.
    public static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            if "\\,|$".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }

    /// The same search with a further parameter.
    ///
    /// - Parameters:
    ///   - name: the name with its modifier or chain.
    ///   - value: the value as FHIR writes it: with a prefix, with `|`, with commas between alternatives.
    public func `where`(_ name: String, _ value: String) -> SearchRequest {
        var copy = self
        copy.parameters.append(Parameter(name: name, value: value))
        return copy
    }

    /// Sorts by parameters.
    ///
    /// - Parameter keys: names, with a minus for descending order.
    public func sort(_ keys: String...) -> SearchRequest { self.where("_sort", keys.joined(separator: ",")) }

    /// Limits a page.
    ///
    /// - Parameter number: the number of matches.
    public func count(_ number: Int) -> SearchRequest { self.where("_count", "\(number)") }

    /// Adds the resources that matches refer to.
    ///
    /// - Parameter path: `Type:parameter` or `Type:parameter:TargetType`.
    public func include(_ path: String) -> SearchRequest { self.where("_include", path) }

    /// Adds the resources that refer to matches.
    ///
    /// - Parameter path: `Type:parameter`.
    public func revinclude(_ path: String) -> SearchRequest { self.where("_revinclude", path) }

    /// Continues after a page.
    ///
    /// - Parameter cursor: `next` of a result of the same search; nil for the first page.
    public func after(_ cursor: SearchCursor?) -> SearchRequest {
        var copy = self
        copy.parameters.removeAll { $0.name == SearchCursor.parameter }
        if let cursor { copy.parameters.append(Parameter(name: SearchCursor.parameter, value: cursor.text)) }
        return copy
    }

    /// The same search without some parameters, and without sorting by them.
    package func without(_ names: Set<String>) -> SearchRequest {
        guard !names.isEmpty else { return self }
        var copy = self
        copy.parameters = parameters.compactMap { parameter in
            guard parameter.name == "_sort" else { return names.contains(parameter.name) ? nil : parameter }
            let keys = parameter.value.split(separator: ",").filter { !names.contains(String($0.trimmingPrefix("-"))) }
            return keys.isEmpty ? nil : Parameter(name: "_sort", value: keys.joined(separator: ","))
        }
        return copy
    }

    /// The same search without some of the words in its lists.
    ///
    /// - Parameter words: the words by the names of the parameters, without modifiers.
    func without(words: [String: Set<String>]) -> SearchRequest {
        var copy = self
        copy.parameters = parameters.compactMap { parameter in
            guard let unwanted = words[String(parameter.name.prefix { $0 != ":" })] else { return parameter }
            let rest = SearchControl.list(parameter.value).filter { !unwanted.contains($0) }
            return rest.isEmpty ? nil : Parameter(name: parameter.name, value: rest.joined(separator: ","))
        }
        return copy
    }

    // MARK: - Text

    /// The address, percent-encoded.
    public var address: String {
        var path: [String] = []
        if let compartment {
            path = [compartment.type, compartment.id, isEverything ? "$everything" : type ?? "*"]
        } else if let type {
            path = [type]
        }
        let query = parameters.map { "\(AddressText.encoded($0.name))=\(AddressText.encoded($0.value))" }.joined(separator: "&")
        return path.joined(separator: "/") + (query.isEmpty ? "" : "?" + query)
    }

    /// The values of a parameter that says what to return.
    func values(_ name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }
}
