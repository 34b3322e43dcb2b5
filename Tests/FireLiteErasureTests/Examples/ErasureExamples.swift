import FireLite
import FireLiteErasure
import FireLiteR4
import Testing

// example ErasingAPerson.md
func forget(_ id: String, in store: FHIRStore) throws {
    let plan = try store.erasurePlan(id: id)
    print(plan.resourceCount, "resources,", plan.changes, "versions")
    let report = try store.erase(id: id)
    for place in report.left { print(place.kind, place.what) }
}
// end

@Suite struct ErasureExamples {
    @Test func aPersonIsForgotten() throws {
        let store = try FHIRStore(path: ":memory:", release: .r4)
        try store.write { try $0.add(Patient { $0.id = "1" }) }
        try forget("1", in: store)
        #expect(try store.query(Patient.self).count() == 0)
    }
}
