import Foundation

/// The values that were made from the last texts of a column: codes, units, patients and days repeat from row to row, and a comparison costs
/// less than another text.
final class TextMemory {
    /// A text and the value made of it.
    private struct Place {
        var length = -1
        var minutes: Int64 = 0
        var value = ViewValue.null
    }

    /// The number of texts: 32, by the five bits that number them.
    private static let count = 1 << numberBits
    private static let numberBits = 5
    /// The length of the longest text that is remembered.
    private static let longest = 64
    /// After so many texts that were not found, a third of all must have been, or no more are looked for.
    private static let patience = 256

    // Invariant: both have room for all places as long as this object exists.
    private let places: UnsafeMutablePointer<Place>
    private let bytes: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var found = 0
    @exclusivity(unchecked) private var missed = 0
    @exclusivity(unchecked) private var isUseful = true

    init() {
        places = .allocate(capacity: Self.count)
        places.initialize(repeating: Place(), count: Self.count)
        bytes = .allocate(byteCount: Self.count * Self.longest, alignment: 8)
    }

    deinit {
        places.deinitialize(count: Self.count)
        places.deallocate()
        bytes.deallocate()
    }

    /// The value of a text, with a number that it depends on, too.
    func value(
        _ text: UnsafeBufferPointer<UInt8>, _ minutes: Int64 = 0, _ make: (UnsafeBufferPointer<UInt8>) -> ViewValue
    ) -> ViewValue {
        guard isUseful, text.count <= Self.longest, let start = text.baseAddress else { return make(text) }
        let number = Self.number(of: UnsafeRawBufferPointer(text))
        let kept = bytes + number * Self.longest
        if places[number].length == text.count, places[number].minutes == minutes, memcmp(kept, start, text.count) == 0 {
            found += 1
            return places[number].value
        }
        missed += 1
        if missed > Self.patience { isUseful = found * 2 > missed }
        let value = make(text)
        kept.copyMemory(from: start, byteCount: text.count)
        places[number] = Place(length: text.count, minutes: minutes, value: value)
        return value
    }

    /// The place of a text: a number from its beginning, its end and its length.
    private static func number(of text: UnsafeRawBufferPointer) -> Int {
        // The golden ratio's digits mix well into the highest bits.
        let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
        var mixed = UInt64(truncatingIfNeeded: text.count)
        if text.count >= 8 {
            mixed ^= text.loadUnaligned(as: UInt64.self)
            mixed = mixed &* factor ^ text.loadUnaligned(fromByteOffset: text.count - 8, as: UInt64.self)
        } else {
            for byte in text { mixed = mixed << 8 ^ UInt64(byte) }
        }
        return Int(truncatingIfNeeded: (mixed &* factor) >> UInt64(64 - numberBits))
    }
}
