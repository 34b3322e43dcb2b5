import FireLite
import Foundation

/// What the file notes of erasures from their deletions until it is overwritten: what is still to be deleted, and what each has erased and left.
///
/// So the list of what is left outlasts a call that cannot finish, and a process that ends. It has types, ids, addresses, names of tables and counts.
struct UnfinishedErasure: Codable {
    /// Notes of contents whose deletions may have left something (`PersonContents.note`).
    var contents: [String] = []
    /// What was erased of each person, and left; the latest is the last.
    var erased: [Erased] = []

    /// The persons that earlier calls have deleted.
    var persons: [String] { erased.map(\.person) }

    // MARK: - Notes

    /// What the file notes; nil if no erasure is unfinished.
    init?(_ tx: ReadTransaction) throws {
        guard let note = try tx.unfinishedErasure else { return nil }
        self.init(note: note)
    }

    /// - Parameter note: a note of another form counts as one of contents.
    init(note: String) {
        let noted = try? JSONDecoder().decode(Self.self, from: Data(note.utf8))
        self = noted ?? UnfinishedErasure(contents: [note])
    }

    init(contents: [String] = []) { self.contents = contents }

    func note() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    // MARK: - Reports

    /// Adds what is erased of a person. What earlier erasures have left and this one erases is left no longer.
    ///
    /// - Parameter left: what is left in addition.
    mutating func add(_ planned: ErasureReport, left: [ErasureReport.Remainder] = [], of contents: PersonContents) {
        var report = planned
        report.left += left
        for index in erased.indices {
            let person = erased[index].person
            var earlier = erased[index].report
            earlier.left.removeAll { contents.keys.contains($0.what) }
            erased[index] = Erased(person, earlier)
            if person == contents.person { report.add(earlier) }
        }
        erased.removeAll { $0.person == contents.person }
        erased.append(Erased(contents.person, report))
        self.contents.append(contents.note)
    }

    /// Adds payloads that the last erasure has left to be deleted.
    mutating func addPayloads(_ count: Int) {
        guard let last = erased.popLast() else { return }
        var report = last.report
        report.payloads += count
        erased.append(Erased(last.person, report))
    }

    /// What was erased of a person, and what the erasures of all persons have left.
    func report(of person: String) -> ErasureReport {
        var report = erased.last { $0.person == person }?.report ?? ErasureReport()
        for other in erased where other.person != person { report.addLeft(other.report.left) }
        return report
    }

    /// The report about a person, as the note has it.
    struct Erased: Codable {
        private struct Amount: Codable {
            let name: String
            let count: Int
        }

        private struct Place: Codable {
            let kind: String
            let what: String
        }

        let person: String
        private let resources: [Amount]
        private let changes: Int
        private let rows: [Amount]
        private let payloads: Int
        private let left: [Place]

        init(_ person: String, _ report: ErasureReport) {
            self.person = person
            resources = report.resources.map { Amount(name: $0.name, count: $0.count) }
            changes = report.changes
            rows = report.rows.map { Amount(name: $0.name, count: $0.count) }
            payloads = report.payloads
            left = report.left.map { Place(kind: $0.kind.rawValue, what: $0.what) }
        }

        var report: ErasureReport {
            var report = ErasureReport()
            report.resources = resources.map { .init(name: $0.name, count: $0.count) }
            report.changes = changes
            report.rows = rows.map { .init(name: $0.name, count: $0.count) }
            report.payloads = payloads
            report.left = left.map { place in
                // A later version may have noted another kind.
                guard let kind = ErasureReport.Remainder.Kind(rawValue: place.kind) else {
                    return .init(kind: .unknown, what: "\(place.what) (\(place.kind))")
                }
                return .init(kind: kind, what: place.what)
            }
            return report
        }
    }
}

extension ErasureReport {
    /// Adds what an earlier call has erased of the same person, and left.
    fileprivate mutating func add(_ earlier: ErasureReport) {
        resources = Self.sum(resources, earlier.resources)
        changes += earlier.changes
        rows = Self.sum(rows, earlier.rows)
        payloads += earlier.payloads
        addLeft(earlier.left)
    }

    /// Adds what another erasure has left. Rows of the audit trail are only counted, so equal counts are of different rows.
    fileprivate mutating func addLeft(_ others: [Remainder]) {
        let listed = Set(left)
        left += others.filter { $0.kind == .audit || !listed.contains($0) }
    }

    private static func sum(_ counts: [Count], _ others: [Count]) -> [Count] {
        guard !others.isEmpty else { return counts }
        return Dictionary((counts + others).map { ($0.name, $0.count) }, uniquingKeysWith: +)
            .sorted { $0.key < $1.key }.map { Count(name: $0.key, count: $0.value) }
    }
}
