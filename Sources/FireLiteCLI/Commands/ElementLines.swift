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
struct ElementLines {
    private let bytes: Data
    /// The offsets at which lines begin.
    private let starts: [Int]

    /// Nil for a text that is not JSON, which has no lines to find.
    init?(_ bytes: Data) {
        guard bytes.first(where: { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }) == UInt8(ascii: "{") else { return nil }
        self.bytes = bytes
        var starts = [0]
        for (offset, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") { starts.append(offset + 1) }
        self.starts = starts
    }

    /// The line of an element of the resource that begins on a line; the last line on the way to it if it is not there itself.
    func line(of path: String, from line: Int) -> Int {
        guard line > 0, line <= starts.count else { return line }
        var cursor = JSONCursor(bytes: bytes, place: bytes.startIndex + starts[line - 1])
        var found = cursor.place
        // The object that has the element, and where what a primitive has beside its value stands.
        var beside: JSONCursor?
        for step in Self.steps(path).dropFirst() {
            guard let next = cursor.entering(step) ?? beside?.entering(step) else {
                guard let next = cursor.entering(("_" + step.name, step.index)) else { break }
                (cursor, beside, found) = (next, nil, next.place)
                continue
            }
            beside = cursor.entering(("_" + step.name, step.index))
            (cursor, found) = (next, next.place)
        }
        let offset = found - bytes.startIndex
        return starts.partitioningIndex { $0 > offset }
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

/// A place in a JSON text whose form was checked before.
private struct JSONCursor {
    let bytes: Data
    var place: Int

    /// The place of a member, or of an item of it; nil if there is none.
    func entering(_ step: (name: String, index: Int?)) -> JSONCursor? {
        var cursor = self
        guard cursor.enter(step.name) else { return nil }
        if let index = step.index, !cursor.enter(index) { return nil }
        return cursor
    }

    /// Moves to the value of a member of the object here; false if there is none.
    mutating func enter(_ name: String) -> Bool {
        skipSpace()
        guard take("{") else { return false }
        while let key = string() {
            skipSpace()
            guard take(":") else { return false }
            skipSpace()
            if key.elementsEqual(name.utf8) { return true }
            skipValue()
            skipSpace()
            guard take(",") else { return false }
            skipSpace()
        }
        return false
    }

    /// Moves to an item of the array here; stays at a value that is no array.
    mutating func enter(_ index: Int) -> Bool {
        guard take("[") else { return true }
        for _ in 0..<index {
            skipSpace()
            skipValue()
            skipSpace()
            guard take(",") else { return false }
        }
        skipSpace()
        return place < bytes.endIndex && bytes[place] != UInt8(ascii: "]")
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard place < bytes.endIndex, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func skipSpace() {
        while place < bytes.endIndex, bytes[place] <= 0x20 || bytes[place] >= 0x80 { place += 1 }
    }

    /// The bytes of a string, as they are written.
    private mutating func string() -> Data.SubSequence? {
        skipSpace()
        guard take("\"") else { return nil }
        let start = place
        while place < bytes.endIndex, bytes[place] != UInt8(ascii: "\"") { place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1 }
        guard place < bytes.endIndex else { return nil }
        place += 1
        return bytes[start..<(place - 1)]
    }

    private mutating func skipValue() {
        var depth = 0
        while place < bytes.endIndex {
            switch bytes[place] {
            case UInt8(ascii: "\""): _ = string()
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
            if depth == 0, place < bytes.endIndex, bytes[place] == UInt8(ascii: ",") { return }
        }
    }
}
