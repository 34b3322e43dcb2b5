/// A kind of data. Its resources' shape decides what much of the work costs, so that the store is measured with more than one kind.
enum DataKind: String, CaseIterable, Codable {
    /// Synthetic patients and what was recorded about them: many resources of a few rows.
    case patients
    /// The same with claims: long resources with lists in lists, nested extensions and contained resources.
    case claims
    /// The same patients with ids as many servers number them: each type from 1, so that all types share them.
    case numbers
    /// The resources of somebody's NDJSON files.
    case files

    /// The kinds that are measured with unless files are given.
    static let synthetic: [DataKind] = [.patients, .claims]
    /// The kinds that can be asked for.
    static let selectable: [DataKind] = [.patients, .claims, .numbers]
}
