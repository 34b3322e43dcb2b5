import FireLite
import FireLiteCore
import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// Packages in a store's own file.
@Suite struct StoredPackageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let url = "http://a.org/p"

    /// A package with a profile that needs a name.
    private func package(_ name: String = "a.b", _ version: String = "1.0.0", minimum: Int = 1) throws -> URL {
        let profile = """
            {"resourceType":"StructureDefinition","url":"\(Self.url)","name":"P","status":"active","kind":"resource","abstract":false,"type":"Patient",
            "baseDefinition":"http://hl7.org/fhir/StructureDefinition/Patient","derivation":"constraint",
            "differential":{"element":[{"id":"Patient.name","path":"Patient.name","min":\(minimum)}]}}
            """
        let manifest = #"{"name":"\#(name)","version":"\#(version)","fhirVersions":["4.0.1"]}"#
        let archive = TarArchive.data([("package/package.json", "0", manifest), ("package/StructureDefinition-p.json", "0", profile)])
        return URL(fileURLWithPath: try folder.write("\(name)-\(version)-\(minimum).tgz", archive))
    }

    private func patient(_ id: String, name: String? = nil) -> Patient {
        let patient = Patient()
        patient.id = id
        patient.meta = Meta()
        patient.meta?.profile = [Self.url]
        if let name {
            let human = HumanName()
            human.family = name
            patient.name = [human]
        }
        return patient
    }

    private func store(_ path: String? = nil, _ validation: StoreValidation? = .storedPackages()) throws -> FHIRStore {
        let path = path ?? folder.file("s.sqlite")
        guard let validation else { return try FHIRStore(path: path, release: .r4) }
        return try FHIRStore(path: path, release: .r4, validation: validation)
    }

    @Test func aStoreKeepsReplacesAndRemovesPackages() throws {
        let store = try store(nil, nil)
        #expect(try store.packages().isEmpty && store.removePackage(named: "a.b") == 0)
        #expect(try store.addPackage(at: package()).definitions == 1)
        try store.addPackage(at: package(minimum: 2))
        try store.addPackage(at: package("c.d", "2.0.0"))
        #expect(try store.packages().map(\.key) == ["a.b#1.0.0", "c.d#2.0.0"])
        #expect(try store.count("_package_definition") == 2)
        #expect(try store.removePackage(named: "a.b", version: "3.0.0") == 0)
        #expect(try store.removePackage(named: "a.b") == 1)
        #expect(try store.packages().map(\.key) == ["c.d#2.0.0"] && store.count("_package_definition") == 1)
        #expect(try store.check().isEmpty)
    }

    @Test func aStoreThatRequiresThemFindsThem() throws {
        let path = folder.file("s.sqlite")
        do { try store(path, nil).addPackage(at: package()) }
        let store = try store(path)
        #expect(throws: ValidationFailure.self) { try store.write { try $0.upsert(patient("a")) } }
        try store.write { try $0.upsert(patient("b", name: "n")) }
        #expect(try store.count("patient") == 1)
    }

    @Test func packagesThatAreAddedLaterCountAtOnce() throws {
        for path in [folder.file("s.sqlite"), ":memory:"] {
            let store = try store(path)
            func code(_ patient: Patient) -> ValidationFailure.Code? {
                #expect(throws: ValidationFailure.self) { try store.write { try $0.upsert(patient) } }?.code
            }
            #expect(code(patient("a", name: "n")) == .undecided)
            try store.addPackage(at: package())
            #expect(code(patient("b")) == .invalid)
            try store.write { try $0.upsert(patient("a", name: "n")) }
            try store.removePackage(named: "a.b")
            #expect(code(patient("b", name: "n")) == .undecided)
            try store.requireValidation(.storedPackages(undecided: .accepted))
            try store.write { try $0.upsert(patient("b")) }
            #expect(try store.count("patient") == 2)
        }
    }

    @Test func theirTextsAreReadWithinTheWriteThatNeedsThem() throws {
        let store = try store()
        try store.addPackage(at: package())
        // The first need of the profile is inside a write.
        #expect(throws: ValidationFailure.self) { try store.write { tx in for id in ["a", "b"] { try tx.upsert(patient(id)) } } }
    }

    @Test func aClosedStoreIsAnErrorAndNoVerdict() throws {
        let knowledge = Knowledge(release: .r4)
        do {
            let store = try store(nil, nil)
            try store.addPackage(at: package())
            try knowledge.addPackages(of: store)
        }
        #expect(knowledge.packages.map(\.key) == ["a.b#1.0.0"])
        let error = #expect(throws: KnowledgeError.self) { try FHIRValidator(knowledge: knowledge).validate(patient("a")) }
        #expect(error?.code == .file)
    }

    @Test func aRemovedPackageIsAnErrorAndNoVerdict() throws {
        let store = try store(nil, nil)
        try store.addPackage(at: package())
        let knowledge = Knowledge(release: .r4)
        try knowledge.addPackages(of: store)
        try store.removePackage(named: "a.b")
        #expect(throws: KnowledgeError.self) { try FHIRValidator(knowledge: knowledge).validate(patient("a")) }
    }

    @Test func theStoreLivesNoLongerForThem() throws {
        weak var released: FHIRStore?
        do {
            let store = try store()
            try store.addPackage(at: package())
            _ = try? store.write { try $0.upsert(patient("a")) }
            released = store
        }
        #expect(released == nil)
    }

    // MARK: - The file

    @Test func theySurviveBackupCompactionAndAnOlderProgram() throws {
        let path = folder.file("s.sqlite")
        let copy = folder.file("copy.sqlite")
        do {
            let store = try store(path)
            try store.addPackage(at: package())
            try store.write { try $0.upsert(patient("a", name: "n")) }
            try store.backup(to: URL(fileURLWithPath: copy))
        }
        for path in [path, copy] {
            // A program that knows nothing of them.
            do {
                let store = try store(path, nil)
                try store.write { try $0.upsert(patient("b")) }
                try store.vacuum()
                #expect(try store.check().isEmpty)
                #expect(try store.packages().map(\.key) == ["a.b#1.0.0"])
            }
            let store = try store(path)
            #expect(throws: ValidationFailure.self) { try store.write { try $0.upsert(patient("c")) } }
            #expect(try store.count("patient") == 2)
        }
    }

    @Test func aStoreWithoutPackagesHasNoTablesForThem() throws {
        let store = try store(nil, .storedPackages(undecided: .accepted))
        try store.write { try $0.upsert(patient("a")) }
        #expect(throws: FHIRStoreError.self) { try store.count("_package") }
    }

    @Test func damagedManifestsAreErrors() throws {
        let path = folder.file("s.sqlite")
        do {
            let store = try store(path, nil)
            try store.addPackage(at: package())
            try store.write { try $0.run(on: PackageTables.module, "UPDATE _package SET manifest = '{'") }
        }
        #expect(throws: KnowledgeError.self) { try store(path) }
        let plain = try store(path, nil)
        #expect(throws: KnowledgeError.self) { try plain.packages() }
        #expect(try plain.removePackage(named: "a.b") == 1)
        #expect(try plain.packages().isEmpty)
    }

    /// Rows that another program has damaged are found, whatever it is that finds or says the definition.
    @Test(arguments: [
        ("UPDATE _package SET manifest = '{'", "_package"), ("UPDATE _package SET version = '9.0.0'", "_package"),
        ("UPDATE _package_definition SET package = 99", "_package_definition"), ("DELETE FROM _package", "_package_definition"),
        ("UPDATE _package_definition SET text = NULL", "_package_definition"),
        ("UPDATE _package_definition SET text = substr(text, 1, 99)", "_package_definition"),
        ("UPDATE _package_definition SET text = '[1]'", "_package_definition"),
        ("UPDATE _package_definition SET text = CAST(text AS BLOB)", "_package_definition"),
        ("UPDATE _package_definition SET url = NULL", "_package_definition"),
        ("UPDATE _package_definition SET type = 'ValueSet'", "_package_definition"),
        ("UPDATE _package_definition SET subject = 'Group'", "_package_definition"),
    ]) func damagedRowsAreFound(_ change: String, _ table: String) throws {
        let path = folder.file("s.sqlite")
        do {
            let store = try store(path, nil)
            try store.addPackage(at: package())
            #expect(try store.check().isEmpty)
            try store.write { try $0.run(on: PackageTables.module, change) }
            let findings = try store.check()
            #expect(findings.map(\.table) == [table] && findings.map(\.kind) == [.mismatch], "\(findings)")
        }
        // Nothing of the value is in the text.
        let store = try store(path, nil)
        #expect(try store.check().isEmpty)
        store.checkPackages()
        #expect(try store.check().map(\.text).allSatisfy { $0.hasSuffix("add the package again") && !$0.contains("9.0.0") })
    }

    @Test func tablesThatSomebodyElseChangedAreFound() throws {
        let path = folder.file("s.sqlite")
        var configuration = FHIRStore.Configuration()
        configuration.checksPages = false
        do { try FHIRStore(path: path, release: .r4, configuration: configuration).addPackage(at: package()) }
        do { try Connection(path: path, createsFile: false).execute("ALTER TABLE _package_definition DROP COLUMN text") }
        let store = try store(path, nil)
        store.checkPackages()
        #expect(try store.check().contains { $0.kind == .module })
    }

    /// A file and a store say the same of random records.
    @Test func verdictsAreThoseOfAFileOfPackages() throws {
        let store = try store(nil, nil)
        try store.addPackage(at: package())
        let own = Knowledge(release: .r4)
        try own.addPackages(of: store)
        let file = folder.file("k.sqlite")
        try KnowledgeFile(path: file).addPackage(at: package())
        let shared = Knowledge(release: .r4)
        try shared.addKnowledge(at: URL(fileURLWithPath: file))
        let (one, two) = (FHIRValidator(knowledge: own), FHIRValidator(knowledge: shared))
        for seed in Effort.seeds(50) {
            var random = RandomInstance(seed: seed)
            let patient = random.make(Patient.self)
            #expect(try one.validate(patient, against: [Self.url]) == two.validate(patient, against: [Self.url]))
        }
        withExtendedLifetime(store) {}
    }
}

extension FHIRStore {
    /// The number of rows of a table.
    fileprivate func count(_ table: String) throws -> Int64 {
        try sql("SELECT count(*) FROM \(table)").first?[0].integer ?? 0
    }
}
