import FireLiteR4
import FireLiteRecords
import FireLiteSync
import Foundation
import TestSupport
import Testing

@testable import FireLiteErasure

/// What is erased is nowhere in the file, its companions and its payloads; what is others' stays.
struct ErasureTests: ErasureSuite {
    let folder: TestSupport.TemporaryFolder

    init() throws { folder = try TestSupport.TemporaryFolder() }

    /// A store that has something of Patient/1 in as many places as it can.
    private func filled() throws -> FHIRStore {
        let store = try open()
        try store.track(.changes)
        try store.track(.history)
        try store.createFullTextIndex(Patient.self) { [$0.name.family] }
        try store.attachments.externalizeNewPayloads()
        try store.write { tx in
            try tx.add(Self.patient("1", Self.marker))
            try tx.add(Self.patient("2", "Miller"))
            try tx.add(Self.observation("o1", of: "1", Self.marker))
            try tx.add(Self.observation("o2", of: "2", "Other"))
            // The person's once, and deleted since.
            try tx.add(Self.observation("o3", of: "1", Self.marker + "-deleted"))
            // Now another's.
            try tx.add(Self.observation("o4", of: "1", Self.marker + "-moved"))
            try tx.add(
                DocumentReference {
                    $0.id = "d"
                    $0.status = .current
                    $0.subject = Reference { $0.reference = "Patient/1" }
                    $0.content = [
                        DocumentReferenceContent {
                            $0.attachment = Attachment {
                                $0.contentType = "text/plain"
                                $0.data = Data((String(repeating: "x", count: 9_000) + Self.marker).utf8).fhirBase64
                            }
                        }
                    ]
                })
        }
        try store.write { tx in
            try tx.delete(Observation.self, id: "o3")
            try tx.upsert(Self.observation("o4", of: "2", "Other"))
            try tx.upsert(Self.patient("1", Self.marker + "-second"))
        }
        try store.appData.put(Data((Self.marker + "-settings").utf8), id: "settings of Patient/1")
        try store.appData.put(Data("others".utf8), id: "others")
        return store
    }

    @Test func noByteOfThePersonIsLeft() throws {
        let store = try filled()
        #expect(try !files(with: Self.marker).isEmpty)
        let plan = try store.erasurePlan(id: "1")
        #expect(plan.isPlan && plan.resources.map(\.name) == ["DocumentReference", "Observation", "Patient"])
        #expect(plan.resources.map(\.count) == [1, 1, 1] && plan.changes > 5)
        #expect(try store.resource(Patient.self, id: "1") != nil)

        let report = try store.erase(id: "1")
        #expect(report.resources == plan.resources && report.changes == plan.changes && report.rows == plan.rows)
        #expect(try files(with: Self.marker) == [])
        #expect(try files(with: String(Data(Self.marker.utf8).base64EncodedString().dropLast(4))) == [])
        #expect(try store.resource(Patient.self, id: "1") == nil && store.resource(Observation.self, id: "o1") == nil)
        #expect(try store.query(Patient.self).matching("miller").count() == 1)
        #expect(try store.query(Patient.self).matching("zyxomma*").count() == 0)
        #expect(try store.resource(Observation.self, id: "o2") != nil && store.resource(Observation.self, id: "o4") != nil)
        #expect(try store.history(typeName: "Observation", id: "o4").count == 1)
        #expect(try store.appData.get("others") != nil && store.appData.get("settings of Patient/1") == nil)
        #expect(try store.check().isEmpty)
        #expect(report.left.contains { $0.kind == .unknown })
        // The log goes on.
        try store.write { _ = try $0.upsert(Self.patient("2", "Smith")) }
        #expect(try store.history(typeName: "Patient", id: "2").count == 2)
    }

