import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Sizes beyond all practice, each with its time and the memory at its end; they run where `FIRELITE_NIGHTLY` is set.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["FIRELITE_NIGHTLY"] != nil, "set FIRELITE_NIGHTLY to run it"))
struct HugeTests {
    /// Prints what `body` took: CPU time of the thread, and the most memory the process has had.
    private func measured<Value>(_ name: String, _ body: () throws -> Value) rethrows -> Value {
        let start = threadSeconds()
        let result = try body()
        var usage = rusage()
        #if os(Linux)
            _ = getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        #else
            _ = getrusage(RUSAGE_SELF, &usage)
        #endif
        print(String(format: "%@: %.2f s CPU, peak %d MB", name, threadSeconds() - start, usage.ru_maxrss / 1_024))
        return result
    }

    /// Through JSON, the store and back.
    private func roundTrip(_ name: String, _ json: Data) throws {
        try withStore { store in
            let resource = try measured("\(name): decode") { try FHIRJSON.resource(from: json, release: .r4) }
            try measured("\(name): store") { try store.write { tx in _ = try tx.upsert([resource]) } }
            let again = try FHIRStore(path: store.path, release: .r4)
            let found = try measured("\(name): fetch") { try again.resource(typeName: resource.resourceType, id: "1") }
            let written = try measured("\(name): encode") { FHIRJSON.data(try #require(found)) }
            #expect(written == json)
        }
    }

    @Test(arguments: [50, 100]) func aHugeStringIsStoredAndRead(_ megabytes: Int) throws {
        let text = String(repeating: "0123456789", count: megabytes * 100_000)
        try roundTrip("\(megabytes) MB string", Data(#"{"resourceType":"Patient","id":"1","name":[{"text":"\#(text)"}]}"#.utf8))
    }

    @Test(arguments: [500_000, 1_000_000]) func aHugeListIsStoredAndRead(_ count: Int) throws {
        let list = (0..<count).map { "\"n\($0)\"" }.joined(separator: ",")
        try roundTrip("\(count) strings", Data(#"{"resourceType":"Patient","id":"1","name":[{"given":[\#(list)]}]}"#.utf8))
        let elements = (0..<count).map { "{\"text\":\"n\($0)\"}" }.joined(separator: ",")
        try roundTrip("\(count) elements", Data(#"{"resourceType":"Patient","id":"1","name":[\#(elements)]}"#.utf8))
    }

    @Test(arguments: [30, 60]) func aHugeBundleIsStoredAndRead(_ megabytes: Int) throws {
        let name = String(repeating: "x", count: 880)
        let entries = (0..<megabytes * 1_024).map {
            #"{"resource":{"resourceType":"Patient","id":"\#($0)","name":[{"text":"\#(name)"}],"birthDate":"1970-01-01"}}"#
        }
        let json = Data(#"{"resourceType":"Bundle","id":"1","type":"collection","entry":[\#(entries.joined(separator: ","))]}"#.utf8)
        try roundTrip("\(json.count / 1_000_000) MB Bundle", json)
    }

    /// One row more than a resource can have, in a batch: an error, and nothing of the batch is stored.
    @Test func sixteenMillionRows() throws {
        try withStore { store in
            try store.write { tx in try tx.add(Patient { $0.id = "before" }) }
            let rows = try rowCounts(store)
            let huge = Patient {
                $0.id = "huge"; $0.name = [HumanName { $0.given = Array(repeating: "x", count: 1 << 24) }]
            }
            let error = try measured("16,777,218 rows refused") {
                try #require(throws: FHIRStoreError.self) {
                    try store.write { tx in _ = try tx.upsert([Patient { $0.id = "a" }, huge, Patient { $0.id = "b" }]) }
                }
            }
            #expect(error.code == .tooLarge && error.message.contains("split it"))
            #expect(try rowCounts(store) == rows)
            try store.write { tx in
                #expect(throws: FHIRStoreError.self) { try tx.add(huge) }
                try tx.add(Patient { $0.id = "a" })
            }
            #expect(try store.count(Patient.self) == 2)
        }
    }
}
