import FireLiteR4
import Foundation

@testable import FireLite

/// The walk over one document: entries, places and frame are the same whatever the size of the window, and what the strict reader accepts
/// is complete for it.
enum DocumentTarget {
    private struct Walk: Equatable {
        var entries: [[UInt8]] = []
        var places: [TextPlace] = []
        var ends: [Int] = []
        var typeName: String?
        var kind: String?
        var flags: [Bool] = []
        var violation: TextPlace?
        var frame: [UInt8] = []
    }

    private nonisolated(unsafe) static let strict = FHIRJSONReader(release: .r4)

    @Sendable static func check(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        let whole = try walk(bytes, window: bytes.count + 1)
        for window in [1, 2, 3, 7, 16, 33] {
            require(try walk(bytes, window: window) == whole, "the walk differs with a window of \(window)")
        }
        _ = ContentKind.detect(Array(bytes), isAll: true, name: "x")
        _ = ContentKind.detect(Array(bytes), isAll: false, name: "x")
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return }
        do {
            _ = try strict.resource(from: bytes)
            require(whole.flags[0] && whole.violation == nil, "the walk refuses what the reader accepts")
        } catch is FHIRDecodingError {}
    }

    private static func walk(_ bytes: UnsafeBufferPointer<UInt8>, window: Int) throws -> Walk {
        var walk = Walk()
        let scanner = DocumentScanner(MemoryBytes(bytes), window: window, longest: Int.max, keepsFrame: true)
        let outline = try scanner.scan { entry, place, end in
            walk.entries.append(Array(entry))
            walk.places.append(place)
            walk.ends.append(end)
            _ = EntryHead(entry)
        }
        walk.typeName = outline.typeName
        walk.kind = outline.kind
        walk.flags = [outline.isComplete, outline.isOneLine, outline.hasPlainEntries]
        walk.violation = outline.violation
        // Of a document that breaks off the frame is not used.
        if outline.isComplete, outline.violation == nil { walk.frame = outline.frame.bytes }
        return walk
    }
}
