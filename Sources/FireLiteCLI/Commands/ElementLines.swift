import FireLite
import Foundation

/// The lines of elements in the file of an import, which is read again when they are first asked for.
final class SourceLines {
    /// A larger file is not read again; issues have the line of the resource then.
    private static let maximumSize = 64 << 20

    private let source: ImportSource
    private var isRead = false
    private var lines: ElementLines?

    init(_ source: ImportSource) { self.source = source }

    /// The line of an element of the resource that begins on a line.
    ///
    /// - Throws: `ToolError` if the file cannot be read any more.
    func line(of path: String, from line: Int) throws -> Int {
        if !isRead {
            isRead = true
            if case .file(let path) = source, Self.isPlainFile(path) {
                lines = try FileContents.bytes(of: path, upTo: Self.maximumSize).bytes.flatMap { ElementLines($0) }
            }
        }
        return lines?.line(of: path, from: line) ?? line
    }

    /// Whether a file can be read a second time as it is: a pipe cannot, and compressed content has no lines.
    private static func isPlainFile(_ path: String) -> Bool {
        var status = stat()
        return !path.lowercased().hasSuffix(".gz") && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}

/// Finds the lines of elements in the text of a JSON file by their FHIRPaths: `Patient.name[0].given[1]`.
///
/// Each object and array on the way is scanned once for as long as the elements asked for are in the same resource, so that many issues
/// of one resource cost hardly more than one.
final class ElementLines {
    private let text: JSONText
    /// The offsets at which lines begin.
    private let starts: [Int]
    /// Where the resource begins that was asked for last, and what its objects and arrays hold, by their offsets.
    private var resource = -1
    private var scanned: [Int: JSONText.Content] = [:]

    /// Nil for a text that is not JSON, which has no lines to find.
    init?(_ bytes: Data) {
        guard bytes.first(where: { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }) == UInt8(ascii: "{") else { return nil }
        text = JSONText(bytes: [UInt8](bytes))
        var starts = [0]
        text.bytes.withUnsafeBufferPointer { bytes in
            for offset in 0..<bytes.count where bytes[offset] == UInt8(ascii: "\n") { starts.append(offset + 1) }
        }
        self.starts = starts
    }

    /// The line of an element of the resource that begins on a line; the last line on the way to it if it is not there itself.
    func line(of path: String, from line: Int) -> Int {
        guard line > 0, line <= starts.count else { return line }
        let start = starts[line - 1]
        if start != resource {
            resource = start
            scanned = [:]
        }
        var found = start
        // The value here, and beside it what a primitive has besides its value.
        var value: Int? = start
        var beside: Int?
        for step in Self.steps(path).dropFirst() {
            let (next, nextBeside) = (
                value.flatMap { place(of: step.name, step.index, in: $0) } ?? beside.flatMap { place(of: step.name, step.index, in: $0) },
                value.flatMap { place(of: "_" + step.name, step.index, in: $0) }
            )
            guard let place = next ?? nextBeside else { break }
            found = place
            (value, beside) = (place, next == nil ? nil : nextBeside)
        }
        return starts.partitioningIndex { $0 > found }
    }

    /// The offset of a member of an object, or of an item of it; nil if there is none.
    private func place(of name: String, _ index: Int?, in object: Int) -> Int? {
        guard case .object(let members) = content(at: object), let member = members[name] else { return nil }
        guard let index, case .array(let items) = content(at: member) else { return member }
        return items.indices.contains(index) ? items[index] : nil
    }

    private func content(at place: Int) -> JSONText.Content {
        if let known = scanned[place] { return known }
        let content = text.content(at: place)
        scanned[place] = content
        return content
    }

    private static func steps(_ path: String) -> [(name: String, index: Int?)] {
        path.split(separator: ".").map { part in
            guard let bracket = part.firstIndex(of: "[") else { return (String(part), nil) }
            return (String(part[..<bracket]), Int(part[part.index(after: bracket)...].dropLast()))
        }
    }
}

extension [Int] {
    /// The index of the first of the sorted numbers for which something is true.
    fileprivate func partitioningIndex(_ isTrue: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isTrue(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// A JSON text whose form was checked before.
private struct JSONText {
    /// What an object or array holds: where its values begin.
    enum Content {
        case object([String: Int])
        case array([Int])
        case neither
    }

    let bytes: [UInt8]

    /// What the object or array holds that begins at an offset, or after white space there.
    func content(at offset: Int) -> Content {
        bytes.withUnsafeBufferPointer { bytes in
            var cursor = JSONCursor(bytes: bytes, place: offset)
            cursor.skipSpace()
            if cursor.take("{") { return .object(cursor.members()) }
            return cursor.take("[") ? .array(cursor.items()) : .neither
        }
    }
}

/// A place in the bytes of a JSON text.
private struct JSONCursor {
    let bytes: UnsafeBufferPointer<UInt8>
    var place: Int

    /// The members of the object in which this is, from here on; of a name that occurs twice the first.
    mutating func members() -> [String: Int] {
        var members: [String: Int] = [:]
        while let key = string() {
            skipSpace()
            guard take(":") else { return members }
            skipSpace()
            let name = String(decoding: UnsafeBufferPointer(rebasing: bytes[key]), as: UTF8.self)
            if members[name] == nil { members[name] = place }
            guard skipsToNext() else { return members }
        }
        return members
    }

    /// The items of the array in which this is, from here on.
    mutating func items() -> [Int] {
        var items: [Int] = []
        skipSpace()
        while place < bytes.count, bytes[place] != UInt8(ascii: "]") {
            items.append(place)
            guard skipsToNext() else { return items }
        }
        return items
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    mutating func skipSpace() {
        while place < bytes.count, bytes[place] <= 0x20 || bytes[place] >= 0x80 { place += 1 }
    }

    /// Moves over the value here and a comma; false if there is no comma.
    private mutating func skipsToNext() -> Bool {
        skipValue()
        skipSpace()
        guard take(",") else { return false }
        skipSpace()
        return true
    }

    /// The range of the bytes of a string, as they are written; nil if none begins here.
    private mutating func string() -> Range<Int>? {
        skipSpace()
        guard take("\"") else { return nil }
        let start = place
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") { place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1 }
        guard place < bytes.count else { return nil }
        place += 1
        return start..<(place - 1)
    }

    /// Moves to the comma, or the end of the object or array, after the value here.
    private mutating func skipValue() {
        var depth = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                guard string() != nil else { return }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                place += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
                place += 1
            case UInt8(ascii: ","):
                if depth == 0 { return }
                place += 1
            default: place += 1
            }
        }
    }
}
