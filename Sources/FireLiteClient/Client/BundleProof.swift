import FireLiteCore
import Foundation

/// What the server has of the entries of a batch or transaction that it says it has done: the only place that decides which of them count, for the
/// synchronizer and the outbox.
///
/// A status proves nothing: whatever answers instead of the server can state one. An entry counts if its result has the resource with what was sent,
/// or the address of the new version of what was written, as FHIR has it (`Location: Patient/1/_history/2`). The others are read back, those of a
/// type together. Whoever states addresses of what was never stored can state resources as well, so that asking for these would only double
/// what is transferred; if the version turns out not to be there, a synchronization meets one that has gone back.
struct BundleProof {
    /// The number of resources that are asked for together.
    private static let readTogether = 50
    /// How many in a row are read one by one, without success, before the rest is taken as not done: what a search does not show yet, a read may.
    private static let patience = 2
    /// How many resources of a type are read to find the one that another refers to.
    private static let referencesRead = 5
    /// The number of pages of a search that are read.
    private static let maximumPages = 100

    /// What a result is about.
    private enum Subject {
        case resource(typeName: String, id: String)
        /// The resource that the condition of the request finds.
        case match(typeName: String, FHIRParameters)
        /// Nothing that could be read.
        case nothing
        /// The result contradicts the request, or itself.
        case contradiction
    }

    private let client: FHIRClient
    private let requests: [FHIRRequest]
    private let results: [FHIRBundleEntryResult]
    private let kind: FHIRClient.BundleKind
    /// What the requests write.
    private let targets: [FHIRRequest.Target]
    /// Where the results say that resources are, at this server.
    private let places: [ResourceLocation?]
    private var found: [WriteReceipt?]
    /// Which creates are not there, as a whole answer to a search by their conditions shows.
    private var absent: Set<Int> = []
    /// Which creates the server does not search for.
    private var unsearchable: Set<Int> = []
    /// Whether the server is not reached any more.
    private var isLost = false
    /// Why the server could not be asked: the connection, the token or the load.
    private var failure: FHIRClientError?

    init(_ client: FHIRClient, _ requests: [FHIRRequest], _ results: [FHIRBundleEntryResult], _ kind: FHIRClient.BundleKind) {
        self.client = client
        self.requests = requests
        self.results = results
        self.kind = kind
        targets = requests.map(\.target)
        places = results.map { ResourceLocation($0.location, at: client.origin) }
        found = Array(repeating: nil, count: requests.count)
    }

    /// What the server has of each entry; nil if it does not show that the entry was done.
    ///
    /// - Throws: `AuthorizationError`; `CancellationError`. Failures to read leave entries without a receipt.
    func receipts() async throws -> [WriteReceipt?] {
        var proof = self
        try await proof.run()
        return proof.found
    }

    /// What the server shows of a Bundle that it has said it has done, or may have done.
    ///
    /// - Parameter fullURLs: the addresses by which entries refer to each other.
    /// - Throws: `FHIRClientError` if the server is not reached, fails or wants another token; as `receipts()`.
    func standing(_ fullURLs: [String?]) async throws -> BundleStanding {
        var proof = self
        try await proof.run()
        if kind == .transaction { try await proof.readReferredTo(fullURLs) }
        let missing = requests.indices.filter { proof.found[$0] == nil }
        if missing.isEmpty { return .shown }
        if let failure = proof.failure { throw failure }
        let creates = requests.indices.filter { requests[$0].method == .post }
        let unshown = creates.filter { proof.found[$0] == nil }
        // What others refer to can be from before, and was there before they were. All the rest of a transaction was done, or nothing; somebody else can
        // have made it.
        let heads = kind == .transaction ? creates.filter { referring(to: $0, fullURLs).isEmpty } : creates
        let isShownInPart = heads.contains { proof.found[$0] != nil }
        if isShownInPart, unshown.contains(where: { !proof.unsearchable.contains($0) }) { return .partlyShown(missing.count) }
        // Sending it again would make these creates again, and replace what others may have written where it updates.
        if unshown.isEmpty, !creates.isEmpty { return .partlyShown(missing.count) }
        // Updates and deletions may be done twice.
        if unshown.allSatisfy({ proof.absent.contains($0) }) { return .absent }
        let areUnsearchable = unshown.allSatisfy { proof.absent.contains($0) || proof.unsearchable.contains($0) }
        return areUnsearchable ? .unsearchable(missing.count) : .unknown(missing.count)
    }

