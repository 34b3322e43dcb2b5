import FireLiteR4
import FireLiteUI
import TestSupport
import Testing

/// Random commits to a store of patients, and what they must have left in it: the literals of each patient, by id.
struct SectionRun {
    struct Name: Sendable {
        var given: [String]
        /// The start of its period.
        var start: String?
    }

    struct Entry: Sendable {
        var birth: String?
        var death: String?
        var gender: String?
        var names: [Name] = []
    }

    let store: FHIRStore
    private(set) var entries: [String: Entry] = [:]
    private var random: SeededGenerator
    private var nextID = 1

    init(seed: UInt64, path: String = ":memory:") throws {
        random = SeededGenerator(seed: seed)
        store = try FHIRStore(path: path, release: .r4)
    }

    private static let births: [String?] = [
        nil, "1970", "1970-05", "1970-05-31", "1970-06-01", "1971-02", "1971-02-28", "0001-01-01", "9999-12-31", "1971-02-29", "May 1970",
    ]
    private static let deaths: [String?] = [
        nil, "2020", "2020-03", "2020-03-05", "2020-03-05T23:30:00-05:00", "2020-03-06T04:30:00Z", "2020-03-06T18:30:00+14:00",
        "2020-03-31T23:59:59.999999+00:00", "2020-04-01T01:10:00.5+02:00", "2021-12-31T23:59:60Z", "2022-01-01T00:10:00+02:00",
        "0001-01-01T00:10:00+10:00", "9999-12-31T23:50:00-08:00", "2020-03-06T10:00:00", "2020-02-30",
    ]
    /// Texts that are no date, by the calendar or in form.
    private static let invalid: Set<String> = ["1971-02-29", "May 1970", "2020-03-06T10:00:00", "2020-02-30"]

    /// The beginning of a date, as it is written; nil for none.
    static func part(_ date: String?, _ unit: DateSection.Unit) -> String? {
        date.flatMap { invalid.contains($0) ? nil : String($0.prefix(unit.rawValue)) }
    }

    // MARK: - Commits

    /// Adds, changes and deletes some patients in one write.
    mutating func commit() throws {
        var changed = entries
        for _ in 0..<random.int(1...4) {
            let known = changed.keys.sorted()
            if known.isEmpty || random.percent(45) {
                changed["\(nextID)"] = made()
                nextID += 1
            } else if random.percent(25) {
                changed[random.pick(known)] = nil
            } else {
                var entry = made()
                let id = random.pick(known)
                // Half of the changes move it to another section and leave the rest.
                if random.percent(50), let old = changed[id] { (entry.names, entry.gender) = (old.names, old.gender) }
                changed[id] = entry
            }
        }
        let (before, after) = (entries, changed)
        try store.write { tx in
            for id in before.keys.sorted() where after[id] == nil { try tx.delete(Patient.self, id: id) }
            for (id, entry) in after.sorted(by: { (Int($0.key) ?? 0) < (Int($1.key) ?? 0) }) { try tx.upsert(Self.patient(id, entry)) }
        }
        entries = changed
    }

    private mutating func made() -> Entry {
        var entry = Entry(
            birth: random.pick(Self.births), death: random.pick(Self.deaths), gender: random.pick([nil, "female", "male", "unheard-of"]))
        for _ in 0..<random.int(0...2) {
            let given = (0..<random.int(0...2)).map { _ in random.pick(["Ada", "Bo", "Cy"]) }
            entry.names.append(Name(given: given, start: random.pick(Self.deaths)))
        }
        return entry
    }

    private static func patient(_ id: String, _ entry: Entry) -> Patient {
        Patient {
            $0.id = id
            $0.birthDate = entry.birth.map { FHIRDate($0) ?? FHIRDate(_storage: .text($0)) }
            $0.deceasedDateTime = dateTime(entry.death)
            $0.gender = entry.gender.map { AdministrativeGender(rawValue: $0) }
            $0.name = entry.names.map { name in
                HumanName {
                    $0.text = "name"
                    $0.given = name.given
                    if let start = dateTime(name.start) { $0.period = Period { $0.start = start } }
                }
            }
        }
    }

    private static func dateTime(_ literal: String?) -> FHIRDateTime? {
        literal.map { FHIRDateTime($0) ?? FHIRDateTime(_storage: .text($0)) }
    }
}
