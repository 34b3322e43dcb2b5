import FireLite
import FireLiteCore
import Foundation

/// The tables of a store's file with packages: `_package` and `_package_definition`.
enum PackageTables {
    static let packages = ModuleTable(
        "_package", key: "package", columns: [.init("name", .text), .init("version", .text), .init("manifest", .text)],
        indexes: [.init("name", "version", isUnique: true)])
    static let definitions = ModuleTable(
        "_package_definition", key: "definition",
        columns: [
            .init("package", .integer), .init("type", .text), .init("url", .text), .init("version", .text), .init("id", .text),
            .init("subject", .text), .init("date", .text), .init("text", .text),
        ], indexes: [.init("package")])
    static let module = ModuleTables(module: "package", version: 1, tables: [packages, definitions])
}

extension FHIRStore {
    /// The packages in the store's file, by name and version: ``addPackage(at:)`` puts them there.
    ///
    /// - Throws: `FHIRStoreError`; `KnowledgeError` with code `manifest` for a manifest that was changed by other programs.
    public func packages() throws -> [PackageManifest] { try read { try $0.packages() } }

    /// Puts a package into the store's file, in place of the same version of it. A store that requires
    /// ``StoreValidation/storedPackages(against:undecided:)`` uses it from then on.
    ///
    /// ```swift
    /// let store = try FHIRStore(path: "health.sqlite", release: .r4)
    /// try store.addPackage(at: URL(fileURLWithPath: "us-core-6.1.0.tgz"))
    /// ```
    ///
    /// - Parameter package: an archive (`.tgz`) or a folder with an unpacked one.
    /// - Returns: the manifest of the package, the number of its definitions, and its files that were left out.
    /// - Throws: `KnowledgeError`; `TransferError` if the system has no zlib; `FHIRStoreError`.
    @discardableResult
    public func addPackage(at package: URL) throws -> (manifest: PackageManifest, definitions: Int, skipped: [SkippedFile]) {
        let loaded = try PackageReader.read(package.filePath)
        try addPackages([loaded])
        return (loaded.manifest, loaded.definitions.count, loaded.skipped)
    }

    /// Adds packages that were read: all of them or none.
    package func addPackages(_ loaded: [LoadedPackage]) throws {
        try write { tx in for package in loaded { try tx.add(package) } }
        checkPackages()
        try useStoredPackages()
    }

    /// Removes a package from the store's file.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - version: its version; nil for all versions.
    /// - Returns: the number of packages that were removed.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func removePackage(named name: String, version: String? = nil) throws -> Int {
        let removed = try write { tx in try tx.removePackages { $0 == name && (version == nil || $1 == version) } }
        if removed > 0 { try useStoredPackages() }
        return removed
    }
}

extension WriteTransaction {
    fileprivate func add(_ loaded: LoadedPackage) throws {
        try removePackages { $0 == loaded.manifest.name && $1 == loaded.manifest.version }
        let module = PackageTables.module
        try run(
            on: module, "INSERT INTO _package(name, version, manifest) VALUES (?, ?, ?)",
            [.text(loaded.manifest.name), .text(loaded.manifest.version), .text(loaded.manifest.json)])
        let key = try rows(of: module, "SELECT max(package) FROM _package").first?[0].integer ?? 0
        for definition in loaded.definitions {
            let texts = [
                definition.type, definition.url, definition.version, definition.id, definition.subject, definition.date,
                String(decoding: try definition.text, as: UTF8.self),
            ]
            try run(
                on: module,
                "INSERT INTO _package_definition(package, type, url, version, id, subject, date, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [.integer(key)] + texts.map { text -> SQLValue in text.map { .text($0) } ?? .null })
        }
    }

    /// Removes packages by name and version.
    @discardableResult
    fileprivate func removePackages(where isMeant: (_ name: String, _ version: String) -> Bool) throws -> Int {
        let module = PackageTables.module
        var removed = 0
        for row in try rows(of: module, "SELECT package, name, version FROM _package") {
            guard let key = row[0].integer, isMeant(row[1].text ?? "", row[2].text ?? "") else { continue }
            try run(on: module, "DELETE FROM _package_definition WHERE package = ?", [.integer(key)])
            removed += try run(on: module, "DELETE FROM _package WHERE package = ?", [.integer(key)])
        }
        return removed
    }
}

extension ReadTransaction {
    fileprivate func packages() throws -> [PackageManifest] {
        try rows(of: PackageTables.module, "SELECT manifest FROM _package ORDER BY name, version").map {
            try PackageManifest(stored: Data(($0[0].text ?? "").utf8), source: "the store's table _package")
        }
    }
}

extension Knowledge {
    /// Adds the packages that a store's file has.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - copiesTexts: whether the texts of the definitions are copied into memory, so that they stay when packages are replaced or removed. Default:
    ///     false, they are read from the store when they are first needed.
    /// - Throws: `FHIRStoreError`; `KnowledgeError`.
    public func addPackages(of store: FHIRStore, copiesTexts: Bool = false) throws {
        if try store.hasPackages { store.checkPackages() }
        try store.readWithoutRecord { tx in
            let texts: any DefinitionTexts = try copiesTexts ? CopiedTexts(tx) : StoreTexts(store)
            for manifest in try tx.packages() { note(manifest) }
            let sql = """
                SELECT d.type, d.url, d.version, d.id, d.subject, d.date, d.definition, p.name || '#' || p.version
                FROM _package_definition d JOIN _package p ON p.package = d.package ORDER BY d.definition
                """
            for row in try tx.rows(of: PackageTables.module, sql) {
                guard let type = row[0].text, let key = row[6].integer else { continue }
                insert(
                    Definition(
                        type: type, url: row[1].text, version: row[2].text, id: row[3].text, subject: row[4].text, date: row[5].text,
                        source: row[7].text ?? "the store", in: texts, key: key))
            }
        }
    }
}

/// The texts of the definitions that a store's file had.
private struct CopiedTexts: DefinitionTexts {
    private let texts: [Int64: Data]

    init(_ transaction: ReadTransaction) throws {
        var texts: [Int64: Data] = [:]
        for row in try transaction.rows(of: PackageTables.module, "SELECT definition, text FROM _package_definition") {
            if let key = row[0].integer { texts[key] = Data((row[1].text ?? "").utf8) }
        }
        self.texts = texts
    }

    func text(_ key: Int64) -> Data { texts[key] ?? Data() }
}

/// Reads the texts of definitions from a store's file.
///
/// `@unchecked Sendable`: the store is set once, and a weak reference is read by any thread.
private final class StoreTexts: DefinitionTexts, @unchecked Sendable {
    /// The store keeps its validator, and that its definitions.
    private weak var store: FHIRStore?

    init(_ store: FHIRStore) { self.store = store }

    func text(_ key: Int64) throws -> Data {
        do {
            guard let store else {
                throw KnowledgeError(.file, "the store with the packages was closed: keep it as long as their definitions are used")
            }
            let sql = "SELECT text FROM _package_definition WHERE definition = ?"
            let found = try store.readWithoutRecord { try $0.rows(of: PackageTables.module, sql, [.integer(key)]).first?[0].text }
            guard let found else {
                throw KnowledgeError(.file, "a package in the store was removed or replaced while it was in use: read the packages again")
            }
            return Data(found.utf8)
        } catch {
            throw ReadingFailures.noted(error)
        }
    }
}
