import FireLite

/// Ids for resources that have none: the same content gets the same id each time, so that importing it again changes nothing.
struct ContentIDs {
    private var uses: [String: Int] = [:]

    /// The id for a resource without one. The second resource of a file with the same content gets another id than the first.
    mutating func id(for resource: FHIRResource) -> String {
        let id = "content-" + Self.digest(FHIRJSON.data(resource))
        let number = uses[id, default: 0] + 1
        uses[id] = number
        return number == 1 ? id : "\(id)-\(number)"
    }

    /// 128 bits in hexadecimal: FNV-1a from two beginnings.
    private static func digest(_ bytes: some Sequence<UInt8>) -> String {
        var (first, second): (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x6C62_272E_07BB_0142)
        for byte in bytes {
            first = (first ^ UInt64(byte)) &* 0x100_0000_01B3
            second = ((second ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15) ^ (second >> 29)
        }
        return first.padded(16, radix: 16) + second.padded(16, radix: 16)
    }
}
