import FireLite
import FireLiteR4
import TestSupport
import Testing

@Suite struct ManagedObjectTests {
    private func stored(_ store: FHIRStore) throws -> Patient {
        let patient = try Patient(
            json: """
                {"resourceType":"Patient","id":"123","active":true,"name":[{"family":"One","given":["A","B"]},{"family":"Two"},{"family":"Three"}],
                "maritalStatus":{"coding":[{"code":"M"}],"text":"married"}}
                """)
        try store.write { tx in try tx.add(patient) }
        return patient
    }

    /// The rows written by a write, without those of the registry.
    private func rowsWritten(_ store: FHIRStore, _ body: () throws -> Void) throws -> Int {
        try store.write { tx in
            let before = tx.rowsWritten
            try body()
            try tx.saveChanges()
            return tx.rowsWritten - before
        }
    }

    @Test func changesInsideAWriteAreSaved() throws {
        try withStore { store in
            let patient = try stored(store)
            try store.write { _ in
                patient.name[0].given[0] = "Joseph"
                patient.name[0].family = "Balogna"
                patient.name.append(HumanName { $0.text = "Joe" })
            }
            let fetched = try #require(try store.resource(Patient.self, id: "123"))
            #expect(fetched == patient)
            #expect(fetched.name[0].given == ["Joseph", "B"])
            #expect(fetched.name[3].text == "Joe")
            #expect(fetched.name.map(\.pk) == patient.name.map(\.pk))
        }
    }

    @Test func upsertedElementsKeepTheirPKs() throws {
        try withStore { store in
            let patient = try stored(store)
            let names = patient.copy().name
            names[1].family = "new"
            let pks = patient.name.map(\.pk)
            let status = patient.maritalStatus?.pk
            #expect(try rowsWritten(store) { patient.upsert(\.name, to: names) } == 2, "one name, the registry")
            #expect(try rowsWritten(store) { patient.upsert(\.maritalStatus, to: CodeableConcept { $0.text = "single" }) } > 0)
            let fetched = try #require(try store.resource(Patient.self, id: "123"))
            #expect(fetched.name.map(\.family) == ["One", "new", "Three"] && fetched.name.map(\.pk) == pks)
            #expect(fetched.maritalStatus?.text == "single" && fetched.maritalStatus?.pk == status)
            #expect(try rowsWritten(store) { patient.upsert(\.name, to: names) } == 0, "nothing changed")
        }
    }

