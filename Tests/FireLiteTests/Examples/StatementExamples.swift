import FireLite
import FireLiteR4
import TestSupport
import Testing

// example Performance.md
func open(_ path: String) throws -> FHIRStore {
    var configuration = FHIRStore.Configuration()
    configuration.observeStatements = { print($0.duration, $0.rows, $0.sql) }
    configuration.slowStatement = .milliseconds(100)
    return try FHIRStore(path: path, release: .r4, configuration: configuration)
}
// end

@Suite struct StatementExamples {
    @Test func aStoreReportsItsStatements() throws {
        let folder = try TemporaryFolder()
        #expect(try open(folder.file("store.sqlite")).query(Patient.self).count() == 0)
    }
}
