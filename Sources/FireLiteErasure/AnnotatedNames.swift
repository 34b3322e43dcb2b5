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

    private static func opened(_ id: String, _ tx: ReadTransaction) throws -> AppDataRecord? {
        do {
            return try tx.store.appData.get(id)
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
}
