import DiaryModel
import FireLite
import Foundation

/// The commands: arguments in, text out. What they do is in `DiaryModel`.
struct DiaryCommand {
    private static let usage = """
        usage: diary [--database FILE] COMMAND

          import FILE…                                  import FHIR R4: NDJSON (.ndjson), or one resource or Bundle
          list [--all]                                  list current medications, or all
          search WORDS                                  list medications with these words in their name or dosage
          take NAME                                     record that a dose was taken now
          note NAME [--dosage TEXT]                     note a medication without a prescription
          edit NAME [--dosage TEXT] [--status STATUS]   change a medication
          chart [NAME] [--weeks N] [--until DATE]       count doses per day: 2 weeks, until today

        NAME is a word or more of the name. The default of FILE is diary.sqlite.

        """

    private let arguments: Arguments
    private let diary: Diary

    /// Runs a command and returns what it prints.
    ///
    /// - Throws: `CommandError`, and the errors of `Diary`.
    static func run(_ arguments: [String]) async throws -> String {
        let arguments = try Arguments(arguments)
        guard let name = arguments.words.first else { throw CommandError.usage("a command is missing") }
        if name == "help" { return usage }
        let diary = try Diary(path: arguments.options["--database"] ?? "diary.sqlite")
        do {
            let output = try await DiaryCommand(arguments: arguments, diary: diary).run(name)
            // Released only, the store would close on another thread, perhaps not before the program ends.
            try await diary.store.close()
            return output
        } catch {
            try await diary.store.close()
            throw error
        }
    }

    private func run(_ name: String) async throws -> String {
        let options = arguments.options
        switch name {
        case "import":
            _ = try arguments.text(1...)
            return try await importFiles(arguments.words.dropFirst())
        case "list":
            _ = try arguments.text(0...0, options: "--all")
            return Self.table(try await diary.entries(options["--all"] == nil ? .current : .all))
        case "search":
            return Self.table(try await diary.entries(.matching(arguments.text(1...))))
        case "take":
            let entry = try await diary.take(entry(named: arguments.text(1...)).id)
            return "Took \(Self.shown(entry.name)).\n"
        case "note":
            return Self.table([try await diary.note(arguments.text(1..., options: "--dosage"), dosage: options["--dosage"])])
        case "edit":
            let entry = try await entry(named: arguments.text(1..., options: "--dosage", "--status"))
            return Self.table([try await diary.edit(entry.id, dosage: options["--dosage"], status: options["--status"])])
        case "chart":
            let name = try arguments.text(0..., options: "--weeks", "--until")
            let entry = name.isEmpty ? nil : try await entry(named: name)
            let days = 7 * (try arguments.weeks() ?? 2)
            return Self.chart(try await diary.doses(days: days, of: entry?.id, until: arguments.until() ?? Date()))
        default:
            throw CommandError.usage("unknown command \(name)")
        }
    }

    private func importFiles(_ paths: some Sequence<String>) async throws -> String {
        var lines = ""
        for path in paths {
            do {
                let counts = try await diary.importFile(at: URL(fileURLWithPath: path))
                lines += "\(path): \(counts.added) added, \(counts.updated) updated, \(counts.unchanged) unchanged\n"
            } catch let fault as ImportFault {
                throw CommandError.failure("\(path): line \(fault.line), \(fault.reason)")
            }
        }
        return lines
    }

    /// The one medication with these words; of several, the one being taken.
    private func entry(named words: String) async throws -> DiaryEntry {
        let all = try await diary.entries(.matching(words))
        let current = Set(try await diary.entries()).intersection(all)
        let found = current.isEmpty ? all : all.filter(current.contains)
        guard let entry = found.first else { throw CommandError.failure("no medication has this name: `diary list --all` lists them") }
        guard found.count == 1 else {
            throw CommandError.failure("several medications have this name: \(found.map { Self.shown($0.name) }.joined(separator: "; "))")
        }
        return entry
    }
}
