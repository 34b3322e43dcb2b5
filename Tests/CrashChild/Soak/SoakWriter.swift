import FireLite
import FireLiteR4
import Foundation
import TestSupport

/// Commits all kinds of changes one after the other, and knows what must be stored after each.
final class SoakWriter {
    let store: FHIRStore
    let board: SoakBoard
    let log: SoakLog
    let writer: Int
    let folder: String
    private var random: SeededGenerator
    private(set) var progress = SoakContent.Progress()
    /// Objects that were fetched some writes ago.
    private var kept: [Int: Patient] = [:]

    private struct Undo: Error {}

    init(store: FHIRStore, board: SoakBoard, log: SoakLog, writer: Int, folder: String) {
        self.store = store
        self.board = board
        self.log = log
        self.writer = writer
        self.folder = folder
        random = SeededGenerator(seed: UInt64(writer + 1))
    }

    func step(_ number: Int) throws {
        if number % 2_000 == 50 { return try backup() }
        if number % 500 == 100 { return try index(number % 1_000 == 100) }
        switch random.int(0...99) {
        case 0..<35: try churn()
        case 35..<55: try pair()
        case 55..<70: try increment()
        case 70..<80: try move()
        case 80..<92: try shared()
        case 92..<97: try undo()
        default: try checkpoint()
        }
    }

    // MARK: - Commits

    /// One commit, which stores with its changes that it was made.
    private func commit(_ what: String, _ next: SoakContent.Progress, _ body: (WriteTransaction) throws -> Void) throws {
        var next = next
        next.commits += 1
        log.begin(what, "writer")
        try store.write { tx in
            let name = "progress-\(SoakContent.writers[writer])"
            var stored = try SoakContent.progress(of: writer, tx)
            stored.shared = progress.shared
            guard stored == progress, let patient = try tx.resource(Patient.self, id: name) else {
                throw SoakContent.Broken(description: "\(name) is \(stored), \(progress) was committed")
            }
            try body(tx)
            next.put(into: patient)
        }
        progress = next
        try board.publish(progress.commits, of: writer)
        log.count("commits")
        log.count(what)
    }

    /// Adds observations, and deletes the oldest ones.
    private func churn() throws {
        var next = progress
        next.high += random.int(1...8)
        next.low = max(next.low, next.high - SoakContent.window)
        let (added, deleted) = (progress.high..<next.high, progress.low..<next.low)
        try commit("added and deleted", next) { tx in
            _ = try tx.upsert(added.map { SoakContent.own(writer, $0) })
            for number in deleted {
                guard try tx.delete(Observation.self, id: "\(SoakContent.writers[writer])-\(number)") else {
                    throw SoakContent.Broken(description: "\(number) was not there to be deleted")
                }
            }
        }
    }

    /// Changes both resources of a pair, by an upsert or through objects.
    private func pair() throws {
        let (pair, token, upserts) = (random.int(0...SoakContent.pairs.count - 1), random.int(0...1_000_000), random.percent(50))
        let halves = SoakContent.halves(of: pair, token: token)
        try commit(upserts ? "upserted" : "populated", progress) { tx in
            if upserts {
                _ = try tx.upsert(halves)
            } else {
                try tx.resource(Patient.self, id: "pair-\(pair)")?.populate(from: halves[0])
                try tx.saveChanges()
                try tx.resource(Observation.self, id: "pair-\(pair)")?.populate(from: halves[1])
            }
        }
    }

    /// Reads a number and writes the next one; both writers do so.
    private func increment() throws {
        var next = progress
        next.increments += 1
        try commit("counted up", next) { tx in
            guard let counter = try tx.resource(Patient.self, id: "counter") else { return }
            counter.multipleBirth = .integer((counter.multipleBirthInteger ?? 0) + 1)
        }
    }

    /// Moves a name from one patient to another.
    private func move() throws {
        let (from, to) = (random.int(0...SoakContent.movers.count - 1), random.int(0...SoakContent.movers.count - 1))
        guard from != to else { return }
        try commit("moved", progress) { tx in
            guard let source = try tx.resource(Patient.self, id: "mover-\(from)"), !source.name.isEmpty,
                let target = try tx.resource(Patient.self, id: "mover-\(to)")
            else { return }
            let name = source.name.removeFirst()
            try tx.saveChanges()
            target.name.append(name)
        }
    }

    /// Changes an object that was fetched before other writes: where the other writer was quicker, it must be a conflict.
    private func shared() throws {
        let number = random.int(0...SoakContent.shared.count - 1)
        guard let patient = try kept[number] ?? store.resource(Patient.self, id: "shared-\(number)") else { return }
        kept[number] = patient
        let counts = patient.name[0].given.compactMap(Int.init)
        guard counts.count == 2, counts[writer] == progress.shared[number] else {
            throw SoakContent.Broken(
                description: "shared-\(number) has \(counts), \(progress.shared[number]) of this writer were committed")
        }
        var next = progress
        next.shared[number] += 1
        do {
            try commit("changed a kept object", next) { _ in patient.name[0].given[writer] = "\(next.shared[number])" }
            if random.percent(30) { kept[number] = nil }
        } catch let error as FHIRStoreError where error.code == .conflict {
            log.count("conflicts")
            kept[number] = nil
            guard patient.name[0].given[writer] == "\(progress.shared[number])" else {
                throw SoakContent.Broken(description: "an object was not rolled back")
            }
        }
    }

    /// Changes half of a pair and more, and throws.
    private func undo() throws {
        let halves = SoakContent.halves(of: random.int(0...SoakContent.pairs.count - 1), token: random.int(0...1_000_000))
        let number = progress.high
        do {
            try commit("undone", progress) { tx in
                _ = try tx.upsert([halves[0]])
                try tx.add(SoakContent.own(writer, number))
                try tx.resource(Patient.self, id: "counter")?.multipleBirth = .integer(-1)
                try tx.saveChanges()
                throw Undo()
            }
        } catch is Undo {
            log.count("undone")
        }
    }

    // MARK: - Upkeep

    private func checkpoint() throws {
        log.begin("checkpoint", "writer")
        do {
            try store.checkpoint(random.percent(70) ? .passive : .truncate)
            log.count("checkpoints")
        } catch let error as FHIRStoreError where error.code == .busy {
            log.count("checkpoints that readers kept from ending")
        }
    }

    private func index(_ isDeclared: Bool) throws {
        log.begin("index", "writer")
        if isDeclared {
            try store.createIndex(Observation.self) { $0.valueString }
        } else {
            try store.dropIndex(Observation.self) { $0.valueString }
            try store.optimize()
        }
        log.count("indexes")
    }

    private func backup() throws {
        log.begin("backup", "writer")
        let path = "\(folder)/backup-\(SoakContent.writers[writer]).sqlite"
        try store.backup(to: URL(fileURLWithPath: path), replacing: true)
        let copy = try FHIRStore(path: path, release: .r4)
        let stored = try copy.read { try SoakContent.check($0) { Array($0.low..<$0.high) } }
        guard stored[writer].commits == progress.commits else {
            throw SoakContent.Broken(description: "a backup has \(stored[writer]), \(progress) was committed")
        }
        let faults = try copy.check()
        guard faults.isEmpty else { throw SoakContent.Broken(description: "a backup: \(faults)") }
        log.count("backups")
    }
}
