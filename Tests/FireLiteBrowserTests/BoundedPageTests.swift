import FireLite
import FireLiteCore
import Foundation
import TestSupport
import Testing

@testable import FireLiteBrowser

/// What takes longer than a page may is left out, and the page says so.
@Suite struct BoundedPageTests {
    /// Patients, the later the earlier born.
    private func people(_ count: Int, configure: (inout StoreBrowser.Configuration) -> Void) throws -> BrowserSample {
        let sample = try BrowserSample(configure: configure)
        let release = sample.store.release
        try sample.store.write { tx in
            _ = try tx.upsert(
                (0..<count).map { number in
                    let json = """
                        {"resourceType":"Patient","id":"p\(number)","gender":"\(number % 3 == 0 ? "male" : "female")",\
                        "birthDate":"\(1_990 - number % 90)-01-02","name":[{"family":"A"},{"family":"B"},{"family":"C"}]}
                        """
                    return try FHIRJSON.resource(from: Data(json.utf8), release: release)
                })
        }
        return sample
    }

    private func ids(_ text: String) -> [String] {
        text.components(separatedBy: "href=\"/browse/Patient/").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }

    // MARK: - Lists

    /// Without time to sort, the rows are those of the list without an order, nothing on the page says that they are in order, and a link waits for it.
    @Test func aListThatIsNotSortedInTimeSaysSo() async throws {
        let sample = try people(5) { $0.searchTime = .zero }
        let stored = ["p0", "p1", "p2", "p3", "p4"]
        #expect(ids(await sample.get("/browse/Patient").text) == stored)
        for sort in ["_sort=birthdate", "_sort=-birthdate,name"] {
            let text = await sample.get("/browse/Patient?\(sort)").text
            #expect(text.contains("Not sorted by \(sort.dropFirst(6)): sorting takes longer than a page may."), "\(sort)")
            #expect(text.contains("createIndexes(forSearch: [") && text.contains("Patient.birthdate"))
            #expect(ids(text) == stored && !text.contains("aria-sort"), "\(sort)")
            #expect(text.contains("&amp;~wait=1\">Sort for up to 5 seconds</a>"))
            #expect(PageRules.faults(text).isEmpty, "\(PageRules.faults(text))")
        }
        let sorted = await sample.get("/browse/Patient?_sort=birthdate&~wait=1").text
        #expect(ids(sorted) == stored.reversed() && sorted.contains("aria-sort=\"ascending\"") && !sorted.contains("Not sorted"))
    }

    /// The pages of an unsorted list lead to each other, and never from one order into another.
    @Test func theNextPageOfAnUnsortedListIsUnsorted() async throws {
        let sample = try people(9) { $0.searchTime = .zero }
        var target: String? = "/browse/Patient?_sort=birthdate&_count=4"
        var seen: [String] = []
        for _ in 0..<4 {
            guard let address = target else { break }
            let text = await sample.get(address).text
            seen += ids(text)
            target = text.components(separatedBy: "rel=\"next\" href=\"").dropFirst().first.map {
                String($0.prefix { $0 != "\"" }).replacing("&amp;", with: "&")
            }
            #expect(!(target ?? "").contains("_sort"))
        }
        #expect(seen == (0..<9).map { "p\($0)" })
    }

    @Test func aListThatIsNotFoundInTimeSaysSo() async throws {
        let sample = try people(6) { $0.searchTime = .zero }
        let text = await sample.get("/browse/Patient?gender=male").text
        #expect(text.contains("Nothing is shown: the search takes longer than a page may.") && !text.contains("Nothing matches"))
        #expect(text.contains("~wait=1\">Search for up to 5 seconds</a>") && text.contains("Patient.gender") && ids(text).isEmpty)
        #expect(PageRules.faults(text).isEmpty, "\(PageRules.faults(text))")
        #expect(ids(await sample.get("/browse/Patient?gender=male&~wait=1").text) == ["p0", "p3"])
        // The next page of an order is that order's or none.
        let sorted = await sample.get("/browse/Patient?_sort=birthdate&_count=2&~wait=1").text
        let next = try #require(sorted.components(separatedBy: "rel=\"next\" href=\"").dropFirst().first).prefix { $0 != "\"" }
        let address = String(next).replacing("&amp;", with: "&")
        #expect(ids(await sample.get(address).text) == ["p3", "p2"])
        let late = await sample.get(address.replacing("&~wait=1", with: "")).text
        #expect(late.contains("Nothing is shown: the search takes longer") && ids(late).isEmpty)
    }

