import FireLite

/// Reads resources that are mended first. Mistakes are reported at their places in the given text.
final class MendingReader: ResourceMending {
    private let mender: FireKitMender
    private let reader: FHIRJSONReader
    /// The type of resources that do not name it.
    private let typeName: String?
    private var ids = ContentIDs()

    init(_ mender: FireKitMender, typeName: String?) {
        self.mender = mender
        self.typeName = typeName
        reader = FHIRJSONReader(release: mender.release)
    }

    // MARK: - Reading

    /// - Throws: `FHIRDecodingError`.
    func resource(from bytes: UnsafeBufferPointer<UInt8>) throws -> (resource: FHIRResource, mends: [Mend]) {
        guard let node = JSONNodeParser.node(of: bytes) else { return (try reader.resource(from: bytes), []) }
        return try resource(node, typeName: typeName, in: bytes)
    }

    private func resource(
        _ node: JSONNode, typeName: String?, in bytes: UnsafeBufferPointer<UInt8>
    ) throws -> (resource: FHIRResource, mends: [Mend]) {
        let mended = mender.resource(node, typeName: typeName)
        let object = try read(mended.node, in: bytes) { try self.reader.resource(from: $0) }
        return (object, mended.mends)
    }

    /// The same for an object that is not a resource: a Bundle's entry.
    func read(_ bytes: UnsafeBufferPointer<UInt8>, as layout: Layout) throws -> (object: FHIRObject, mends: [Mend]) {
        let object = layout.makeObject()
        guard let node = JSONNodeParser.node(of: bytes) else {
            try reader.read(bytes, into: object)
            return (object, [])
        }
        let mended = mender.object(node, layout)
        if mended.node.isEmpty { return (object, mended.mends) }
        try read(mended.node, in: bytes) { try self.reader.read($0, into: object) }
        return (object, mended.mends)
    }

    private func read<Value>(
        _ node: JSONNode, in given: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws -> Value
    ) throws -> Value {
        let text = MendedText(node)
        do {
            return try text.bytes.withUnsafeBufferPointer(body)
        } catch let error as FHIRDecodingError {
            throw text.given(explained(error), in: given)
        }
    }

    /// The mistake; for a number instead of a date, with the numbers that would have become one.
    private func explained(_ error: FHIRDecodingError) -> FHIRDecodingError {
        guard error.code == .wrongType, error.found == "a number" else { return error }
        let types: [PrimitiveType] = [.date, .dateTime, .instant]
        guard let type = types.first(where: { error.expected.hasSuffix("(\($0.name))") }),
            let number = mender.dateNumbers.expectation(as: type, offset: mender.dates.offset)
        else { return error }
        return FHIRDecodingError(
            code: error.code, line: error.line, column: error.column, offset: error.offset, path: error.path,
            expected: "\(error.expected) or \(number)", found: "another number")
    }

    /// The rows of a dump; nil if the text is not one.
    func rows(in bytes: UnsafeBufferPointer<UInt8>) -> ForeignRows? {
        guard let node = JSONNodeParser.node(of: bytes), let tables = ResourceTables(node, mender.release) else { return nil }
        return ForeignRows(
            resources: tables.rows.map { row in
                .init(typeName: row.typeName, range: row.node.range) { [self] in
                    try resource(row.node, typeName: row.typeName, in: $0)
                }
            },
            skipped: tables.elements.map { Mend(kind: .elementRow, path: $0) })
    }

    // MARK: - Names

    /// Gives a resource without an id one made from its content.
    ///
    /// - Returns: the mended place; nil if the resource has an id.
    func assignID(_ resource: FHIRResource) -> Mend? {
        guard resource.id == nil else { return nil }
        resource.id = ids.id(for: resource)
        return Mend(kind: .id, path: "\(resource.resourceType).id")
    }

    /// The type and id of a resource for messages, from its text or that of a Bundle's entry.
    func name(of text: UnsafeBufferPointer<UInt8>, typeName: String?) -> String? {
        guard let node = JSONNodeParser.node(of: text) else { return typeName ?? self.typeName }
        let resource = node["resourceType"] == nil ? node["resource"] ?? node : node
        guard let type = resource["resourceType"]?.text ?? typeName ?? self.typeName, Self.isName(type) else { return nil }
        guard let id = resource["id"]?.text, Self.isName(id) else { return type }
        return "\(type)/\(id)"
    }

    /// Any other text may be anything, and is not repeated.
    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0 &- 48 < 10 || ($0 | 0x20) &- 97 < 26 || $0 == 0x2D || $0 == 0x2E }
    }
}
