import FireLiteCore
import FireLiteReleases
import FireLiteService
import Foundation
import TestSupport
import Testing

@testable import FireLiteRecords

@Suite struct OperationTests {
    @Test func validationReportsWhatIsWrong() async throws {
        let sample = try ServiceSample()
        let good = await sample.send(.post, "/Patient/$validate", #"{"resourceType":"Patient"}"#)
        #expect(good.status == 200 && good.issue == "informational")
        let bad = await sample.send(.post, "/Observation/$validate", #"{"resourceType":"Observation","status":"nonsense"}"#)
        #expect(bad.status == 200)
        let issues = bad.json?["issue"]?.items ?? []
        #expect(Set(issues.compactMap { $0["expression"]?.items.first?.text }) == ["Observation.status", "Observation.code"])
        let wrapped = #"{"resourceType":"Parameters","parameter":[{"name":"resource","resource":{"resourceType":"Patient","gender":"x"}}]}"#
        #expect(await sample.send(.post, "/Patient/$validate", wrapped).issue == "code-invalid")
        #expect(await sample.send(.post, "/Patient/$validate", #"{"resourceType":"Patient","nonsense":1}"#).issue == "structure")
        #expect(await sample.get("/Patient").entries.isEmpty)
    }

    @Test func referencesToDocumentsAreFoundByTypeAndTime() async throws {
        func document(_ id: String, _ code: String, _ date: String, _ start: String) -> String {
            #"{"resourceType":"DocumentReference","id":"\#(id)","status":"current","type":{"coding":[{"system":"http://loinc.org","code":"\#(code)"}]},"subject":{"reference":"Patient/a"},"date":"\#(date)T00:00:00Z","content":[{"attachment":{"title":"x"}}],"context":{"period":{"start":"\#(start)","end":"\#(start)"}}}"#
        }
        let sample = try ServiceSample(
            "R4", #"{"resourceType":"Patient","id":"a"}"#, document("old", "34133-9", "2020-01-01", "2019-01-01"),
            document("new", "34133-9", "2022-01-01", "2021-01-01"), document("note", "11506-3", "2023-01-01", "2022-01-01"))
        #expect(await sample.get("/DocumentReference/$docref?patient=a").ids == ["new"])
        #expect(await sample.get("/DocumentReference/$docref?patient=a&start=2018").ids == ["new", "old"])
        #expect(await sample.get("/DocumentReference/$docref?patient=a&start=2018-01-01&end=2020-01-01").ids == ["old"])
        #expect(await sample.get("/DocumentReference/$docref?patient=a&type=http://loinc.org%7C11506-3").ids == ["note"])
        let body =
            #"{"resourceType":"Parameters","parameter":[{"name":"patient","valueId":"a"},{"name":"type","valueCodeableConcept":{"coding":[{"system":"http://loinc.org","code":"11506-3"}]}}]}"#
        #expect(await sample.send(.post, "/DocumentReference/$docref", body).ids == ["note"])
        #expect(await sample.get("/DocumentReference/$docref?patient=b").entries.isEmpty)
        #expect(await sample.get("/DocumentReference/$docref").status == 400)
        #expect(await sample.get("/DocumentReference/$docref?patient=a&start=x").status == 400)
    }

    @Test func labelsAreAddedAndRemoved() async throws {
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"a","meta":{"tag":[{"system":"s","code":"one"}]}}"#)
        func meta(_ code: String) -> String {
            #"{"resourceType":"Parameters","parameter":[{"name":"meta","valueMeta":{"tag":[{"system":"s","code":"\#(code)"}]}}]}"#
        }
        func tags(_ reply: ServiceSample.Reply) -> [String] {
            reply.json?["parameter"]?.items.first?["valueMeta"]?["tag"]?.items.compactMap { $0["code"]?.text } ?? []
        }
        #expect(tags(await sample.send(.post, "/Patient/a/$meta-add", meta("two"))) == ["one", "two"])
        #expect(tags(await sample.send(.post, "/Patient/a/$meta-delete", meta("one"))) == ["two"])
        #expect(tags(await sample.get("/Patient/a/$meta")) == ["two"])
        #expect(tags(await sample.get("/Patient/$meta")) == ["two"])
        #expect(tags(await sample.get("/$meta")) == ["two"])
        #expect(await sample.get("/Patient/a/$meta-add").status == 405)
    }

    @Test func viewsHaveRows() async throws {
        let sample = try ServiceSample(
            "R4", #"{"resourceType":"Patient","id":"a","gender":"male"}"#, #"{"resourceType":"Patient","id":"b"}"#)
        let view =
            #"{"resourceType":"ViewDefinition","resource":"Patient","status":"active","select":[{"column":[{"name":"id","path":"id"},{"name":"gender","path":"gender"}]}]}"#
        #expect(await sample.send(.post, "/$viewdefinition-run?_format=csv", view).text == "id,gender\r\na,male\r\nb,\r\n")
        #expect(
            await sample.send(.post, "/$viewdefinition-run?_format=ndjson&_limit=1", view).text == "{\"id\":\"a\",\"gender\":\"male\"}\n")
        #expect(await sample.send(.post, "/$viewdefinition-run", view).json?.items.count == 2)
        let parameters =
            #"{"resourceType":"Parameters","parameter":[{"name":"viewResource","resource":\#(view)},{"name":"_format","valueCode":"csv"}]}"#
        #expect(await sample.send(.post, "/$viewdefinition-run", parameters).text.hasPrefix("id,gender"))
        #expect(await sample.send(.post, "/$viewdefinition-run", #"{"resource":"Patient"}"#).status == 422)
    }

    @Test func binariesAreDownloadsThatNothingRuns() async throws {
        let sample = try ServiceSample()
        let created = await sample.send(.post, "/Binary", "<b>hello</b>", ["Content-Type": "text/html"])
        #expect(created.status == 201 && created.json?["contentType"]?.text == "text/html")
        let raw = await sample.get("/Binary/\(created.id)", ["Accept": "text/html"])
        #expect(raw.status == 200 && raw.text == "<b>hello</b>")
        #expect(raw.fields["Content-Disposition"] == "attachment" && raw.fields["X-Content-Type-Options"] == "nosniff")
        #expect(raw.fields["Content-Security-Policy"]?.contains("sandbox") == true)
        #expect(await sample.get("/Binary/\(created.id)", ["Accept": "image/png"]).status == 406)
        #expect(await sample.get("/Binary/\(created.id)").json?["resourceType"]?.text == "Binary")
    }
}

@Suite struct BulkTests {
    /// The answer of a job once it has ended.
    private func finished(_ sample: ServiceSample, _ kickOff: ServiceSample.Reply) async throws -> ServiceSample.Reply {
        #expect(kickOff.status == 202, "\(kickOff.text)")
        let place = try #require(kickOff.fields["Content-Location"]).replacing(ServiceSample.base, with: "")
        for _ in 0..<100_000 {
            let reply = await sample.get(place)
            if reply.status != 202 { return reply }
            #expect(reply.fields["Retry-After"] != nil)
            await Task.yield()
        }
        return await sample.get(place)
    }

