import FireLiteCore

/// The name of a table or a column as a path: steps separated by underscores.
struct NamePath {
    let bytes: UnsafeBufferPointer<UInt8>
    /// The part before the first underscore.
    let first: UnsafeBufferPointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        let end = bytes.firstIndex(of: UInt8(ascii: "_")) ?? bytes.count
        self.init(bytes, first: UnsafeBufferPointer(rebasing: bytes[..<end]))
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>, first: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        self.first = first
    }

    /// The part after the first underscore; nil if there is none.
    var rest: NamePath? {
        first.count == bytes.count ? nil : NamePath(UnsafeBufferPointer(rebasing: bytes[(first.count + 1)...]))
    }

    /// The same path with a longer first step, for an element whose own name has an underscore; nil if this is the last one.
    var joined: NamePath? {
        guard let rest else { return nil }
        return NamePath(bytes, first: UnsafeBufferPointer(rebasing: bytes[..<(first.count + 1 + rest.first.count)]))
    }

    /// Whether this is the suffix of a second column.
    func isAside(_ primitive: PrimitiveType) -> Bool { bytes.elementsEqual(TablePlan.asideSuffix(primitive).utf8.dropFirst()) }
}

extension UnsafeBufferPointer<UInt8> {
    func isText(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && (baseAddress.map { sameBytes($0, text.utf8Start, count) } ?? true)
    }
}

extension Layout {
    /// The slot of the element with this name.
    func slot(named name: UnsafeBufferPointer<UInt8>) -> Int? {
        name.baseAddress.flatMap { table.pointee.slot(named: $0, name.count) }
    }

    /// The slot of the element that a path begins with, and the path with that element's name as its first step.
    func step(_ path: NamePath) -> (slot: Int, path: NamePath)? {
        if let slot = slot(named: path.first) { return (slot, path) }
        // DSTU2's `fhir_comments` is the one name with an underscore.
        guard let joined = path.joined, let slot = slot(named: joined.first) else { return nil }
        return (slot, joined)
    }
}

extension GroupPlan {
    /// The slot of the element with this name.
    func slot(named name: UnsafeBufferPointer<UInt8>) -> Int? { layout.slot(named: name) }

    /// The slot of the element that a path begins with, and the path with that element's name as its first step.
    func step(_ path: NamePath) -> (slot: Int, path: NamePath)? { layout.step(path) }
}

extension StorageSchema {
    /// Whether a column for values may have this name: a path of to-one elements to a primitive.
    func hasColumn(_ name: String, in plan: TablePlan) -> Bool {
        if plan.primitive != nil { return name == "value" }
        var layout = plan.root.layout
        let steps = name.split(separator: "_", omittingEmptySubsequences: false)
        for (index, step) in steps.enumerated() {
            guard let element = layout.element(named: String(step)), !element.isList else { return false }
            switch element.kind {
            case .primitive: return index == steps.count - 1
            case .object:
                guard let next = element.layout else { return false }
                layout = next
            case .resource: return false
            }
        }
        return false
    }
}
