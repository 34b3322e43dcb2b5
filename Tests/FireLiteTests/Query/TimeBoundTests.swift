import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// Reads until a moment.
@Suite(.soundStores) struct TimeBoundTests {
    private static let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

    @Test func aStatementEndsAtItsMomentAndTheNextOneRuns() throws {
        let store = try freshStore()
        try store.read { tx in
            let ended = try tx.until(.now + .milliseconds(5)) { try store.sql(Self.endless).count }
            #expect(ended == nil)
            let next = try tx.until(.now + .seconds(600)) { try store.sql("SELECT 1").count }
            #expect(next == 1)
            #expect(try store.sql("SELECT 1").count == 1)
        }
    }

    /// The earlier of two moments counts.
    @Test func momentsAreNested() throws {
        let store = try freshStore()
        try store.read { tx in
            let outer = try tx.until(.now + .milliseconds(5)) {
                try tx.until(.now + .seconds(600)) { try store.sql(Self.endless).count }
            }
            #expect(outer == nil)
            let inner = try tx.until(.now + .seconds(600)) {
                try tx.until(.now + .milliseconds(5)) { try store.sql(Self.endless).count }
            }
            #expect(inner == .some(nil))
        }
    }

    @Test func afterTheMomentNothingBegins() throws {
        let store = try freshStore()
        try store.read { tx in
            var hasRun = false
            let value: Int? = try tx.until(.now) {
                hasRun = true
                return 1
            }
            #expect(value == nil && !hasRun)
        }
    }

    /// A statement that something else ends is an error, as it is without a moment.
    @Test func whatSomethingElseEndsIsAnError() throws {
        let store = try freshStore()
        try store.read { tx in
            let error = #expect(throws: FHIRStoreError.self) {
                _ = try tx.until(.now + .seconds(600)) { try store.sql(Self.endless, isCancelled: { true }).count }
            }
            #expect(error?.code == .interrupted)
        }
    }
}
