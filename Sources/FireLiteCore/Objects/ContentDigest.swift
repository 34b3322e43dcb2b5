/// A 128-bit digest of an object's content: equal for equal content, and different otherwise except by chance.
///
/// Two lanes of multiply-and-fold over names of elements and values, two words at a time. Keyed with a secret of the store, so that
/// nobody can make two resources with one digest. A to-one element without content does not count, as in `==`. It covers names, not slots,
/// as a class that has gained elements must compute the same digest as before.
package struct ContentDigest {
    package typealias Value = (UInt64, UInt64)

    private var first: UInt64
    private var second: UInt64
    private let usesSlots: Bool

    init(key: UInt64, usesSlots: Bool = false) {
        first = key ^ 0x9E37_79B9_7F4A_7C15
        second = ~key &* 0xC2B2_AE3D_27D4_EB4F
        self.usesSlots = usesSlots
    }

    /// The digest of an object.
    ///
    /// - Parameter usesSlots: true for digests of files of format 1, which cover slot numbers instead of names.
    package static func digest(of object: FHIRObject, key: UInt64, usesSlots: Bool = false) -> Value {
        var digest = ContentDigest(key: key, usesSlots: usesSlots)
        digest.mix(object)
        return digest.finish()
    }

    /// Ends a digest.
    mutating func finish() -> Value {
        mix(0x5A, 0xA5)
        return (first, second)
    }

    /// The digest of a text.
    package static func digest(of text: String, key: UInt64) -> Value {
        var digest = ContentDigest(key: key, usesSlots: false)
        var text = text
        text.withUTF8 { digest.mix($0, tag: 2) }
        return digest.finish()
    }

    /// The word for an element in digests: a hash of its name (FNV-1a), without the last byte.
    static func tag(ofElement name: String) -> UInt64 {
        name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } << 8
    }

    @inline(__always)
    mutating func mix(_ left: UInt64, _ right: UInt64) {
        let one = (left ^ first).multipliedFullWidth(by: right ^ 0xA076_1D64_78BD_642F)
        let two = (right &+ second).multipliedFullWidth(by: left ^ 0xE703_7ED1_A0B4_28DB)
        first = (one.high ^ one.low) &+ right
        second = (two.high ^ two.low) &+ first &+ left
    }

    @inline(__always)
    mutating func mix(_ bytes: UnsafeBufferPointer<UInt8>, tag: UInt64) {
        let count = bytes.count
        mix(tag, UInt64(truncatingIfNeeded: count))
        guard let base = bytes.baseAddress, count > 0 else { return }
        let raw = UnsafeRawPointer(base)
        var offset = 0
        while offset + 16 <= count {
            mix(
                raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian,
                raw.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self).littleEndian)
            offset += 16
        }
        guard offset < count else { return }
        var left: UInt64 = 0
        if offset + 8 <= count {
            left = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
            offset += 8
        }
        // The rest, up to seven bytes, as a big-endian number.
        var right: UInt64 = 0
        if count >= 8 {
            let last = raw.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self).bigEndian
            right = last & (1 << UInt64(8 * (count - offset)) - 1)
        } else {
            while offset < count {
                right = right << 8 | UInt64(base[offset])
                offset += 1
            }
        }
        mix(left, right)
    }

    private mutating func mix(_ object: FHIRObject) {
        let table = object.layoutTable
        if table.pointee.typeMemberLength > 0 {
            mix(UnsafeBufferPointer(start: table.pointee.typeMember, count: table.pointee.typeMemberLength), tag: 8)
        }
        if let slots = object.slots {
            let entries = table.pointee.entries
            object.prefetchObjects()
            for index in 0..<Int(object.slotCount) {
                let slot = Int(slots[index].index)
                mix(slots + index, usesSlots ? UInt64(slot) << 8 : entries[slot].digestTag)
            }
        }
        mix(0xFFFF_0000, 0)
    }

    @inline(__always)
    private mutating func mix(_ slot: UnsafeMutablePointer<ElementSlot>, _ tag: UInt64) {
        switch slot.pointee.value {
        case .word(let word): mix(tag | 1, UInt64(bitPattern: word))
        case .text: slot.text.withUTF8 { mix($0, tag: tag | 2) }
        case .object:
            slot.object._withUnsafeGuaranteedRef { child in
                guard child.beginsWithValue || child.hasContent else { return }
                mix(tag | 3, 0)
                mix(child)
            }
        case .objects:
            let children = slot.objects
            mix(tag | 4, UInt64(children.count))
            children.prefetchItems()
            for child in children { child._withUnsafeGuaranteedRef { mix($0) } }
        case .texts:
            let texts = slot.texts
            mix(tag | 5, UInt64(texts.count))
            for index in texts.indices { (texts.baseAddress.unsafelyUnwrapped + index).withUTF8 { mix($0, tag: 9) } }
        case .annotated(let primitive): mix(primitive, tag)
        case .annotatedTexts(let list): mix(list, tag)
        }
    }

    private mutating func mix(_ primitive: AnnotatedPrimitive, _ tag: UInt64) {
        // An element without content has no rows, so what is read again is the value alone, or nothing.
        guard primitive.element.hasContent else {
            switch primitive.value {
            case .word(let word)?: mix(tag | 1, UInt64(bitPattern: word))
            case .text(var text)?: text.withUTF8 { mix($0, tag: tag | 2) }
            default: break
            }
            return
        }
        mix(tag | 6, 0)
        switch primitive.value {
        case .word(let word)?: mix(1, UInt64(bitPattern: word))
        case .text(var text)?: text.withUTF8 { mix($0, tag: 2) }
        default: mix(0, 0)
        }
        mix(primitive.element)
    }

    private mutating func mix(_ list: AnnotatedList, _ tag: UInt64) {
        let isPlain = !list.texts.contains { $0 == nil } && !list.elements.contains { $0?.hasContent ?? false }
        mix(tag | (isPlain ? 5 : 7), UInt64(list.texts.count))
        for (text, element) in zip(list.texts, list.elements) {
            if var text { text.withUTF8 { mix($0, tag: 9) } } else { mix(0xFFFF_0001, 0) }
            if isPlain { continue }
            if let element, element.hasContent { mix(element) } else { mix(0xFFFF_0002, 0) }
        }
    }
}