    @Test func sharedResourcesAreKeptAndListedUnlessAskedFor() throws {
        let store = try open()
        try store.write { tx in
            try tx.add(Self.patient("1", "A"))
            try tx.add(Self.patient("2", "B"))
            let visit = Self.observation("both", of: "1", "x")
            visit.performer = [Reference { $0.reference = "Patient/2" }]
            try tx.add(visit)
            try tx.add(
                FireLiteR4.List { list in
                    list.id = "l"
                    list.status = .current
                    list.mode = .working
                    list.entry = [ListEntry { $0.item = Reference { $0.reference = "Patient/1" } }]
                })
        }
        let report = try store.erase(id: "1")
        #expect(report.left.contains(.init(kind: .shared, what: "Observation/both")))
        #expect(report.left.contains(.init(kind: .reference, what: "List/l")))
        #expect(try store.resource(Observation.self, id: "both") != nil)
        var options = ErasureOptions()
        options.erasesShared = true
        #expect(try store.erase(id: "2", options: options).resources.map(\.name) == ["Observation", "Patient"])
        #expect(try store.resource(Observation.self, id: "both") == nil)
    }

    /// A link between two patients makes neither a part of the other's record, even where shared resources are erased, too.
    @Test(arguments: [false, true]) func whoIsLinkedToThePersonStays(_ erasesShared: Bool) throws {
        let store = try open()
        try store.track(.history)
        try store.write { tx in
            try tx.add(Self.patient("1", "A"))
            for id in ["2", "3"] {
                let other = Self.patient(id, "B")
                other.link = [
                    PatientLink {
                        $0.other = Reference { $0.reference = "Patient/1" }
                        $0.type = .seealso
                    }
                ]
                try tx.add(other)
            }
            try tx.add(Self.observation("o", of: "2", "x"))
        }
        try store.write { _ = try $0.delete(Patient.self, id: "3") }
        var options = ErasureOptions()
        options.erasesShared = erasesShared
        let report = try store.erase(id: "1", options: options)
        #expect(report.resources == [.init(name: "Patient", count: 1)])
        #expect(report.left == [.init(kind: .reference, what: "Patient/2")])
        #expect(try store.resource(Patient.self, id: "2") != nil && store.resource(Observation.self, id: "o") != nil)
        #expect(try store.check().isEmpty)
    }

    @Test func whatRefersToErasedResourcesOrNamesThePersonIsListed() throws {
        let store = try open()
        try store.write { tx in
            let person = Self.patient("1", "A")
            person.identifier = [
                Identifier { ($0.system, $0.value) = ("urn:mrn", "7\"/8") },
                Identifier { $0.value = "Other" },
            ]
            try tx.add(person)
            try tx.add(Self.patient("2", "B"))
            try tx.add(
                Encounter {
                    $0.id = "e"
                    $0.status = .finished
                    $0.class = Coding { $0.code = "AMB" }
                    $0.subject = Reference { $0.reference = "Patient/1" }
                })
            let visit = Self.observation("byEncounter", of: "2", "Other")
            visit.subject = nil
            visit.encounter = Reference { $0.reference = "Encounter/e" }
            try tx.add(visit)
            let named = Self.observation("byIdentifier", of: "2", "Other")
            named.subject = Reference { $0.identifier = Identifier { ($0.system, $0.value) = ("urn:mrn", "7\"/8") } }
            try tx.add(named)
            try tx.add(Self.observation("others", of: "2", "Other"))
        }
        let plan = try store.erasurePlan(id: "1")
        #expect(plan.left.map(\.what).sorted() == ["Observation/byEncounter", "Observation/byIdentifier"])
        #expect(try store.erase(id: "1").left == plan.left)
        #expect(plan.left.allSatisfy { $0.kind == .reference })
    }