    /// The other entries that refer to the resource of an entry.
    private func referring(to index: Int, _ fullURLs: [String?]) -> [Int] {
        guard let address = fullURLs[index], !address.isEmpty else { return [] }
        let text = Data("\"\(address)\"".utf8)
        return requests.indices.filter { $0 != index && requests[$0].body?.range(of: text) != nil }
    }

    /// Reads what others refer to, and no search has shown, where the server's states of these refer to.
    private mutating func readReferredTo(_ fullURLs: [String?]) async throws {
        for index in requests.indices where found[index] == nil && requests[index].method == .post {
            guard case .type(let typeName) = targets[index] else { continue }
            var ids: [String] = []
            for other in referring(to: index, fullURLs) {
                guard let json = found[other]?.resource, let resource = requests[other].readable(json, client.release) else { continue }
                for text in resource.literalReferences {
                    guard let place = ResourceLocation(text, at: client.origin), place.typeName == typeName, !ids.contains(place.id) else {
                        continue
                    }
                    ids.append(place.id)
                }
            }
            for id in ids.prefix(Self.referencesRead) where try await readAlone(typeName, index, id) { break }
        }
    }

    private mutating func run() async throws {
        // If anything in a transaction failed, nothing was done, or the answer is wrong.
        let isDoubtful = kind == .transaction && results.contains { !$0.isSuccess }
        var ids: [String: [(index: Int, id: String)]] = [:]
        var matches: [String: [(index: Int, condition: FHIRParameters)]] = [:]
        for (index, subject) in subjects().enumerated() where results[index].isDone(by: requests[index].method) {
            switch subject {
            case .nothing: found[index] = receipt(index)
            case .contradiction: break
            case .match(let typeName, let condition): matches[typeName, default: []].append((index, condition))
            case .resource(let typeName, let id):
                if !isDoubtful, isShownAtOnce(index, id) || isStated(index, id) { continue }
                ids[typeName, default: []].append((index, id))
            }
        }
        for (typeName, entries) in ids.sorted(by: { $0.key < $1.key }) {
            for start in stride(from: 0, to: entries.count, by: Self.readTogether) {
                try await read(typeName, Array(entries[start..<min(start + Self.readTogether, entries.count)]))
            }
        }
        for (typeName, entries) in matches.sorted(by: { $0.key < $1.key }) { try await search(typeName, entries) }
    }

    // MARK: - Results

    private func subjects() -> [Subject] {
        var subjects = requests.indices.map(subject)
        // One resource is not what several entries have made.
        var counts: [String: Int] = [:]
        func name(_ index: Int) -> String? {
            guard case .resource(let typeName, let id) = subjects[index], case .type = targets[index] else { return nil }
            return typeName + "/" + id
        }
        let names = subjects.indices.map(name)
        for name in names.compactMap({ $0 }) { counts[name, default: 0] += 1 }
        for (index, name) in names.enumerated() {
            guard let name, counts[name] ?? 0 > 1, case .type(let typeName) = targets[index] else { continue }
            subjects[index] = requests[index].condition.map { .match(typeName: typeName, $0) } ?? .contradiction
        }
        return subjects
    }