    private func lines(_ sample: ServiceSample, _ manifest: ServiceSample.Reply, _ type: String) async -> [String] {
        let output = manifest.json?["output"]?.items.first { $0["type"]?.text == type }
        guard let url = output?["url"]?.text else { return [] }
        let reply = await sample.get(url.replacing(ServiceSample.base, with: ""))
        #expect(reply.fields["Content-Type"] == "application/fhir+ndjson")
        return reply.text.split(separator: "\n").map(String.init)
    }

    private let asynchronous: HTTPFields = ["Prefer": "respond-async", "Accept": "application/fhir+json"]

    private func sample(_ folder: TemporaryFolder) throws -> ServiceSample {
        let url = URL(fileURLWithPath: folder.file("jobs"))
        return try ServiceSample(
            "R4", #"{"resourceType":"Patient","id":"1"}"#, #"{"resourceType":"Patient","id":"2"}"#,
            #"{"resourceType":"Observation","id":"o1","status":"final","code":{"text":"a"},"subject":{"reference":"Patient/1"}}"#,
            #"{"resourceType":"Observation","id":"o2","status":"amended","code":{"text":"b"},"subject":{"reference":"Patient/2"}}"#,
            #"{"resourceType":"Organization","id":"org"}"#,
            #"{"resourceType":"Group","id":"g","type":"person","actual":true,"member":[{"entity":{"reference":"Patient/1"}}]}"#
        ) { $0.workFolder = url }
    }