    /// A search that indexes serve is answered, however slow the file is.
    @Test func aSearchWithItsIndexIsAnswered() async throws {
        let sample = try people(6) { $0.searchTime = .zero }
        _ = try await sample.store.createIndexes(forSearch: ["Patient.gender"])
        #expect(ids(await sample.get("/browse/Patient?gender=male").text) == ["p0", "p3"])
    }

    @Test func waitingEnds() async throws {
        let sample = try people(6) {
            $0.searchTime = .zero
            $0.consoleTime = .zero
        }
        let text = await sample.get("/browse/Patient?gender=male&~wait=1").text
        #expect(text.contains("Nothing is shown: the search takes longer than 0 seconds.") && !text.contains("Search for up to"))
        #expect(await sample.get("/browse/Patient?gender=male&~format=csv").status == 503)
    }

    @Test func aPageHasABoundedNumberOfResources() async throws {
        let sample = try people(1_003) { _ in }
        let text = await sample.get("/browse/Patient?_count=100000000").text
        #expect(ids(text).count == 1_000 && text.contains("1,003 resources") && text.contains("rel=\"next\""))
    }

    // MARK: - The console

    @Test func theConsoleCountsOnlyWhenAsked() async throws {
        let sample = try people(90) { _ in }
        let text = await sample.get(ConsolePage.address(.search, "Patient?gender=female").text).text
        #expect(text.contains("more than 50 matches") && text.contains("%26_total%3Daccurate\">Count all matches</a>"))
        #expect(PageRules.faults(text).isEmpty, "\(PageRules.faults(text))")
        let counted = await sample.get(ConsolePage.address(.search, "Patient?gender=female&_total=accurate").text).text
        #expect(counted.contains("<h2>60 matches</h2>") && !counted.contains("Count all matches"))
        let few = await sample.get(ConsolePage.address(.search, "Patient?gender=male").text).text
        #expect(few.contains("<h2>30 matches</h2>") && few.contains("Statement and plan"))
        let number = await sample.get(ConsolePage.address(.search, "Patient?gender=male&_summary=count").text).text
        #expect(number.contains("<h2>30 matches</h2>") && !number.contains("Nothing matches"))
    }

    @Test func theConsoleShowsABoundedNumber() async throws {
        let sample = try people(20) { $0.consoleRows = 7 }
        let text = await sample.get(ConsolePage.address(.search, "Patient?_count=1000000").text).text
        #expect(text.contains("more than 7 matches") && ids(text).count == 7)
    }

    @Test func theConsoleEndsASearch() async throws {
        let sample = try people(3) { $0.consoleTime = .zero }
        let reply = await sample.get(ConsolePage.address(.search, "Patient?gender=female").text)
        #expect(reply.status == 200 && reply.text.contains("The search takes longer than 0 seconds, and was ended."))
        #expect(reply.text.contains("Patient.gender") && reply.text.contains("Statement and plan") && ids(reply.text).isEmpty)
        #expect(PageRules.faults(reply.text).isEmpty, "\(PageRules.faults(reply.text))")
    }

    // MARK: - The timeline

