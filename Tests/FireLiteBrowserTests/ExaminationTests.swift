import FireLite
import FireLiteR4
import FireLiteSQLiteBridge
import FireLiteService
import Foundation
import TestSupport
import Testing

@testable import FireLiteBrowser

/// What the overview says about the last check and the last validation.
@Suite struct ExaminationTests {
    private func begin(_ sample: BrowserSample, _ kind: String) async -> BrowserSample.Reply {
        await sample.send(.post, "/browse/examine", "kind=\(kind)")
    }

    /// Waits until an examination has ended.
    private func ended(_ sample: BrowserSample, _ kind: Examinations.Kind) async throws -> Examinations.Report {
        let end = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < end {
            if let report = sample.browser.examinations.report(kind), report.ended != nil { return report }
            await _Concurrency.Task.yield()
        }
        throw Timeout()
    }

    private struct Timeout: Error {}

    @Test func nothingIsSaidBeforeTheFirst() async throws {
        let sample = try BrowserSample("R4", #"{"resourceType":"Patient","id":"1"}"#)
        let text = await sample.get("/browse").text
        #expect(text.contains("Not checked since the server was started") && text.contains("Not validated since the server was started"))
        #expect(PageRules.faults(text).isEmpty, "\(PageRules.faults(text))")
    }

    @Test func aSoundStoreIsSaidToBeSound() async throws {
        let sample = try BrowserSample("R4", #"{"resourceType":"Patient","id":"1"}"#)
        let before = await sample.get("/browse/state").text
        let reply = await begin(sample, "check")
        #expect(reply.status == 303 && reply.fields["Location"] == "/browse")
        #expect(try await ended(sample, .check).outcome == .faults([]))
        let text = await sample.get("/browse").text
        #expect(text.contains("<p>Sound.") && text.contains("Check the file again"))
        #expect(PageRules.faults(text).isEmpty, "\(PageRules.faults(text))")
        // Pages that wait load themselves again.
        #expect(await sample.get("/browse/state").text != before)
    }

    @Test func faultsOfTheFileAreListed() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let store = try FHIRStore(path: path, release: .r4)
        try await store.write { try $0.upsert(Patient { $0.id = "1" }) }
        try await store.close()
        try Connection(path: path).execute("UPDATE Patient SET id = '2'")
        let sample = StoreBrowser(store: try FHIRStore(path: path, release: .r4))
        sample.examinations.begin(.check, sample)
        while sample.examinations.report(.check)?.ended == nil { await _Concurrency.Task.yield() }
        guard case .faults(let faults)? = sample.examinations.report(.check)?.outcome else { throw Timeout() }
        #expect(!faults.isEmpty)
        let page = await sample.respond(to: ServiceRequest(.get, "/browse"))
        let text = String(decoding: try await page.data(), as: UTF8.self)
        #expect(text.contains("role=\"alert\"") && text.contains(faults.count == 1 ? "1 fault" : "\(faults.count) faults"))
    }

    @Test func errorsOfResourcesAreCountedAndLinked() async throws {
        let sample = try BrowserSample("R4", #"{"resourceType":"Patient","id":"good"}"#)
        try sample.add(#"{"resourceType":"Observation","id":"bad"}"#)
        try sample.add(#"{"resourceType":"Observation"}"#)
        #expect(await begin(sample, "validate").status == 303)
        guard case .issues(let issues) = try await ended(sample, .validate).outcome else { throw Timeout() }
        #expect(issues.resources == 3 && issues.wrongCount == 2 && issues.errors >= 2)
        #expect(Set(issues.wrong.map { "\($0.type)/\($0.id ?? "")" }) == ["Observation/bad", "Observation/"])
        let text = await sample.get("/browse").text
        #expect(text.contains("3 resources: \(issues.errors) errors in 2 resources") && text.contains("href=\"/browse/Observation/bad\""))
        #expect(PageRules.faults(text).isEmpty, "\(PageRules.faults(text))")
    }

    @Test func aFormThatIsNotWholeBeginsNothing() async throws {
        let sample = try BrowserSample("R4")
        #expect(await begin(sample, "everything").status == 400)
        #expect(await sample.send(.post, "/browse/examine", "kind=check", ["Sec-Fetch-Site": "cross-site"]).status == 403)
        #expect(Examinations.Kind.allCases.allSatisfy { sample.browser.examinations.report($0) == nil })
    }

    @Test func aChangedFileIsSaidToHaveChanged() async throws {
        let folder = try TemporaryFolder()
        let store = try FHIRStore(path: folder.file("store.sqlite"), release: .r4)
        let browser = StoreBrowser(store: store)
        browser.examinations.begin(.check, browser)
        while browser.examinations.report(.check)?.ended == nil { await _Concurrency.Task.yield() }
        func overview() async throws -> String {
            String(decoding: try await browser.respond(to: ServiceRequest(.get, "/browse")).data(), as: UTF8.self)
        }
        #expect(try await !overview().contains("the file has changed since"))
        try await store.write { try $0.upsert(Patient { $0.id = "1" }) }
        #expect(try await overview().contains("the file has changed since"))
    }
}
