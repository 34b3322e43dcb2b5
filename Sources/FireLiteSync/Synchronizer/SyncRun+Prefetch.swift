import FireLite
import FireLiteCore
import Foundation

extension SyncRun {
    /// The number of resources whose references are looked at in a write.
    private static let scannedTogether = 500

    /// Reads what references lead to and is not here: see ``Prefetch``.
    mutating func prefetch() async throws {
        guard let prefetch = configuration.prefetch else { return }
        while try await journal({ try $0.scanStored(limit: Self.scannedTogether) }) { try Task.checkCancellation() }
        var asked = 0
        while asked < prefetch.limit {
            let limit = min(Self.fetchedTogether, prefetch.limit - asked)
            let wanted = try await journal { try $0.wantedReferences(limit: limit) }
            guard !wanted.isEmpty else { break }
            asked += wanted.count
            try await follow(wanted)
            try progress.report(SyncProgress(phase: .pull, typeName: wanted.first?.key.typeName, done: asked, total: nil))
        }
        result.leftToPrefetch = try await journal { try $0.wantedCount }
    }

    private mutating func follow(_ wanted: [WantedReference]) async throws {
        let wanted = wanted.filter { !lockedTypes.contains($0.key.typeName) }
        struct Kind: Hashable {
            let typeName: String
            let depth: Int
        }
        let offered = try await abilities().readableTypes
        let kinds = Dictionary(grouping: wanted) { Kind(typeName: $0.key.typeName, depth: $0.depth) }
        for (kind, references) in kinds.sorted(by: { ($0.key.typeName, $0.key.depth) < ($1.key.typeName, $1.key.depth) }) {
            let keys = references.map(\.key)
            var fetched = Fetched()
            if offered?.contains(kind.typeName) ?? true {
                let scope = FetchedScope.key(kind.typeName, depth: kind.depth)
                fetched = try await fetch(keys, Fetching(scope: scope, depth: kind.depth))
            }
            let (found, said) = (fetched.found, Set(fetched.missing.map { SyncKey(typeName: $0.typeName, id: $0.id) }))
            // Types that the server does not have, too.
            let rest = keys.filter { !found.contains($0) && !said.contains($0) }.map {
                MissingReference(typeName: $0.typeName, id: $0.id, reason: .refused, status: nil)
            }
            let missing = fetched.missing + rest
            try await journal { journal in
                for key in found { try journal.removeMissing(key) }
                for reference in missing { try journal.keep(reference) }
            }
            result.prefetched += fetched.reception.stored
            result.missingReferences += missing
        }
    }

    // MARK: - What was read by its id

    /// Asks for the present versions of what was read by its id and is in no whole type that is pulled.
    mutating func fetchAgain(_ searches: [Search]) async throws {
        // Nothing is written for those who fetch nothing by its id.
        guard try await synchronizer.store.read({ try SyncJournal.hasFetched($0) }) else { return }
        let whole = Set(searches.filter(\.isWholeType).map(\.typeName))
        for group in try await journal({ try $0.fetchedGroups(except: whole) }) {
            let fetching = Fetching(scope: FetchedScope.key(group.typeName, depth: group.depth), depth: group.depth)
            for start in stride(from: 0, to: group.ids.count, by: Self.fetchedTogether) {
                try Task.checkCancellation()
                let keys = group.ids[start..<min(start + Self.fetchedTogether, group.ids.count)].map {
                    SyncKey(typeName: group.typeName, id: $0)
                }
                let fetched = try await fetch(try await changed(keys), fetching)
                try await remove(fetched.missing)
            }
        }
    }

    /// Those of which the server does not show that the store has its version.
    private func changed(_ keys: [SyncKey]) async throws -> [SyncKey] {
        guard let typeName = keys.first?.typeName else { return [] }
        let ids = keys.map(\.id).joined(separator: ",")
        let request = FHIRRequest(
            .get, typeName, parameters: ["_id": ids, "_elements": "id,meta", "_count": "\(Self.fetchedTogether)"])
        let page: FHIRClient.PageText
        do {
            page = try await client.pageText(request, at: nil)
        } catch let error as FHIRClientError where error.concernsRequest { return keys }
        guard ResourceHead(page.response.body)?.typeName ?? "Bundle" == "Bundle" else { return keys }
        let client = client
        return try await journal { journal in
            let received = try client.received(page, takesOutUnreadable: true)
            var versions: [SyncKey: String] = [:]
            var times: [SyncKey: Date] = [:]
            for entry in received.bundle.children("entry") {
                guard let resource = entry.takeResource("resource"), let id = resource.id, let meta = resource.child("meta") else {
                    continue
                }
                let key = SyncKey(typeName: resource.resourceType, id: id)
                versions[key] = meta.text("versionId")
                times[key] = meta.instant("lastUpdated")?.date
            }
            for entry in received.unreadable {
                versions[SyncKey(typeName: entry.typeName ?? "", id: entry.id ?? "")] = entry.version
            }
            return try keys.filter { key in
                guard let version = versions[key] else { return true }
                if try journal.known(key)?.version == version { return try journal.hasOtherTime(key, than: times[key], version) }
                return try !journal.isUnreadable(key, version: version)
            }
        }
    }

    /// Takes over that a FHIR server does not have resources any more which it had.
    mutating func remove(_ missing: [MissingReference]) async throws {
        let keys = missing.filter { $0.reason != .refused }.map { SyncKey(typeName: $0.typeName, id: $0.id) }
        guard !keys.isEmpty else { return }
        let reception = try await journal { journal in
            try journal.takeIn()
            let states = try keys.filter { try journal.known($0) != nil }.map { RemoteState(key: $0, version: nil, resource: nil) }
            return try journal.receive(states, scope: nil)
        }
        count(reception)
        try await settle(reception.unsettled)
        try await readAgain(reception.doubts, scope: nil)
    }
}

extension SyncRun.Search {
    /// Whether it finds every resource of the type.
    var isWholeType: Bool { path == typeName && parameters.all.isEmpty }
}
