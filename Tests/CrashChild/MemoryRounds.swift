import FireLite
import FireLiteR4
import FireLiteSQLite

/// Works on a store with more memory in each round, from none to enough. A process of its own: SQLite's limit is one for all connections.
struct MemoryRounds {
    let folder: String

    private struct Wrong: Error, CustomStringConvertible {
        let description: String
    }

    /// - Returns: how many rounds failed and how many did not.
    func run(_ rounds: Int) throws -> String {
        var (failed, succeeded) = (0, 0)
        var allowance: Int64 = 1_000
        for round in 0..<rounds {
            if try self.round(round, allowance) { succeeded += 1 } else { failed += 1 }
            // About 20,000 times as much at the end.
            allowance += allowance * 10 / Int64(rounds)
        }
        return "memory: \(failed) rounds ran out, \(succeeded) did not"
    }

    private func limit(_ allowance: Int64?) { sqlite3_hard_heap_limit64(allowance.map { sqlite3_memory_used() + $0 } ?? 0) }

    /// Whether there was enough memory; what was committed must be there either way.
    private func round(_ round: Int, _ allowance: Int64) throws -> Bool {
        let path = "\(folder)/\(round).sqlite"
        var committed = -1
        var isEnough = true
        func attempt(_ body: () throws -> Void) throws {
            do {
                try body()
            } catch let error as FHIRStoreError {
                guard error.code == .outOfMemory else { throw Wrong(description: "round \(round): \(error.code.rawValue) \(error)") }
                isEnough = false
            }
        }
        do {
            var store: FHIRStore?
            let isOpenedFirst = round % 2 == 0
            if isOpenedFirst { store = try FHIRStore(path: path, release: .r4) }
            limit(allowance)
            defer { limit(nil) }
            if !isOpenedFirst { try attempt { store = try FHIRStore(path: path, release: .r4) } }
            guard let store else { return isEnough }
            for number in 0..<3 {
                try attempt {
                    guard committed == number - 1 else { return }
                    try CrashBatch(number).write(to: store)
                    committed = number
                }
                try attempt { try verify(store, committed, round) }
            }
            limit(nil)
            try verify(store, committed, round)
            try CrashBatch(committed + 1).write(to: store)
            committed += 1
            try verify(store, committed, round)
        }
        let store = try FHIRStore(path: path, release: .r4)
        try verify(store, committed, round)
        let faults = try store.check()
        guard faults.isEmpty else { throw Wrong(description: "round \(round): \(faults)") }
        return isEnough
    }

    private func verify(_ store: FHIRStore, _ committed: Int, _ round: Int) throws {
        var expected = committed < 0 ? 0 : 1
        if committed >= 0 {
            for number in 0...committed {
                for resource in CrashBatch(number).resources where resource.id != "every" || number == committed {
                    let found = try store.resource(typeName: resource.resourceType, id: resource.id ?? "")
                    guard found.map({ FHIRJSON.string($0) }) == FHIRJSON.string(resource) else {
                        throw Wrong(description: "round \(round): \(resource.resourceType) of batch \(number) is not what was committed")
                    }
                }
                expected += CrashBatch.size
            }
        }
        guard try store.counts().reduce(0, { $0 + $1.count }) == expected else {
            throw Wrong(description: "round \(round): not the number of resources that was committed")
        }
    }
}