    @Test func onlyChangedRowsAreWritten() throws {
        try withStore { store in
            let patient = try stored(store)
            #expect(try rowsWritten(store) { patient.active = false } == 2, "its row and the registry's")
            #expect(
                try rowsWritten(store) {
                    patient.name.append(
                        HumanName {
                            $0.text = "x"; $0.given = ["a", "b"]
                        })
                } == 4)
            #expect(try rowsWritten(store) { patient.name[1].family = "new" } == 2)
            #expect(try rowsWritten(store) { patient.name.swapAt(1, 2) } == 3, "two places change")
            #expect(try rowsWritten(store) { patient.name.remove(at: 0) } == 7, "a name, two given names, three places, the registry")
            #expect(try rowsWritten(store) { patient.active = false } == 0, "nothing changed")
        }
    }

    @Test func listEditsKeepIdentity() throws {
        try withStore { store in
            let patient = try stored(store)
            let pks = patient.name.map(\.pk)
            try store.write { _ in
                patient.name.reverse()
                let first = patient.name.remove(at: 0)
                patient.name.append(first)
                patient.name.insert(HumanName { $0.text = "new" }, at: 1)
            }
            #expect(patient.name.map(\.family) == ["Two", nil, "One", "Three"])
            let fetched = try #require(try store.resource(Patient.self, id: "123"))
            #expect(fetched == patient)
            #expect(fetched.name.map(\.pk) == patient.name.map(\.pk))
            #expect([fetched.name[0].pk, fetched.name[2].pk, fetched.name[3].pk] == [pks[1], pks[0], pks[2]])
        }
    }

    @Test func failedWriteRestoresFileAndObjects() throws {
        struct Stop: Error {}
        try withStore { store in
            let patient = try stored(store)
            let json = FHIRJSON.string(patient)
            let pks = patient.name.map(\.pk)
            let kept = patient.name[1]
            let added = Patient { $0.id = "new" }
            #expect(throws: Stop.self) {
                try store.write { tx in
                    patient.name[0].given.append("C")
                    patient.name.removeLast()
                    patient.name[1].family = "changed"
                    patient.maritalStatus = nil
                    try tx.add(added)
                    try tx.saveChanges()
                    patient.active = nil
                    throw Stop()
                }
            }
            #expect(FHIRJSON.string(patient) == json)
            #expect(patient.name.map(\.pk) == pks)
            #expect(patient.name[1] === kept)
            #expect(!added.isManaged)
            #expect(try store.count(Patient.self) == 1)
            #expect(try store.resource(Patient.self, id: "123") == patient)
            try store.write { _ in patient.name[2].family = "later" }
            #expect(try store.resource(Patient.self, id: "123")?.name[2].family == "later")
        }
    }

    @Test func replacedVersionIsAConflict() throws {
        try withStore { store in
            let patient = try stored(store)
            let other = try #require(try store.resource(Patient.self, id: "123"))
            try store.write { _ in other.active = false }
            let error = #expect(throws: FHIRStoreError.self) { try store.write { _ in patient.active = nil } }
            #expect(error?.code == .conflict)
            #expect(patient.active == true)
            #expect(try store.resource(Patient.self, id: "123")?.active == false)
        }
    }

    @Test func fetchedTwiceInAWriteIsOneObject() throws {
        try withStore { store in
            _ = try stored(store)
            try store.write { tx in
                let first = try tx.resource(Patient.self, id: "123")
                let second = try store.resource(Patient.self, id: "123")
                #expect(first === second)
                first?.active = false
                #expect(try tx.resource(Patient.self, id: "123") === first)
            }
            #expect(try store.resource(Patient.self, id: "123")?.active == false)
        }
    }

    @Test func populateKeepsPksAndSaves() throws {
        try withStore { store in
            let patient = try stored(store)
            let pks = patient.name.map(\.pk)
            let twin = patient.copy()
            #expect(!twin.isManaged)
            #expect(Set(twin.name.map(\.pk)).isDisjoint(with: pks))
            twin.name[0].given[0] = "Joe"
            twin.name.removeLast()
            try store.write { _ in try patient.populate(from: twin) }
            let fetched = try #require(try store.resource(Patient.self, id: "123"))
            #expect(fetched == twin)
            #expect(fetched.name.map(\.pk) == Array(pks.prefix(2)))
        }
    }

    @Test func deletingTakesEveryRowAndKeepsTheObject() throws {
        try withStore { store in
            let patient = try stored(store)
            let (json, pk) = (FHIRJSON.string(patient), patient.pk)
            try store.write { tx in try tx.delete(patient) }
            #expect(try rowCounts(store).isEmpty)
            #expect(!patient.isManaged)
            #expect(FHIRJSON.string(patient) == json)
            #expect(patient.pk == pk)
            #expect(try store.resource(Patient.self, pk: pk) == nil)
        }
    }

    @Test func containedResourcesGoWithTheirContainer() throws {
        try withStore { store in
            let json =
                ##"{"resourceType":"MedicationRequest","id":"m","contained":[{"resourceType":"Medication","id":"med","status":"active"},"##
                + ##"{"resourceType":"Patient","id":"p","name":[{"family":"X"}]}],"status":"active","intent":"order","##
                + ##""medicationReference":{"reference":"#med"},"subject":{"reference":"#p"}}"##
            let request = try MedicationRequest(json: json)
            try store.write { tx in try tx.add(request) }
            #expect(try store.count(Medication.self) == 0)
            #expect(try store.resource(Medication.self, id: "med") == nil)
            let fetched = try #require(try store.resource(MedicationRequest.self, id: "m"))
            #expect(FHIRJSON.string(fetched) == json)
            #expect(try fetched.subject?.resolve(in: store) as? Patient === fetched.contained[1])
            try store.write { tx in try tx.delete(MedicationRequest.self, id: "m") }
            #expect(try rowCounts(store).isEmpty)
        }
    }

    @Test func referencesResolve() throws {
        try withStore { store in
            let patient = try stored(store)
            let unnamed = Practitioner { $0.active = true }
            try store.write { tx in try tx.add(unnamed) }
            func resolved(_ text: String) throws -> FHIRResource? { try Reference { $0.reference = text }.resolve(in: store) }
            #expect(try resolved("Patient/123")?.pk == patient.pk)
            #expect(try resolved("https://example.org/fhir/Patient/123") == nil)
            try store.addBase("https://example.org/fhir")
            #expect(try resolved("https://example.org/fhir/Patient/123")?.pk == patient.pk)
            #expect(try resolved("https://example.com/fhir/Patient/123") == nil)
            #expect(try resolved("Patient/123/_history/4")?.pk == patient.pk)
            #expect(try Reference(to: unnamed).resolve(in: store)?.pk == unnamed.pk)
            #expect(try Reference(to: patient).resolve(in: store)?.pk == patient.pk)
            for nothing in ["Patient/124", "Nothing/1", "urn:uuid:00000000-0000-0000-0000-000000000000", "#x", "urn:oid:1.2", "?", ""] {
                #expect(try resolved(nothing) == nil)
            }
        }
    }

    @Test func pksSurviveReopening() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/s.sqlite"
            var pks: [String] = []
            do {
                let store = try FHIRStore(path: path, release: .r4)
                let given = Patient { $0.id = "given" }
                given.pk = "my own pk"
                let read = Patient {
                    $0.id = "read"
                    $0.name = [HumanName { $0.text = "x" }]
                    $0.maritalStatus = CodeableConcept { $0.text = "y" }
                }
                pks = [given.pk, read.pk, read.name[0].pk, read.maritalStatus!.pk]
                let lazy = Patient {
                    $0.id = "lazy"
                    $0.name = [HumanName { $0.text = "x" }]
                }
                try store.write { tx in try tx.upsert([given, read, lazy]) }
                pks += [lazy.pk, lazy.name[0].pk]
                #expect(read.name[0].pk == pks[2])
            }
            let store = try FHIRStore(path: path, release: .r4)
            let read = try #require(try store.resource(Patient.self, id: "read"))
            let lazy = try #require(try store.resource(Patient.self, id: "lazy"))
            #expect(try store.resource(Patient.self, pk: "my own pk")?.id == "given")
            #expect([read.pk, read.name[0].pk, read.maritalStatus?.pk] == [pks[1], pks[2], pks[3]])
            #expect([lazy.pk, lazy.name[0].pk] == [pks[4], pks[5]])
            #expect(try store.resource(Patient.self, pk: pks[4])?.id == "lazy")
            #expect(Set(pks).count == 6)
            try expectSound(store)
        }
    }

    /// What somebody holds of a resource keeps its pk when the resource goes from memory.
    @Test func elementsOutliveTheirResourceWithTheirPks() throws {
        try withStore { store in
            let patient = try stored(store)
            let pks = patient.name.map(\.pk)
            #expect(try store.resource(Patient.self, id: "123")?.name.map(\.pk) == pks)
            let name = try #require(try store.resource(Patient.self, id: "123")?.name[1])
            #expect(name.pk == pks[1])
            let coding = try #require(try store.resource(Patient.self, id: "123")?.maritalStatus?.coding.first)
            #expect(coding.pk == patient.maritalStatus?.coding[0].pk)
        }
    }

    @Test func elementsAreNeverShared() throws {
        try withStore { store in
            let patient = try stored(store)
            let other = Patient { $0.id = "2" }
            try store.write { tx in try tx.add(other) }
            try store.write { _ in
                other.name = patient.name
                other.name.append(other.name[0])
            }
            #expect(other.name.count == 4)
            #expect(other.name[0] !== patient.name[0])
            #expect(other.name[3] !== other.name[0])
            #expect(patient.name.count == 3)
            try store.write { _ in other.name[0].family = "changed" }
            #expect(try store.resource(Patient.self, id: "123")?.name[0].family == "One")
            #expect(try store.resource(Patient.self, id: "2")?.name.map(\.family) == ["changed", "Two", "Three", "One"])
        }
    }
}