    /// A number that no type of the language holds is valid JSON, and does not hide the person's identifiers.
    @Test func thePersonsIdentifiersAreReadWhateverElseThePersonHas() throws {
        let store = try open()
        try store.write { tx in
            let json =
                #"{"resourceType":"Patient","id":"1","extension":[{"url":"urn:large","valueDecimal":1E400}],"#
                + #""identifier":[{"system":"urn:mrn","value":"7"}]}"#
            try tx.add(try Patient(json: Data(json.utf8)))
            let named = Self.observation("byIdentifier", of: "2", "Other")
            named.subject = Reference { $0.identifier = Identifier { ($0.system, $0.value) = ("urn:mrn", "7") } }
            try tx.add(named)
        }
        #expect(try store.erase(id: "1").left == [.init(kind: .reference, what: "Observation/byIdentifier")])
    }

    @Test func whatIsNotThereIsAnErrorAndNothingChanges() throws {
        let store = try filled()
        let before = try store.counts()
        #expect(throws: ErasureError.self) { try store.erase(id: "9") }
        #expect(throws: ErasureError.self) { try store.erasurePlan(person: "Observation", id: "o1") }
        #expect(try store.counts() == before)
    }

    @Test func requestsInTheOutboxGo() throws {
        let store = try open()
        let server = try #require(URL(string: "https://fhir.example.org/r4"))
        try store.write { tx in
            try tx.add(Self.patient("1", Self.marker))
            try tx.add(Self.patient("2", "Miller"))
            for resource in [Self.observation("o", of: "1", Self.marker), Self.observation("p", of: "2", "Other")] {
                _ = try tx.enqueue(.update(resource), for: server)
            }
        }
        let report = try store.erase(id: "1")
        #expect(report.rows.contains { $0.name == "_outbox" && $0.count == 1 })
        #expect(try files(with: Self.marker) == [])
        #expect(try store.read { try $0.outboxEntries(for: nil) }.count == 1)
        #expect(report.left.contains { $0.kind == .server })
    }

    @Test func payloadsInFilesGo() throws {
        let store = try open()
        var policy = AttachmentPolicy()
        policy.fileThreshold = 1_000
        try store.attachments.externalizeNewPayloads(policy)
        let text = String(repeating: Self.marker, count: 1_000)
        try store.write { tx in
            let patient = Self.patient("1", "A")
            patient.photo = [
                Attachment {
                    $0.contentType = "text/plain"
                    $0.data = Data(text.utf8).fhirBase64
                }
            ]
            try tx.add(patient)
        }
        #expect(try !files(with: Self.marker).isEmpty)
        try store.erase(id: "1")
        #expect(try files(with: Self.marker) == [])
    }

    /// A store in which the log refers to a payload of Patient/1, so that it stays until the log forgets them.
    private func storeWithPayload(inFiles: Bool, isTracked: Bool = true) throws -> FHIRStore {
        let store = try open()
        if isTracked { try store.track(.changes) }
        var policy = AttachmentPolicy()
        policy.fileThreshold = inFiles ? 1_000 : nil
        try store.attachments.externalizeNewPayloads(policy)
        try store.write { tx in
            let patient = Self.patient("1", "A")
            patient.photo = [Self.attachment(Self.marker)]
            try tx.add(patient)
            try tx.add(Self.patient("2", "B"))
        }
        return store
    }

    private static func attachment(_ text: String) -> FireLiteR4.Attachment {
        FireLiteR4.Attachment {
            $0.contentType = "text/plain"
            $0.data = Data(String(repeating: text, count: 1_000).utf8).fhirBase64
        }
    }

    private func payloadCount(_ store: FHIRStore) throws -> Int64? { try store.sql("SELECT count(*) FROM _blob").first?[0].integer }

    /// Payloads that go with the deletions count like those that go when the log has forgotten them.
    @Test(arguments: [false, true], [false, true]) func deletedPayloadsAreCounted(_ inFiles: Bool, _ isTracked: Bool) throws {
        let store = try storeWithPayload(inFiles: inFiles, isTracked: isTracked)
        #expect(try store.erase(id: "1").payloads == 1)
        #expect(try payloadCount(store) == 0)
        #expect(try store.erase(id: "2").payloads == 0)
    }

