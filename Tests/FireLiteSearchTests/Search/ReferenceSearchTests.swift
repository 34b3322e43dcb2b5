import FireLite
import FireLiteR4
import FireLiteReleases
import FireLiteSearch
import Foundation
import Testing

/// What references a search finds, and under which base addresses.
@Suite struct ReferenceSearchTests {
    private static let own = "https://example.org/fhir"
    private static let foreign = "http://other.example/fhir"

    private static func condition(_ id: String, _ subject: String, _ more: String = "") -> String {
        #"{"resourceType":"Condition","id":"\#(id)","subject":{"reference":"\#(subject)"}\#(more)}"#
    }

    private static func patient(_ id: String, _ name: String) -> String {
        #"{"resourceType":"Patient","id":"\#(id)","name":[{"family":"\#(name)"}]}"#
    }

    /// Conditions of `Patient/n1` in each form.
    private func conditions() throws -> SearchStore {
        try SearchStore(
            Self.patient("n1", "Own"), Self.patient("n2", "Other"), Self.condition("relative", "Patient/n1"),
            Self.condition("version", "Patient/n1/_history/2"), Self.condition("own", "\(Self.own)/Patient/n1"),
            Self.condition("ownVersion", "\(Self.own)/Patient/n1/_history/2"), Self.condition("foreign", "\(Self.foreign)/Patient/n1"),
            Self.condition("foreignVersion", "\(Self.foreign)/Patient/n1/_history/2"), Self.condition("second", "Patient/n2"))
    }

    /// A change of the store's settings, and which references are the store's own after it.
    private static let worlds: [(String, @Sendable (inout SearchStore) throws -> Void, known: Bool)] = [
        ("no base", { _ in }, false), ("a base in the file", { try $0.store.addBase("https://example.org/fhir/") }, true),
        ("the base of the search", { $0.options.base = "https://example.org/fhir" }, true),
        (
            "a base that was removed",
            {
                try $0.store.addBase(own)
                try $0.store.removeBase(own)
            }, false
        ),
    ]

    @Test(arguments: [false, true], worlds.indices) func anAbsoluteReferenceIsTheStoresOwnUnderABaseItIsTold(
        isIndexed: Bool, world: Int
    ) throws {
        var sample = try conditions()
        if isIndexed { for set in [StoreIndexSet.references, .identifiers, .codes, .dates] { try sample.store.createIndexes(set) } }
        try Self.worlds[world].1(&sample)
        let isKnown = Self.worlds[world].known
        let all = ["relative", "version"] + (isKnown ? ["own", "ownVersion"] : [])
        let versions = ["version"] + (isKnown ? ["ownVersion"] : [])
        for search in [
            "subject=Patient/n1", "subject=n1", "patient=n1", "subject:Patient=n1", "patient=Patient/n1", "subject:Patient.name=own",
        ] {
            #expect(try sample.ids("Condition?\(search)") == all, "\(search), \(Self.worlds[world].0)")
        }
        #expect(try sample.ids("Condition?subject=Patient/n1/_history/2") == versions)
        #expect(try sample.ids("Condition?subject=n1/_history/2") == versions)
        #expect(try sample.ids("Condition?subject=Patient/n1/_history/3") == [])
        #expect(try sample.ids("Condition?subject=\(Self.own)/Patient/n1") == (isKnown ? all : ["own", "ownVersion"]))
        #expect(try sample.ids("Condition?subject=\(Self.own)/Patient/n1/_history/2") == (isKnown ? versions : ["ownVersion"]))
        #expect(try sample.ids("Condition?subject=\(Self.foreign)/Patient/n1") == ["foreign", "foreignVersion"])
        #expect(try sample.ids("Condition?subject=\(Self.foreign)/Patient/n1/_history/2") == ["foreignVersion"])
        #expect(try sample.ids("Patient/n1/Condition") == all)
        #expect(try Set(sample.ids("Patient/n1/$everything")) == Set(["n1"] + all))
        for (number, id) in ["own", "ownVersion", "foreign"].enumerated() {
            let isLed = isKnown && number < 2
            #expect(try sample.ids("Patient?_has:Condition:patient:_id=\(id)") == (isLed ? ["n1"] : []))
            let included = try sample.store.search("Condition?_id=\(id)&_include=Condition:subject", options: sample.options).included
            #expect(included.compactMap(\.id) == (isLed ? ["n1"] : []))
        }
        let referring = try sample.store.search("Patient?_id=n1&_revinclude=Condition:subject", options: sample.options).included
        #expect(referring.compactMap(\.id) == all)
    }

