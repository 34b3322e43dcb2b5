/// Gives equal texts of medium length one shared storage: FHIR repeats systems, codes, displays and references endlessly.
///
/// A direct-mapped table: a text takes the place of another with its hash, so the memory is bounded.
package final class StringCache {
    private static let size = 2048
    /// Texts of 15 bytes and less need no storage of their own in Swift; long ones seldom repeat.
    @inlinable @inline(__always)
    package static func keeps(_ length: Int) -> Bool { 16...96 ~= length }

    /// Plain memory, as arrays would be looked after at every string; nil where the cache is off.
    private let hashes: UnsafeMutablePointer<UInt64>?
    private let texts: UnsafeMutablePointer<String>

    package init(isEnabled: Bool) {
        texts = .allocate(capacity: isEnabled ? Self.size : 0)
        guard isEnabled else {
            hashes = nil
            return
        }
        texts.initialize(repeating: "", count: Self.size)
        hashes = .allocate(capacity: Self.size)
        hashes?.initialize(repeating: 0, count: Self.size)
    }

    deinit {
        if let hashes {
            texts.deinitialize(count: Self.size)
            hashes.deallocate()
        }
        texts.deallocate()
    }

    /// The text with these bytes, which are UTF-8.
    @inline(__always)
    package func string(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> String {
        guard let hashes else { return String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self) }
        let hash = Self.hash(bytes, length)
        let index = Int(truncatingIfNeeded: hash >> 53)
        if hashes[index] == hash {
            var isSame = false
            UnsafePointer(texts + index).withUTF8 { stored in
                if stored.count == length, let base = stored.baseAddress { isSame = sameBytes(base, bytes, length) }
            }
            if isSame { return texts[index] }
        }
        let text = String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
        hashes[index] = hash
        texts[index] = text
        return text
    }

    @inline(__always)
    private static func hash(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> UInt64 {
        let raw = UnsafeRawPointer(bytes)
        var hash = UInt64(length) &* 0x9E37_79B9_7F4A_7C15
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
