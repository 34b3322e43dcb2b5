import FireLite
import FireLiteR4
import Foundation
import Testing

/// A public call in both of its forms, with its result as text.
struct AsyncForm: Sendable, CustomTestStringConvertible {
    let name: String
    let awaiting: @Sendable (FHIRStore) async throws -> String
    let blocking: @Sendable (FHIRStore) throws -> String

    var testDescription: String { name }

    init(
        _ name: String, _ awaiting: @escaping @Sendable (FHIRStore) async throws -> String,
        _ blocking: @escaping @Sendable (FHIRStore) throws -> String
    ) {
        (self.name, self.awaiting, self.blocking) = (name, awaiting, blocking)
    }

    static func text(_ resources: [FHIRResource]) -> String { resources.map { FHIRJSON.string($0) }.joined(separator: "\n") }

    static func text(_ resource: FHIRResource?) -> String { resource.map { FHIRJSON.string($0) } ?? "none" }

    static func text(_ versions: [ResourceVersion]) -> String { "\(versions.map { "\($0.typeName) \($0.id ?? "") \($0.version)" })" }

    static func text(_ changes: LoggedChanges) -> String { "\(changes.map { "\($0.sequence) \($0.kind) \($0.resourceID ?? "")" })" }

    // MARK: - Calls of the store

    static let reading: [AsyncForm] = [
        AsyncForm(
            "resource(id:)", { text(try await $0.resource(Patient.self, id: "2")) }, { text(try $0.resource(Patient.self, id: "2")) }),
        AsyncForm(
            "resource(typeName:)", { text(try await $0.resource(typeName: "Patient", id: "2")) },
            { text(try $0.resource(typeName: "Patient", id: "2")) }),
        AsyncForm(
            "resource(pk:)",
            { store in
                let pk = try await store.query(Patient.self).pks()[1]
                return text(try await store.resource(Patient.self, pk: pk))
            }, { text(try $0.resource(Patient.self, pk: $0.query(Patient.self).pks()[1])) }),
        AsyncForm(
            "resources(ids:)", { text(try await $0.resources(Patient.self, ids: ["3", "x", "1"])) },
            { text(try $0.resources(Patient.self, ids: ["3", "x", "1"])) }),
        AsyncForm("count", { "\(try await $0.count(Patient.self))" }, { "\(try $0.count(Patient.self))" }),
        AsyncForm("counts", { "\(try await $0.counts())" }, { "\(try $0.counts())" }),
        AsyncForm(
            "sql", { "\(try await $0.sql("SELECT id FROM Patient WHERE id > ?", arguments: ["1"]).map(\.values))" },
            { "\(try $0.sql("SELECT id FROM Patient WHERE id > ?", arguments: ["1"]).map(\.values))" }),
        AsyncForm(
            "forEachRow",
            { store in
                try await store.read { tx in
                    var rows: [[SQLValue]] = []
                    try tx.store.forEachRow("SELECT id FROM Patient ORDER BY id") { rows.append($0.values) }
                    return "\(rows)"
                }
            }, { "\(try $0.sql("SELECT id FROM Patient ORDER BY id").map(\.values))" }),
        AsyncForm(
            "rows",
            { store in
                var rows: [[SQLValue]] = []
                for try await row in store.rows("SELECT id FROM Patient WHERE id > ?", arguments: ["1"]) { rows.append(row.values) }
                return "\(rows)"
            }, { "\(try $0.sql("SELECT id FROM Patient WHERE id > ?", arguments: ["1"]).map(\.values))" }),
        AsyncForm("tracked", { "\(try await $0.tracked(.history))" }, { "\(try $0.tracked(.history))" }),
        AsyncForm("newestChange", { "\(try await $0.newestChange())" }, { "\(try $0.newestChange())" }),
        AsyncForm("changeLogStart", { "\(try await $0.changeLogStart())" }, { "\(try $0.changeLogStart())" }),
        AsyncForm("bases", { "\(try await $0.bases())" }, { "\(try $0.bases())" }),
        AsyncForm("changes(since:)", { text(try await $0.changes(since: 1)) }, { text(try $0.changes(since: 1)) }),
        AsyncForm("changeReaders", { "\(try await $0.changeReaders())" }, { "\(try $0.changeReaders())" }),
        AsyncForm(
            "history(of:id:)", { text(try await $0.history(of: Patient.self, id: "1")) },
            { text(try $0.history(of: Patient.self, id: "1")) }),
        AsyncForm(
            "history(typeName:id:)", { text(try await $0.history(typeName: "Patient", id: "1")) },
            { text(try $0.history(typeName: "Patient", id: "1")) }),
        AsyncForm("history(since:)", { text(try await $0.history(limit: 2)) }, { text(try $0.history(limit: 2)) }),
        AsyncForm(
            "resource(at:)",
            { store in
                guard let last = try await store.history(of: Patient.self, id: "1").last else { return "" }
                return text(try await store.resource(at: last))
            }, { store in text(try store.history(of: Patient.self, id: "1").last.flatMap { try store.resource(at: $0) }) }),
        AsyncForm(
            "resource(version:)", { text(try await $0.resource(Patient.self, id: "1", version: 1)) },
            { text(try $0.resource(Patient.self, id: "1", version: 1)) }),
        AsyncForm(
            "resource(typeName:version:)", { text(try await $0.resource(typeName: "Patient", id: "1", version: 1)) },
            { text(try $0.resource(typeName: "Patient", id: "1", version: 1)) }),
        AsyncForm("indexes", { "\(try await $0.indexes())" }, { "\(try $0.indexes())" }),
        AsyncForm("check", { "\(try await $0.check())" }, { "\(try $0.check())" }),
        AsyncForm("statistics", { "\(try await $0.statistics().tables)" }, { "\(try $0.statistics().tables)" }),
        AsyncForm("read", { "\(try await $0.read { try $0.count(Patient.self) })" }, { "\(try $0.read { try $0.count(Patient.self) })" }),
    ]

