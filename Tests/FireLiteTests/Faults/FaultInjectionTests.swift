import CFaultVFS
import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import TestSupport
import Testing

/// A disk that fails at each call of a workload in turn: a thrown error that says so, and nothing lost or half done.
@Suite struct FaultInjectionTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let call: firelite_call
        let code: Int32
        let expected: Set<FHIRStoreError.Code>
        var testDescription: String { name }
    }

    static let faults = [
        Fault(name: "disk full", call: FIRELITE_WRITE, code: 13, expected: [.diskFull]),
        Fault(name: "error on write", call: FIRELITE_WRITE, code: 10 | 3 << 8, expected: [.disk]),
        Fault(name: "error on read", call: FIRELITE_READ, code: 10 | 1 << 8, expected: [.disk]),
        Fault(name: "error on sync", call: FIRELITE_SYNC, code: 10 | 4 << 8, expected: [.disk]),
        Fault(name: "error on truncate", call: FIRELITE_TRUNCATE, code: 10 | 6 << 8, expected: [.disk]),
        Fault(name: "error on open", call: FIRELITE_OPEN, code: 14, expected: [.cannotOpen]),
        Fault(name: "no permission", call: FIRELITE_OPEN, code: 3, expected: [.readOnly, .cannotOpen]),
        Fault(name: "error on lock", call: FIRELITE_LOCK, code: 10 | 15 << 8, expected: [.disk]),
        Fault(name: "error on shared memory", call: FIRELITE_SHM_MAP, code: 10 | 21 << 8, expected: [.disk]),
        Fault(name: "error on delete", call: FIRELITE_DELETE, code: 10 | 10 << 8, expected: [.disk]),
        Fault(name: "error on size", call: FIRELITE_FILE_SIZE, code: 10 | 7 << 8, expected: [.disk]),
        Fault(name: "error on access", call: FIRELITE_ACCESS, code: 10 | 13 << 8, expected: [.disk]),
    ]

    @Test(arguments: faults) func everyCallFailsOnce(fault: Fault) throws {
        var (runs, errors) = (0, 0)
        for isLasting in [false, true] {
            var n = 1
            while n < 10_000 {
                let run = try run(fault, at: n, isLasting)
                if run.failures == 0 { break }
                runs += 1
                errors += run.errors
                n += Effort.isReduced ? 7 : Effort.isNightly ? 1 : 3
            }
        }
        #expect(runs > 0)
        print("faults: \(fault.name), \(runs) injected, \(errors) errors thrown")
    }

    /// Moves the log into the file and empties it; what fails of it leaves the log as it is.
    private func checkpoint(_ path: String) {
        do {
            try Connection(path: path).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
            #expect(error is SQLiteError)
        }
    }

    private func run(_ fault: Fault, at n: Int, _ isLasting: Bool) throws -> (failures: Int, errors: Int) {
        try withTemporaryFolder { folder in
            let disk = FaultDisk(folder: folder)
            let path = folder + "/store.sqlite"
            let place: Comment = "\(fault.name), call \(n), \(isLasting ? "lasting" : "once")"
            var errors = 0
            func attempt(_ body: () throws -> Void) -> Bool {
                do {
                    try body()
                    return true
                } catch let error as FHIRStoreError {
                    errors += 1
                    expectHelpful(error, path: path, codes: fault.expected, place)
                } catch {
                    Issue.record("\(place): \(error)")
                }
                return false
            }
            disk.fail(fault.call, at: n, code: fault.code, lasting: isLasting)
            var committed: [String: String] = [:]
            var opened: FHIRStore?
            _ = attempt { opened = try FHIRStore(path: path, release: .r4) }
            var failures = disk.failures
            if let store = opened {
                let patient = faultPatient("1")
                if attempt({ try store.write { tx in try tx.add(patient) } }) {
                    committed["Patient/1"] = FHIRJSON.string(patient)
                    let before = FHIRJSON.string(patient)
                    let isSaved = attempt {
                        try store.write { tx in
                            patient.name[0].given.append("more")
                            patient.name.removeLast()
                            try tx.upsert((1..<9).map { faultObservation("\($0)") })
                        }
                    }
                    if isSaved {
                        for id in 1..<9 { committed["Observation/\(id)"] = FHIRJSON.string(faultObservation("\(id)")) }
                        committed["Patient/1"] = FHIRJSON.string(patient)
                    } else {
                        #expect(FHIRJSON.string(patient) == before, place)
                    }
                } else {
                    #expect(!patient.isManaged, place)
                }
                _ = attempt {
                    let found = try snapshot(store)
                    #expect(found == committed, place)
                }
                checkpoint(path)
                if attempt({ _ = try store.write { tx in try tx.delete(Observation.self, id: "2") } }) { committed["Observation/2"] = nil }
                failures = disk.failures
                disk.mend()
                #expect(try snapshot(store) == committed, place)
                try store.write { tx in try tx.upsert(faultPatient("after")) }
                committed["Patient/after"] = FHIRJSON.string(faultPatient("after"))
                #expect(try snapshot(store) == committed, place)
                #expect(try store.check() == [], place)
                opened = nil
            }
            disk.mend()
            let store = try FHIRStore(path: path, release: .r4)
            #expect(try snapshot(store) == committed, place)
            #expect(try store.check() == [], place)
            return (failures, errors)
        }
    }
}

/// Expects one line that names the file and what to do, and has no value of a record.
func expectHelpful(_ error: FHIRStoreError, path: String, codes: Set<FHIRStoreError.Code>, _ comment: Comment) {
    let text = error.description
    #expect(codes.contains(error.code), "\(comment): \(error.code.rawValue): \(text)")
    #expect(text.contains(path), "\(comment): \(text)")
    #expect(!text.contains("\n") && !text.contains(markerValue), "\(comment): \(text)")
    let remedies = ["check", "free", "give", "restore", "firelite recover", "try again", "update"]
    #expect(remedies.contains { text.contains($0) }, "\(comment): \(text)")
}