    @Test func exportsHaveAFileForEachType() async throws {
        let folder = try TemporaryFolder()
        let sample = try sample(folder)
        let manifest = try await finished(sample, await sample.get("/$export", asynchronous))
        #expect(manifest.status == 200 && manifest.json?["requiresAccessToken"] == .bool(false))
        #expect(manifest.json?["output"]?.items.compactMap { $0["type"]?.text } == ["Group", "Observation", "Organization", "Patient"])
        #expect(await lines(sample, manifest, "Patient").count == 2)
        let some = try await finished(
            sample, await sample.get("/$export?_type=Observation&_typeFilter=Observation?status=final&_elements=status", asynchronous))
        let found = await lines(sample, some, "Observation")
        #expect(found.count == 1 && found[0].contains("\"o1\"") && found[0].contains("SUBSETTED"))
        let group = try await finished(sample, await sample.get("/Group/g/$export", asynchronous))
        #expect(await lines(sample, group, "Observation").count == 1)
        #expect(group.json?["output"]?.items.compactMap { $0["type"]?.text } == ["Group", "Observation", "Patient"])
        let patients = try await finished(sample, await sample.get("/Patient/$export", asynchronous))
        #expect(patients.json?["output"]?.items.compactMap { $0["type"]?.text } == ["Observation", "Patient"])
    }

    @Test func theFirstExportMakesTheWorkFolder() async throws {
        let folder = try TemporaryFolder()
        let sample = try sample(folder)
        #expect(await sample.get("/Patient/1").status == 200)
        #expect(!FileManager.default.fileExists(atPath: folder.file("jobs")))
        #expect(try await finished(sample, await sample.get("/$export", asynchronous)).status == 200)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("jobs"))[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o700)
    }

