import FireLiteR4
import FireLiteRecords
import Foundation
import Testing

/// A store in memory, which must be sound afterwards.
func withRecordStore(
    _ body: (FHIRStore) throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let store = try FHIRStore.inMemory(release: .r4)
    try body(store)
    let findings = try store.check()
    #expect(findings.isEmpty, "\(findings)", sourceLocation: sourceLocation)
}

/// A clock that tests set.
// `lock` guards the time.
final class TestClock: @unchecked Sendable {
    private let lock = NSLock()
    private var seconds: TimeInterval = 1_000_000

    var now: Date {
        get { lock.withLock { Date(timeIntervalSince1970: seconds) } }
        set { lock.withLock { seconds = newValue.timeIntervalSince1970 } }
    }

    func advance(_ by: TimeInterval = 10) -> Date {
        now = now.addingTimeInterval(by)
        return now
    }

    func follow(_ store: FHIRStore) { store.records.clock = { self.now } }
}

func observation(_ id: String?, _ text: String = "value", date: String? = nil) -> Observation {
    Observation {
        $0.id = id
        $0.code = CodeableConcept { $0.text = text }
        if let date { $0.effectiveDateTime = FHIRDateTime(date) }
    }
}
