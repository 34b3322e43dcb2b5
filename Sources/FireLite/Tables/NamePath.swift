import FireLiteCore

/// The name of a table or a column as a path: steps separated by underscores.
struct NamePath {
    let bytes: UnsafeBufferPointer<UInt8>
    /// The part before the first underscore.
    let first: UnsafeBufferPointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        let end = bytes.firstIndex(of: UInt8(ascii: "_")) ?? bytes.count
        first = UnsafeBufferPointer(rebasing: bytes[..<end])
    }

    /// The part after the first underscore; nil if there is none.
    var rest: NamePath? {
        first.count == bytes.count ? nil : NamePath(UnsafeBufferPointer(rebasing: bytes[(first.count + 1)...]))
    }

    /// Whether this is the suffix of a second column.
    func isAside(_ primitive: PrimitiveType) -> Bool { bytes.elementsEqual(TablePlan.asideSuffix(primitive).utf8.dropFirst()) }
}

extension UnsafeBufferPointer<UInt8> {
    func isText(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && (baseAddress.map { sameBytes($0, text.utf8Start, count) } ?? true)
    }
}

extension GroupPlan {
    /// The slot of the element with this name.
    func slot(named name: UnsafeBufferPointer<UInt8>) -> Int? {
        name.baseAddress.flatMap { layout.table.pointee.slot(named: $0, name.count) }
    }
}
