import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import TestSupport
import Testing

/// What a transaction hands out, what remains of a deleted object, and numbers of resources.
@Suite struct TransactionLifeTests {
    private func patient(_ id: String) -> Patient {
        Patient {
            $0.id = id
            $0.name = [HumanName { $0.family = "A" }]
        }
    }

    private func family(_ store: FHIRStore, _ id: String) throws -> String? {
        try store.resource(Patient.self, id: id)?.name[0].family
    }

    @Test func whatAWriteHandsOutLivesToItsEnd() throws {
        try withStore { store in
            try store.write { tx in try tx.upsert((0..<12).map { patient("\($0)") }) }
            try store.write { tx in
                try tx.resource(Patient.self, id: "0")!.name[0].family = "B"
                (try tx.resource(typeName: "Patient", id: "1") as! Patient).name[0].family = "B"
                let pk = try tx.resource(Patient.self, id: "2")!.pk
                try tx.resource(Patient.self, pk: pk)!.name[0].family = "B"
                try tx.resources(Patient.self, ids: ["3"])[0].name[0].family = "B"
                try tx.query(Patient.self).where { $0.id == "4" }.all()[0].name[0].family = "B"
                try tx.query(Patient.self).where { $0.id == "5" }.first()!.name[0].family = "B"
                try store.resource(Patient.self, id: "6")!.name[0].family = "B"
                try tx.upsert(patient("7")).name[0].family = "B"
                try tx.upsert([patient("8")])[0].name[0].family = "B"
                try tx.upsert(patient("new")).name[0].family = "B"
                try tx.upsert([patient("new2")])[0].name[0].family = "B"
                let reference = Reference { $0.reference = "Patient/9" }
                (try reference.resolve(in: store) as! Patient).name[0].family = "B"
                try tx.upsert(bundle: Bundle { $0.entry = [BundleEntry { $0.resource = patient("10") }] }).map { $0 as! Patient }[0]
                    .name[0].family = "B"
            }
            for id in (0...10).map(String.init) + ["new", "new2"] { #expect(try family(store, id) == "B", "\(id)") }
            #expect(try family(store, "11") == "A")
        }
    }

    @Test func whatAWriteHandedOutGoesWithIt() throws {
        try withStore { store in
            weak var held: Patient?
            try store.write { tx in
                try tx.add(patient("1"))
                held = try tx.resource(Patient.self, id: "1")
                #expect(held != nil)
            }
            #expect(held == nil)
        }
    }

    @Test func aDeletedObjectMayBeChangedAndAddedAgain() throws {
        try withStore { store in
            let kept = patient("1")
            try store.write { tx in try tx.add(kept) }
            let pk = kept.pk
            try store.write { tx in
                try tx.delete(kept)
                kept.name[0].family = "changed"
                kept.name.append(HumanName { $0.text = "more" })
            }
            #expect(!kept.isManaged)
            kept.active = true
            #expect(try store.resource(Patient.self, id: "1") == nil)
            try store.write { tx in try tx.add(kept) }
            let fetched = try #require(try store.resource(Patient.self, id: "1"))
            #expect(fetched == kept)
            #expect(fetched.pk == pk && fetched.name.map(\.family) == ["changed", nil])
        }
    }

    @Test func aFailedWriteUndoesChangesOfWhatItDeleted() throws {
        try withStore { store in
            struct Failure: Error {}
            let kept = patient("1")
            try store.write { tx in try tx.add(kept) }
            let text = FHIRJSON.string(kept)
            #expect(throws: Failure.self) {
                try store.write { tx in
                    try tx.delete(kept)
                    kept.name[0].family = "changed"
                    kept.name = []
                    kept.active = true
                    throw Failure()
                }
            }
            #expect(kept.isManaged && FHIRJSON.string(kept) == text)
            try store.write { _ in kept.name[0].family = "B" }
            #expect(try family(store, "1") == "B")
        }
    }

    // MARK: - Conflicts

    @Test func anUpsertOfAnObjectThatIsNotCurrentIsAConflict() throws {
        try withTemporaryFolder { folder in
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            let other = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            let (deleted, replaced, changed) = (patient("deleted"), patient("replaced"), patient("changed"))
            try store.write { tx in try tx.upsert([deleted, replaced, changed]) }
            try other.write { tx in
                try tx.delete(Patient.self, id: "deleted")
                try tx.delete(Patient.self, id: "replaced")
                try tx.add(patient("replaced"))
                try tx.resource(Patient.self, id: "changed")!.name[0].family = "other"
            }
            for (object, conflict) in [(deleted, FHIRStoreError.Conflict.deleted), (replaced, .deleted), (changed, .changed)] {
                let error = #expect(throws: FHIRStoreError.self) { try store.write { tx in _ = try tx.upsert(object) } }
                #expect(error?.code == .conflict && error?.conflict == conflict)
                let many = #expect(throws: FHIRStoreError.self) { try store.write { tx in try tx.upsert([patient("x"), object]) } }
                #expect(many?.conflict == conflict)
                let change = #expect(throws: FHIRStoreError.self) { try store.write { _ in object.active = true } }
                #expect(change?.conflict == conflict)
                #expect(try store.resource(Patient.self, id: "x") == nil)
            }
            try store.write { tx in _ = try tx.upsert(deleted.copy()) }
            #expect(try other.count(Patient.self) == 3)
            try expectSound(store)
        }
    }

    @Test func anUpsertOfAChangedHeldObjectSavesIt() throws {
        try withStore { store in
            let held = patient("1")
            try store.write { tx in try tx.add(held) }
            try store.write { tx in
                held.name[0].family = "B"
                let stored = try tx.upsert(held)
                #expect(stored === held)
            }
            #expect(try family(store, "1") == "B")
        }
    }

    // MARK: - Numbers

    @Test(arguments: ["1", "2", "-5", "NULL", "'x'", "549755813888", "9223372036854775807", "x'00'"])
    func openingMendsTheNumberOfTheNextResource(value: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { tx in try tx.upsert([patient("1"), patient("2")]) }
                let connection = try Connection(path: path)
                try connection.execute("UPDATE _meta SET value = \(value) WHERE key = 'nextRoot'")
                // 2^39 is a number that a resource may not have; that the next one would be it means only that the store is full.
                if value != "549755813888" { #expect(try store.check().contains { $0.kind == .nextNumber && $0.table == "_meta" }) }
                #expect(throws: FHIRStoreError.self) { try store.write { tx in try tx.add(patient("3")) } }
            }
            guard value != "549755813888" else { return }
            let store = try FHIRStore(path: path, release: .r4)
            try store.write { tx in try tx.upsert([patient("3"), patient("1")]) }
            #expect(try store.count(Patient.self) == 3)
            try expectSound(store)
        }
    }
}
