import Foundation

/// The open half of the suite of SQL on FHIR. It is not part of the package: without it nothing is tested.
public struct ViewSuite: Sendable {
    /// A view with the rows that it should have.
    public struct Case: Sendable {
        public let name: String
        /// The resources, as JSON.
        public let resources: [String]
        /// The view, as JSON.
        public let view: String
        /// The rows; nil if the view is wrong.
        public let rows: [JSONContent]?
        /// The names of the columns, in their order; nil if the case does not say.
        public let columns: [String]?

        /// What is wrong with rows, as JSON; nil if nothing is. The order of rows does not matter.
        public func fault(of found: [String]) throws -> String? {
            guard let rows else { return "no error" }
            let found = try found.map { try JSONContent($0) }
            let same = Dictionary(grouping: rows) { $0 }.mapValues(\.count) == Dictionary(grouping: found) { $0 }.mapValues(\.count)
            return same ? nil : "expected \(rows.map(\.json)), found \(found.map(\.json))"
        }
    }

    public let cases: [Case]

    /// Unpacks the suite into a folder and reads it.
    public init(unpackedInto folder: String) throws {
        try SharedArchive.suites?.unpack(into: folder)
        var cases: [Case] = []
        for file in SharedArchive.files(in: folder, where: { $0.contains("sql-on-fhir/") && $0.hasSuffix(".json") }) {
            let suite = try JSONContent(String(contentsOfFile: file, encoding: .utf8))
            for test in suite["tests"].elements {
                cases.append(
                    Case(
                        name: "\(suite["title"].text): \(test["title"].text)", resources: suite["resources"].elements.map(\.json),
                        view: test["view"].json, rows: test["expectError"] == .boolean(true) ? nil : test["expect"].elements,
                        columns: test["expectColumns"] == .null ? nil : test["expectColumns"].elements.map(\.text)))
            }
        }
        self.cases = cases
    }
}
