import FireLiteR4
import Testing

@testable import FireLite

@Suite(.soundStores, .enabled(if: Library.hasFullText, "needs FTS5")) struct FullTextRepeatTests {
    private func written(_ store: FHIRStore, _ body: () throws -> Void) throws -> Int64 {
        let before = try store.withWritingConnection { Int64($0.totalChanges) }
        try body()
        return try store.withWritingConnection { Int64($0.totalChanges) } - before
    }

    @Test func anIndexOverTheSamePathsIsNotFilledAgain() throws {
        let store = try freshStore()
        try store.write { tx in
            for family in ["Miller", "Smith"] {
                try tx.add(
                    Patient {
                        $0.name = [
                            HumanName {
                                $0.family = family; $0.text = "Dr. \(family)"
                            }
                        ]
                    })
            }
        }
        try store.createFullTextIndex(Patient.self) { [$0.name.family] }
        #expect(try written(store) { try store.createFullTextIndex(Patient.self) { [$0.name.family] } } == 0)
        #expect(try store.query(Patient.self).matching("miller").count() == 1)
        #expect(try store.query(Patient.self).matching("dr").count() == 0)
        // Other paths replace it.
        #expect(try written(store) { try store.createFullTextIndex(Patient.self) { [$0.name.family, $0.name.text] } } > 0)
        #expect(try store.query(Patient.self).matching("dr").count() == 2)
        #expect(try store.indexes().map(\.columns) == [["family", "text"]])
    }
}
