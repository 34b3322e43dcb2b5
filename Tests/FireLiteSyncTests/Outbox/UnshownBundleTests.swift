import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Transactions that a server says it has done, with statuses alone, and that reading back does not show.
@Suite struct UnshownBundleTests {
    private let server = TerseServer()

    /// A transaction that creates patients with these numbers on the condition of their identifiers, or updates them.
    ///
    /// - Parameter refersToFirst: whether the others refer to the first one.
    private func transaction(
        _ numbers: ClosedRange<Int>, updates: Bool = false, refersToFirst: Bool = false, type: String = "transaction"
    ) -> FHIRRequest {
        let first = "urn:uuid:1b671a64-40d5-491e-99b0-da01ff1f3341"
        let entries = numbers.map { number in
            let query = FHIRParameters([.init(name: "identifier", value: "urn:test|n\(number)")]).query
            let family = updates ? "Two" : "One"
            let isFirst = refersToFirst && number == numbers.lowerBound
            let link = refersToFirst && !isFirst ? #","link":[{"other":{"reference":"\#(first)"},"type":"seealso"}]"# : ""
            let patient =
                #"{"resourceType":"Patient","identifier":[{"system":"urn:test","value":"n\#(number)"}],"#
                + #""name":[{"family":"\#(family)"}]\#(link)}"#
            let request =
                updates
                ? #"{"method":"PUT","url":"Patient?\#(query)"}"# : #"{"method":"POST","url":"Patient","ifNoneExist":"\#(query)"}"#
            return #"{\#(isFirst ? "\"fullUrl\":\"\(first)\"," : "")"resource":\#(patient),"request":\#(request)}"#
        }
        let text = #"{"resourceType":"Bundle","type":"\#(type)","entry":[\#(entries.joined(separator: ","))]}"#
        return FHIRRequest(.post, "", fields: FHIRRequest.contentFields(.r4), body: Data(text.utf8))
    }

    private func outbox(_ requests: [FHIRRequest], _ transport: (any HTTPTransport)? = nil) async throws -> Outbox {
        let outbox = try FireLiteSyncTests.outbox(transport ?? server)
        try await outbox.store.write { tx in
            for request in requests { try tx.enqueue(request, for: testBase, marksCreates: false) }
        }
        return outbox
    }

    /// The server, whose answers to what writes get lost while a switch is on.
    private func lossy(_ isLost: Switch<Bool>) -> StubServer {
        let server = server
        return StubServer { request, _ in
            let answer = try await server.send(request)
            guard request.method == .get || !isLost.value else { throw HTTPTransportError(.connectionLost, "the connection is lost") }
            return answer
        }
    }

