/// Makes equal texts of medium length share storage: FHIR repeats systems, codes, displays and references endlessly.
///
/// A direct-mapped table, so the memory is bounded: a text replaces another of its place when it comes a second time, as ids and other texts that occur
/// once must not replace those that repeat. The entry of a text depends on a random number, so that nobody can choose texts that keep replacing each
/// other.
package final class StringCache {
    private static let size = 2048
    /// Texts of up to 15 bytes need no storage of their own in Swift; long ones seldom repeat.
    @inlinable @inline(__always)
    package static func keeps(_ length: Int) -> Bool { 16...96 ~= length }

    /// A text next to its hash: after comparing the hash, the text is needed.
    private struct Entry {
        // First, for `text(of:)`.
        var text: String
        var hash: UInt64
        /// The hash of the last other text of this place.
        var candidate: UInt64
    }

    /// Plain memory, as an array would be retained and checked at every string; nil if the cache is off.
    private let entries: UnsafeMutablePointer<Entry>?

    /// The random number of this process.
    package static let processSeed = UInt64.random(in: .min ... .max)

    private let seed: UInt64

    package init(isEnabled: Bool, seed: UInt64 = StringCache.processSeed) {
        self.seed = seed
        guard isEnabled else {
            entries = nil
            return
        }
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: Self.size)
        entries.initialize(repeating: Entry(text: "", hash: 0, candidate: 0), count: Self.size)
        self.entries = entries
    }

    deinit {
        entries?.deinitialize(count: Self.size)
        entries?.deallocate()
    }

    /// The text with these bytes, which are UTF-8.
    @inline(__always)
    package func string(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> String {
        guard let entries else { return String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self) }
        let hash = Self.hash(bytes, length, seed)
        let entry = entries + Self.place(of: hash)
        if entry.pointee.hash == hash {
            var isSame = false
            Self.text(of: entry).withUTF8 { stored in
                if stored.count == length, let base = stored.baseAddress { isSame = sameBytes(base, bytes, length) }
            }
            if isSame { return entry.pointee.text }
        }
        let text = String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
        if entry.pointee.candidate == hash || entry.pointee.hash == 0 {
            entry.pointee = Entry(text: text, hash: hash, candidate: 0)
        } else {
            entry.pointee.candidate = hash
        }
        return text
    }

    /// The text of an entry, in place.
    @inline(__always)
    private static func text(of entry: UnsafeMutablePointer<Entry>) -> UnsafePointer<String> {
        UnsafeRawPointer(entry).assumingMemoryBound(to: String.self)
    }

    /// The index of the entry for a hash.
    @inline(__always)
    package static func place(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 53) }

    /// - Precondition: there are at least 8 bytes.
    @inline(__always)
    package static func hash(_ bytes: UnsafePointer<UInt8>, _ length: Int, _ seed: UInt64) -> UInt64 {
        let raw = UnsafeRawPointer(bytes)
        var hash = seed ^ UInt64(length) &* 0x9E37_79B9_7F4A_7C15
        var index = 0
        while index + 8 <= length {
            hash = (hash ^ raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)) &* 0xFF51_AFD7_ED55_8CCD
            hash ^= hash >> 32
            index += 8
        }
        hash = (hash ^ raw.loadUnaligned(fromByteOffset: length - 8, as: UInt64.self)) &* 0xFF51_AFD7_ED55_8CCD
        return hash ^ hash >> 29
    }
}
