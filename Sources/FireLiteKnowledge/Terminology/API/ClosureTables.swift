import FireLiteCore
import Foundation

/// The closure tables of clients, by the names that these gave them: what the operation `$closure` is about (FHIR, ConceptMap: Closure Table Maintenance).
///
/// ```swift
/// var tables = ClosureTables()
/// let map = try tables.perform(parameters: request, using: terminology)
/// ```
///
/// It is a value, which can be kept as JSON: `JSONEncoder().encode(tables)`.
public struct ClosureTables: Sendable, Hashable, Codable {
    /// The maximum number of tables.
    public static let maximumTables = 1_000

    /// The tables by name.
    public private(set) var tables: [String: ClosureTable] = [:]

    /// No tables.
    public init() {}

    /// Performs `$closure` as a FHIR server does.
    ///
    /// A name alone begins a table, or begins it again. A name with concepts adds them, and the answer has the relations that this adds; a name with a
    /// version gives again those that came after it.
    /// - Parameters:
    ///   - parameters: the JSON of a Parameters resource with `name`, and `concept` or `version`.
    ///   - terminology: a terminology that knows the code systems of the concepts. Its release decides how the answer names relations.
    /// - Returns: the JSON of a ConceptMap.
    /// - Throws: ``TerminologyError`` for a table that nobody has begun, a code that is unknown, and for too many tables or codes; all tables stay as they
    ///   were.
    public mutating func perform(parameters: Data, using terminology: Terminology) throws -> Data {
        let request = try RequestParameters(Terminology.json(parameters))
        guard let name = request.text("name"), !name.isEmpty else {
            throw TerminologyError(.invalid, "invalid", at: "name", "the request names no closure table: add the parameter name")
        }
        let isR4 = !terminology.release.version.hasPrefix("5.")
        let concepts = request.all("concept").map { $0["valueCoding"] }
        guard let version = try request.count("version") else {
            if concepts.isEmpty { return try begin(name, isR4) }
            var table = try table(name)
            let codes = try concepts.map { coding in
                guard let coding, let code = coding["code"]?.text else {
                    throw TerminologyError(.invalid, "invalid", at: "concept", "a concept is no Coding with a code")
                }
                return TerminologyCode(code, system: coding["system"]?.text, version: coding["version"]?.text)
            }
            let added = try table.add(codes, using: terminology)
            tables[name] = table
            return table.conceptMap(of: added, isR4: isR4)
        }
        guard concepts.isEmpty else {
            throw TerminologyError(.invalid, "invalid", at: "version", "a request has either concepts to add, or the version to go on from")
        }
        let table = try table(name)
        guard version <= table.version else {
            throw TerminologyError(
                .invalid, "invalid", at: "version",
                "the closure table '\(name)' has the version \(table.version), and no later one: begin it again")
        }
        return table.conceptMap(of: table.relations.filter { $0.version > version }, isR4: isR4)
    }

    private mutating func begin(_ name: String, _ isR4: Bool) throws -> Data {
        guard tables[name] != nil || tables.count < Self.maximumTables else {
            throw TerminologyError(.tooCostly, "too-costly", "there are \(Self.maximumTables) closure tables already: use one of them")
        }
        let table = ClosureTable(name: name)
        tables[name] = table
        return table.conceptMap(of: [], isR4: isR4)
    }

    private func table(_ name: String) throws -> ClosureTable {
        guard let table = tables[name] else {
            throw TerminologyError(
                .notFound, "not-found", at: "name",
                "the closure table '\(name)' is unknown: begin it with a request that has its name alone")
        }
        return table
    }
}
