import FireLite
import FireLiteLogging
import FireLiteR4
import Foundation
import Logging
import Testing

@Suite struct LoggingTests {
    private func store(_ configure: (inout FHIRStore.Configuration) -> Void) throws -> FHIRStore {
        var configuration = FHIRStore.Configuration()
        configure(&configuration)
        let store = try FHIRStore(path: ":memory:", release: .r4, configuration: configuration)
        try store.write { tx in
            try tx.add(
                Patient {
                    $0.id = "secret-id"
                    $0.name = [HumanName { $0.family = "Secretfamily" }]
                })
        }
        _ = try store.query(Patient.self).where { $0.name.family == "Secretfamily" }.all()
        return store
    }

    @Test func statementsAreLoggedWithoutValues() throws {
        let lines = Lines()
        _ = try store { $0.logStatements(to: lines.logger(.debug)) }
        let all = lines.all
        #expect(all.contains { $0.contains("SELECT") && $0.contains("duration=") && $0.contains("rows=1") })
        #expect(!all.contains { $0.contains("Secretfamily") || $0.contains("secret-id") })
    }

    @Test func higherLevelsAndFastStatementsAreNotLogged() throws {
        let (quiet, patient) = (Lines(), Lines())
        _ = try store {
            $0.logStatements(to: quiet.logger(.info))
            #expect($0.observeStatements == nil)
            $0.logStatements(to: patient.logger(.trace), slowerThan: .seconds(3_600))
        }
        #expect(quiet.all.isEmpty && patient.all.isEmpty)
    }

    @Test func severalObserversGetTheStatements() throws {
        let (first, second) = (Lines(), Lines())
        _ = try store {
            $0.logStatements(to: first.logger(.debug))
            $0.logStatements(to: second.logger(.debug), level: .notice)
        }
        #expect(!first.all.isEmpty && first.all.count == second.all.count)
        #expect(second.all.allSatisfy { $0.hasPrefix("notice") })
    }
}

/// What a logger was given.
///
/// `@unchecked Sendable` by `lock`.
private final class Lines: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    var all: [String] { lock.withLock { lines } }

    func logger(_ level: Logger.Level) -> Logger {
        Logger(label: "test") { _ in Handler(lines: self, logLevel: level) }
    }

    func add(_ line: String) { lock.withLock { lines.append(line) } }

    struct Handler: LogHandler {
        let lines: Lines
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let parts = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted().joined(separator: " ")
            lines.add("\(event.level) \(event.message) \(parts)")
        }
    }
}
