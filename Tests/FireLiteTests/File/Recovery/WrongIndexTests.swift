import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Testing

/// An index of ids that leads to another resource: an error, and never that resource.
@Suite struct WrongIndexTests {
    private func damaged(_ store: FHIRStore, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
        let error = #expect(throws: FHIRStoreError.self, sourceLocation: sourceLocation, performing: body)
        #expect(error?.code == .notAStore, sourceLocation: sourceLocation)
    }

    @Test func anotherResourceIsNotReturned() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { transaction in
                    for number in 0..<20 {
                        _ = try transaction.upsert(
                            Patient {
                                $0.id = "p\(number)"
                                $0.language = "q\(number)"
                            })
                    }
                }
            }
            // The index is built over another column, and its definition then says it was over the id.
            let connection = try Connection(path: path, isHardened: false)
            try connection.execute(
                """
                DROP INDEX Patient__id; CREATE INDEX Patient__id ON Patient(language, _parent); PRAGMA writable_schema = 1;
                UPDATE sqlite_master SET sql = 'CREATE INDEX "Patient__id" ON "Patient"(id, _parent)' WHERE name = 'Patient__id';
                PRAGMA writable_schema = RESET
                """)
            let store = try FHIRStore(path: path, release: .r4)
            let wrong = (0..<20).map { "q\($0)" }
            damaged(store) { _ = try store.resource(Patient.self, id: "q3") }
            damaged(store) { _ = try store.resources(Patient.self, ids: wrong) }
            damaged(store) { _ = try store.resources(Patient.self, ids: ["q3"]) }
            #expect(try !store.check().isEmpty)
        }
    }
}