    /// A process may end after the deletions, or after those of what they left, but before the payloads are deleted, which the log referred to.
    @Test(arguments: [false, true], [false, true])
    func payloadsThatAnEndedProcessLeftAreErasedByTheNext(_ inFiles: Bool, _ isNoted: Bool) throws {
        let store = try storeWithPayload(inFiles: inFiles)
        try store.write { tx in
            let contents = try PersonContents("Patient", id: "1", options: ErasureOptions(), tx)
            for root in contents.roots { try tx.delete(number: root) }
            _ = try tx.forgetChanges(of: contents.roots, keys: contents.keyPairs, sequences: contents.sequences)
            var unfinished = UnfinishedErasure()
            unfinished.add(ErasureReport(), of: contents)
            if isNoted { unfinished.contents = [] }
            try tx.noteUnfinishedErasure(unfinished.note())
        }
        #expect(try payloadCount(store) == 1 && !files(with: Self.marker).isEmpty)
        let report = try store.erase(id: isNoted ? "nobody" : "1")
        #expect(report.isCompletion && report.completed == ["Patient/1"] && report.payloads == (isNoted ? 0 : 1) && report.left.isEmpty)
        #expect(try payloadCount(store) == 0 && files(with: Self.marker) == [])
        #expect(try store.read { try $0.unfinishedErasure } == nil && store.check().isEmpty)
        #expect(try store.resource(Patient.self, id: "2") != nil)
    }

    /// Whoever reads a file while it is deleted finds zeros: so do its blocks, even if the process that deletes it is not the one that erased.
    @Test(arguments: [false, true]) func filesOfPayloadsAreOverwritten(_ isLeftBehind: Bool) throws {
        let store = try storeWithPayload(inFiles: true)
        let name = try #require(try store.sql("SELECT name FROM _blobfile").first?[0].text)
        let path = path + "-payloads/" + name
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        if isLeftBehind {
            // As if the process had ended between the commit and the deletion of the file.
            try store.erase(id: "1")
            try bytes.write(to: URL(fileURLWithPath: path))
            try store.write { try $0.noteUnfinishedErasure(UnfinishedErasure().note()) }
        }
        let reader = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        #expect(try store.erase(id: isLeftBehind ? "nobody" : "1").isCompletion == isLeftBehind)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try reader.readToEnd() == Data(count: bytes.count))
        #expect(try files(with: Self.marker) == [] && store.check().isEmpty)
    }

