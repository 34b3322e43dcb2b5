import Foundation
import Testing

@testable import FireLiteCLI

struct SearchCommandTests {
    private let database: ToolDatabase

    init() throws {
        database = try ToolDatabase(
            #"""
            {"resourceType":"Patient","id":"1","name":[{"family":"Peters","given":["Ann"]}],"birthDate":"1970-03-30"}
            {"resourceType":"Patient","id":"2","name":[{"given":["Peter"]}]}
            {"resourceType":"Patient","id":"3"}
            """#)
    }

    private func search(_ arguments: String..., isTerminal: Bool = false) throws -> ToolRun {
        try database.run("search", arguments, isTerminal: isTerminal)
    }

    @Test func resultsAreABundleExceptOnATerminal() throws {
        let run = try search("Patient?name=peter")
        let bundle = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect(bundle["type"] as? String == "searchset" && bundle["total"] as? Int == 2)
        #expect((bundle["entry"] as? [Any])?.count == 2)
        #expect(try search("Patient?name=peter", "--format", "json").output == run.output)
        #expect(try search("Patient?name=peter", "--json", isTerminal: true).output.contains("\"searchset\""))
        #expect(
            try search("Patient?name=peter&_sort=_id", isTerminal: true).output == """
                type     id  date        description
                Patient  1   1970-03-30  Ann Peters
                Patient  2               Peter
                2 in all

                """)
    }

    /// Without the server the database answers, unless only the server is asked; standard error says so.
    @Test(arguments: ["missing", "always"]) func withoutTheServerTheDatabaseAnswers(ask: String) throws {
        let server = ["--server", "http://127.0.0.1:1/fhir", "--ask", ask]
        let run = try ToolRun.any(["search", "--database", database.path, "Patient?name=peter&_sort=_id", "--ids"] + server)
        #expect(run.status == .done && run.output == "Patient/1\nPatient/2\n")
        #expect(run.error.contains("these are the database's matches") && !run.error.contains("peter"), "\(run.error)")
        let count = try ToolRun.any(["search", "--database", database.path, "Patient?name=peter", "--count"] + server)
        #expect(count.output == "2\n" && !count.error.isEmpty)
    }

    @Test func onlyTheServerIsAnError() throws {
        let run = try ToolRun.any(
            ["search", "--database", database.path, "Patient?name=peter", "--server", "http://127.0.0.1:1/fhir", "--ask", "only"])
        #expect(run.status == .failed && run.output.isEmpty)
    }

    @Test func serverOptionsThatDoNotFitAreRefused() throws {
        #expect(try search("Patient?name=peter", "--ask", "always").status == .usage)
        #expect(try search("Patient?name=peter", "--credentials", "x.json").status == .usage)
        #expect(try search("Patient?name=peter", "--server", "http://127.0.0.1:1/fhir", "--explain").status == .usage)
        #expect(try search("Patient?name=peter", "--server", "http://127.0.0.1:1/fhir", "--ask", "never").status == .usage)
        #expect(try search("Patient?name=peter", "--server", "http://fhir.example.org/r4").status == .usage)
        let untyped = ["search", "--database", database.path, "?_type=Patient", "--server", "http://127.0.0.1:1/fhir"]
        #expect(try ToolRun.any(untyped).status == .usage)
    }

    @Test func formsPrintPartsOfTheResult() throws {
        #expect(try search("Patient?name=peter", "--count").output == "2\n")
        #expect(try search("Patient?name=peter&_count=1", "--count").output == "2\n")
        #expect(try search("Patient?name=peter", "--ids").output == "Patient/1\nPatient/2\n")
        #expect(try search("Patient?_id=3", "--format", "ndjson").output == "{\"resourceType\":\"Patient\",\"id\":\"3\"}\n")
        let explanation = try search("Patient?name=peter", "--explain").output
        #expect(!explanation.contains("\\u"))
        #expect(explanation.contains("SELECT") && explanation.contains("without an index: Patient.name"))
    }

    @Test func fullURLsBeginWithTheBase() throws {
        let output = try search("Patient?_id=3", "--base", "https://example.org/fhir").output
        #expect(
            output == #"""
                {"resourceType":"Bundle","type":"searchset","total":1,"link":[{"relation":"self","url":"https://example.org/fhir/Patient?_id=3"}],\#
                "entry":[{"fullUrl":"https://example.org/fhir/Patient/3","resource":{"resourceType":"Patient","id":"3"},"search":{"mode":"match"}}]}

                """#)
    }

    @Test func wrongWordsAreNamed() throws {
        for (search, reason) in [
            ("Patient/1/$everytihng", "not '$everytihng': did you mean '$everything'?"),
            ("Patient?_summary=terxt", "not 'terxt': did you mean 'text'?"),
        ] {
            let run = try self.search(search)
            #expect(run.status == .usage && run.error.contains(reason), "\(run.error)")
        }
    }

    @Test func referencesThatLeadNowhereAreSaid() throws {
        for (search, reason) in [
            ("Observation?patient=Patiant/1", "'Patiant' is not a resource type of FHIR R4: did you mean 'Patient'?"),
            ("Observation?subject=Patient/1,Patiant/1/_history/2", "'Patiant' is not a resource type of FHIR R4: did you mean 'Patient'?"),
            ("Patient?_has:Observation:subject:patient=patient/1", "'patient' is not a resource type of FHIR R4: did you mean 'Patient'?"),
            ("Observation?patient=Observation/1", "it refers to Patient, never to Observation"),
        ] {
            let strict = try self.search(search, "--count")
            #expect(strict.status == .usage && strict.output.isEmpty && strict.error.contains(reason), "\(search) \(strict.error)")
            let lenient = try self.search(search, "--count", "--lenient")
            #expect(lenient.status == .done && lenient.error.contains(reason), "\(search) \(lenient.error)")
        }
        for search in [
            "Observation?patient=1", "Observation?patient=Patient/nobody", "Observation?patient=https://example.org/Patiant/1",
            "Observation?subject=urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0", "Patient/1/Observation", "Observation?subject=Group/1",
        ] {
            let run = try self.search(search, "--count")
            #expect(run.status == .done && run.error.isEmpty, "\(search) \(run.error)")
        }
    }

    @Test func unknownCodesOfRequiredBindingsAreSaid() throws {
        for search in [
            "Patient?gender=femal", "Patient?gender:not=male,femal", "Patient?active=yes", "?_type=Patient&gender=femal",
            "Observation?subject:Patient.gender=femal", "Observation?subject.gender=femal",
            "Patient?_has:Observation:subject:subject.gender=femal",
            "Patient?_filter=gender eq femal", "Patient?_filter=name co x or not(gender eq femal)",
        ] {
            let strict = try self.search(search, "--count")
            #expect(strict.status == .usage && strict.output.isEmpty, "\(search) \(strict.error)")
            #expect(
                strict.error.contains("'femal' is none of its codes: ") || strict.error.contains("'yes' is none of its codes: true, false"))
            let lenient = try self.search(search, "--count", "--lenient")
            #expect(lenient.status == .done && lenient.error.contains("is none of its codes"), "\(search) \(lenient.error)")
        }
        // What is bound to no list, or can have another code beside a bound one, can be searched for.
        for search in [
            "Patient?gender=female", "Patient?gender=http://hl7.org/fhir/administrative-gender|female", "Patient?identifier=x",
            "Patient?language=xx",
            "Observation?code=x", "Observation?status=final,amended", "Patient?gender:missing=true", "Condition?clinical-status=x",
        ] {
            let run = try self.search(search, "--count")
            #expect(run.status == .done && run.error.isEmpty, "\(search) \(run.error)")
        }
    }

    @Test func mistakesHaveStatusTwo() throws {
        #expect(try search("Patient?birthdate=x").status == .usage)
        let strict = try search("Patient?nonsense=1", "--count")
        #expect(strict.status == .usage && strict.output.isEmpty && strict.error.contains("nonsense"))
        let lenient = try search("Patient?nonsense=1", "--count", "--lenient")
        #expect(lenient.status == .done && lenient.output == "3\n" && lenient.error.contains("nonsense"))
        #expect(try search("Patient", "--ids", "--count").status == .usage)
        #expect(try search("Patient", "--ids", "--json").status == .usage)
        #expect(try search("Patient?_count=1", "--limit", "1").status == .usage)
        let wrong = try search("Patient", "--after", "nothing")
        #expect(wrong.status == .usage)
        #expect(wrong.error == "firelite search: --after is 'nothing', not a cursor: the end of a page prints the one of the next\n")
        #expect(try search("Pateint").error.contains("did you mean 'Patient'?"))
        #expect(try search("Patient?brithdate=1970").error.contains("did you mean 'birthdate'?"))
    }

    @Test(arguments: [
        ("Patient?_has:Observaton:patient:code=1", "did you mean 'Observation'?"),
        ("Patient?_has:Observation:pateint:code=1", "did you mean 'patient'?"),
        ("Patient?_has:Observation:patient:stauts=final", "did you mean 'status'?"),
        ("Observation?subject:Patient.nmae=x", "has the parameter: did you mean 'name'?"),
        ("Observation?subject:Pateint.name=x", "did you mean 'Patient'?"),
        ("Observation?patient.brithdate=1970", "did you mean 'birthdate'?"),
        ("Patient?_include=Patient:genral-practitioner", "did you mean 'general-practitioner'?"),
        ("Patient?_include=Pateint:organization", "did you mean 'Patient'?"),
        ("Patient?_revinclude=Observation:pateint", "did you mean 'patient'?"),
        ("Patient?_revinclude=Observaton:patient", "did you mean 'Observation'?"),
        ("Patient?_srt=name", "Patient has no such parameter: did you mean '_sort'?"),
        ("Patient?_inclde=Patient:organization", "did you mean '_include'?"),
        ("?_type=Patient&_srt=name", "did you mean '_sort'?"),
        ("Patient?_type=Pateint", "did you mean 'Patient'?"),
        ("Patient?_elements=nmae", "Patient has no element 'nmae': did you mean 'name'?"),
        ("Patient?name:exct=A", "did you mean :exact? use :missing, :exact, :contains, :text"),
        ("Observation?subject:Pateint=1", "did you mean :Patient?"),
        ("Patient?_filter=nmae eq x", "did you mean 'name'?"),
    ])
    func namesThatAreNearAreSuggested(_ search: String, _ suggestion: String) throws {
        for more in [[], ["--count"], ["--ids"], ["--explain"]] {
            let run = try database.run("search", [search] + more)
            #expect(run.status == .usage && run.error.contains(suggestion), "\(more): \(run.error)")
        }
    }

    @Test(arguments: ["_type=Foo", "_elements=nmae", "_include=Patient:nonsense", "_revinclude=Foo:patient"])
    func unknownNamesAreIgnoredOnRequest(_ parameter: String) throws {
        let name = String(parameter.prefix { $0 != "=" })
        let strict = try search("Patient?\(parameter)", "--count")
        #expect(strict.status == .usage && strict.output.isEmpty && strict.error.contains("\(name): "), "\(strict.error)")
        let lenient = try search("Patient?\(parameter)", "--count", "--lenient")
        #expect(lenient.status == .done && lenient.output == "3\n", "\(lenient.error)")
        #expect(lenient.error.contains("ignored: \(name): "), "\(lenient.error)")
    }

    @Test func pagesFollowEachOther() throws {
        var ids: [String] = []
        var after: [String] = []
        for _ in 0..<3 {
            let run = try database.run("search", ["Patient?_sort=_id", "--limit", "1", "--format", "ndjson"] + after)
            ids += run.lines
            after = run.error.split(separator: " ").last.map { ["--after", $0.trimmingCharacters(in: .newlines)] } ?? []
        }
        #expect(ids.count == 3 && Set(ids).count == 3)
        #expect(after.isEmpty)
        let named = try database.run("search", ["Patient?_sort=_id", "--ids", "--limit", "1"])
        #expect(named.lines == ["Patient/1"] && named.error.contains("there are more: --after "))
        func skipping(_ arguments: String...) throws -> [String] {
            try database.run("search", ["Patient?_sort=_id", "--ids"] + arguments).lines
        }
        #expect(try skipping("--skip", "1") == ["Patient/2", "Patient/3"])
        #expect(try skipping("--skip", "1", "--limit", "1") == ["Patient/2"])
        #expect(try skipping("--skip", "3") == [] && skipping("--skip", "9223372036854775807") == [])
        #expect(try search("Patient", "--skip", "9").output.contains(#""total":3"#))
        let csv = try search("Patient?_id=1", "--format", "csv").output
        #expect(csv == "type,id,date,description\r\nPatient,1,1970-03-30,Ann Peters\r\n")
    }
}