    @Test func theBasesAreKeptInTheFileAndInTheConfiguration() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firelite-bases-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("store.sqlite").path
        do {
            let store = try FHIRStore(path: path, release: .r4)
            try store.addBase(Self.own + "/")
            try store.addBase(Self.own)
            try store.write { try $0.addBase("http://b.example:8080") }
            #expect(try store.bases() == [Self.own, "http://b.example:8080"])
            #expect(throws: CancellationError.self) {
                try store.write { tx -> Void in
                    try tx.addBase("http://c.example")
                    #expect(try tx.bases().count == 3)
                    throw CancellationError()
                }
            }
            #expect(try store.bases().count == 2)
            try store.close()
        }
        var configuration = FHIRStore.Configuration()
        configuration.bases = ["http://given.example/", Self.own]
        let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
        #expect(try store.bases() == ["http://given.example", Self.own, "http://b.example:8080"])
        try store.removeBase(Self.own + "//")
        #expect(try store.bases() == ["http://given.example", Self.own, "http://b.example:8080"])
        try store.removeBase("http://b.example:8080")
        #expect(try store.bases() == ["http://given.example", Self.own])
        for text in [
            "", "example.org", "ftp://example.org", "https://", "http:///x", "https://a.example/?x=1", "https://a.example/#x",
            "https://a.example/a b", "https://a.example/'", "HTTP://a.example", "https://a.example/\u{0}",
        ] {
            let error = #expect(throws: FHIRStoreError.self) { try store.addBase(text) }
            #expect(error?.code == .invalidArgument, "\(text)")
        }
    }

    /// An id alone is one of every type that the parameter refers to, however many these are.
    @Test(arguments: [false, true]) func aBareIDFindsVersionedReferencesOfEveryType(isIndexed: Bool) throws {
        func provenance(_ id: String, _ target: String) -> String {
            #"{"resourceType":"Provenance","id":"\#(id)","target":[{"reference":"\#(target)"}],"recorded":"2020-01-01T00:00:00Z","agent":[{"who":{"display":"x"}}]}"#
        }
        func task(_ id: String, _ focus: String) -> String {
            #"{"resourceType":"Task","id":"\#(id)","status":"ready","intent":"order","focus":{"reference":"\#(focus)"}}"#
        }
        let sample = try SearchStore(
            provenance("p1", "Observation/r1"), provenance("p2", "Condition/r1/_history/3"), provenance("p3", "\(Self.own)/Patient/r1"),
            provenance("p4", "\(Self.foreign)/Patient/r1"), provenance("p5", "Observation/r11"),
            provenance("p6", "\(Self.own)/Task/r1/_history/1"),
            task("t1", "ServiceRequest/n1/_history/7"), task("t2", "Patient/n1"), task("t3", "Patient/n2/_history/n1"))
        try sample.store.addBase(Self.own)
        if isIndexed { try sample.store.createIndexes(.references) }
        #expect(try sample.ids("Provenance?target=r1") == ["p1", "p2", "p3", "p6"])
        #expect(try sample.ids("Provenance?target=Condition/r1") == ["p2"])
        #expect(try sample.ids("Provenance?target:Patient=r1") == ["p3"])
        #expect(try sample.ids("Provenance?target=r1/_history/1") == ["p6"])
        #expect(try sample.ids("Task?focus=n1") == ["t1", "t2"])
    }

    @Test func identifiersOfLogicalReferencesHaveTheTypeOfTheReference() throws {
        func observation(_ id: String, _ subject: String) -> String {
            #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"x"},"subject":{\#(subject)}}"#
        }
        let identifier = #""identifier":{"system":"urn:s","value":"1"}"#
        let sample = try SearchStore(
            observation("patient", #""type":"Patient",\#(identifier)"#), observation("group", #""type":"Group",\#(identifier)"#),
            observation("untyped", identifier), observation("both", #""reference":"Patient/1",\#(identifier)"#),
            observation("groupText", #""reference":"Group/1",\#(identifier)"#),
            observation("uri", #""type":"http://hl7.org/fhir/StructureDefinition/Patient",\#(identifier)"#),
            observation("display", #""display":"somebody""#), observation("typeAlone", #""type":"Patient""#))
        let patients = ["patient", "untyped", "both", "uri"]
        #expect(try sample.ids("Observation?patient:identifier=urn:s|1") == patients)
        #expect(try sample.ids("Observation?subject:identifier=urn:s|1") == ["patient", "group", "untyped", "both", "groupText", "uri"])
        #expect(try sample.ids("Observation?patient:identifier=urn:s|2") == [])
        #expect(try sample.ids("Observation?patient:missing=false") == patients + ["typeAlone"])
        #expect(try sample.ids("Observation?patient:missing=true") == ["group", "groupText", "display"])
    }

    @Test func livesThroughAChangeOfTheBases() throws {
        let sample = try conditions()
        let query = sample.store.query(Condition.self).where { $0.subject.target(Patient.self).any { $0.name.family == "Own" } }
        #expect(try query.count() == 2)
        try sample.store.addBase(Self.own)
        #expect(try query.count() == 4)
        try sample.store.write { tx in
            #expect(try tx.query(Condition.self).where { $0.subject.refers(to: Patient.self, id: "n1") }.count() == 4)
            try tx.removeBase(Self.own)
            #expect(try tx.query(Condition.self).where { $0.subject.refers(to: Patient.self, id: "n1") }.count() == 2)
            try tx.addBase(Self.foreign)
            #expect(try tx.query(Condition.self).where { $0.subject.target(Patient.self).exists }.count() == 5)
        }
        #expect(try query.ids() == ["relative", "version", "foreign", "foreignVersion"])
    }

    // MARK: - Other rules

    @Test func aComparatorMakesAQuantityTheEndOfAnInterval() throws {
        func observation(_ id: String, _ comparator: String?, _ value: Int, unit: String = "mg") -> String {
            let sign = comparator.map { #""comparator":"\#($0)","# } ?? ""
            return #"""
                {"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"x"},
                 "valueQuantity":{\#(sign)"value":\#(value),"unit":"\#(unit)","system":"http://unitsofmeasure.org","code":"\#(unit)"}}
                """#
        }
        let sample = try SearchStore(
            observation("plain", nil, 100), observation("more", ">", 100), observation("least", ">=", 100), observation("less", "<", 100),
            observation("most", "<=", 100), observation("gram", ">", 1, unit: "g"))
        func ids(_ value: String) throws -> [String] { try sample.ids("Observation?value-quantity=\(value)") }
        #expect(try ids("100") == ["plain"])
        #expect(try ids("ne100") == ["more", "least", "less", "most", "gram"])
        #expect(try ids("gt100||mg") == ["more", "least"])
        #expect(try ids("gt100|http://unitsofmeasure.org|mg") == ["more", "least", "gram"])
        #expect(try ids("gt500||mg") == ["more", "least"])
        #expect(try ids("ge100||mg") == ["plain", "more", "least", "most"])
        #expect(try ids("gt99||mg") == ["plain", "more", "least", "less", "most"])
        #expect(try ids("lt100||mg") == ["less", "most"])
        #expect(try ids("le100||mg") == ["plain", "least", "less", "most"])
        #expect(try ids("lt101||mg") == ["plain", "more", "least", "less", "most"])
        #expect(try ids("sa99||mg") == ["plain", "more", "least"])
        #expect(try ids("sa100||mg") == ["more"])
        #expect(try ids("eb100||mg") == ["less"])
        #expect(try ids("eb101||mg") == ["plain", "less", "most"])
        #expect(try ids("ap95||mg") == ["plain", "more", "least", "less", "most"])
        #expect(try ids("ap80||mg") == ["less", "most"])
        #expect(try ids("sa900|http://unitsofmeasure.org|mg") == ["gram"])
    }

    @Test func aTimingReachesFromItsFirstDayToItsLast() throws {
        func request(_ id: String, _ timing: String) -> String {
            #"""
            {"resourceType":"ServiceRequest","id":"\#(id)","status":"active","intent":"order","subject":{"reference":"Patient/1"},
             "occurrenceTiming":{\#(timing)}}
            """#
        }
        let sample = try SearchStore(
            request("events", #""event":["2020-01-10","2020-03-10"]"#), request("one", #""event":["2020-02-01"]"#),
            request(
                "bounds", #""repeat":{"boundsPeriod":{"start":"2020-01-31","end":"2020-03-24"},"frequency":1,"period":2,"periodUnit":"d"}"#),
            request("both", #""event":["2019-12-01"],"repeat":{"boundsPeriod":{"start":"2020-06-01"}}"#),
            request("none", #""code":{"text":"BID"}"#))
        func ids(_ value: String) throws -> [String] { try sample.ids("ServiceRequest?occurrence=\(value)") }
        #expect(try ids("2020-01-10") == [])
        #expect(try ids("2020") == ["events", "one", "bounds"])
        #expect(try ids("2020-02-01") == ["one"])
        #expect(try ids("ne2020") == ["both"])
        #expect(try ids("sa2020-01-15") == ["one", "bounds"])
        #expect(try ids("sa2019-12-31") == ["events", "one", "bounds"])
        #expect(try ids("eb2020-03-11") == ["events", "one"])
        #expect(try ids("gt2020-03-10") == ["bounds", "both"])
        #expect(try ids("lt2020-01-20") == ["events", "both"])
        #expect(try ids("ge2020-03-10") == ["bounds", "both"])
        #expect(try ids("le2020-02-01") == ["events", "one", "bounds", "both"])
        var options = sample.options
        options.now = Date(timeIntervalSince1970: 1_580_558_400)
        let near = try sample.store.search("ServiceRequest?occurrence=ap2020-02-01", options: options).matches.compactMap(\.id)
        #expect(near == ["events", "one", "bounds", "both"])
    }

    @Test func theLastDayThatADateCanNameIsFound() throws {
        func patient(_ id: String, _ date: String) -> String { #"{"resourceType":"Patient","id":"\#(id)","birthDate":"\#(date)"}"# }
        let sample = try SearchStore(patient("last", "9999-12-31"), patient("year", "9999"), patient("early", "1970-01-01"))
        #expect(try sample.ids("Patient?birthdate=le9999-12-31") == ["last", "year", "early"])
        #expect(try sample.ids("Patient?birthdate=9999") == ["last", "year"])
        #expect(try sample.ids("Patient?birthdate=gt9999-12-31") == [])
        #expect(try sample.ids("Patient?birthdate=9999-12-31") == ["last"])
        #expect(try sample.ids("Patient?_lastUpdated=le9999-12-31T23:59:59-11:00") == [])
    }

    @Test func partsAreMarkedWithTheReleasesCodeSystem() throws {
        func system(_ name: String) throws -> String? {
            let release = try #require(BundledRelease.named(name)).release
            let sample = try SearchStore(#"{"resourceType":"Patient","id":"1"}"#, release: release)
            let json = try sample.store.search("Patient?_elements=name", options: sample.options).bundleJSON
            return json.firstMatch(of: #/"system":"([^"]+)","code":"SUBSETTED"/#).map { String($0.1) }
        }
        #expect(try system("DSTU2") == "http://hl7.org/fhir/v3/ObservationValue")
        #expect(try system("STU3") == "http://hl7.org/fhir/v3/ObservationValue")
        for name in ["R4", "R4B", "R5"] { #expect(try system(name) == "http://terminology.hl7.org/CodeSystem/v3-ObservationValue") }
    }

    @Test func aPartThatWasStoredIsMarkedOnce() throws {
        for (name, system) in [
            ("STU3", "http://hl7.org/fhir/v3/ObservationValue"), ("R5", "http://terminology.hl7.org/CodeSystem/v3-ObservationValue"),
        ] {
            let release = try #require(BundledRelease.named(name)).release
            let sample = try SearchStore(
                #"{"resourceType":"Patient","id":"part","meta":{"tag":[{"system":"\#(system)","code":"SUBSETTED"}]},"active":true}"#,
                #"{"resourceType":"Patient","id":"other","meta":{"tag":[{"system":"urn:own","code":"SUBSETTED"}]},"active":true}"#,
                release: release)
            for part in ["_elements=active", "_summary=data"] {
                func marks(_ id: String) throws -> Int {
                    let json = try sample.store.search("Patient?_id=\(id)&\(part)", options: sample.options).bundleJSON
                    return json.matches(of: #/"code":"SUBSETTED"/#).count
                }
                #expect(try marks("part") == 1, "\(name) \(part)")
                // The same code of another system is another tag.
                #expect(try marks("other") == 2, "\(name) \(part)")
            }
        }
    }
}