    static let writing: [AsyncForm] = [
        AsyncForm(
            "addBase, removeBase",
            { store in
                for base in ["https://a.example.org/fhir", "https://b.example.org/fhir"] { try await store.addBase(base) }
                try await store.removeBase("https://a.example.org/fhir")
                return "\(try await store.bases())"
            },
            { store in
                for base in ["https://a.example.org/fhir", "https://b.example.org/fhir"] { try store.addBase(base) }
                try store.removeBase("https://a.example.org/fhir")
                return "\(try store.bases())"
            }),
        AsyncForm(
            "write", { text(try await $0.write { try $0.upsert(Patient { $0.id = "9" }) }) },
            { text(try $0.write { try $0.upsert(Patient { $0.id = "9" }) }) }),
        AsyncForm(
            "createIndex", { "\(try await $0.createIndex(Patient.self) { $0.gender })" },
            { "\(try $0.createIndex(Patient.self) { $0.gender })" }),
        AsyncForm(
            "dropIndex",
            {
                try await $0.dropIndex(Patient.self) { $0.birthDate }; return "\(try await $0.indexes())"
            },
            {
                try $0.dropIndex(Patient.self) { $0.birthDate }; return "\(try $0.indexes())"
            }),
        AsyncForm(
            "createIndexes",
            {
                try await $0.createIndexes(.dates); return "\(try await $0.indexes())"
            },
            {
                try $0.createIndexes(.dates); return "\(try $0.indexes())"
            }),
        AsyncForm(
            "dropIndexes",
            {
                try await $0.dropIndexes(.codes); return "\(try await $0.indexes())"
            },
            {
                try $0.dropIndexes(.codes); return "\(try $0.indexes())"
            }),
        AsyncForm(
            "vacuum",
            {
                try await $0.vacuum(); return ""
            },
            {
                try $0.vacuum(); return ""
            }),
        AsyncForm(
            "optimize",
            {
                try await $0.optimize(); return ""
            },
            {
                try $0.optimize(); return ""
            }),
        AsyncForm("checkpoint", { "\(try await $0.checkpoint(.truncate))" }, { "\(try $0.checkpoint(.truncate))" }),
        AsyncForm(
            "track",
            {
                try await $0.track(.changes); return ""
            },
            {
                try $0.track(.changes); return ""
            }),
        AsyncForm(
            "track(of:)",
            {
                try await $0.track(.history, of: Basic.self); return ""
            },
            {
                try $0.track(.history, of: Basic.self); return ""
            }),
        AsyncForm(
            "stopTracking",
            {
                try await $0.stopTracking(.changes); return "\(try await $0.tracked(.changes))"
            },
            {
                try $0.stopTracking(.changes); return "\(try $0.tracked(.changes))"
            }),
        AsyncForm(
            "stopTracking(of:)",
            {
                try await $0.stopTracking(.history, of: Patient.self); return "\(try await $0.tracked(.history))"
            },
            {
                try $0.stopTracking(.history, of: Patient.self); return "\(try $0.tracked(.history))"
            }),
        AsyncForm(
            "a reader of the log",
            { store in
                let reader = try await store.changeReader(named: "sync")
                try await store.write { try $0.add(Basic { $0.id = "new" }) }
                let changes = try await reader.changes()
                try await reader.acknowledge(through: changes[0].sequence)
                let place = try await reader.place()
                try await reader.skipToNewest()
                let readers = try await store.changeReaders().map(\.name)
                try await store.removeChangeReader(named: "sync")
                return "\(text(changes)) \(place) \(readers) \(try await store.changeReaders().map(\.name))"
            },
            { store in
                let reader = try store.changeReader(named: "sync")
                try store.write { try $0.add(Basic { $0.id = "new" }) }
                let changes = try reader.changes()
                try reader.acknowledge(through: changes[0].sequence)
                let place = try reader.place()
                try reader.skipToNewest()
                let readers = try store.changeReaders().map(\.name)
                try store.removeChangeReader(named: "sync")
                return "\(text(changes)) \(place) \(readers) \(try store.changeReaders().map(\.name))"
            }),
    ]

