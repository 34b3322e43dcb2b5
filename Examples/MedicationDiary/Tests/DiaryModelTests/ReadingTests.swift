import DiaryModel
import FireLite
import FireLiteR4
import Foundation
import Testing

@Suite struct ReadingTests {
    @Test func currentMedicationsAreThoseBeingTaken() async throws {
        let diary = try await diaryWithSample()
        #expect(try await diary.entries().map(\.name) == ["Metformin 500 mg", "Ramipril 5 mg", "Vitamin D3 1000 IU"])
        #expect(try await diary.entries(.all).map(\.status) == ["completed", "active", "active", "active"])
        try await diary.store.write { tx in
            try tx.update(tx.query(MedicationRequest.self).where { $0.status == .active }) { $0.doNotPerform = true }
        }
        #expect(try await diary.entries().map(\.name) == ["Vitamin D3 1000 IU"])
    }

    @Test(arguments: [
        ("METF", "Metformin 500 mg"), ("tablet breakfast", "Metformin 500 mg"), ("ramipril", "Ramipril 5 mg"),
        ("vitamin winter", "Vitamin D3 1000 IU"),
    ]) func aSearchFindsWordsOfNameAndDosage(words: String, name: String) async throws {
        #expect(try await diaryWithSample().entries(.matching(words)).map(\.name) == [name])
    }

    @Test func dosesAreCountedByTheDayWhereTheyWereTaken() async throws {
        let diary = try await diaryWithSample()
        let metformin = try #require(try await diary.entries(.matching("metformin")).first)
        let ramipril = try #require(try await diary.entries(.matching("ramipril")).first)
        // 23:30 on the 30th, 00:30 on the 31st, both within an hour; and 02:00 on the 31st in Tokyo, still the 30th in Berlin.
        try await diary.take(metformin.id, at: noon.addingTimeInterval(-13.5 * 3_600), calendar: calendar())
        try await diary.take(metformin.id, at: noon.addingTimeInterval(-12.5 * 3_600), calendar: calendar())
        try await diary.take(ramipril.id, at: noon.addingTimeInterval(-19 * 3_600), calendar: calendar(hours: 9))
        let doses = try await diary.doses(days: 3, until: noon, calendar: calendar())
        #expect(doses.map(\.count) == [0, 1, 2])
        #expect(doses.last?.day == calendar().startOfDay(for: noon))
        #expect(try await diary.doses(days: 3, of: ramipril.id, until: noon, calendar: calendar()).map(\.count) == [0, 0, 1])
    }

    @Test func onlyDosesThatWereTakenCount() async throws {
        let diary = try await diaryWithSample()
        let ramipril = try #require(try await diary.entries(.matching("ramipril")).first)
        try await diary.take(ramipril.id, at: noon, calendar: calendar())
        try await diary.store.write { tx in
            try tx.update(tx.query(MedicationAdministration.self)) { $0.status = .enteredInError }
            let october = MedicationAdministration {
                $0.status = .completed
                $0.effectiveDateTime = "2026-10"
            }
            try tx.add(october)
        }
        #expect(try await diary.doses(days: 31, until: noon, calendar: calendar()).allSatisfy { $0.count == 0 })
        #expect(try await diary.entries(.matching("ramipril")) == [ramipril])
    }

    @Test func manyDosesAreCountedAsTheyWereTaken() async throws {
        let diary = try await diaryWithSample()
        let id = try #require(try await diary.entries(.matching("metformin")).first).id
        var expected = [Int](repeating: 0, count: 28)
        for number in 0..<60 {
            let daysAgo = number * number * 7 % 28
            expected[27 - daysAgo] += 1
            try await diary.take(id, at: noon.addingTimeInterval(Double(-86_400 * daysAgo)), calendar: calendar())
        }
        #expect(try await diary.doses(days: 28, until: noon, calendar: calendar()).map(\.count) == expected)
    }
}
