import FireLite
import FireLiteR4
import Foundation

// What a test needs a program of its own for.
// `write PATH FIRST DURABILITY` commits batches for ever, and writes the number of each to standard output when its commit has returned.
// `model PATH SEED FIRST` commits the writes of a model for ever, and writes the number of each likewise.
// `secrets PATH FIRST COPY` commits batches to an encrypted store likewise, and in between changes its key and makes encrypted copies.
// `nobody PATH` opens and changes the store without the rights of root, and writes what became of it.
// `reads PATH FOLDER` reads a store without the rights of root, copies and recovers it into the folder, and writes what became of it.
// `memory FOLDER ROUNDS` works with ever more memory, and writes what became of it.
// `serve` does what the lines of standard input say; see `StoreServer`.
// `rounds FOLDER ROUNDS` opens, uses and closes a store so often, and writes a report.
// `soak FOLDER SECONDS WRITER` reads and writes for so long as one of two processes, and writes a report.
let arguments = CommandLine.arguments
do {
    switch (arguments.count > 1 ? arguments[1] : "", arguments.count) {
    case ("write", 5):
        var configuration = FHIRStore.Configuration()
        configuration.durability = arguments[4] == "full" ? .full : .normal
        let store = try FHIRStore(path: arguments[2], release: .r4, configuration: configuration)
        var number = Int(arguments[3]) ?? 0
        while true {
            try CrashBatch(number).write(to: store)
            FileHandle.standardOutput.write(Data("\(number)\n".utf8))
            number += 1
        }
    case ("secrets", 5):
        try SecretRounds(path: arguments[2], copy: arguments[4]).run(from: Int(arguments[3]) ?? 0)
    case ("model", 5):
        let store = try FHIRStore(path: arguments[2], release: .r4)
        var number = Int(arguments[4]) ?? 0
        while true {
            try ModelWrite(seed: UInt64(arguments[3]) ?? 0, number: number, isCounted: true).run(in: store)
            FileHandle.standardOutput.write(Data("\(number)\n".utf8))
            number += 1
        }
    case ("nobody", 3):
        if getuid() == 0, setuid(65534) != 0 { exit(4) }
        let store = try FHIRStore(path: arguments[2], release: .r4)
        try store.write { tx in try tx.add(Patient { $0.id = "new" }) }
        print("written")
    case ("reads", 4):
        if getuid() == 0, setuid(65534) != 0 { exit(4) }
        print(try ReadOnlyUse(path: arguments[2], folder: arguments[3]).run())
    case ("memory", 4):
        print(try MemoryRounds(folder: arguments[2]).run(Int(arguments[3]) ?? 0))
    case ("serve", 2): try StoreServer().run()
    case ("rounds", 4):
        let report = try OpenCloseRounds(folder: arguments[2]).run(Int(arguments[3]) ?? 0)
        FileHandle.standardOutput.write(try JSONEncoder().encode(report))
    case ("soak", 5):
        let soak = Soak(folder: arguments[2], seconds: Double(arguments[3]) ?? 0, writer: Int(arguments[4]) ?? 0)
        FileHandle.standardOutput.write(try JSONEncoder().encode(try soak.run()))
    default: exit(2)
    }
} catch let error as FHIRStoreError {
    print("\(error.code.rawValue) \(error)")
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(3)
}
