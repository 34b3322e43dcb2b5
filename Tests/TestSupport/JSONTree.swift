import Foundation

/// A JSON value with its numbers as they were written. A reader for tests: small, slow, and no relation of the library's own.
///
/// Equality does not look at the order of members, but at that of lists.
public indirect enum JSONTree: Hashable, Sendable {
    case object([String: JSONTree])
    case array([JSONTree])
    case string(String)
    /// The literal.
    case number(String)
    case boolean(Bool)
    case null

    /// Reads a text that is valid JSON.
    public init(_ json: Data) throws {
        var parser = JSONTreeParser(bytes: Array(json))
        self = try parser.document()
    }

    /// Reads a text that is valid JSON.
    public init(_ json: String) throws { try self.init(Data(json.utf8)) }

    /// The value of a member or item: `tree["name"]`, nil where there is none.
    public subscript(member: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members[member]
    }

    public subscript(index: Int) -> JSONTree? {
        guard case .array(let items) = self, items.indices.contains(index) else { return nil }
        return items[index]
    }

    /// The same value with every number replaced by what `transform` makes of its literal.
    public func mappingNumbers(_ transform: (String) -> String) -> JSONTree {
        switch self {
        case .object(let members): .object(members.mapValues { $0.mappingNumbers(transform) })
        case .array(let items): .array(items.map { $0.mappingNumbers(transform) })
        case .number(let literal): .number(transform(literal))
        case .string, .boolean, .null: self
        }
    }

    /// Where two values differ first, as a path and what is there; nil where they are equal.
    public func difference(to other: JSONTree, path: String = "$") -> String? {
        switch (self, other) {
        case (.object(let left), .object(let right)):
            for name in Set(left.keys).union(right.keys).sorted() {
                guard let first = left[name] else { return "\(path).\(name): only in the second" }
                guard let second = right[name] else { return "\(path).\(name): only in the first" }
                if let difference = first.difference(to: second, path: "\(path).\(name)") { return difference }
            }
            return nil
        case (.array(let left), .array(let right)):
            for (index, (first, second)) in zip(left, right).enumerated() {
                if let difference = first.difference(to: second, path: "\(path)[\(index)]") { return difference }
            }
            return left.count == right.count ? nil : "\(path): \(left.count) items, \(right.count) in the second"
        case (.string(let left), .string(let right)):
            // Swift takes different forms of an accent for equal; bytes are what counts here.
            return left.utf8.elementsEqual(right.utf8) ? nil : "\(path): \(self), \(other) in the second"
        default:
            return self == other ? nil : "\(path): \(self), \(other) in the second"
        }
    }
}

/// What `JSONTree` could not read.
public struct JSONTreeError: Error, CustomStringConvertible {
    public let offset: Int
    public var description: String { "no JSON at byte \(offset)" }
}

private struct JSONTreeParser {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws -> JSONTree {
        let tree = try value()
        skipSpace()
        guard position == bytes.count else { throw error }
        return tree
    }

    private var error: JSONTreeError { JSONTreeError(offset: position) }
    private var here: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = here, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard here == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value() throws -> JSONTree {
        skipSpace()
        switch here {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        default: return try scalar()
        }
    }

    private mutating func object() throws -> JSONTree {
        position += 1
        var members: [String: JSONTree] = [:]
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            let name = try string()
            guard take(":"), members[name] == nil else { throw error }
            members[name] = try value()
        } while take(",")
        guard take("}") else { throw error }
        return .object(members)
    }

    private mutating func array() throws -> JSONTree {
        position += 1
        var items: [JSONTree] = []
        if take("]") { return .array(items) }
        repeat { items.append(try value()) } while take(",")
        guard take("]") else { throw error }
        return .array(items)
    }

    /// Finds the end of the string and leaves its escapes to Foundation.
    private mutating func string() throws -> String {
        let start = position
        guard here == UInt8(ascii: "\"") else { throw error }
        position += 1
        while let byte = here, byte != UInt8(ascii: "\"") { position += byte == UInt8(ascii: "\\") ? 2 : 1 }
        guard here != nil else { throw error }
        position += 1
        let text = Data(bytes[start..<position])
        guard let decoded = try? JSONDecoder().decode(String.self, from: text) else { throw JSONTreeError(offset: start) }
        return decoded
    }

    private mutating func scalar() throws -> JSONTree {
        let start = position
        while let byte = here, !", ]}\n\r\t".utf8.contains(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        default:
            guard let first = text.utf8.first, first == UInt8(ascii: "-") || first &- 48 < 10 else { throw JSONTreeError(offset: start) }
            return .number(text)
        }
    }
}
