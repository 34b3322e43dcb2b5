import FireLiteR4
import FireLiteReleases
import Foundation
import Testing

@testable import FireLite

/// A draft is a value of its own; saving it loses neither its changes nor those of others.
@Suite(.soundStores) struct DraftTests {
    private func stored(_ store: FHIRStore) throws -> Patient {
        let patient = Patient {
            $0.id = "a"
            $0.active = true
            $0.name = [
                HumanName {
                    $0.family = "Smith"; $0.given = ["Ann"]
                }, HumanName { $0.family = "Jones" },
            ]
            $0.meta = Meta { $0.source = "http://example.org/one" }
        }
        try store.write { tx in try tx.add(patient) }
        return try #require(try store.resource(Patient.self, id: "a"))
    }

    private func change(_ store: FHIRStore, _ change: (Patient) -> Void) throws {
        try store.write { tx in change(try #require(try tx.resource(Patient.self, id: "a"))) }
    }

    private func now(_ store: FHIRStore) throws -> Patient { try #require(try store.resource(Patient.self, id: "a")) }

    // MARK: - Editing

    @Test func aDraftIsAValueOfItsOwn() throws {
        let store = try freshStore()
        let patient = try stored(store)
        var draft = Draft(patient)
        let copy = draft
        draft.active = false
        draft[\.name[0].family] = "Brown"
        var kept: Patient?
        draft.change {
            $0.name[1].given = ["Bea"]
            kept = $0
        }
        kept?.name[1].given = ["changed later"]
        #expect(draft.active == false && draft[\.name[0].family] == "Brown" && draft[\.name.last?.given] == ["Bea"])
        #expect(copy.active == true && copy.differences.isEmpty && patient.active == true)
        #expect(draft.differences.map(\.path) == ["active", "name[0].family", "name[1].given[0]"])
        let object = draft.copy()
        object.active = nil
        #expect(draft.active == false && !object.isManaged && draft.baseVersion == 1)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try draft.change {
                $0.active = nil
                throw Stop()
            }
        }
        #expect(draft.active == false)
    }

    @Test func aDraftKeepsNeitherTheStoreNorItsObjects() throws {
        weak var store: FHIRStore?
        weak var patient: Patient?
        let draft: Draft<Patient>
        do {
            let opened = try FHIRStore.inMemory(release: .r4)
            let object = try stored(opened)
            (store, patient) = (opened, object)
            draft = Draft(object)
        }
        #expect(store == nil && patient == nil && draft[\.name.first?.family] == "Smith")
    }

    @Test @MainActor func aDraftIsSavedFromTheMainActor() async throws {
        let store = try freshStore(isInFile: true)
        var draft = Draft(Patient { $0.id = "new" })
        #expect(draft.baseVersion == nil)
        draft = try await store.save(draft)
        draft.active = true
        draft = try await store.save(draft)
        #expect(draft.baseVersion == 2 && draft.differences.isEmpty)
        let live = LiveObjects(store)
        let shown = try #require(try live.resource(Patient.self, id: "new"))
        var form = Draft(shown)
        form.gender = .female
        try await store.save(form)
        #expect(try live.resource(Patient.self, id: "new") === shown && shown.gender == .female && shown.active == true)
    }

    // MARK: - Saving

    /// The way a form lost the change of another person: the copy had the old value of everything that was not edited.
    @Test func changesOfOthersInOtherElementsStay() throws {
        let store = try freshStore(isInFile: true)
        let shown = try stored(store)
        var draft = Draft(shown)
        draft[\.name[0].family] = "Brown"
        try change(store) {
            $0.active = false
            $0.name[0].given = ["Ann", "Bea"]
            $0.name.append(HumanName { $0.text = "other" })
        }
        // What is shown is brought up to date, as a live resource is.
        try shown.refresh()
        let saved = try store.save(draft)
        let patient = try now(store)
        #expect(
            patient.active == false && patient.name.map(\.family) == ["Brown", "Jones", nil] && patient.name[0].given == ["Ann", "Bea"])
        #expect(saved.differences.isEmpty && saved.copy() == patient)
    }