    private func subject(_ index: Int) -> Subject {
        let (request, place, head) = (requests[index], places[index], results[index].head)
        let typeName: String
        var id: String?
        switch targets[index] {
        case .other, .bundle: return .nothing
        case .type(let name): typeName = name
        case .resource(let name, let named): (typeName, id) = (name, named)
        }
        guard request.method != .get, request.method != .head else { return .nothing }
        guard place.map({ $0.typeName == typeName }) ?? true, head.map({ $0.typeName == typeName && $0.id != nil }) ?? true else {
            return .contradiction
        }
        for stated in [place?.id, head?.id] {
            guard let stated else { continue }
            guard id ?? stated == stated else { return .contradiction }
            id = stated
        }
        if request.method == .delete, let condition = request.condition { return .match(typeName: typeName, condition) }
        if let id, FHIRRequest.isAddressable(id) { return .resource(typeName: typeName, id: id) }
        return request.condition.map { .match(typeName: typeName, $0) } ?? .contradiction
    }

    /// Whether the result itself has the resource with what was sent.
    private mutating func isShownAtOnce(_ index: Int, _ id: String) -> Bool {
        let (request, result) = (requests[index], results[index])
        guard request.method != .delete, let json = result.resource, let head = result.head else { return false }
        let stated = FHIRRequest.version(inEntityTag: result.entityTag) ?? places[index]?.version
        guard head.version == nil || stated == nil || head.version == stated else { return false }
        let version = head.version ?? stated
        guard !request.mayBeEcho(id: head.id, version: version) else { return false }
        let release = client.release
        let isFound = request.condition != nil && request.method == .post
        guard
            AddedMembers.areAll(json, request.body) || request.isShown(by: json, version: version, release: release)
                || isFound && request.isProved(by: json, version: version, status: result.status, stated: stated, release: release)
        else { return false }
        found[index] = WriteReceipt(status: result.status, id: id, version: version, resource: json)
        return true
    }

    /// Whether the result has the address of a new version of the resource.
    private mutating func isStated(_ index: Int, _ id: String) -> Bool {
        let (request, result) = (requests[index], results[index])
        guard request.method != .delete, result.status != 204, let version = places[index]?.version, version != request.replacedVersion,
            [FHIRRequest.version(inEntityTag: result.entityTag), result.head?.version].allSatisfy({ $0 ?? version == version }),
            // Of what is only to be made, the version may be anybody's.
            request.fields["If-None-Match"] == nil || result.status == 201
        else { return false }
        found[index] = WriteReceipt(status: result.status, id: id, version: version, resource: result.resource)
        return true
    }

    private func receipt(_ index: Int) -> WriteReceipt {
        let result = results[index]
        return WriteReceipt(status: result.status, id: result.id, version: result.version, resource: result.resource)
    }

    /// Notes what the server has of an entry, if that shows that it was done.
    private mutating func note(_ index: Int, _ id: String, _ json: Data, version: String?) -> Bool {
        let (request, result) = (requests[index], results[index])
        guard request.method != .delete,
            request.isProved(by: json, version: version, status: result.status, stated: result.version, release: client.release)
        else { return false }
        found[index] = WriteReceipt(status: result.status, id: id, version: version, resource: json)
        return true
    }

    private mutating func note(_ error: FHIRClientError) {
        isLost = error.status == nil && error.code != .invalidResponse
        // What a server fails at now, it may do later; 501 says that it never does.
        let isFailure = error.status.map { $0 >= 500 && $0 != 501 || [401, 407, 408, 425, 429].contains($0) } ?? false
        if isLost || isFailure { failure = failure ?? error }
    }

    // MARK: - Reading back

    /// Reads resources by their ids: together, and one by one those that a search does not show.
    private mutating func read(_ typeName: String, _ entries: [(index: Int, id: String)]) async throws {
        var rest = entries
        if rest.count > 1, let page = try await page(typeName, "_id", rest.map(\.id)) {
            let there = Dictionary(page.resources.map { ($0.id, $0) }) { first, _ in first }
            let isAnswer = page.isWhole && Set(there.keys).isSubset(of: rest.map(\.id))
            rest = []
            for entry in entries {
                if let state = there[entry.id] {
                    if note(entry.index, entry.id, state.json, version: state.version) { continue }
                } else if isAnswer, requests[entry.index].method == .delete {
                    found[entry.index] = receipt(entry.index)
                    continue
                }
                rest.append(entry)
            }
        }
        var misses = 0
        for entry in rest where misses < Self.patience {
            misses = try await readAlone(typeName, entry.index, entry.id) ? 0 : misses + 1
        }
    }