    @Test func aTimelineSaysWhatItHasNotRead() async throws {
        let sample = try BrowserSample(
            "R4", #"{"resourceType":"Patient","id":"1"}"#,
            #"{"resourceType":"Observation","id":"b","status":"final","code":{"text":"Weight"},"subject":{"reference":"Patient/1"},"effectiveDateTime":"2020-05-01"}"#
        ) { $0.searchTime = .zero }
        let text = await sample.get("/browse/Patient/1/timeline").text
        #expect(text.contains("Of Observation nothing is shown: to read the latest takes longer than a page may."))
        #expect(text.contains("There was no time to read what happened.") && text.contains("Nothing is active of what was read."))
        #expect(text.contains("~wait=1\">Read for up to 5 seconds</a>") && !text.contains("Weight"))
        #expect(PageRules.faults(text).isEmpty, "\(PageRules.faults(text))")
        let whole = await sample.get("/browse/Patient/1/timeline?~wait=1").text
        #expect(whole.contains("Weight") && !whole.contains("nothing is shown"))
    }

    // MARK: - Numbers

    /// Of a file with few resources a sample has all of them, so the estimate is their number; contained ones are not counted.
    @Test func numbersThatThereIsNoTimeToCountAreEstimates() throws {
        let sample = try people(30) { _ in }
        try sample.add(#"{"resourceType":"Patient","id":"c","contained":[{"resourceType":"Organization","id":"o","name":"Clinic"}]}"#)
        let store = sample.store
        try store.read { _ in
            let counting = try RowCounting(store, few: 10)
            func numbers(quick: Int, _ time: Duration) throws -> [TypeNumber] {
                try TypeNumber.all(["Organization", "Patient"], store, counting, quick: quick, TimeBudget(time))
            }
            let cases: [(Int, Duration, Bool)] = [(0, .zero, false), (0, .seconds(60), true), (1_000, .zero, true)]
            for (quick, time, isExact) in cases {
                let found = try numbers(quick: quick, time)
                #expect(found.map(\.typeName) == ["Patient"])
                #expect(found.map(\.rows) == [RowCount(number: 31, isExact: isExact)], "\(quick) \(time)")
            }
            let names = try store.sql(counting.estimate(of: "Patient_name", areRoots: false)).first?[0].integer
            #expect(names == 90)
            #expect(try store.sql(counting.all(of: "Patient_name")).first?[0].integer == 90)
            #expect(try store.sql(counting.first(of: "Patient_name")).first?[0].integer == 11)
        }
    }

    /// A sample of one number in many has no more than chance puts into it, but where every number is a resource, exactly their number.
    @Test func anEstimateOfAPartIsThatOfTheWhole() throws {
        let sample = try people(2_500) { _ in }
        try sample.store.read { _ in
            let counting = try RowCounting(sample.store)
            #expect(counting.newest == 2_500)
            #expect(try sample.store.sql(counting.estimate(of: "Patient", areRoots: true)).first?[0].integer == 2_500)
            #expect(try sample.store.sql(counting.estimate(of: "Patient_name", areRoots: false)).first?[0].integer == 7_500)
        }
    }

    @Test func tablesOfALargeFileAreCountedAsFarAsThereIsTime() throws {
        let sample = try people(30) { _ in }
        let store = sample.store
        try store.read { _ in
            let schema = try sample.browser.facts.schema()
            let counting = try RowCounting(store, few: 10)
            let tables = ["Patient", "Patient_name", "_meta"]
            let whole = try TableCounts(tables, schema: schema, store, counting, quick: 0, TimeBudget(.seconds(60)))
            #expect(whole.isWhole && whole.counts["Patient"] == RowCount(number: 30, isExact: true))
            #expect(whole.sum(["Patient", "Patient_name"]) == RowCount(number: 120, isExact: true))
            let none = try TableCounts(tables, schema: schema, store, counting, quick: 0, TimeBudget(.zero))
            #expect(!none.isWhole && none.counts.isEmpty && none.sum(tables) == nil)
        }
    }

    @Test func anEstimateHasTwoDigits() {
        for (number, text) in [
            (0, "about 0"), (7, "about 7"), (99, "about 99"), (104, "about 100"), (995, "about 1,000"), (123_456, "about 120,000"),
        ] {
            #expect(RowCount(about: number).text == text)
        }
        #expect(RowCount(number: 1, isExact: true).text("row", "rows") == "1 row")
    }
}
