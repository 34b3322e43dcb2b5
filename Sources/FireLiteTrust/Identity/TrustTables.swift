import FireLite
import Foundation

/// The tables of identities and nonces in the store's file.
enum TrustTables {
    private static let identities = ModuleTable(
        "_trust_identity", key: "number",
        columns: [.init("id", .text), .init("name", .text), .init("reference", .text), .init("authority", .text)],
        indexes: [.init("id", isUnique: true)])

    /// A row for each key that an identity has had. The times are milliseconds since 1970.
    private static let keys = ModuleTable(
        "_trust_key", key: "number",
        columns: [
            .init("identity", .text), .init("kid", .text), .init("jwk", .text), .init("begins", .integer), .init("ends", .integer),
        ], indexes: [.init("kid", isUnique: true), .init("identity")])

    /// The nonces of tokens that were used, until the tokens are too old anyway.
    private static let nonces = ModuleTable(
        "_trust_nonce", key: "number",
        columns: [.init("issuer", .text), .init("nonce", .text), .init("expires", .integer)],
        indexes: [.init("issuer", "nonce", isUnique: true), .init("expires")])

    static let module = ModuleTables(module: "trust", version: 1, tables: [identities, keys, nonces])
}

extension ReadTransaction {
    /// How many identities the file has lost, by the number that it notes outside the table.
    func lostIdentityRows() throws -> Int64 { try lostRows(of: TrustTables.module, "_trust_identity") }

    /// How many statements about Consents the file has lost, revocations among them, by the number that it notes outside the table.
    func lostStatementRows() throws -> Int64 { try lostRows(of: PermissionTables.module, "_permission") }
}

extension WriteTransaction {
    func noteIdentityRows() throws { try noteRows(of: TrustTables.module, "_trust_identity") }

    func noteStatementRows() throws { try noteRows(of: PermissionTables.module, "_permission") }
}

extension Date {
    /// Milliseconds since 1970; the furthest ones for dates beyond.
    var trustMilliseconds: Int64 {
        // A hundredth more, as a date of whole milliseconds may lie a little below them in binary.
        let value = (timeIntervalSince1970 * 1000 + 0.01).rounded(.down)
        return value >= 9e18 ? .max : value <= -9e18 ? .min : Int64(value)
    }

    init(trustMilliseconds: Int64) { self.init(timeIntervalSince1970: Double(trustMilliseconds) / 1000) }
}
