import FireLite
import FireLiteRecords

/// The names of resources as annotations have them: in lower case, and as keyed hashes of what is sealed.
///
/// The annotation `patient/pa1` may stand for `Patient/Pa1` or `Patient/pa1`: it names both.
struct AnnotatedNames {
    private let names: Set<String>
    /// The keyed hashes of the names; empty without a keyring.
    private let hashes: Set<String>

    /// - Throws: `RecordError.emptyAnnotation`.
    init(_ keys: Set<String>, _ tx: ReadTransaction) throws {
        let names = try Set(RecordAnnotation.normalized(keys))
        self.names = names
        hashes = Self.keyring(tx).map { keyring in Set(names.map(keyring.code)) } ?? []
    }

    /// The keyring of the store's records; nil if it has none. Asking a store for its records makes it follow writes, so one that does not is not asked.
    private static func keyring(_ tx: ReadTransaction) -> RecordKeyring? {
        tx.store.sealing.sealer == nil ? nil : tx.store.records.encryption.keyring
    }

    /// Whether the annotation is one of the names or contains one.
    ///
    /// - Parameter isHash: whether the text is a keyed hash, which only matches a whole annotation.
    func areNamed(by text: String, isHash: Bool) -> Bool {
        isHash ? hashes.contains(text) : names.contains(text) || ReferenceTokens.hasAny(ofLowercased: names, in: text)
    }

    /// Whether an annotation of sealed app data names one; false if it cannot be opened.
    func areNamed(bySealed id: String, _ tx: ReadTransaction) throws -> Bool {
        guard !hashes.isEmpty, let item = try Self.opened(id, tx) else { return false }
        return item.annotations.contains { areNamed(by: $0, isHash: false) }
    }

    private static func opened(_ id: String, _ tx: ReadTransaction) throws -> AppDataRecord? { try opened { try tx.store.appData.get(id) } }

    /// What `body` opens; nil if the keyring does not open it.
    private static func opened<Value>(_ body: () throws -> Value?) throws -> Value? {
        do {
            return try body()
        } catch let error as RecordError where [.missingKey, .cannotOpen, .invalidContent].contains(error.code) {
            return nil
        }
    }

    /// The sealed items that have annotations.
    static func sealedItems(_ tx: ReadTransaction) throws -> [(number: Int64, id: String)] {
        try tx.rows(
            ofModuleTable: "_appdata_key",
            """
            SELECT k.owner, a.id FROM _appdata_key k JOIN _appdata a ON a.number = k.owner
            WHERE EXISTS (SELECT 1 FROM _appdata_annotation n WHERE n.owner = k.owner)
            """
        ).compactMap { row in
            guard let number = row[0].integer, let id = row[1].text else { return nil }
            return (number, id)
        }
    }

    /// The number of sealed items with annotations that the store's keyring does not open, if it has one.
    static func unreadItems(_ tx: ReadTransaction, without erased: Set<Int64>) throws -> Int {
        let items = try sealedItems(tx).filter { !erased.contains($0.number) }
        guard keyring(tx) != nil else { return items.count }
        return try items.filter { try opened($0.id, tx) == nil }.count
    }

    // MARK: - Records of others

    /// A sealed record with an annotation that names the person or something erased.
    struct SealedRecord {
        let type: String
        let id: String
        /// The annotations that stay.
        let kept: [String]
        /// The keyed hashes of those that go.
        let erased: Set<String>
    }

    /// The sealed records, by their numbers, that have an annotation which names one; those that are erased have other numbers.
    ///
    /// Resources that the keyring does not open have ended the erasure before: here, they are left out.
    func sealedRecords(without erased: Set<Int64>, _ tx: ReadTransaction) throws -> [Int64: SealedRecord] {
        guard let keyring = Self.keyring(tx) else { return [:] }
        var found: [Int64: SealedRecord] = [:]
        for row in try tx.rows(
            ofModuleTable: "_record_key",
            """
            SELECT k.owner, r.type, r.id FROM _record_key k JOIN _record r ON r.root = k.owner
            WHERE r.deleted IS NULL AND EXISTS (SELECT 1 FROM _record_annotation a WHERE a.owner = k.owner)
            """
        ) {
            guard let number = row[0].integer, !erased.contains(number), let type = row[1].text, let id = row[2].text,
                let all = try Self.opened({ try tx.store.records.summary(type, id: id) })?.annotations
            else { continue }
            let naming = all.filter { areNamed(by: $0, isHash: false) }
            guard !naming.isEmpty else { continue }
            found[number] = SealedRecord(
                type: type, id: id, kept: all.filter { !naming.contains($0) }, erased: Set(naming.map(keyring.code)))
        }
        return found
    }
}