    @Test func changesOfTheSameElementAreAConflictThatSaysWhatClashed() throws {
        let store = try freshStore(isInFile: true)
        var draft = Draft(try stored(store))
        draft[\.name[0].family] = "Mine"
        draft.gender = .female
        try change(store) {
            $0.name[0].family = "Theirs"
            $0.active = false
        }
        let error = try #require(throws: FHIRStoreError.self) { try store.save(draft) }
        #expect(error.code == .conflict && error.conflict == .changed)
        #expect(error.clashes.map(\.path) == ["name[0].family"] && error.clashes.map(\.id) == ["name[0].family"])
        #expect(error.clashes.map { [$0.base, $0.local, $0.remote] } == [["\"Smith\"", "\"Mine\"", "\"Theirs\""]])
        for text in ["\(error)", "\(error.clashes)", String(reflecting: error.clashes)] {
            #expect(!text.contains("Mine") && !text.contains("Theirs"))
        }
        var dumped = ""
        dump(error.clashes, to: &dumped)
        #expect(!dumped.contains("Mine") && dumped.contains("name[0].family"))
        #expect(try now(store).gender == nil, "nothing was stored")
        try store.save(draft, preferring: .remote)
        #expect(try now(store).name[0].family == "Theirs" && now(store).gender == .female)
        try store.save(draft, preferring: .local)
        #expect(try now(store).name[0].family == "Mine" && now(store).active == false)
    }

    @Test func aConflictThatIsCaughtInAWriteStoresNothingOfTheDraft() throws {
        let store = try freshStore(isInFile: true)
        var draft = Draft(try stored(store))
        draft.active = nil
        draft.gender = .female
        try change(store) { $0.active = false }
        try store.write { tx in
            #expect(throws: FHIRStoreError.self) { try tx.save(draft) }
            try tx.resource(Patient.self, id: "a")?.birthDate = "1970"
        }
        let patient = try now(store)
        #expect(patient.gender == nil && patient.active == false && patient.birthDate == "1970")
    }

    @Test func aDraftMergesWithChangesOfTheSameWrite() throws {
        let store = try freshStore(isInFile: true)
        let held = try stored(store)
        var draft = Draft(held)
        draft.gender = .female
        try store.write { tx in
            held.active = false
            let saved = try tx.save(draft)
            #expect(saved === held && saved.gender == .female)
            saved.birthDate = "1970"
        }
        let patient = try now(store)
        #expect(patient.active == false && patient.gender == .female && patient.birthDate == "1970")
    }

    @Test func metaIsAnElementLikeAnyOther() throws {
        let store = try freshStore(isInFile: true)
        var draft = Draft(try stored(store))
        draft.change { $0.meta?.source = "http://example.org/two" }
        try store.save(draft)
        #expect(try now(store).meta?.source == "http://example.org/two")
        var other = Draft(try now(store))
        other.change { $0.meta = nil }
        try store.save(other)
        #expect(try now(store).meta == nil)
    }

    @Test func aDraftOfADeletedResourceIsAConflict() throws {
        let store = try freshStore(isInFile: true)
        var draft = Draft(try stored(store))
        draft.active = false
        try store.write { tx in _ = try tx.delete(Patient.self, id: "a") }
        let error = #expect(throws: FHIRStoreError.self) { try store.save(draft) }
        #expect(error?.conflict == .deleted)
        // Stored again it is another resource.
        try store.write { tx in try tx.add(Patient { $0.id = "a" }) }
        #expect(throws: FHIRStoreError.self) { try store.save(draft, preferring: .local) }
        #expect(try now(store).active == nil)
    }

    @Test func aNewDraftReplacesNoStoredResource() throws {
        let store = try freshStore(isInFile: true)
        let patient = try stored(store)
        let error = #expect(throws: FHIRStoreError.self) { try store.save(Draft(Patient { $0.id = "a" })) }
        #expect(error?.code == .duplicateID)
        #expect(try now(store) == patient)
        try store.save(Draft(Patient { $0.active = true }))
        try store.save(Draft(Patient { $0.active = true }))
        #expect(try store.count(Patient.self) == 3)
    }

    @Test func aDraftBelongsToItsStore() throws {
        let (store, other) = (try freshStore(isInFile: true), try freshStore(isInFile: true))
        let draft = Draft(try stored(store))
        _ = try stored(other)
        let error = #expect(throws: FHIRStoreError.self) { try other.save(draft) }
        #expect(error?.code == .invalidArgument)
        // Another connection to the same file is the same store.
        try FHIRStore(path: store.path, release: .r4).save(draft)
    }

    /// A write that fails has never stored what the draft began with.
    @Test func aDraftOfAChangeThatWasRolledBackDoesNotStoreIt() throws {
        struct Stop: Error {}
        let store = try freshStore(isInFile: true)
        let patient = try stored(store)
        var draft: Draft<Patient>?
        #expect(throws: Stop.self) {
            try store.write { _ in
                patient.active = false
                draft = Draft(patient)
                throw Stop()
            }
        }
        draft?.gender = .male
        try store.save(try #require(draft))
        #expect(try now(store).active == true && now(store).gender == .male)
    }
}
