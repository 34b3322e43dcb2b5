import FireLite
import FireLiteCore
import Foundation

extension FHIRStore {
    /// Compares the rows that find the definitions of packages with the definitions themselves, whenever this store object is checked.
    ///
    /// Every call about packages does so for its store. Call it before a check of a store that has used none.
    public func checkPackages() { _ = participant(PackageKeeper.self) { PackageKeeper() } }

    /// Whether the file has packages.
    package var hasPackages: Bool { get throws { try read { try $0.hasTables(of: PackageTables.module) } } }
}

/// Takes part in checks of the store, and in no write.
private final class PackageKeeper: WriteParticipant {
    var writtenTypes: Set<String>? { [] }
    var checkedPart: String { "what the file keeps of packages" }

    func willCommit(_ transaction: WriteTransaction, _ resources: [WrittenResource]) throws {}

    func findings(_ transaction: ReadTransaction) throws -> [StoreFinding] {
        do {
            guard try transaction.hasTables(of: PackageTables.module) else { return [] }
        } catch let error as FHIRStoreError where error.code == .notAStore {
            return [StoreFinding(.module, table: "_package", error.message)]
        }
        return try manifests(transaction) + strays(transaction) + definitions(transaction)
    }

    private func manifests(_ transaction: ReadTransaction) throws -> [StoreFinding] {
        let sql = "SELECT package, name, version, manifest FROM _package ORDER BY package"
        return try transaction.rows(of: PackageTables.module, sql).compactMap { row in
            let manifest = try? PackageManifest(stored: Data((row[3].text ?? "").utf8), source: "")
            if let manifest, manifest.name == row[1].text, manifest.version == row[2].text { return nil }
            return Self.finding("_package", "the manifest of package \(row[0].integer ?? 0) is damaged")
        }
    }

    private func strays(_ transaction: ReadTransaction) throws -> [StoreFinding] {
        let sql = "SELECT count(*) FROM _package_definition d WHERE NOT EXISTS (SELECT 1 FROM _package p WHERE p.package = d.package)"
        let count = try transaction.rows(of: PackageTables.module, sql).first?[0].integer ?? 0
        let definitions = String(counting: count, "definition is", "definitions are")
        return count == 0 ? [] : [Self.finding("_package_definition", "\(definitions) of no package")]
    }

    /// Definitions that are no resources, or that are not found by what they say.
    private func definitions(_ transaction: ReadTransaction) throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        let sql = "SELECT definition, type, url, version, id, subject, date, text FROM _package_definition ORDER BY definition"
        try transaction.forEachRow(of: PackageTables.module, sql) { row in
            let fault: String
            if let text = row[7].text, let definition = try? Definition(Data(text.utf8), source: "") {
                let said = [definition.type, definition.url, definition.version, definition.id, definition.subject, definition.date]
                guard said != (1...6).map({ row[$0].text }) else { return true }
                fault = "is not found by what it says"
            } else {
                fault = "is not a resource"
            }
            findings.append(Self.finding("_package_definition", "definition \(row[0].integer ?? 0) \(fault)"))
            return true
        }
        return findings
    }

    private static func finding(_ table: String, _ text: String) -> StoreFinding {
        StoreFinding(.mismatch, table: table, "\(table): \(text): add the package again")
    }
}