    private mutating func readAlone(_ typeName: String, _ index: Int, _ id: String) async throws -> Bool {
        guard !isLost else { return false }
        try Task.checkCancellation()
        let response: HTTPResponse
        do {
            response = try await client.send(.read(typeName, id: id))
        } catch let error as FHIRClientError {
            guard error.saysAbsent else {
                note(error)
                return false
            }
            guard requests[index].method == .delete else { return false }
            found[index] = receipt(index)
            return true
        }
        guard let head = ResourceHead(response.body), head.typeName == typeName, head.id == id else { return false }
        return note(index, id, response.body, version: head.version ?? FHIRRequest.version(inEntityTag: response.fields["ETag"]))
    }

    /// Looks for the resources that conditions find: those of identifiers or tags together.
    private mutating func search(_ typeName: String, _ entries: [(index: Int, condition: FHIRParameters)]) async throws {
        var groups: [String: [(index: Int, value: String)]] = [:]
        for (index, condition) in entries {
            if let mark = ConditionMark(requests[index]) {
                let isDeletion = requests[index].method == .delete
                groups[(isDeletion ? "-" : "") + mark.name, default: []].append((index, mark.value))
            } else {
                note(try await page(typeName, condition), [index])
            }
        }
        for (name, marks) in groups.sorted(by: { $0.key < $1.key }) {
            for start in stride(from: 0, to: marks.count, by: Self.readTogether) {
                let part = Array(marks[start..<min(start + Self.readTogether, marks.count)])
                let page = try await page(typeName, name.hasPrefix("-") ? String(name.dropFirst()) : name, part.map(\.value))
                note(page, part.map(\.index))
                if part.count > 1, !name.hasPrefix("-") { try await searchAlone(typeName, name, part) }
            }
        }
    }

    /// Looks one by one for what a search for several has not shown: some servers know no lists of values, and some give parts of the result.
    private mutating func searchAlone(_ typeName: String, _ name: String, _ marks: [(index: Int, value: String)]) async throws {
        // If the search for all seems whole, the first ones show whether it is.
        var isTrusted = marks.allSatisfy { found[$0.index] != nil || absent.contains($0.index) }
        var misses = 0
        for (index, value) in marks where found[index] == nil && !(isTrusted && misses >= Self.patience) {
            absent.remove(index)
            unsearchable.remove(index)
            note(try await page(typeName, name, [value]), [index])
            if found[index] != nil { isTrusted = false } else { misses += 1 }
            // A server that refuses the search refuses it for the others, too.
            if unsearchable.contains(index) { return unsearchable.formUnion(marks.map(\.index).filter { found[$0] == nil }) }
        }
    }

    /// Notes what a search by conditions shows of entries.
    ///
    /// - Parameter page: nil if the server does not answer the search.
    private mutating func note(_ page: Page?, _ indices: [Int]) {
        guard let page else { return unsearchable.formUnion(indices) }
        for index in indices {
            if requests[index].method == .delete {
                if page.isWhole, page.resources.isEmpty { found[index] = receipt(index) }
                continue
            }
            let isShown = page.resources.contains { note(index, $0.id, $0.json, version: $0.version) }
            if !isShown, requests[index].method == .post, isAnswer(page, indices) { absent.insert(index) }
        }
    }

