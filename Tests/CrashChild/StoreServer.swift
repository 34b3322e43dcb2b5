import FireLite
import FireLiteR4
import Foundation

/// Does to a store what the lines of standard input say and answers each with a line: a process whose every step another one decides.
///
/// * `open PATH TIMEOUT`, `close`: the store, with its busy timeout in milliseconds
/// * `read` … `end`: a snapshot, which the lines in between see; `write` … `end` or `undo`: a transaction, which they are part of
/// * `get ID`: the family of a patient, or `none`; `number ID`: its number; `observations`: how many there are
/// * `set ID FAMILY`, `observe ID`, `delete ID`: change or add a patient, add an observation, delete a patient
/// * `keep ID`, `change FAMILY`: fetch a patient and keep the object; change that object in a write
/// * `increment ID COUNT`: so many writes that each count a patient's number up
/// * `model SEED NUMBER`: the write of a model with that number
/// * `cycle PATH ID COUNT`: so often open the store, count up as well, close it
final class StoreServer {
    private var store: FHIRStore?
    private var kept: Patient?

    private struct Undo: Error {}

    private struct Misunderstanding: Error {
        let line: String
    }

    func run() throws { try serve(in: nil) }

    private func say(_ answer: String) { FileHandle.standardOutput.write(Data((answer + "\n").utf8)) }

    /// Answers lines until one ends the transaction, or there are no more.
    private func serve(in transaction: ReadTransaction?) throws {
        while let line = readLine() {
            if line == "end" { return }
            if line == "undo" { throw Undo() }
            do {
                say(try answer(line, in: transaction))
            } catch let error as FHIRStoreError {
                say("\(error.code.rawValue) \(error)")
            } catch is Undo {
                say("undone")
            }
        }
    }

    private func answer(_ line: String, in transaction: ReadTransaction?) throws -> String {
        let words = line.split(separator: " ").map(String.init)
        if words[0] == "open", words.count == 3 {
            store = try Self.open(words[1], timeout: Int(words[2]) ?? 0)
            return "open"
        }
        if words[0] == "cycle", words.count == 4 {
            for _ in 0..<(Int(words[3]) ?? 0) { try Self.increment(words[2], in: try Self.open(words[1], timeout: 60_000)) }
            return "done"
        }
        guard let store else { throw Misunderstanding(line: line) }
        switch (words[0], words.count) {
        case ("close", 1):
            self.store = nil
            return "closed"
        case ("read", 1):
            try store.read { transaction in
                // The snapshot begins with the first statement that reads.
                _ = try transaction.count(Patient.self)
                say("reading")
                try serve(in: transaction)
            }
            return "ended"
        case ("write", 1):
            try store.write { transaction in
                say("writing")
                try serve(in: transaction)
            }
            return "committed"
        case ("get", 2): return try store.resource(Patient.self, id: words[1])?.name.first?.family ?? "none"
        case ("number", 2): return "\(try store.resource(Patient.self, id: words[1])?.multipleBirthInteger ?? -1)"
        case ("observations", 1): return "\(try store.count(Observation.self))"
        case ("keep", 2):
            kept = try store.resource(Patient.self, id: words[1])
            return kept?.name.first?.family ?? "none"
        case ("change", 2):
            try change(in: store, transaction) { _ in kept?.name[0].family = words[1] }
            return "done"
        case ("set", 3):
            try change(in: store, transaction) { try Self.set(words[1], words[2], $0) }
            return "done"
        case ("observe", 2):
            try change(in: store, transaction) { tx in
                let observation = Observation { $0.id = words[1] }
                observation.value = .string("observed")
                try tx.add(observation)
            }
            return "done"
        case ("delete", 2):
            try change(in: store, transaction) { tx in try tx.delete(Patient.self, id: words[1]) }
            return "done"
        case ("model", 3):
            try ModelWrite(seed: UInt64(words[1]) ?? 0, number: Int(words[2]) ?? 0).run(in: store)
            return "done"
        case ("increment", 3):
            for _ in 0..<(Int(words[2]) ?? 0) { try Self.increment(words[1], in: store) }
            return "done"
        default: throw Misunderstanding(line: line)
        }
    }

    private static func open(_ path: String, timeout: Int) throws -> FHIRStore {
        var configuration = FHIRStore.Configuration()
        configuration.busyTimeout = .milliseconds(timeout)
        return try FHIRStore(path: path, release: .r4, configuration: configuration)
    }

    /// In the transaction that is open, or in one of its own.
    private func change(in store: FHIRStore, _ transaction: ReadTransaction?, _ body: (WriteTransaction) throws -> Void) throws {
        if let transaction = transaction as? WriteTransaction { return try body(transaction) }
        try store.write { try body($0) }
    }

    private static func set(_ id: String, _ family: String, _ transaction: WriteTransaction) throws {
        if let patient = try transaction.resource(Patient.self, id: id) {
            patient.name[0].family = family
        } else {
            try transaction.add(
                Patient {
                    $0.id = id
                    $0.name = [HumanName { $0.family = family }]
                })
        }
    }

    private static func increment(_ id: String, in store: FHIRStore) throws {
        try store.write { tx in
            guard let patient = try tx.resource(Patient.self, id: id) else { return }
            patient.multipleBirth = .integer((patient.multipleBirthInteger ?? 0) + 1)
        }
    }
}
