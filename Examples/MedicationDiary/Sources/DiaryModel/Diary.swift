import FireLite
import FireLiteR4
import Foundation

/// A person's medication diary: the model layer of an app, over one FireLite store.
///
/// Its methods are asynchronous and pass values (`DiaryEntry`, `DailyDoses`), which any screen can hold; FHIR objects stay inside the
/// blocks that read and write them.
public struct Diary: Sendable {
    /// The store, for what the diary has no method for.
    public let store: FHIRStore

    /// Opens the diary in the file at `path`, and creates it if there is none.
    ///
    /// - Throws: `FHIRStoreError`.
    public init(path: String) throws { try self.init(store: FHIRStore(path: path, release: .r4)) }

    /// A diary in memory, for tests and previews.
    ///
    /// - Throws: `FHIRStoreError`.
    public static func inMemory() throws -> Diary { try Diary(store: .inMemory(release: .r4)) }

    /// Imports a file of FHIR R4: NDJSON, a resource or a Bundle; all of it or, if it throws, nothing. Resources with the type and id of stored ones replace
    /// them.
    ///
    /// - Throws: `ImportFault` with the line of a mistake; `TransferError`, `FHIRStoreError`, `CancellationError`.
    public func importFile(at url: URL) async throws -> ImportCounts {
        var options = ImportOptions()
        options.transactions = .files
        return try await store.importResources(from: url, options: options).counts
    }

    private init(store: FHIRStore) throws {
        self.store = store
        // The last of these says that all are there. Full text would be indexed again each time.
        guard try !store.indexes().contains(where: { $0.kind == .fullText && $0.typeName == "MedicationStatement" }) else { return }
        try store.createIndex(MedicationAdministration.self) { $0.effectiveDateTime }
        try store.createIndexes(.references, for: MedicationAdministration.self)
        try store.createFullTextIndex(Medication.self) { [$0.code.text, $0.code.coding.display] }
        try store.createFullTextIndex(MedicationRequest.self, MedicationRequest.texts)
        try store.createFullTextIndex(MedicationStatement.self, MedicationStatement.texts)
    }
}
