import FireLiteR4
import Testing

@testable import FireLite

/// A change that could not be saved is never left out of a write that commits, and a write has one state of each resource.
@Suite(.soundStores) struct FailedSavingTests {
    private func patient(_ id: String) -> Patient {
        Patient {
            $0.id = id
            $0.name = [HumanName { $0.family = "Before" }]
        }
    }

    /// A store with the patients a and b, fetched; another write has changed a since.
    private func staleAndCurrent() throws -> (store: FHIRStore, stale: Patient, current: Patient) {
        let store = try freshStore(isInFile: true)
        try store.write { tx in try tx.upsert([patient("a"), patient("b")]) }
        let stale = try #require(try store.resource(Patient.self, id: "a"))
        let current = try #require(try store.resource(Patient.self, id: "b"))
        try store.write { tx in try tx.resource(Patient.self, id: "a")?.gender = .other }
        return (store, stale, current)
    }

    // MARK: - Errors that a block catches

    @Test func aWriteCannotCommitWithoutChangesWhoseConflictItCaught() throws {
        let (store, stale, current) = try staleAndCurrent()
        var caught = 0
        let error = #expect(throws: FHIRStoreError.self) {
            try store.write { tx in
                stale.active = true
                current.active = true
                for _ in 0..<2 {
                    do { _ = try tx.query(Patient.self).where { $0.active == true }.count() } catch { caught += 1 }
                }
            }
        }
        #expect(caught == 2 && error?.conflict == .changed)
        #expect(stale.active == nil && current.active == nil)
        #expect(try store.query(Patient.self).where { $0.active == true }.count() == 0)
        #expect(current.isCurrent && !stale.isCurrent)
        try store.write { _ in current.active = true }
        #expect(try store.query(Patient.self).where { $0.active == true }.ids() == ["b"])
    }

    @Test func aChangeThatIsTakenBackNeedsNoSaving() throws {
        let (store, stale, current) = try staleAndCurrent()
        try store.write { tx in
            current.active = true
            stale.active = true
            stale.name[0].family = "After"
            let name = stale.name.remove(at: 0)
            #expect(throws: FHIRStoreError.self) { try tx.saveChanges() }
            stale.active = nil
            stale.name = [name]
            #expect(throws: FHIRStoreError.self) { try tx.saveChanges() }
            name.family = "Before"
            try tx.saveChanges()
        }
        #expect(try store.query(Patient.self).where { $0.active == true }.ids() == ["b"])
        #expect(stale.name[0].family == "Before" && stale.active == nil)
    }

    /// The object does not show what another write has stored, so setting what it has is a change.
    @Test func settingWhatAStaleObjectHasIsAConflict() throws {
        let (store, stale, _) = try staleAndCurrent()
        #expect(stale.gender == nil)
        for catches in [false, true] {
            let error = #expect(throws: FHIRStoreError.self) {
                try store.write { tx in
                    stale.gender = nil
                    if catches { do { try tx.saveChanges() } catch { return } }
                }
            }
            #expect(error?.conflict == .changed)
        }
    }

    @Test func aRepeatedIDCanBeChangedAndSaved() throws {
        var configuration = FHIRStore.Configuration()
        configuration.uniqueIDs = true
        let store = try freshStore(isInFile: true, configuration)
        let first = patient("a")
        try store.write { tx in
            try tx.add(first)
            try tx.add(patient("b"))
        }
        try store.write { tx in
            first.id = "b"
            first.active = true
            #expect(throws: FHIRStoreError.self) { try tx.saveChanges() }
            first.id = "c"
        }
        #expect(try store.query(Patient.self).where { $0.active == true }.ids() == ["c"])
        let error = #expect(throws: FHIRStoreError.self) {
            try store.write { tx in
                first.id = "b"
                do { try tx.saveChanges() } catch { return }
            }
        }
        #expect(error?.code == .duplicateID && first.id == "c")
    }

    @Test func aConflictOfADeletedResourceEndsTheWrite() throws {
        let (store, stale, current) = try staleAndCurrent()
        try store.write { tx in _ = try tx.delete(Patient.self, id: "a") }
        let error = #expect(throws: FHIRStoreError.self) {
            try store.write { tx in
                current.active = true
                stale.active = true
                do { try tx.saveChanges() } catch { return }
            }
        }
        #expect(error?.conflict == .deleted && current.active == nil)
        #expect(try store.query(Patient.self).where { $0.active == true }.count() == 0)
    }

    // MARK: - Two objects of one resource

    @Test func anObjectFromOutsideIsTheOneThatTheWriteReturns() throws {
        let (store, _, held) = try staleAndCurrent()
        try store.write { tx in
            held.active = true
            let fetched = try #require(try tx.resource(Patient.self, id: "b"))
            #expect(fetched === held)
            fetched.gender = .male
            #expect(try tx.query(Patient.self).where { $0.active == true }.all().first === held)
        }
        let stored = try store.resource(Patient.self, id: "b")
        #expect(stored?.active == true && stored?.gender == .male)
    }

    @Test func aFetchedObjectFollowsAChangeOfAnObjectFromOutside() throws {
        let (store, _, held) = try staleAndCurrent()
        try store.write { tx in
            let fetched = try #require(try tx.resource(Patient.self, id: "b"))
            let name = fetched.name[0]
            held.active = true
            held.name[0].family = "After"
            let found = try #require(try tx.query(Patient.self).where { $0.active == true }.all().first)
            #expect(found.active == true && found.name[0].family == "After" && found === fetched && fetched.name[0] === name)
            fetched.gender = .male
            fetched.name[0].given = ["Ann"]
        }
        let stored = try #require(try store.resource(Patient.self, id: "b"))
        #expect(stored.active == true && stored.gender == .male && stored.name[0].family == "After" && stored.name[0].given == ["Ann"])
    }

    @Test func aFailedWriteTakesBackWhatAFetchedObjectFollowed() throws {
        struct Stop: Error {}
        let (store, _, held) = try staleAndCurrent()
        var fetched: Patient?
        #expect(throws: Stop.self) {
            try store.write { tx in
                let object = try #require(try tx.resource(Patient.self, id: "b"))
                fetched = object
                held.name.insert(HumanName { $0.text = "first" }, at: 0)
                try tx.saveChanges()
                #expect(object.name.count == 2)
                object.name[1].family = "After"
                throw Stop()
            }
        }
        let object = try #require(fetched)
        #expect(object.name.map(\.family) == ["Before"] && held.name.map(\.family) == ["Before"])
        #expect(object.isCurrent && held.isCurrent && object.name[0].isManaged)
        try store.write { _ in object.name[0].family = "Later" }
        #expect(try store.resource(Patient.self, id: "b")?.name.map(\.family) == ["Later"])
    }

    /// However often, and in whatever turn: tracking counts all of it as one version.
    @Test(arguments: [false, true]) func objectsOfOneResourceCanBeChangedInTurns(_ isTracked: Bool) throws {
        let (store, _, held) = try staleAndCurrent()
        if isTracked { try store.track(.history) }
        let third = try #require(try store.resource(Patient.self, id: "b"))
        try store.write { tx in
            let fetched = try #require(try tx.resource(Patient.self, id: "b"))
            held.active = true
            try tx.saveChanges()
            fetched.gender = .male
            try tx.saveChanges()
            #expect(held.gender == .male)
            held.birthDate = "1970"
            try tx.saveChanges()
            #expect(fetched.birthDate == "1970")
        }
        let stored = try store.resource(Patient.self, id: "b")
        #expect(stored?.active == true && stored?.gender == .male && stored?.birthDate == "1970" && stored == held)
        #expect(held.isCurrent && !third.isCurrent)
        #expect(throws: FHIRStoreError.self) { try store.write { _ in third.active = false } }
        try store.write { _ in held.active = false }
    }

    @Test func changesOfTwoObjectsOfOneResourceAreAConflict() throws {
        let (store, _, held) = try staleAndCurrent()
        let error = #expect(throws: FHIRStoreError.self) {
            try store.write { tx in
                let fetched = try #require(try tx.resource(Patient.self, id: "b"))
                held.active = true
                fetched.gender = .male
                do { try tx.saveChanges() } catch { return }
            }
        }
        #expect(error?.code == .conflict && held.active == nil)
        let stored = try store.resource(Patient.self, id: "b")
        #expect(stored?.active == nil && stored?.gender == nil)
    }
}
