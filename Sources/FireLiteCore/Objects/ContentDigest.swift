/// A 128-bit digest of an object's content: equal for equal content, and else different but for chance.
///
/// Two multiply-and-fold lanes over slot numbers and values. Keyed with a secret of the store, so that nobody can make two
/// resources with one digest. A to-one element without content does not count, as in `==`.
package struct ContentDigest {
    private var first: UInt64
    private var second: UInt64

    private init(key: UInt64) {
        first = key ^ 0x9E37_79B9_7F4A_7C15
        second = ~key &* 0xC2B2_AE3D_27D4_EB4F
    }

    /// The digest of an object.
    package static func digest(of object: FHIRObject, key: UInt64) -> (UInt64, UInt64) {
        var digest = ContentDigest(key: key)
        digest.mix(object)
        digest.mix(UInt64(0x5A))
        return (digest.first, digest.second)
    }

    @inline(__always)
    private mutating func mix(_ value: UInt64) {
        let left = (first ^ value).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        first = left.high ^ left.low ^ second
        let right = (second &+ value).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
        second = right.high ^ right.low &+ first
    }

    @inline(__always)
    private mutating func mix(_ bytes: UnsafeBufferPointer<UInt8>) {
        let count = bytes.count
        mix(UInt64(truncatingIfNeeded: count) | 1 << 62)
        guard let base = bytes.baseAddress, count > 0 else { return }
        let raw = UnsafeRawPointer(base)
        var offset = 0
        while offset + 8 <= count {
            mix(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < count {
            rest = rest << 8 | UInt64(base[offset])
            offset += 1
        }
        mix(rest)
    }

    private mutating func mix(_ text: String) {
        var text = text
        text.withUTF8 { mix($0) }
    }

    private mutating func mix(_ object: FHIRObject) {
        let table = object.layoutTable
        if table.pointee.typeMemberLength > 0 {
            mix(UnsafeBufferPointer(start: table.pointee.typeMember, count: table.pointee.typeMemberLength))
        }
        if let slots = object.slots {
            for index in 0..<Int(object.slotCount) { mix(slots[index].value, slots[index].index) }
        }
        mix(0xFFFF_0000)
    }

    @inline(__always)
    private mutating func mix(_ value: borrowing SlotValue, _ slot: UInt16) {
        let tag = UInt64(slot) << 32
        switch value {
        case .word(let word):
            mix(tag | 1)
            mix(UInt64(bitPattern: word))
        case .text(let text):
            mix(tag | 2)
            mix(text)
        case .object(let child):
            guard child.hasContent else { return }
            mix(tag | 3)
            mix(child)
        case .objects(let children):
            mix(tag | 4)
            mix(UInt64(children.count))
            for child in children { mix(child) }
        case .texts(let texts):
            mix(tag | 5)
            mix(UInt64(texts.count))
            for text in texts { mix(text) }
        case .annotated(let primitive):
            mix(tag | 6)
            if let plain = primitive.value { mix(plain, slot) }
            mix(primitive.element)
        case .annotatedTexts(let list):
            mix(tag | 7)
            mix(UInt64(list.texts.count))
            for (text, element) in zip(list.texts, list.elements) {
                if let text { mix(text) } else { mix(0xFFFF_0001) }
                if let element { mix(element) } else { mix(0xFFFF_0002) }
            }
        }
    }
}
