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
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let (suite, resources) = (try JSONContent(text), Self.resources(of: text))
            for test in suite["tests"].elements {
                cases.append(
                    Case(
                        name: "\(suite["title"].text): \(test["title"].text)", resources: resources,
                        view: test["view"].json, rows: test["expectError"] == .boolean(true) ? nil : test["expect"].elements,
                        columns: test["expectColumns"] == .null ? nil : test["expectColumns"].elements.map(\.text)))
            }
        }
        self.cases = cases
    }

    /// The resources of a file of the suite as they are written there, each as one line: numbers keep their zeros.
    private static func resources(of text: String) -> [String] {
        guard let key: Range<String.Index> = text.range(of: "\"resources\"") else { return [] }
        var (depth, isText, isEscaped) = (0, false, false)
        var start: String.Index = key.upperBound
        var found: [String] = []
        for index in text[key.upperBound...].indices {
            let character = text[index]
            if isText {
                isText = isEscaped || character != "\""
                isEscaped = !isEscaped && character == "\\"
                continue
            }
            switch character {
            case "\"": isText = true
            case "{":
                if depth == 0 { start = index }
                depth += 1
            case "}":
                depth -= 1
                if depth == 0 { found.append(text[start...index].replacingOccurrences(of: "\n", with: " ")) }
            case "]" where depth == 0: return found
            default: break
            }
        }
        return found
    }
}
