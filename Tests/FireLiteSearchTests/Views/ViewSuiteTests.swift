import FireLiteR4
import FireLiteReleases
import FireLiteSearch
import Foundation
import TestSupport
import Testing

/// The suite of SQL on FHIR: every open case.
@Suite(.enabled(if: SharedArchive.suites != nil, "the archive suites.tar.xz is not beside the package, in ../shared/data"))
struct ViewSuiteTests {
    @Test func openCasesPass() throws {
        let folder = try TemporaryFolder()
        let suite = try ViewSuite(unpackedInto: folder.path)
        #expect(suite.cases.count >= 79)
        var failures: [String] = []
        for test in suite.cases {
            let store = try FHIRStore.inMemory(release: .r4)
            try store.write { transaction in
                for json in test.resources { try transaction.add(FHIRJSON.resource(from: Data(json.utf8), release: .r4)) }
            }
            var fault: String?
            do {
                let view = try ViewDefinition(json: Data(test.view.utf8))
                if let columns = test.columns, view.columnNames != columns { fault = "the columns \(view.columnNames)" }
                var rows: [String] = []
                try store.forEachRow(of: view) { rows.append($0.json) }
                fault = try fault ?? test.fault(of: rows)
            } catch let error as ViewError {
                fault = test.rows == nil ? nil : "\(error)"
            }
            if let fault { failures.append("\(test.name): \(fault)") }
        }
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }
}
