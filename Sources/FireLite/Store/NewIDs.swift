import FireLiteCore

/// The ids that a write has put into tables which were empty when it began.
///
/// Who loads a fresh store need not look up each id in the file: what is not here is not there either. Nobody else writes meanwhile, and
/// an id that is here for nothing, as it was rolled back, costs a look-up only.
struct NewIDs {
    private enum State {
        case unknown
        /// Hashes of all its ids.
        case new(IDSet)
        /// There were rows before, so ids are looked up.
        case old
    }

    private var states: [State] = []

    /// Whether a resource with this id may be in the table.
    mutating func mayHold(_ id: String, _ table: TablePlan, _ access: StoreConnection) throws -> Bool {
        while states.count <= table.index { states.append(.unknown) }
        switch states[table.index] {
        case .old: return true
        case .new(let ids): return ids.contains(IDHash.of(id))
        case .unknown:
            let isEmpty = try !table.isInFile || access.connection.integer("SELECT 1 FROM \(table.quotedName) LIMIT 1") == nil
            states[table.index] = isEmpty ? .new(IDSet()) : .old
            return !isEmpty
        }
    }

    /// Whether there is no saying what ids are in the table without looking.
    func mayHoldAny(_ table: TablePlan) -> Bool {
        if case .old = states[table.index] { return true }
        return false
    }

    /// Notes the id of a resource that is about to be stored.
    mutating func insert(_ resource: FHIRResource, _ table: TablePlan) {
        guard table.index < states.count, case .new(let ids) = states[table.index], let id = resource.id else { return }
        ids.insert(IDHash.of(id))
    }

    /// Looks ids of the table up from now on.
    mutating func forget(_ table: TablePlan) {
        while states.count <= table.index { states.append(.unknown) }
        states[table.index] = .old
    }

    /// Forgets what was known, as a write begins.
    mutating func clear() { states.removeAll(keepingCapacity: true) }
}

/// Short hashes of ids, with open addressing; no hash is 0.
final class IDSet {
    @exclusivity(unchecked) private var places: [UInt64]
    @exclusivity(unchecked) private var count = 0

    init(capacity: Int = 512) {
        var size = 64
        while size < capacity * 2 { size *= 2 }
        places = Array(repeating: 0, count: size)
    }

    @inline(__always)
    private static func place(of hash: UInt64, in places: [UInt64]) -> Int {
        var place = Int(truncatingIfNeeded: hash >> 20) & (places.count - 1)
        while places[place] != 0, places[place] != hash { place = (place + 1) & (places.count - 1) }
        return place
    }

    func contains(_ hash: UInt64) -> Bool { places[Self.place(of: hash, in: places)] != 0 }

    /// False where it was there already.
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

/// A quick 64-bit hash of an id, odd.
enum IDHash {
    @inline(__always)
    static func of(_ bytes: UnsafeBufferPointer<UInt8>, seed: UInt64) -> UInt64 {
        var hash = seed ^ UInt64(truncatingIfNeeded: bytes.count)
        let raw = UnsafeRawBufferPointer(bytes)
        var offset = 0
        while offset + 8 <= raw.count {
            mix(&hash, raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < raw.count {
            rest = rest << 8 | UInt64(raw[offset])
            offset += 1
        }
        mix(&hash, rest)
        return hash | 1
    }

    /// The hash of a resource's type and id; nil where it has no id.
    static func of(_ resource: FHIRResource) -> UInt64? {
        guard let place = resource.position(of: 0), let slots = resource.slots, case .text = slots[place].value else { return nil }
        var hash = UInt64(UInt(bitPattern: resource.layoutTable))
        (slots + place).text.withUTF8 { hash = of($0, seed: hash) }
        return hash
    }

    static func of(_ id: String) -> UInt64 {
        var id = id
        return id.withUTF8 { of($0, seed: 0x9E37_79B9_7F4A_7C15) }
    }

    @inline(__always)
    private static func mix(_ hash: inout UInt64, _ word: UInt64) {
        let product = (hash ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        hash = product.high ^ product.low
    }
}