    /// A search that does not find it yet, that is refused, or that finds others: nothing is sent twice, and it counts once it is shown.
    @Test(arguments: [TerseServer.Search.lags, .isRefused, .findsOthers])
    func whatWasDoneIsNotSentAgain(search: TerseServer.Search) async throws {
        server.search = search
        let outbox = try await outbox([transaction(0...2)])
        #expect(try await outbox.flush().ending == "failed 1 -")
        // The same command sends again at its end.
        #expect(try await outbox.flush(keeping: [1]).sent.isEmpty)
        if search != .lags { #expect(try await outbox.flush().sent.isEmpty) }
        let entries = try await outbox.entries()
        #expect(entries.map(\.isUncertain) == [true] && entries.map(\.state) == [.waiting])
        #expect(entries.first?.error?.contains("retry 1") == true && entries.first?.error?.contains("discard") == true)
        #expect(server.bundles == 1)
        server.search = .answers
        let result = try await outbox.flush()
        #expect(result.ending == "done" && result.sent.map(\.wasAlreadyApplied) == [true])
        #expect(server.bundles == 1 && server.identifiers == ["n0", "n1", "n2"])
        #expect(try await outbox.entries().isEmpty)
    }

    /// If a search shows that nothing was done, the next flush sends it again, and the same command does not.
    @Test func whatWasNotDoneIsSentAgain() async throws {
        server.doesNothing = true
        let outbox = try await outbox([transaction(0...59)])
        #expect(try await outbox.flush().sent.isEmpty)
        server.doesNothing = false
        #expect(try await outbox.flush(keeping: [1]).sent.isEmpty)
        #expect(server.bundles == 1 && server.identifiers.isEmpty)
        #expect(try await outbox.flush().ending == "done")
        #expect(server.bundles == 2 && server.identifiers.count == 60 && Set(server.identifiers).count == 60)
    }

    /// A Bundle whose answer got lost is looked for before it is sent again, as there are servers that ignore conditions.
    @Test func aLostAnswerIsLookedForFirst() async throws {
        let isLost = Switch(true)
        let outbox = try FireLiteSyncTests.outbox(lossy(isLost))
        for isDone in [true, false] {
            (server.doesNothing, isLost.value) = (!isDone, true)
            let (before, request) = (server.bundles, transaction(isDone ? 0...2 : 3...4))
            try await outbox.store.write { tx in _ = try tx.enqueue(request, for: testBase, marksCreates: false) }
            #expect(try await outbox.flush().sent.isEmpty && server.bundles == before + 1)
            (server.doesNothing, isLost.value) = (false, false)
            let result = try await outbox.flush()
            #expect(result.ending == "done" && result.sent.count == 1)
            #expect(server.bundles == before + (isDone ? 1 : 2))
        }
        #expect(server.identifiers == ["n0", "n1", "n2", "n3", "n4"])
    }

    /// In a transaction all was done or nothing: what others refer to need not be shown with them. If only some of the others are, nobody knows.
    @Test(arguments: [(TerseServer.Search.pages, false), (.pages, true), (.lacksFirst, false), (.lacksFirst, true)], [false, true])
    func whatIsShownInPartWasDone(_ shown: (search: TerseServer.Search, refersToFirst: Bool), isLost: Bool) async throws {
        let isLost = Switch(isLost)
        server.search = shown.search
        let outbox = try FireLiteSyncTests.outbox(lossy(isLost))
        let request = transaction(0...2, refersToFirst: shown.refersToFirst)
        try await outbox.store.write { tx in _ = try tx.enqueue(request, for: testBase, marksCreates: false) }
        _ = try await outbox.flush()
        isLost.value = false
        _ = try await outbox.flush()
        #expect(server.bundles == 1 && server.identifiers == ["n0", "n1", "n2"])
        let isKnown = shown.search == .pages || shown.refersToFirst
        #expect(try await outbox.entries().map(\.isUncertain) == (isKnown ? [] : [true]))
        if !isKnown { #expect(try await outbox.entries().first?.error?.contains("retry 1") == true) }
        server.search = .answers
        #expect(try await outbox.flush().ending == "done")
        #expect(try await outbox.entries().isEmpty && server.bundles == 1)
    }

    /// Searches for several do not show everything on all servers: one by one, or on later pages, it is found.
    @Test(arguments: [TerseServer.Search.beginsWithAnEmptyPage, .knowsNoLists, .showsOne])
    func whatIsNotShownTogetherIsFound(search: TerseServer.Search) async throws {
        let isLost = Switch(true)
        server.search = search
        let outbox = try await outbox([transaction(0...3)], lossy(isLost))
        #expect(try await outbox.flush().sent.isEmpty)
        isLost.value = false
        let result = try await outbox.flush()
        #expect(result.ending == "done" && result.sent.map(\.wasAlreadyApplied) == [true])
        #expect(server.bundles == 1 && server.identifiers == ["n0", "n1", "n2", "n3"])
    }

    /// Answers from which nobody can tell whether it is there: nothing is sent until there is another one, or somebody decides.
    @Test(arguments: [TerseServer.Search.statesATotal, .fails, .hasAnError, .leavesOutIdentifiers], [false, true])
    func whatMayBeThereIsNotSentAgain(search: TerseServer.Search, isDecided: Bool) async throws {
        let isLost = Switch(true)
        server.search = search
        let outbox = try await outbox([transaction(0...1)], lossy(isLost))
        #expect(try await outbox.flush().sent.isEmpty)
        isLost.value = false
        for _ in 0..<2 { #expect(try await outbox.flush().sent.isEmpty) }
        #expect(server.bundles == 1)
        #expect(try await outbox.entries().map(\.isUncertain) == [true])
        if isDecided { try await outbox.retry(1) } else { server.search = .answers }
        #expect(try await outbox.flush().sent.isEmpty == isDecided)
        #expect(server.bundles == (isDecided ? 2 : 1))
    }

    /// What somebody else has made, alone or with others, does not show that a Bundle was done. Somebody decides, and then it is sent.
    @Test(arguments: [("transaction", 2, false), ("transaction", 1, true), ("batch", 2, false)])
    func whatOthersHaveMadeShowsNothing(_ bundle: (type: String, first: Int, refersToFirst: Bool)) async throws {
        let isLost = Switch(false)
        server.knowsConditions = true
        let outbox = try await outbox([transaction(bundle.first...3)], lossy(isLost))
        #expect(try await outbox.flush().ending == "done")
        let there = server.identifiers
        let request = transaction(0...3, refersToFirst: bundle.refersToFirst, type: bundle.type)
        let number = try await outbox.store.write { tx in try tx.enqueue(request, for: testBase, marksCreates: false) }
        (isLost.value, server.doesNothing) = (true, true)
        #expect(try await outbox.flush().sent.isEmpty)
        (isLost.value, server.doesNothing) = (false, false)
        for _ in 0..<2 { #expect(try await outbox.flush().sent.isEmpty) }
        #expect(server.identifiers == there && server.bundles == 2)
        #expect(try await outbox.entries().first?.error?.contains("retry \(number)") == true)
        try await outbox.retry(number)
        #expect(try await outbox.flush().ending == "done")
        #expect(server.bundles == 3 && server.identifiers.sorted() == ["n0", "n1", "n2", "n3"])
        #expect(try await outbox.entries().isEmpty)
    }

    /// If all creates are there and an update is not shown, sending it again could make them again and replace what others have written.
    @Test func aCreateIsNotSentAgainForAnUpdate() async throws {
        let isLost = Switch(true)
        server.search = .answers
        let outbox = try FireLiteSyncTests.outbox(lossy(isLost))
        let text = String(decoding: try #require(transaction(0...0).body), as: UTF8.self)
        let update = #",{"resource":{"resourceType":"Patient","id":"gone"},"request":{"method":"PUT","url":"Patient/gone"}}]}"#
        let request = FHIRRequest(.post, "", fields: FHIRRequest.contentFields(.r4), body: Data((text.dropLast(2) + update).utf8))
        try await outbox.store.write { tx in _ = try tx.enqueue(request, for: testBase, marksCreates: false) }
        #expect(try await outbox.flush().sent.isEmpty)
        isLost.value = false
        for _ in 0..<2 { #expect(try await outbox.flush().sent.isEmpty) }
        #expect(server.bundles == 1 && server.identifiers == ["n0"])
        #expect(try await outbox.entries().first?.error?.contains("retry 1") == true)
    }

    /// What others refer to can be from before: if nothing else is there, nothing was done.
    @Test func whatIsFromBeforeDoesNotCount() async throws {
        let (server, isLost) = (server, Switch(false))
        let transport = StubServer { request, _ in
            guard request.method == .get || !isLost.value else { throw HTTPTransportError(.connectionLost, "the connection is lost") }
            return try await server.send(request)
        }
        let outbox = try FireLiteSyncTests.outbox(transport)
        for request in [transaction(0...0), transaction(0...2, refersToFirst: true)] {
            try await outbox.store.write { tx in _ = try tx.enqueue(request, for: testBase, marksCreates: false) }
            for _ in 0..<2 {
                _ = try await outbox.flush()
                isLost.value = false
            }
            isLost.value = true
        }
        #expect(try await outbox.entries().isEmpty && server.bundles == 2)
        #expect(server.identifiers.suffix(2) == ["n1", "n2"])
    }

    /// What depends on it waits with it, in order; the rest is sent.
    @Test func onlyWhatDependsOnItWaits() async throws {
        server.search = .isRefused
        let outbox = try await outbox([
            transaction(0...2), .create(numbered(7)), transaction(1...1, updates: true), .update(numbered(8, id: "own")),
        ])
        let result = try await outbox.flush()
        #expect(result.ending == "failed 1 -" && result.sent.map(\.number) == [2, 4])
        #expect(try await outbox.entries().map(\.number) == [1, 3])
        #expect(try await outbox.entries().map(\.attempts) == [1, 0])
        server.search = .answers
        #expect(try await outbox.flush().ending == "done")
        #expect(server.bundles == 2 && server.identifiers == ["n0", "n1", "n2"])
        #expect(server.families.sorted() == ["7", "8", "One", "One", "Two"])
    }

    /// The user decides: a retried request is sent without reading back, and a discarded one is gone.
    @Test func theUserEndsTheDoubt() async throws {
        server.search = .isRefused
        server.doesNothing = true
        let outbox = try await outbox([transaction(0...0)])
        for _ in 0..<3 { #expect(try await outbox.flush().sent.isEmpty) }
        #expect(server.bundles == 1)
        server.doesNothing = false
        try await outbox.retry(1)
        _ = try await outbox.flush()
        #expect(server.bundles == 2 && server.identifiers == ["n0"])
        try await outbox.discard(1)
        #expect(try await outbox.flush().ending == "done")
        #expect(server.bundles == 2 && server.identifiers == ["n0"])
    }
}

/// A server that knows no conditions of creates, and answers to Bundles with statuses alone.
///
/// `@unchecked Sendable`: the lock guards the variables.
final class TerseServer: HTTPTransport, @unchecked Sendable {
    /// What a search by identifiers finds.
    enum Search: Sendable {
        case answers, lags, isRefused, findsOthers
        /// One resource on each page.
        case pages
        /// All but the first resource that it has.
        case lacksFirst
        /// The first page is empty, and has a link to the rest.
        case beginsWithAnEmptyPage
        /// Nothing for several values.
        case knowsNoLists
        /// One of those that it has.
        case showsOne
        /// A number, without the resources.
        case statesATotal
        /// Status 500.
        case fails
        /// A page with an error alone.
        case hasAnError
        /// The resources without their identifiers.
        case leavesOutIdentifiers
    }

    private let lock = NSLock()
    private var patients: [Patient] = []
    private var count = 0
    private var searching = Search.answers
    private var isIdle = false
    private var isConditional = false

    var search: Search {
        get { lock.withLock { searching } }
        set { lock.withLock { searching = newValue } }
    }
    /// Whether Bundles are answered and not done.
    var doesNothing: Bool {
        get { lock.withLock { isIdle } }
        set { lock.withLock { isIdle = newValue } }
    }
    /// Whether what is there is not created again.
    var knowsConditions: Bool {
        get { lock.withLock { isConditional } }
        set { lock.withLock { isConditional = newValue } }
    }
    /// The number of Bundles that it got.
    var bundles: Int { lock.withLock { count } }
    var identifiers: [String] { lock.withLock { patients.compactMap { $0.identifier.first?.value } } }
    var families: [String] { lock.withLock { patients.compactMap { $0.name.first?.family } } }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse { try lock.withLock { try answer(request) } }

    private func answer(_ request: HTTPRequest) throws -> HTTPResponse {
        if request.method == .get { return found(request.url) }
        guard request.url.lastPathComponent == testBase.lastPathComponent else {
            let patient = try Patient(json: request.body ?? Data())
            patient.id = patient.id ?? "p\(patients.count)"
            patient.meta = Meta { $0.versionId = "1" }
            patients.append(patient)
            return .json(FHIRJSON.string(patient), 201)
        }
        count += 1
        let bundle = try FireLiteR4.Bundle(json: request.body ?? Data())
        let entries = bundle.entry
        let first = (entries[0].fullUrl, "Patient/p\(patients.count)")
        for case let patient as Patient in entries.map(\.resource) where !isIdle {
            patient.id = "p\(patients.count)"
            for link in patient.link where link.other?.reference == first.0 { link.other?.reference = first.1 }
            let value = patient.identifier.first?.value
            if isConditional, patients.contains(where: { $0.identifier.first?.value == value }) { continue }
            if entries[0].request?.method == .put, let place = patients.firstIndex(where: { $0.identifier.first?.value == value }) {
                patient.id = patients[place].id
                patients[place] = patient
            } else {
                patients.append(patient)
            }
        }
        let results = entries.map { _ in #"{"response":{"status":"200"}}"# }.joined(separator: ",")
        return .json(#"{"resourceType":"Bundle","type":"\#(bundle.text("type") ?? "")-response","entry":[\#(results)]}"#)
    }

    private func found(_ url: URL) -> HTTPResponse {
        if let patient = patients.first(where: { $0.id == url.lastPathComponent }) { return .json(FHIRJSON.string(patient)) }
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let value = items.first { $0.name == "identifier" }?.value ?? ""
        let values = value.split(separator: ",").compactMap { $0.split(separator: "|").last }
        switch searching {
        case .isRefused:
            return .json(#"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"not-supported"}]}"#, 400)
        case .lags: return Self.page([])
        case .findsOthers: return Self.page([#"{"resourceType":"Patient","id":"other","name":[{"family":"Smith"}]}"#])
        case .fails: return .json(#"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"exception"}]}"#, 500)
        case .hasAnError: return Self.page([#"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"exception"}]}"#])
        case .statesATotal: return .json(#"{"resourceType":"Bundle","type":"searchset","total":\#(values.count)}"#)
        case .leavesOutIdentifiers: return Self.page(patients.map { #"{"resourceType":"Patient","id":"\#($0.id ?? "")"}"# })
        case .knowsNoLists where values.count > 1: return Self.page([])
        case .beginsWithAnEmptyPage where !items.contains { $0.name == "page" }:
            return Self.page([], next: url.absoluteString + "&page=1")
        case .answers, .pages, .lacksFirst, .knowsNoLists, .beginsWithAnEmptyPage, .showsOne:
            var found = patients.filter { patient in values.contains { $0 == patient.identifier.first?.value ?? "" } }
            if searching == .showsOne { found = Array(found.prefix(1)) }
            let texts = found.filter { searching != .lacksFirst || $0 !== patients.first }.map { FHIRJSON.string($0) }
            guard searching == .pages else { return Self.page(texts) }
            let place = items.first { $0.name == "page" }?.value.flatMap { Int($0) } ?? 0
            var next = URLComponents(url: url, resolvingAgainstBaseURL: false)
            next?.queryItems = items.filter { $0.name != "page" } + [URLQueryItem(name: "page", value: "\(place + 1)")]
            let link = place + 1 < texts.count ? next?.url?.absoluteString : nil
            return Self.page(Array(texts.dropFirst(place).prefix(1)), next: link)
        }
    }

    private static func page(_ resources: [String], next: String? = nil) -> HTTPResponse {
        let entries = resources.map { #"{"resource":\#($0)}"# }.joined(separator: ",")
        let link = next.map { #","link":[{"relation":"next","url":"\#($0)"}]"# } ?? ""
        return .json(#"{"resourceType":"Bundle","type":"searchset"\#(link)\#(entries.isEmpty ? "" : #","entry":[\#(entries)]"#)}"#)
    }
}
