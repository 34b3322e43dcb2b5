import FireLiteCore
import FireLiteSQLiteBridge

/// The base addresses under which references lead to the store's own resources, as one connection knows them.
///
/// `@unchecked Sendable`: it belongs to a connection, which one thread has at a time.
final class LocalBases: @unchecked Sendable {
    /// A table that no file has: observers of references depend on it, and a write that changes the file's bases changes it.
    static let observedName = "_bases"

    /// Those of the store's configuration.
    private let given: [String]
    /// Those of the calls that are running.
    private var added: [String] = []
    /// Those that the file names; nil until the transaction needs them.
    private var stored: [String]?
    /// All of them, without repetitions.
    private(set) var texts: [String]
    private var bytes: [[UInt8]] = []

    init(given: [String]) {
        self.given = given
        texts = given
        refresh()
    }

    private func refresh() {
        var texts: [String] = []
        for base in given + (stored ?? []) + added where !texts.contains(base) { texts.append(base) }
        self.texts = texts
        bytes = texts.map { Array($0.utf8) }
    }

    // MARK: - The file's

    /// Those that the file names, in `_meta` with a blank between two.
    static func stored(_ connection: Connection) throws -> [String] {
        let statement = try connection.cached("SELECT value FROM _meta WHERE key = 'bases'")
        defer { statement.reset() }
        guard try statement.step() else { return [] }
        return (statement.text(0) ?? "").split(separator: " ").map(String.init)
    }

    static func store(_ bases: [String], _ connection: Connection) throws {
        let statement = try connection.cached("INSERT OR REPLACE INTO _meta(key, value) VALUES ('bases', ?)")
        statement.bind(1, bases.joined(separator: " "))
        try statement.run()
    }

    /// Reads those of the file, unless this transaction has.
    func load(_ connection: Connection) throws {
        if stored != nil { return }
        stored = try Self.stored(connection)
        refresh()
    }

    /// Forgets those of the file: another transaction may see others.
    func forget() { stored = nil }

    // MARK: - A call's

    /// Runs `body` with one more base.
    func with<Value>(_ base: String, _ body: () throws -> Value) rethrows -> Value {
        if added.contains(base) { return try body() }
        added.append(base)
        refresh()
        defer {
            added.removeLast()
            refresh()
        }
        return try body()
    }

    // MARK: - Looking up

    /// Whether an address, without a slash at its end, is one of them: byte for byte, as FHIR's addresses are.
    func contains(_ address: some Collection<UInt8>) -> Bool {
        bytes.contains { $0.count == address.count && $0.elementsEqual(address) }
    }
}

extension LiteralReference {
    /// The id of the stored resource of a type that a reference leads to; nil for references that lead elsewhere, also under the base address of
    /// somebody else.
    static func localID(
        in bytes: UnsafeBufferPointer<UInt8>, type: UnsafeBufferPointer<UInt8>, _ bases: LocalBases
    ) -> Range<Int>? {
        guard let id = LiteralReference.id(in: bytes, type: type) else { return nil }
        // Only a relative reference begins with the type, and only an URN with the letter u.
        guard bytes.first == UInt8(ascii: "h"), let literal = LiteralReference(bytes) else { return id }
        return bases.contains(bytes[..<(literal.type.lowerBound - 1)]) ? id : nil
    }
}

extension ReferenceParts {
    /// Whether the reference leads to a resource of a store with these bases, if that has it: it is relative or has one of the bases.
    package func isLocal(_ bases: [String]) -> Bool {
        switch form {
        case .relative: true
        case .absolute: base.map { bases.contains($0) } ?? false
        case .uuid, .contained, .oid, .other: false
        }
    }
}

/// The base address of a FHIR service, `https://example.org/fhir`.
enum BaseAddress {
    /// The address without slashes at its end.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for other text.
    static func checked(_ text: String) throws -> String {
        var base = text[...]
        while base.hasSuffix("/") { base.removeLast() }
        let isPlain = base.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && !"'\"<>\\".unicodeScalars.contains($0) }
        guard isPlain, ReferenceParts(base + "/Patient/1").base == String(base) else {
            throw FHIRStoreError(
                .invalidArgument,
                "a base address begins with http:// or https:// and a host, and has no query: write it as https://example.org/fhir")
        }
        return String(base)
    }
}