    /// Whether a page has everything that conditions find, and nothing else: some servers ignore parameters that they do not know.
    private func isAnswer(_ page: Page, _ indices: [Int]) -> Bool {
        let marks = indices.compactMap { ConditionMark(requests[$0]) }
        return page.isWhole
            && page.resources.allSatisfy { resource in
                marks.contains { $0.isOn(resource.json, requests[indices[0]].readable(resource.json, client.release)) }
            }
    }

    private mutating func page(_ typeName: String, _ name: String, _ values: [String]) async throws -> Page? {
        try await page(typeName, [name: values.joined(separator: ",")])
    }

    /// - Returns: nil if the server does not answer the search.
    private mutating func page(_ typeName: String, _ parameters: FHIRParameters) async throws -> Page? {
        guard !isLost else { return nil }
        try Task.checkCancellation()
        let request = FHIRRequest(.get, typeName, parameters: parameters + ["_count": "\(Self.readTogether)"])
        var page = Page(isWhole: true)
        var (place, pages) = (PagePlace(nil), 0)
        do {
            repeat {
                let received = try client.received(try await client.pageText(request, at: place.url), takesOutUnreadable: true)
                pages += 1
                page.take(received, typeName)
                try place.advance(to: received.next, received.content, request)
                // Servers send fewer at once than they are asked for; those that send others need not end.
                if !place.isAtEnd, pages == Self.maximumPages || page.resources.count > 2 * Self.readTogether {
                    page.isWhole = false
                    break
                }
            } while !place.isAtEnd
            return page
        } catch let error as FHIRClientError {
            note(error)
            page.isWhole = false
            return pages > 0 || error.code == .invalidResponse ? page : nil
        }
    }

    /// What a search shows.
    private struct Page {
        var resources: [(id: String, version: String?, json: Data)] = []
        /// Whether the server has nothing else that was asked for.
        var isWhole: Bool

        mutating func take(_ received: FHIRClient.ReceivedBundle, _ typeName: String) {
            isWhole = isWhole && received.unreadable.isEmpty && received.bundle.text("type") == "searchset"
            for entry in received.bundle.children("entry") {
                let mode = entry.child("search")?.text("mode")
                guard let resource = entry.takeResource("resource") else {
                    isWhole = isWhole && mode == "outcome"
                    continue
                }
                if resource.resourceType == "OperationOutcome" {
                    isWhole = isWhole && !resource.children("issue").contains { ["error", "fatal"].contains($0.text("severity")) }
                }
                guard resource.resourceType == typeName else { continue }
                let meta = resource.child("meta")
                // A part of the resource shows nothing of the rest.
                guard let id = resource.id, !(meta?.children("tag").contains { $0.text("code") == "SUBSETTED" } ?? false) else {
                    isWhole = false
                    continue
                }
                resources.append((id, meta?.text("versionId"), FHIRJSON.data(resource)))
            }
            if let total = received.total, received.next == nil, total > resources.count { isWhole = false }
        }
    }
}

extension FHIRObject {
    /// The texts of all references in it.
    fileprivate var literalReferences: [String] {
        layout.elements.flatMap { element -> [String] in
            switch value(element.slot) {
            case .object(let child): child.literalReferences
            case .objects(let children): children.flatMap(\.literalReferences)
            case .some where element.name == "reference": text("reference").map { [$0] } ?? []
            default: []
            }
        }
    }
}

/// What a server shows of a batch or transaction that it has said it has done, or may have done.
package enum BundleStanding: Sendable {
    /// Every entry.
    case shown
    /// A search shows that creates are not there: they may be sent again.
    case absent
    /// Some creates are there and this number of entries is not shown, so nobody knows whether it was done.
    case partlyShown(Int)
    /// The server does not search for creates, so nobody knows about this number of entries.
    case unsearchable(Int)
    /// The server does not let this number of entries be read back, so nobody knows.
    case unknown(Int)
}

/// A complete answer to a batch or transaction says that every entry was done, and reading back does not show it.
package struct UnshownEntries: Error {
    /// What describes it.
    package let cause: FHIRClientError
}
