import Foundation

/// A job of bulk data: what was asked for, and how far it is. Its file lets it continue after a restart.
struct BulkJob: Codable, Sendable {
    enum Kind: String, Codable {
        case system, patient, group, `import`
    }

    enum State: String, Codable {
        case running, finished, failed
    }

    struct Output: Codable {
        let type: String
        /// The name of the file, or the address that was imported.
        let file: String
        let count: Int
    }

    struct TypeFilter: Codable {
        let type: String
        let query: String
    }

    let id: String
    let kind: Kind
    /// The id of the Group.
    var group: String?
    /// The address that was asked.
    let request: String
    let subject: String
    /// The scopes of the token, as text; nil if it permits everything.
    var scopes: [String]?
    var patient: String?
    var types: [String] = []
    var since: String?
    var typeFilters: [TypeFilter] = []
    var elements: [String] = []
    /// The addresses to import.
    var sources: [String] = []

    var state = State.running
    let created: Date
    var transactionTime: Date?
    var finished: Date?
    var outputs: [Output] = []
    /// The files with an `OperationOutcome` for each resource that could not be exported; nil if there are none.
    var errors: [Output]?
    /// Why it failed, without values of records.
    var problem: String?

    /// Until when the result is kept.
    static let lifetime: TimeInterval = 86_400

    var end: Date { (finished ?? created).addingTimeInterval(Self.lifetime) }

    var access: ServiceAccess {
        ServiceAccess(subject: subject, scopes: scopes.map { $0.compactMap { SMARTScope($0) } }, patient: patient)
    }
}
