import Foundation

/// Bytes in memory that does not move while they are read, and that is freed with the object.
///
/// `@unchecked Sendable`: one thread fills it and then hands it over through `BatchQueue`, whose lock orders the two threads' accesses.
final class TextBuffer: @unchecked Sendable {
    private(set) var base: UnsafeMutablePointer<UInt8>
    private(set) var capacity: Int
    var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        base = .allocate(capacity: self.capacity)
    }

    deinit { base.deallocate() }

    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

    /// The unused memory after the bytes.
    var room: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count) }

    /// A part of the bytes.
    func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    func append(_ more: UnsafeBufferPointer<UInt8>) {
        guard let source = more.baseAddress else { return }
        reserve(count + more.count)
        (base + count).update(from: source, count: more.count)
        count += more.count
    }

    /// Makes room for that many bytes in total.
    func reserve(_ wanted: Int) {
        guard wanted > capacity else { return }
        let larger = max(wanted, capacity * 2)
        let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        fresh.update(from: base, count: count)
        base.deallocate()
        base = fresh
        capacity = larger
    }
}