    /// A folder whose `job.json` is missing or damaged is removed by its own time.
    @Test func foldersWithoutAReadableJobAreRemovedWhenTheyAreOld() async throws {
        let folder = try TemporaryFolder()
        let sample = try sample(folder)
        let files = FileManager.default
        func make(_ job: String?, hours: Double) throws -> String {
            let path = folder.file("jobs/\(UUID().uuidString)")
            try files.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data("{}\n".utf8).write(to: URL(fileURLWithPath: path + "/Patient.ndjson"))
            if let job { try Data(job.utf8).write(to: URL(fileURLWithPath: path + "/job.json")) }
            try files.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -hours * 3_600)], ofItemAtPath: path)
            return path
        }
        let old = [try make(nil, hours: 25), try make("{\"id\":", hours: 25)]
        let young = [try make(nil, hours: 23), try make("{\"id\":", hours: 23)]
        let other = folder.file("jobs/notes")
        try files.createDirectory(atPath: other, withIntermediateDirectories: true)
        try files.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -200 * 3_600)], ofItemAtPath: other)
        #expect(try await finished(sample, await sample.get("/$export", asynchronous)).status == 200)
        for path in old { #expect(!files.fileExists(atPath: path)) }
        for path in young + [other] { #expect(files.fileExists(atPath: path)) }
    }

    @Test func aWorkFolderThatCannotBeMadeRefusesExportsAlone() async throws {
        let folder = try TemporaryFolder()
        // No folder can be inside a file.
        let file = URL(fileURLWithPath: try folder.write("file", ""))
        let jobs = file.appendingPathComponent("jobs")
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"1"}"#) { $0.workFolder = jobs }
        #expect(await sample.get("/Patient/1").status == 200)
        let refusal = await sample.get("/$export", asynchronous)
        #expect(refusal.status == 500 && refusal.text.contains("folder for jobs"), "\(refusal.text)")
        #expect(throws: ServiceError.self) { try ServiceSample("R4") { $0.workFolder = file } }
    }

    @Test func exportedLinesAreWhatReadsAnswer() async throws {
        let folder = try TemporaryFolder()
        let url = URL(fileURLWithPath: folder.file("jobs"))
        let list = #"[{"url":"http://example.org/note","valueString":"x"}]"#
        let note = #"{"extension":\#(list)}"#
        let metas = [
            "", #""meta":{"profile":["http://example.org/p"]},"#, #""meta":{"versionId":"7","lastUpdated":"2020-01-01T00:00:00Z"},"#,
            #""meta":{"versionId":"1"},"#, #""meta":{"extension":\#(list),"source":"http://example.org"},"#,
            #""meta":{"id":"m","versionId":"7"},"#, #""meta":{"versionId":"7","_versionId":\#(note)},"#,
            #""meta":{"_versionId":\#(note)},"#,
            #""_id":\#(note),"meta":{"versionId":"7"},"#,
        ]
        let sample = try ServiceSample("R4") { $0.workFolder = url }
        let release = sample.store.release
        try await sample.store.write { tx in
            for (number, meta) in metas.enumerated() {
                let json = #"{"resourceType":"Patient","id":"p\#(number)",\#(meta)"active":true}"#
                try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: release))
            }
            try tx.upsert(FHIRJSON.resource(from: Data(#"{"resourceType":"Patient","gender":"other"}"#.utf8), release: release))
        }
        let manifest = try await finished(sample, await sample.get("/$export", asynchronous))
        let lines = await lines(sample, manifest, "Patient")
        #expect(lines.count == metas.count + 1)
        for (number, line) in lines.dropLast().enumerated() {
            #expect(line == (await sample.get("/Patient/p\(number)").text), "meta \(number)")
            #expect(line.contains(#""versionId":"1""#))
        }
        #expect(lines.last == #"{"resourceType":"Patient","meta":{"versionId":"1"},"gender":"other"}"#)
    }

    @Test func exportsOfSeveralThreadsAreOneSnapshot() async throws {
        let folder = try TemporaryFolder()
        var settings = FHIRStore.Configuration()
        (settings.maximumCores, settings.bytesForMoreCores) = (3, 0)
        let release = try #require(FHIRRelease.bundled("R4"))
        let store = try FHIRStore(path: folder.file("a.sqlite"), release: release, configuration: settings)
        // Each write changes both resources, so that a snapshot has the same number in both.
        func write(_ number: Int) throws {
            let patient = #"{"resourceType":"Patient","id":"a","multipleBirthInteger":\#(number)}"#
            let basic = #"{"resourceType":"Basic","id":"b","code":{"text":"x"},"extension":[{"url":"http://x","valueInteger":\#(number)}]}"#
            try store.blocking { store in
                try store.write { tx in
                    for text in [patient, basic] { try tx.upsert(FHIRJSON.resource(from: Data(text.utf8), release: release)) }
                }
            }
        }
        try write(0)
        var configuration = FHIRService.Configuration()
        configuration.base = ServiceSample.base
        configuration.workFolder = URL(fileURLWithPath: folder.file("jobs"))
        let sample = ServiceSample(try FHIRService(store: store, configuration: configuration))
        for round in 0..<20 {
            let kickOff = await sample.get("/$export", asynchronous)
            for number in 1...5 { try write(round * 10 + number) }
            let manifest = try await finished(sample, kickOff)
            let patient = try #require(await lines(sample, manifest, "Patient").first?.split(separator: "multipleBirthInteger\":").last)
            let basic = try #require(await lines(sample, manifest, "Basic").first?.split(separator: "valueInteger\":").last)
            #expect(patient.prefix { $0.isNumber } == basic.prefix { $0.isNumber }, "\(patient) \(basic)")
        }
    }

    @Test func filesOfAJobNeedATokenThatPermitsWhatItsTokenDid() async throws {
        let folder = try TemporaryFolder()
        let url = URL(fileURLWithPath: folder.file("jobs"))
        func access(_ scopes: String, _ patient: String? = nil, subject: String = "app") -> ServiceAccess {
            ServiceAccess(subject: subject, scopes: SMARTScope.list(scopes), patient: patient)
        }
        let tokens = try BearerTokens([
            "system-wide-token": access("system/*.rs"), "system-more-token": access("system/*.cruds"),
            "system-parts-token": access("system/*.r system/*.s"), "one-type-only-token": access("system/Patient.rs"),
            "with-condition-token": access("system/*.rs?_id=1"), "patient-one-token": access("patient/*.rs", "1"),
            "patient-one-more-token": access("patient/*.rs patient/*.c", "1"), "patient-two-token": access("patient/*.rs", "2"),
            "somebody-else-token": access("system/*.rs", subject: "other"), "everything--token": ServiceAccess(subject: "app"),
        ])
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"1"}"#) {
            $0.workFolder = url
            $0.authorizer = tokens
        }
        func fields(_ token: String) -> HTTPFields {
            ["Authorization": "Bearer \(token)", "Prefer": "respond-async", "Accept": "application/fhir+json"]
        }
        for (owner, permitted) in [
            ("system-wide-token", ["system-wide-token", "system-more-token", "system-parts-token", "everything--token"]),
            (
                "patient-one-token",
                [
                    "system-wide-token", "system-more-token", "system-parts-token", "everything--token", "patient-one-token",
                    "patient-one-more-token",
                ]
            ), ("everything--token", ["everything--token"]),
        ] {
            let kickOff = await sample.get("/$export", fields(owner))
            let place = try #require(kickOff.fields["Content-Location"]).replacing(ServiceSample.base, with: "")
            var manifest = await sample.get(place, fields(owner))
            while manifest.status == 202 {
                await Task.yield()
                manifest = await sample.get(place, fields(owner))
            }
            let file = try #require(manifest.json?["output"]?.items.first?["url"]?.text).replacing(ServiceSample.base, with: "")
            for token in [
                "system-wide-token", "system-more-token", "system-parts-token", "one-type-only-token", "with-condition-token",
                "patient-one-token", "patient-one-more-token", "patient-two-token", "somebody-else-token", "everything--token",
            ] {
                let status = permitted.contains(token) ? 200 : 404
                #expect(await sample.get(place, fields(token)).status == status, "\(owner) \(token)")
                #expect(await sample.get(file, fields(token)).status == status, "\(owner) \(token)")
                if status == 404 { #expect(await sample.send(.delete, place, "", fields(token)).status == 404, "\(owner) \(token)") }
            }
            #expect(await sample.send(.delete, place, "", fields(owner)).status == 202)
        }
    }

    /// Bulk Data Access, `error` of the manifest.
    @Test func resourcesThatCannotBeExportedAreErrors() async throws {
        let folder = try TemporaryFolder()
        let sample = try sample(folder)
        let release = sample.store.release
        try sample.store.blocking { store in
            try store.attachments.externalizeNewPayloads()
            try store.write { tx in
                for (number, id) in ["lost", "kept"].enumerated() {
                    let data = Data(repeating: UInt8(number), count: 9_000).base64EncodedString()
                    let json =
                        #"{"resourceType":"DocumentReference","id":"\#(id)","status":"current","content":[{"attachment":{"data":"\#(data)"}}]}"#
                    try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: release))
                }
            }
            try store.write { _ = try $0.runBlobs("DELETE FROM _blob WHERE blob = (SELECT min(blob) FROM _blob)") }
        }
        let manifest = try await finished(sample, await sample.get("/$export", asynchronous))
        #expect(
            manifest.json?["output"]?.items.compactMap { $0["type"]?.text }
                == ["DocumentReference", "Group", "Observation", "Organization", "Patient"])
        let documents = await lines(sample, manifest, "DocumentReference")
        #expect(documents.count == 1 && documents[0].contains(#""id":"kept""#))
        let errors = manifest.json?["error"]?.items ?? []
        #expect(errors.count == 1 && errors.first?["type"]?.text == "OperationOutcome" && errors.first?["count"] == .number("1"))
        let reply = await sample.get(try #require(errors.first?["url"]?.text).replacing(ServiceSample.base, with: ""))
        #expect(reply.status == 200 && reply.fields["Content-Type"] == "application/fhir+ndjson" && reply.text.hasSuffix("}\n"))
        #expect(reply.issue == "exception")
        let text = reply.json?["issue"]?.items.first?["diagnostics"]?.text
        #expect(text?.hasPrefix("DocumentReference/lost is not exported: the payload ") == true, "\(text ?? "")")
        // Without faults there are none.
        let patients = try await finished(sample, await sample.get("/Patient/$export", asynchronous))
        #expect(patients.status == 200 && patients.json?["error"] == .array([]))
    }

    @Test func exportsBeginByPostToo() async throws {
        let folder = try TemporaryFolder()
        let sample = try sample(folder)
        let body =
            #"{"resourceType":"Parameters","parameter":[{"name":"_type","valueString":"Patient,Group"},{"name":"x","valueString":"y"}]}"#
        #expect(await sample.send(.post, "/$export", body, asynchronous).status == 400)
        let lenient: HTTPFields = ["Prefer": "respond-async, handling=lenient", "Accept": "application/fhir+json"]
        let manifest = try await finished(sample, await sample.send(.post, "/$export", body, lenient))
        #expect(manifest.json?["output"]?.items.compactMap { $0["type"]?.text } == ["Group", "Patient"])
        #expect(manifest.fields["Expires"] != nil && manifest.fields["Content-Type"] == "application/json")
        #expect(manifest.json?["request"]?.text == ServiceSample.base + "/$export")
    }

    @Test func exportsAreRefusedWithAReason() async throws {
        let folder = try TemporaryFolder()
        let sample = try sample(folder)
        #expect(await sample.get("/$export").status == 400)
        #expect(await sample.get("/$export?_type=Nonsense", asynchronous).status == 400)
        #expect(await sample.get("/$export?_since=x", asynchronous).status == 400)
        #expect(await sample.get("/$export?_outputFormat=csv", asynchronous).status == 400)
        for filter in ["Observation", "Observation?", "", "status=final", "Nonsense?status=final", "Condition,Observation?status=final"] {
            let reply = await sample.get("/$export?_typeFilter=\(filter)", asynchronous)
            #expect(reply.status == 400 && reply.text.contains("Observation?status=final"), "\(filter): \(reply.text)")
        }
        #expect(await sample.get("/Group/none/$export", asynchronous).status == 404)
        #expect(await sample.get("/$jobs/nonsense").status == 404)
        #expect(await (try ServiceSample()).get("/$export", asynchronous).status == 404)
    }

    @Test func manifestsSurviveARestart() async throws {
        let folder = try TemporaryFolder()
        let first = try sample(folder)
        let kickOff = await first.get("/$export", asynchronous)
        let manifest = try await finished(first, kickOff)
        await first.service.stop()
        let second = try sample(folder)
        #expect(try await finished(second, kickOff).text == manifest.text)
        let place = try #require(kickOff.fields["Content-Location"]).replacing(ServiceSample.base, with: "")
        #expect(await second.send(.delete, place).status == 202)
        #expect(await second.get(place).status == 404)
    }

    private struct Files: HTTPTransport {
        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            HTTPResponse(200, body: Data("{\"resourceType\":\"Patient\",\"id\":\"imported\"}\n".utf8))
        }
    }

    @Test func importsComeFromAllowedOriginsOnly() async throws {
        let folder = try TemporaryFolder()
        let url = URL(fileURLWithPath: folder.file("jobs"))
        let sample = try ServiceSample {
            $0.workFolder = url
            $0.transport = Files()
            $0.importOrigins = ["https://files.example"]
        }
        func manifest(_ url: String) -> String {
            #"{"inputFormat":"application/fhir+ndjson","inputSource":"https://files.example","input":[{"type":"Patient","url":"\#(url)"}]}"#
        }
        for url in [
            "https://evil.example/a", "http://files.example/a", "https://files.example:444/a", "https://files.example@evil.example/a",
            "file:///etc/passwd",
        ] {
            #expect(await sample.send(.post, "/$import", manifest(url), asynchronous).status == 400, "\(url)")
        }
        let done = try await finished(sample, await sample.send(.post, "/$import", manifest("https://files.example/a"), asynchronous))
        #expect(done.status == 200 && done.json?["output"]?.items.first?["count"] == .number("1"), "\(done.text)")
        #expect(await sample.get("/Patient/imported").status == 200)
    }
}
