import FireLiteR4
import Testing

@testable import FireLite

@Suite struct ThreeWayMergeTests {
    private func patient(_ change: (Patient) -> Void = { _ in }) -> Patient {
        let patient = Patient {
            $0.id = "a"
            $0.active = true
            $0.name = [
                HumanName {
                    $0.family = "Smith"; $0.given = ["Ann", "Bea"]
                }, HumanName { $0.family = "Jones" },
            ]
            $0.telecom = [ContactPoint { $0.value = "1" }, ContactPoint { $0.value = "2" }, ContactPoint { $0.value = "3" }]
            $0.deceasedBoolean = false
        }
        change(patient)
        return patient
    }

    private func merge(_ local: (Patient) -> Void, _ remote: (Patient) -> Void) -> (Patient?, [String]) {
        let merge = ThreeWayMerge(base: patient(), local: patient(local), remote: patient(remote))
        return (merge.resource as? Patient, merge.conflicts)
    }

    @Test func changesOfDifferentElementsMerge() {
        let (merged, conflicts) = merge({ $0.gender = .female }, { $0.active = false })
        #expect(conflicts.isEmpty && merged?.gender == .female && merged?.active == false)
    }

    @Test func changesOfDifferentItemsAndOfDifferentElementsOfOneItemMerge() {
        let (merged, conflicts) = merge(
            {
                $0.telecom[0].system = .phone; $0.name[0].given = ["Ann", "Cleo"]
            },
            {
                $0.telecom[2].value = "4"; $0.name[0].family = "Smyth"
            })
        #expect(conflicts.isEmpty)
        #expect(merged?.telecom.map(\.value) == ["1", "2", "4"] && merged?.telecom[0].system == .phone)
        #expect(merged?.name[0].family == "Smyth" && merged?.name[0].given == ["Ann", "Cleo"])
    }

    @Test func additionsOfBothSidesAreKeptAndEqualOnesOnce() {
        let added = { (value: String) in ContactPoint { $0.value = value } }
        let (merged, conflicts) = merge(
            { $0.telecom += [added("L"), added("B")] },
            {
                $0.telecom.insert(added("R"), at: 0); $0.telecom.append(added("B"))
            })
        #expect(conflicts.isEmpty && merged?.telecom.map(\.value) == ["R", "1", "2", "3", "L", "B"])
    }

    @Test func removalsMergeWithChangesOfOtherItems() {
        let (merged, conflicts) = merge({ $0.telecom.remove(at: 1) }, { $0.telecom[0].rank = 1 })
        #expect(conflicts.isEmpty && merged?.telecom.map(\.value) == ["1", "3"] && merged?.telecom[0].rank == 1)
    }

    @Test func aConflictIsAPath() {
        let (merged, conflicts) = merge({ $0.name[1].family = "L" }, { $0.name[1].family = "R" })
        #expect(conflicts == ["name[1].family"] && merged?.name[1].family == "R")
        let local = ThreeWayMerge(
            base: patient(), local: patient { $0.name[1].family = "L" }, remote: patient { $0.name[1].family = "R" }, preferring: .local)
        #expect((local.resource as? Patient)?.name[1].family == "L")
    }

    @Test func aRemovalAgainstAChangeIsAConflict() {
        let (merged, conflicts) = merge({ $0.telecom.remove(at: 1) }, { $0.telecom[1].rank = 1 })
        #expect(conflicts == ["telecom[1]"] && merged?.telecom.count == 3)
    }

    @Test func aChoiceIsOneElement() {
        let (merged, conflicts) = merge({ $0.deceasedBoolean = true }, { $0.deceasedDateTime = "2024" })
        #expect(conflicts == ["deceased[x]"] || conflicts == ["deceasedBoolean"])
        #expect(merged?.deceasedDateTime == "2024")
        let (other, none) = merge({ _ in }, { $0.deceasedDateTime = "2024" })
        #expect(none.isEmpty && other?.deceasedDateTime == "2024")
    }

    @Test func theServersMetaIsTheServers() {
        let (merged, conflicts) = merge(
            {
                $0.meta = Meta {
                    $0.versionId = "1"; $0.tag = [Coding { $0.code = "mine" }]
                }
            }, { $0.meta = Meta { $0.versionId = "2" } })
        #expect(conflicts.isEmpty && merged?.meta?.versionId == "2" && merged?.meta?.tag.first?.code == "mine")
    }

    /// An app's own object without meta takes nothing away from the server's.
    @Test func anObjectWithoutMetaKeepsTheServersMeta() {
        let base = patient {
            $0.meta = Meta {
                $0.versionId = "1"; $0.tag = [Coding { $0.code = "theirs" }]
            }
        }
        let remote = patient {
            $0.meta = Meta {
                $0.versionId = "2"; $0.tag = [Coding { $0.code = "theirs" }]
            }
        }
        let merge = ThreeWayMerge(base: base, local: patient { $0.gender = .male }, remote: remote)
        let merged = merge.resource as? Patient
        #expect(merge.conflicts.isEmpty && merged?.gender == .male)
        #expect(merged?.meta?.versionId == "2" && merged?.meta?.tag.isEmpty == true)
    }

    /// As many items as before, and none at its place.
    @Test func itemsAreFoundByTheirContentWhenOthersComeAndGo() {
        func identified(_ values: [String], _ change: (Patient) -> Void = { _ in }) -> Patient {
            patient {
                $0.identifier = values.map { value in Identifier { $0.value = value } }
                change($0)
            }
        }
        let merge = ThreeWayMerge(
            base: identified(["1", "2", "3"]), local: identified(["2", "3", "4"]),
            remote: identified(["1", "2", "3"]) { $0.identifier[1].system = "http://example.org" })
        let merged = (merge.resource as? Patient)?.identifier ?? []
        #expect(
            merge.conflicts.isEmpty && merged.map(\.value) == ["2", "3", "4"] && merged.map(\.system) == ["http://example.org", nil, nil])
    }

    @Test func itemsWithIDsAreFoundWhereverTheyAre() {
        let base = patient { $0.telecom[0].id = "x" }
        let merge = ThreeWayMerge(
            base: base,
            local: patient {
                $0.telecom[0].id = "x"; $0.telecom[0].rank = 1
            },
            remote: patient {
                $0.telecom[0].id = "x"; $0.telecom.append($0.telecom.remove(at: 0))
            })
        #expect(merge.conflicts.isEmpty && (merge.resource as? Patient)?.telecom.last?.rank == 1)
    }

    @Test func mergingIsSymmetricWithoutConflicts() {
        let changes: [(Patient) -> Void] = [
            { $0.active = nil }, { $0.gender = .male }, { $0.telecom[1].use = .home }, { $0.name[0].given.append("Dora") },
            { $0.birthDate = "2000" }, { $0.telecom.removeLast() }, { $0.maritalStatus = CodeableConcept { $0.text = "x" } },
        ]
        for (one, first) in changes.enumerated() {
            for (two, second) in changes.enumerated() where one != two {
                let (left, none) = merge(first, second)
                let (right, nothing) = merge(second, first)
                let both = patient(first)
                second(both)
                #expect(none.isEmpty && nothing.isEmpty && left == right && left == both, "\(one) and \(two)")
            }
        }
    }
}
