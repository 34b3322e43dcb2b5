import FireLiteCore

/// Short hashes of ids, with open addressing; no hash is 0.
///
/// Ids come from the author of the data. As they are hashed with secret numbers (`IDHash.Seed`), nobody can choose ids that collide
/// and make every lookup walk past all of them.
final class IDSet {
    @exclusivity(unchecked) private(set) var places: [UInt64]
    @exclusivity(unchecked) private var count = 0

    init(capacity: Int = 512) {
        var size = 64
        while size < capacity * 2 { size *= 2 }
        places = Array(repeating: 0, count: size)
    }

    /// The position at which the search for a hash starts.
    @inline(__always)
    static func home(of hash: UInt64, in places: [UInt64]) -> Int { Int(truncatingIfNeeded: hash >> 20) & (places.count - 1) }

    @inline(__always)
    private static func place(of hash: UInt64, in places: [UInt64]) -> Int {
        var place = home(of: hash, in: places)
        while places[place] != 0, places[place] != hash { place = (place + 1) & (places.count - 1) }
        return place
    }

    func contains(_ hash: UInt64) -> Bool { places[Self.place(of: hash, in: places)] != 0 }

    /// Returns false if it was already there.
    @discardableResult
    func insert(_ hash: UInt64) -> Bool {
        if count * 2 >= places.count { grow() }
        let place = Self.place(of: hash, in: places)
        guard places[place] == 0 else { return false }
        count += 1
        places[place] = hash
        return true
    }

    private func grow() {
        var larger = Array(repeating: UInt64(0), count: places.count * 2)
        for hash in places where hash != 0 { larger[Self.place(of: hash, in: larger)] = hash }
        places = larger
    }
}

/// A fast 64-bit hash of a type and id, odd.
///
/// Different resources may have one hash, so it only says that two are different: whether they are the same is for `ResourceIdentity` to say.
enum IDHash {
    /// The numbers that a hash depends on: each step multiplies by one, so that collisions cannot be predicted without them.
    struct Seed {
        var start: UInt64
        /// Odd.
        var factor: UInt64
        /// Odd.
        var last: UInt64

        init(_ generator: inout some RandomNumberGenerator) {
            start = generator.next()
            factor = generator.next() | 1
            last = generator.next() | 1
        }

        /// The seed of this process, from the system's random numbers.
        static let process: Seed = {
            var generator = SystemRandomNumberGenerator()
            return Seed(&generator)
        }()
    }

    @inline(__always)
    static func of(_ bytes: UnsafeBufferPointer<UInt8>, seed: Seed, type: UInt64 = 0) -> UInt64 {
        var hash = seed.start
        // By itself: the addresses of two layouts may differ in the bits in which two short ids do, and would cancel each other out.
        mix(&hash, type ^ UInt64(truncatingIfNeeded: bytes.count) << 48, seed.last)
        let raw = UnsafeRawBufferPointer(bytes)
        var offset = 0
        while offset + 8 <= raw.count {
            mix(&hash, raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self), seed.factor)
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < raw.count {
            rest = rest << 8 | UInt64(raw[offset])
            offset += 1
        }
        mix(&hash, rest, seed.factor)
        mix(&hash, seed.start, seed.last)
        return hash | 1
    }

    /// The hash of a resource's type and id; nil if it has no id.
    static func of(_ resource: FHIRResource) -> UInt64? {
        let type = UInt64(UInt(bitPattern: resource.layoutTable))
        var hash: UInt64?
        resource.withIDBytes { bytes in hash = bytes.map { of($0, seed: .process, type: type) } }
        return hash
    }

    static func of(_ id: String, seed: Seed = .process) -> UInt64 {
        var id = id
        return id.withUTF8 { of($0, seed: seed) }
    }

    @inline(__always)
    private static func mix(_ hash: inout UInt64, _ word: UInt64, _ factor: UInt64) {
        let product = (hash ^ word).multipliedFullWidth(by: factor)
        hash = product.high ^ product.low
    }
}
