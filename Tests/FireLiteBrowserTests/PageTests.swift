import FireLite
import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteBrowser

/// What pages show.
@Suite struct PageTests {
    private func people(_ count: Int) throws -> BrowserSample {
        let sample = try BrowserSample()
        for number in 0..<count {
            let gender = number % 3 == 0 ? "male" : "female"
            try sample.add(
                #"{"resourceType":"Patient","id":"p\#(number)","name":[{"family":"Family\#(number)","given":["Given"]}],"gender":"\#(gender)","birthDate":"19\#(10 + number % 80)-01-02"}"#
            )
        }
        return sample
    }

    private func ids(_ text: String) -> [String] {
        text.components(separatedBy: "href=\"/browse/Patient/").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }

    @Test func everyPageOfASampleIsWhole() async throws {
        let sample = try BrowserSample(
            "R4", history: true,
            #"{"resourceType":"Patient","id":"1","name":[{"family":"Chalmers"}],"managingOrganization":{"reference":"Organization/o"}}"#,
            #"{"resourceType":"Organization","id":"o","name":"Clinic"}"#,
            #"{"resourceType":"Observation","id":"b","status":"final","code":{"text":"Weight"},"subject":{"reference":"Patient/1"},"effectiveDateTime":"2020-05-01","valueQuantity":{"value":70.5,"unit":"kg"}}"#
        )
        var targets = ["/browse", "/browse/schema", "/browse/schema?type=Patient", "/browse/changes", "/browse/console"]
        for (type, id) in [("Patient", "1"), ("Organization", "o"), ("Observation", "b")] {
            targets += ["/browse/\(type)"] + BrowserSample.pages(of: type, id)
        }
        for target in targets {
            let reply = await sample.get(target)
            #expect(reply.status == 200, "\(target)")
            #expect(
                reply.text.hasPrefix("<!DOCTYPE html>") && reply.text.contains("<main id=\"main\""),
                "\(target)")
            #expect(PageRules.faults(reply.text).isEmpty, "\(target): \(PageRules.faults(reply.text).prefix(3))")
            #expect(reply.text.components(separatedBy: "<h1>").count == 2, "\(target)")
        }
        let patient = await sample.get("/browse/Patient/1").text
        #expect(patient.contains("Chalmers") && patient.contains("/browse/Organization/o"))
        #expect(await sample.get("/browse/Patient/1/references").text.contains("/browse/Observation?subject=Patient%2F1"))
        #expect(await sample.get("/browse/Patient/1/timeline").text.contains("Weight"))
    }

    @Test func whatIsMissingIsAPageThatSaysSo() async throws {
        let sample = try BrowserSample("R4", #"{"resourceType":"Patient","id":"1"}"#)
        for (target, status) in [
            ("/browse/Patient/2", 404), ("/browse/Patiént", 404), ("/browse/Nothing", 404), ("/browse/Patient/1/nothing", 404),
            ("/browse/Patient?nothing=1", 400),
            ("/browse/Patient/1/versions/7", 404), ("/browse/Patient?~after=x", 400), ("/browse/Patient?~format=x", 400),
            ("/browse/Patient/1/timeline?asof=x", 400),
            ("/browse/%ff", 400),
        ] {
            let reply = await sample.get(target)
            #expect(reply.status == status, "\(target): \(reply.status)")
            #expect(reply.text.contains("role=\"alert\"") && PageRules.faults(reply.text).isEmpty)
        }
        #expect(await sample.get("/browse/Patiant").text.contains("Patient"))
    }

    @Test func pagesChangeNothing() async throws {
        let sample = try people(3)
        let before = try await sample.store.sql("SELECT group_concat(root || '/' || revision) FROM _resource").map(\.values)
        for method in [HTTPMethod.post, .put, .delete] {
            #expect(await sample.send(method, "/browse/Patient/p1/edit", "mode=delete&confirm=yes").status >= 400)
        }
        for sql in [
            "DELETE FROM Patient", "UPDATE Patient SET gender = 'x'", "PRAGMA user_version = 9", "ATTACH 'x' AS y",
            "SELECT 1; DELETE FROM Patient",
        ] {
            #expect(await sample.get(ConsolePage.address(.sql, sql).text).text.contains("role=\"alert\""), "\(sql)")
        }
        #expect(try await sample.store.sql("SELECT group_concat(root || '/' || revision) FROM _resource").map(\.values) == before)
        #expect(try await sample.store.counts().map(\.count) == [3])
    }

    /// A function of SQLite cannot be interrupted, so the console bounds what it may make.
    @Test func hugeValuesOfStatementsAreRefused() async throws {
        let sample = try people(1)
        for value in ["zeroblob(40000000)", "randomblob(40000000)"] {
            #expect(await sample.get(ConsolePage.address(.sql, "SELECT length(\(value))").text).text.contains("role=\"alert\""), "\(value)")
        }
        // SQLite's own answer to a text that would be too long is NULL.
        let text = await sample.get(ConsolePage.address(.sql, "SELECT length(printf('%.*c', 41000000, 'x')) AS n").text).text
        #expect(text.contains("1 row") && !text.contains(">41000000<"))
        // Other readers of the store have the limit of before.
        #expect(try await sample.store.sql("SELECT length(zeroblob(40000000))").first?[0].integer == 40_000_000)
        #expect(await sample.get(ConsolePage.address(.sql, "SELECT length(zeroblob(1000))").text).text.contains("1000"))
    }

    // MARK: - Lists

    /// All matches can be downloaded, in the order of the list, however many pages they have.
    @Test func allMatchesCanBeDownloaded() async throws {
        let sample = try people(450)
        let search = "/browse/Patient?gender=female&_sort=-birthdate&_count=10"
        #expect(await sample.get(search).text.contains("~all=1"))
        let expected = try await sample.store.search("Patient?gender=female&_sort=-birthdate&_count=1000").matches.map { $0.id ?? "" }
        try #require(expected.count == 300)
        let csv = await sample.get(search + "&~all=1&~format=csv&~columns=id,gender").text.components(separatedBy: "\r\n")
        #expect(csv == ["id,gender"] + expected.map { "\($0),female" } + [""])
        let lines = await sample.get(search + "&~all=1&~format=ndjson").text.split(separator: "\n")
        #expect(lines.map { line in expected.first { line.contains("\"id\":\"\($0)\"") } } == expected)
        // A list that is one page offers no more, and a search with a mistake is a page.
        #expect(await !sample.get("/browse/Patient?_id=p1").text.contains("~all=1"))
        #expect(await sample.get("/browse/Patient?nothing=1&~all=1&~format=csv").status == 400)
    }

    /// The statement on a list's page is one that runs as it is, and finds what the page shows.
    @Test func theStatementOfAListRunsAsItIs() async throws {
        let sample = try people(9)
        for (search, count) in [("gender=male&birthdate=ge1912", 2), ("family=Family5", 1), ("name=o'brien", 0), ("_id=p1,p2", 2)] {
            let reply = await sample.get("/browse/Patient?\(search)").text
            let explanation = try await sample.store.explainSearch("Patient?\(search)")
            let statement = try #require(explanation.statements.first)
            let shown: HTML = "\(statement.sqlWithValues)"
            #expect(reply.contains(shown.text), "\(search)")
            #expect(try await sample.store.sql(statement.sqlWithValues).count == count, "\(statement.sqlWithValues)")
            #expect(statement.sql.contains("?") && !statement.sqlWithValues.contains("?"))
        }
    }

    @Test func pagesOfAListHaveEachResourceOnceWhileOthersWrite() async throws {
        let sample = try people(23)
        var seen: [String] = []
        var target: String? = "/browse/Patient?_count=5&_sort=birthdate"
        var round = 0
        while let address = target {
            let reply = await sample.get(address)
            seen += ids(reply.text)
            // Written while somebody turns pages: before and behind the place.
            try sample.add(#"{"resourceType":"Patient","id":"new\#(round)","birthDate":"1900-01-01"}"#)
            round += 1
            target = reply.text.components(separatedBy: "rel=\"next\" href=\"").dropFirst().first.map {
                String($0.prefix { $0 != "\"" }).replacing("&amp;", with: "&")
            }
            if round > 20 { break }
        }
        let old = seen.filter { !$0.hasPrefix("new") }
        #expect(Set(old).count == 23 && old.count == 23, "\(old)")
    }

    @Test func theFilterFormLeadsToTheSearchThatItDescribes() async throws {
        let sample = try people(9)
        let reply = await sample.get("/browse/Patient?_sort=birthdate&~name=birthdate&~modifier=ge&~value=1915")
        #expect(reply.status == 303 && reply.fields["Location"] == "/browse/Patient?_sort=birthdate&birthdate=ge1915")
        #expect(
            await sample.get("/browse/Patient?~name=name&~modifier=exact&~value=Family1").fields["Location"]
                == "/browse/Patient?name:exact=Family1")
        #expect(ids(await sample.get("/browse/Patient?name:exact=Family1").text) == ["p1"])
    }

    @Test func facetsCountWhatTheSearchFinds() async throws {
        let sample = try people(9)
        let all = await sample.get("/browse/Patient").text
        #expect(all.contains(">female</a><span class=\"muted\">6</span>") && all.contains(">male</a><span class=\"muted\">3</span>"))
        let some = await sample.get("/browse/Patient?birthdate=le1913").text
        #expect(some.contains(">female</a><span class=\"muted\">2</span>") && some.contains(">male</a><span class=\"muted\">2</span>"))
    }

    @Test func columnsAreRememberedByTheCookie() async throws {
        let sample = try people(2)
        let chosen = await sample.get("/browse/Patient?~columns=name.family,id,nothing")
        let cookie = try #require(chosen.fields["Set-Cookie"])
        #expect(cookie.contains("SameSite=Strict") && cookie.contains("HttpOnly"))
        let again = await sample.get("/browse/Patient?~format=csv", ["Cookie": String(cookie.prefix { $0 != ";" })])
        #expect(again.text == "name.family,id\r\nFamily0,p0\r\nFamily1,p1\r\n")
    }

    @Test func exportsHaveExactlyWhatIsShown() async throws {
        let sample = try people(12)
        let target = "/browse/Patient?gender=female&_sort=-birthdate&_count=4"
        let shown = ids(await sample.get(target).text)
        let lines = await sample.get(target + "&~format=ndjson").text.split(separator: "\n")
        let release = sample.store.release
        #expect(try lines.map { try FHIRJSON.resource(from: Data($0.utf8), release: release).id } == shown)
        let csv = await sample.get(target + "&~format=csv&~columns=id").text
        #expect(csv.components(separatedBy: "\r\n").dropFirst().filter { !$0.isEmpty } == shown)
        #expect(shown.count == 4)
    }

    // MARK: - Elements

    @Test func everyRowOfAResourceLeadsToAnElement() throws {
        let sample = try BrowserSample()
        let release = sample.store.release
        try withEvery(0..<60) { seed in
            var random = RandomInstance(seed: seed, mode: .sparse)
            let type = release.resourceTypeNames[Int(seed) * 7 % release.resourceTypeNames.count]
            guard let layout = release.resourceLayout(named: type), layout.kind == .resource,
                let made = random.object(of: layout) as? FHIRResource
            else { return }
            made.id = "r\(seed)"
            try sample.put(made)
            try sample.store.read { transaction in
                let stored = try #require(try transaction.resource(typeName: type, id: "r\(seed)"))
                let rows = try transaction.rows(of: stored)
                let tree = try ElementTree(stored)
                let paths = RowPaths(rows)
                for row in rows where RowPaths.value(row, "_parent") != nil {
                    let path = paths.path(of: row)
                    // A row without any value of JSON, of a null in a list, leads to what it is in.
                    #expect(tree.isCut || tree.key(at: path) != nil, "\(type) \(row.table): \(path)")
                }
            }
        }
    }

    @Test func theTreeHasEveryValueOfTheJSON() throws {
        let sample = try BrowserSample(
            "R4",
            #"{"resourceType":"Patient","id":"1","birthDate":"1970-03-30","_birthDate":{"extension":[{"url":"urn:x","valueDateTime":"1970-03-30T08:00:00Z"}]},"name":[{"given":["A",null,"C"],"_given":[null,{"id":"g"},null]}],"multipleBirthInteger":2}"#
        )
        let patient = try #require(try sample.store.resource(typeName: "Patient", id: "1"))
        let tree = try ElementTree(patient)
        #expect(
            tree.all.map(\.path) == [
                "resourceType", "id", "name[0]", "name[0].given[0]", "name[0].given[2]", "name[0].given[1]", "name[0].given[1].id",
                "birthDate", "birthDate",
                "birthDate.extension[0]", "birthDate.extension[0].url", "birthDate.extension[0].valueDateTime", "multipleBirthInteger",
            ])
        #expect(tree.key(at: "birthDate.extension[0].valueDateTime") == 11)
    }

    // MARK: - The past

    /// Of very many events the latest are shown, before the end of the time that is asked for.
    @Test func ofManyEventsTheLatestAreShown() async throws {
        let sample = try BrowserSample("R4", #"{"resourceType":"Patient","id":"1"}"#)
        let release = sample.store.release
        try await sample.store.write { tx in
            _ = try tx.upsert(
                (0...PatientRecord.most(of: "Observation")).map { number in
                    let year = 1_400 + number
                    return try FHIRJSON.resource(
                        from: Data(
                            #"{"resourceType":"Observation","id":"\#(number)","status":"final","code":{"text":"In \#(year)"},"subject":{"reference":"Patient/1"},"effectiveDateTime":"\#(year)"}"#
                                .utf8), release: release)
                })
        }
        try sample.add(
            #"{"resourceType":"Observation","id":"i","status":"final","code":{"text":"Only issued"},"subject":{"reference":"Patient/1"},"issued":"1450-01-01T00:00:00Z"}"#
        )
        let latest = await sample.get("/browse/Patient/1/timeline").text
        #expect(latest.contains("Of Observation only the latest 500 are shown"))
        #expect(latest.contains("In 1900") && !latest.contains("In 1400"))
        let early = await sample.get("/browse/Patient/1/timeline?to=1401-06-01").text
        #expect(await sample.get("/browse/Patient/1/timeline?to=1460").text.contains("Only issued"))
        #expect(early.contains("In 1400") && early.contains("In 1401") && !early.contains("In 1402"))
        #expect(await sample.get("/browse/Patient/1/timeline?to=x").status == 400)
        // A year ends with its last day, and a time may lie before all events.
        let year = await sample.get("/browse/Patient/1/timeline?from=1800&to=1800").text
        #expect(year.contains("In 1800") && !year.contains("In 1799") && !year.contains("In 1801"))
        #expect(await sample.get("/browse/Patient/1/timeline?to=1000").text.contains("Nothing happened in this time"))
        #expect(await sample.get("/browse/Patient/1/timeline?from=3000").text.contains("Nothing happened in this time"))
        #expect(await sample.get("/browse/Patient/1/timeline?from=1801&to=1800").status == 400)
        let all = await sample.get("/browse/Patient/1/timeline?from=0001&to=9999").text
        #expect(all.contains("from=0001-01-01") && all.contains("to=9999-12-31") && !all.contains("from=-"))
    }

    /// What is active does not depend on how much else there is, nor on the time that is looked at.
    @Test func whatIsActiveIsFoundAmongVeryMany() async throws {
        let sample = try BrowserSample("R4", #"{"resourceType":"Patient","id":"1"}"#)
        let release = sample.store.release
        try await sample.store.write { tx in
            _ = try tx.upsert(
                (0...PatientRecord.most(of: "Condition")).map { number in
                    let status = number < 3 ? "active" : "resolved"
                    return try FHIRJSON.resource(
                        from: Data(
                            #"{"resourceType":"Condition","id":"\#(number)","clinicalStatus":{"coding":[{"code":"\#(status)"}]},"code":{"text":"Condition \#(number) of all"},"subject":{"reference":"Patient/1"},"onsetDateTime":"\#(1_400 + number)"}"#
                                .utf8), release: release)
                })
        }
        for path in ["", "?to=1410", "?from=1500"] {
            let text = await sample.get("/browse/Patient/1/timeline\(path)").text
            let card =
                text.components(separatedBy: "Active now, by status").dropFirst().first?.components(separatedBy: "</section>").first ?? ""
            for number in 0..<3 { #expect(card.contains("Condition \(number) of all"), "\(path)") }
            #expect(!card.contains("Condition 3 of all"))
        }
    }

    @Test func listsAreNotShapedAsBundlesAre() async throws {
        let sample = try people(3)
        for name in ["_summary=count", "_elements=id", "_total=accurate"] {
            #expect(await sample.get("/browse/Patient?\(name)").text.contains("3 resources"))
        }
    }

    @Test func whatWasStoredLaterWasNotThereBefore() async throws {
        let condition =
            #"{"resourceType":"Condition","id":"c","clinicalStatus":{"coding":[{"code":"active"}]},"code":{"text":"Asthma"},"subject":{"reference":"Patient/1"},"onsetDateTime":"1990"}"#
        let sample = try BrowserSample("R4", #"{"resourceType":"Patient","id":"1"}"#, condition)
        try await sample.store.track(.history)
        #expect(await !sample.get("/browse/Patient/1/timeline?asof=2000-01-01").text.contains("Asthma"))
        #expect(await sample.get("/browse/Patient/1/timeline?asof=9999").text.contains("Asthma"))
    }

    @Test func thePastIsWhatTheHistoryHas() async throws {
        let sample = try BrowserSample("R4", history: true, #"{"resourceType":"Patient","id":"1"}"#)
        func condition(_ id: String, _ status: String, _ text: String) -> String {
            #"{"resourceType":"Condition","id":"\#(id)","clinicalStatus":{"coding":[{"code":"\#(status)"}]},"code":{"text":"\#(text)"},"subject":{"reference":"Patient/1"},"onsetDateTime":"2001-01-01"}"#
        }
        try sample.add(condition("a", "active", "Asthma"))
        try sample.add(condition("b", "active", "Backache"))
        let versions = try await sample.store.history(typeName: nil)
        let then = try #require(versions.compactMap(\.storedAt).max())
        // Versions are told apart by milliseconds.
        while Date.now.timeIntervalSince(then) < 0.005 { await _Concurrency.Task.yield() }
        try sample.add(condition("a", "resolved", "Asthma"))
        try sample.remove("Condition", "b")
        try sample.add(condition("c", "active", "Cough"))
        let now = await sample.get("/browse/Patient/1/timeline").text
        #expect(now.contains("Cough") && !now.contains("Backache"))
        let literal = FHIRInstant(then.addingTimeInterval(0.002)).literal
        let past = await sample.get("/browse/Patient/1/timeline?asof=\(Address.encoded(literal))").text
        #expect(past.contains("Backache") && past.contains("Asthma") && !past.contains("Cough"))
        let difference = await sample.get("/browse/Condition/a/versions").text
        #expect(difference.contains("clinicalStatus.coding[0].code") && difference.contains("resolved"))
    }
}