    // MARK: - Calls of a query

    private static func query(_ store: FHIRStore) -> FHIRQuery<Patient> {
        store.query(Patient.self).where { $0.id > "1" }.sort { $0.id.descending }
    }

    static let queries: [AsyncForm] = [
        AsyncForm("all", { text(try await query($0).all()) }, { text(try query($0).all()) }),
        AsyncForm("first", { text(try await query($0).first()) }, { text(try query($0).first()) }),
        AsyncForm("page", { text(try await query($0).page(of: 2).resources) }, { text(try query($0).page(of: 2).resources) }),
        AsyncForm("count()", { "\(try await query($0).count())" }, { "\(try query($0).count())" }),
        AsyncForm("exists", { "\(try await query($0).exists())" }, { "\(try query($0).exists())" }),
        AsyncForm("ids", { "\(try await query($0).ids())" }, { "\(try query($0).ids())" }),
        AsyncForm("pks", { "\(try await query($0).pks().count)" }, { "\(try query($0).pks().count)" }),
        AsyncForm("explain", { try await query($0).explain() }, { try query($0).explain() }),
        AsyncForm("distinct", { "\(try await query($0).distinct { $0.birthDate })" }, { "\(try query($0).distinct { $0.birthDate })" }),
        AsyncForm("min", { "\(try await query($0).min { $0.birthDate } as Any)" }, { "\(try query($0).min { $0.birthDate } as Any)" }),
        AsyncForm("max", { "\(try await query($0).max { $0.birthDate } as Any)" }, { "\(try query($0).max { $0.birthDate } as Any)" }),
        AsyncForm("counts(by:)", { "\(try await query($0).counts(by: { $0.gender }))" }, { "\(try query($0).counts(by: { $0.gender }))" }),
        AsyncForm("values(\\.)", { "\(try await query($0).values(\.id))" }, { "\(try query($0).values(\.id))" }),
        AsyncForm(
            "values(\\., \\.)", { "\(try await query($0).values(\.id, \.birthDate))" }, { "\(try query($0).values(\.id, \.birthDate))" }),
        AsyncForm(
            "values of eight elements",
            { "\(try await query($0).values(\.id, \.birthDate, \.gender, \.active, \.language, \.implicitRules, \.id, \.gender))" },
            { "\(try query($0).values(\.id, \.birthDate, \.gender, \.active, \.language, \.implicitRules, \.id, \.gender))" }),
        AsyncForm("values(path)", { "\(try await query($0).values { $0.name.family })" }, { "\(try query($0).values { $0.name.family })" }),
        AsyncForm(
            "values(paths)", { "\(try await query($0).values { ($0.id, $0.name.family, $0.gender) })" },
            { "\(try query($0).values { ($0.id, $0.name.family, $0.gender) })" }),
        AsyncForm(
            "forEach",
            { store in
                try await store.read { tx in
                    var ids: [String] = []
                    try query(tx.store).forEach(batch: 256) { ids.append($0.id ?? "") }
                    return "\(ids)"
                }
            },
            { store in
                var ids: [String] = []
                try query(store).forEach(batch: 256) { ids.append($0.id ?? "") }
                return "\(ids)"
            }),
        AsyncForm(
            "results(fetching:)",
            { store in
                var ids: [String] = []
                for try await patient in query(store).results(fetching: 1) { ids.append(patient.id ?? "") }
                return "\(ids)"
            }, { "\(try query($0).ids())" }),
        AsyncForm("delete", { "\(try await query($0).delete())" }, { "\(try query($0).delete())" }),
        AsyncForm("update", { "\(try await query($0).update { $0.active = false })" }, { "\(try query($0).update { $0.active = false })" }),
    ]
}