    /// A file that has another name, as in a backup that links files, keeps its bytes.
    @Test func filesWithAnotherNameAreOnlyDeleted() throws {
        let store = try storeWithPayload(inFiles: true)
        let name = try #require(try store.sql("SELECT name FROM _blobfile").first?[0].text)
        let (path, other) = (path + "-payloads/" + name, folder.file("backup"))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.linkItem(atPath: path, toPath: other)
        try store.erase(id: "1")
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == bytes)
    }

    /// While a payload has lost its row, it may be in a file that no row names: that stays, and is listed.
    @Test func filesOfPayloadsThatHaveLostTheirRowsAreListed() throws {
        let store = try storeWithPayload(inFiles: true)
        try store.write { tx in
            let other = Self.patient("3", "C")
            other.photo = [Self.attachment("Other")]
            try tx.add(other)
        }
        let sql = "DELETE FROM _blobfile WHERE blob = (SELECT max(blob) FROM _blob)"
        #expect(try store.write { try $0.run(onModuleTable: "_blobfile", sql, []) } == 1)
        let left = [ErasureReport.Remainder(kind: .unknown, what: "1 file in \(store.path)-payloads that no payload names")]
        #expect(try store.erase(id: "1").left == left)
        #expect(try files(with: Self.marker) == [] && files(with: "OtherOther").count == 1)
        try store.write { try $0.noteUnfinishedErasure(UnfinishedErasure().note()) }
        let report = try store.erase(id: "1")
        #expect(report.isCompletion && report.left == [FHIRStore.forgottenReport] + left)
    }

    /// A payload of the person that has lost its own row is not deleted, as nobody knows whose it is, and listed.
    @Test(arguments: [false, true]) func payloadsThatHaveLostTheirOwnRowsAreListed(_ inFiles: Bool) throws {
        let store = try storeWithPayload(inFiles: inFiles)
        #expect(try store.write { try $0.run(onModuleTable: "_blob", "DELETE FROM _blob", []) } == 1)
        let what = inFiles ? "1 file of payloads in the folder of payloads" : "1 piece of payloads in the database"
        #expect(try store.erase(id: "1").left.map(\.what) == ["\(what) whose rows are lost"])
    }

    /// A version that is erased takes its payload along, although other versions of the resource stay.
    @Test(arguments: [false, true]) func payloadsOfErasedVersionsOfOthersGo(_ inFiles: Bool) throws {
        func document(of patient: String, _ text: String) -> DocumentReference {
            DocumentReference {
                $0.id = "d"
                $0.status = .current
                $0.subject = Reference { $0.reference = "Patient/\(patient)" }
                $0.content = [DocumentReferenceContent { $0.attachment = Self.attachment(text) }]
            }
        }
        let store = try storeWithPayload(inFiles: inFiles)
        try store.track(.history)
        try store.write { _ = try $0.upsert(document(of: "1", Self.marker + "-first")) }
        try store.write { _ = try $0.upsert(document(of: "2", "Second")) }
        try store.write { _ = try $0.upsert(document(of: "2", "Third")) }
        #expect(try payloadCount(store) == 4)
        try store.erase(id: "1")
        #expect(try payloadCount(store) == 2 && files(with: Self.marker) == [] && store.check().isEmpty)
        let stored = try #require(try store.resource(DocumentReference.self, id: "d"))
        let attachment = try #require(stored.content.first?.attachment)
        #expect(try store.attachments.data(of: attachment) == Data(String(repeating: "Third", count: 1_000).utf8))
        #expect(try !files(with: "SecondSecond").isEmpty && store.attachments.verify().isEmpty)
    }

    @Test func tokensAreReferencesOnly() {
        var tokens: [String] = []
        ReferenceTokens.forEach(in: #"{"a":"Patient/1","b":"http://x.org/fhir/Patient/2/_history/3","c":"patient/4 and/or Group/"}"#) {
            tokens.append($0)
        }
        #expect(tokens == ["Patient/1", "Patient/2"])
    }

    /// A Binary that only the person's resources name goes with them; one that others name too is theirs as well.
    @Test(arguments: [false, true]) func aBinaryThatOthersNameStays(_ erasesShared: Bool) throws {
        func document(_ id: String, of patient: String, _ binaries: String...) -> DocumentReference {
            DocumentReference {
                $0.id = id
                $0.status = .current
                $0.subject = Reference { $0.reference = "Patient/\(patient)" }
                $0.content = binaries.map { binary in
                    DocumentReferenceContent { $0.attachment = Attachment { $0.url = "Binary/\(binary)" } }
                }
            }
        }
        let store = try open()
        try store.write { tx in
            for id in ["1", "2"] { try tx.add(Self.patient(id, "Family \(id)")) }
            for id in ["own", "both", "theirs"] { try tx.add(Binary { ($0.id, $0.contentType) = (id, "text/plain") }) }
            try tx.add(document("d1", of: "1", "own", "both"))
            try tx.add(document("d2", of: "2", "both", "theirs"))
        }
        var options = ErasureOptions()
        options.erasesShared = erasesShared
        let report = try store.erase(person: "Patient", id: "1", options: options)
        let left = try ["own", "both", "theirs"].filter { try store.resource(Binary.self, id: $0) != nil }
        #expect(left == (erasesShared ? ["theirs"] : ["both", "theirs"]))
        #expect(report.left.contains { $0.kind == .shared && $0.what == "Binary/both" } == !erasesShared)
    }
}
