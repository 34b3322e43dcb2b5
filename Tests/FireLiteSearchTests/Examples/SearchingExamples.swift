// example Searching.md
import FireLiteR4
import FireLiteSearch
// end
import Foundation
import TestSupport
import Testing

/// The examples on the page Searching, between `// example` and `// end`.
@Suite struct SearchingExamples {
    private func store() throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { tx in
            try tx.upsert(
                Patient {
                    $0.id = "1"
                    $0.birthDate = FHIRDate("1970-03-30")
                    $0.name = [HumanName { $0.family = "Peters" }]
                })
            for number in 0..<120 {
                try tx.upsert(
                    Observation {
                        $0.id = "o\(number)"
                        $0.status = .final
                        $0.subject = Reference { $0.reference = "Patient/1" }
                        $0.effectiveDateTime = FHIRDateTime("2020-01-01")
                    })
            }
        }
        return store
    }

    @Test func searches() throws {
        let store = try store()
        // example Searching.md
        let result = try store.search("Patient?name=peter&birthdate=ge1970&_sort=-birthdate&_count=20")
        for patient in result.matches(Patient.self) { print(patient.name.first?.family ?? "") }
        // end
        #expect(result.matches.count == 1)
        // example Searching.md
        let search = SearchRequest(type: "Patient").where("name", "peter").where("birthdate", "ge1970").sort("-birthdate").count(20)
        let found = try store.search(search)
        // end
        #expect(found.matches.count == 1 && found.total == 1)
    }

    @Test func pages() throws {
        let store = try store()
        // example Searching.md
        var page = try store.search("Observation?patient=1&_sort=-date&_count=50")
        while let next = page.nextAddress {
            print(page.matches.count, page.total ?? 0)
            page = try store.search(next)
        }
        // end
        #expect(page.matches.count == 20 && page.total == 120)
    }

    @Test func mistakes() throws {
        let store = try store()
        // example Searching.md
        do {
            _ = try store.search("Patient?birthdate=yesterday")
        } catch let error as SearchError {
            print(error.code.rawValue, error.operationOutcome)
        }
        // end
        #expect(throws: SearchError.self) { try store.search("Patient?birthdate=yesterday") }
    }

    @Test func indexes() throws {
        let store = try store()
        // example Searching.md
        try store.createIndexes(forSearch: ["Patient.name", "Observation.code", "Observation.patient", "Observation.date"])
        let explanation = try store.explainSearch("Observation?patient=1&status=final")
        print(explanation.indexes, explanation.missing)  // ["Observation__subject_reference"] ["Observation.status"]
        // end
        #expect(explanation.indexes == ["Observation__subject_reference"] && explanation.missing == ["Observation.status"])
    }

    /// The blocks of the page stand in this file, word for word.
    @Test func pageMatchesTheseExamples() throws {
        let file = try PackageFolder.text(of: "Tests/FireLiteSearchTests/Examples/SearchingExamples.swift")
        var examples: [[String]] = []
        var current: [String]?
        for line in file.components(separatedBy: "\n") {
            let bare = line.trimmingCharacters(in: .whitespaces)
            if bare == "// example Searching.md" {
                current = []
            } else if bare == "// end", let lines = current {
                examples.append(DocumentationPages.compared(lines))
                current = nil
            } else {
                current?.append(line)
            }
        }
        for block in try DocumentationPages.blocks() where block.page == "Searching.md" && block.language == "swift" {
            #expect(examples.contains(DocumentationPages.compared(block.lines)), "\(block)")
        }
    }
}