/// A pk that somebody may have read stays the object's, wherever that goes.
@Suite struct KeptPKTests {
    private func stored(in store: FHIRStore) throws -> Patient {
        let patient = Patient {
            $0.id = "1"
            $0.name = ["One", "Two"].map { family in
                HumanName {
                    $0.family = family
                    $0.period = Period { $0.start = FHIRDateTime("2020") }
                }
            }
            $0.maritalStatus = CodeableConcept { $0.coding = [Coding { $0.code = "M" }] }
        }
        try store.write { tx in try tx.add(patient) }
        return patient
    }

    @Test func whatIsTakenOutKeepsItsPKs() throws {
        try withStore { store in
            let patient = try stored(in: store)
            let (name, status) = (patient.name[0], try #require(patient.maritalStatus))
            let pks = [name.pk, name.period?.pk, status.pk, status.coding[0].pk]
            try store.write { _ in
                patient.name.remove(at: 0)
                patient.maritalStatus = nil
            }
            #expect(!name.isManaged && name.period?.isManaged == false)
            #expect([name.pk, name.period?.pk, status.pk, status.coding[0].pk] == pks)
        }
    }

    @Test func whatIsDeletedKeepsItsPKs() throws {
        try withStore { store in
            let patient = try stored(in: store)
            func pks() -> [String?] { [patient.pk, patient.name[1].pk, patient.name[1].period?.pk, patient.maritalStatus?.coding[0].pk] }
            let before = pks()
            try store.write { tx in try tx.delete(patient) }
            #expect(pks() == before)
        }
    }

    /// What is put back within the write has its row, and no pk is stored for it; what goes elsewhere takes its pk along.
    @Test func whatIsPutBackStoresNoPK() throws {
        try withStore { store in
            let patient = try stored(in: store)
            let name = patient.name[0]
            let pks = patient.name.map(\.pk)
            try store.write { tx in
                let before = tx.rowsWritten
                patient.name.append(patient.name.remove(at: 0))
                try tx.saveChanges()
                #expect(tx.rowsWritten - before == 3)
            }
            #expect(patient.name.map(\.pk) == pks.reversed())
            let columns = try store.sql("PRAGMA table_info(Patient_name)").compactMap(\.values[1].text)
            #expect(columns.contains("family") && !columns.contains { $0.hasSuffix("pk") })
            let other = Patient { $0.id = "2" }
            try store.write { tx in
                try tx.add(other)
                patient.name.removeLast()
                other.name = [name]
            }
            #expect(other.name[0] === name)
            #expect(name.pk == pks[0])
            #expect(try store.resource(Patient.self, id: "2")?.name.map(\.pk) == [pks[0]])
        }
    }

    /// A pk that is read before its row is written is the one that it has afterwards.
    @Test func aPKReadBeforeSavingIsKept() throws {
        try withStore { store in
            let patient = try stored(in: store)
            var pks: [String?] = []
            func new() -> [String?] { [patient.name[2].pk, patient.name[2].period?.pk] }
            try store.write { _ in
                patient.name.append(HumanName { $0.period = Period { $0.start = FHIRDateTime("2021") } })
                pks = new()
            }
            #expect(new() == pks)
            let name = try #require(try store.resource(Patient.self, id: "1")?.name[2])
            #expect([name.pk, name.period?.pk] == pks)
        }
    }

    /// What takes the place of another element, or of one deleted before, has a pk of its own.
    @Test func noPKIsGivenTwice() throws {
        try withStore { store in
            let patient = try stored(in: store)
            let old = try #require(patient.maritalStatus)
            let oldPKs = [old.pk, old.coding[0].pk]
            try store.write { _ in
                patient.maritalStatus = CodeableConcept {
                    $0.text = "new"
                    $0.coding = [Coding { $0.code = "S" }]
                }
            }
            let new = try #require(patient.maritalStatus)
            #expect(Set(oldPKs + [new.pk, new.coding[0].pk]).count == 4)
            #expect(try store.resource(Patient.self, id: "1")?.maritalStatus?.pk == new.pk)
            let names = patient.name.map(\.pk)
            try store.write { tx in try tx.delete(patient) }
            try store.write { tx in
                try tx.add(patient)
                patient.name.insert(HumanName { $0.text = "first" }, at: 0)
            }
            #expect(patient.name.dropFirst().map(\.pk) == names)
            #expect(!names.contains(patient.name[0].pk))
            #expect(try store.resource(Patient.self, id: "1")?.name.map(\.pk) == patient.name.map(\.pk))
        }
    }
}
