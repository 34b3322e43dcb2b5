import FireLite
import FireLiteCore
import Foundation

extension SyncRun {
    /// The number of resources that are stored together.
    private static let batchSize = 500

    /// Pulls for the first time by a bulk export, if the app wants that and the scope consists of whole types.
    ///
    /// An export that is interrupted goes on with the files in the folder; what was stored already is skipped by its version.
    mutating func fill(_ searches: [Search]) async throws {
        guard let folder = configuration.exportFolder, !searches.isEmpty,
            searches.allSatisfy({ $0.path == $0.typeName && $0.parameters.all.isEmpty })
        else { return }
        let cursors = try await journal { journal in try searches.map { try journal.cursor($0.key, type: $0.typeName) } }
        guard cursors.allSatisfy({ $0.since == nil && $0.page == nil }) else { return }
        let export = try await client.export(BulkExportOptions(types: searches.map(\.typeName)), to: folder)
        var scopes: [String: Int64] = [:]
        for (search, cursor) in zip(searches, cursors) { scopes[search.typeName] = cursor.scope }
        var newestOfType: [String: Int64] = [:]
        for file in export.files where file.content != .errors {
            try await store(file, scope: scopes[file.typeName], &newestOfType)
        }
        // What the server could not export, a search finds.
        guard !export.files.contains(where: { $0.content == .errors }) else { return }
        let newest = newestOfType
        guard let time = ServerTime.milliseconds(export.transactionTime?.date) else { return }
        let searched = Array(zip(searches, cursors))
        try await journal { journal in
            for (search, cursor) in searched {
                // The clock by which changes are dated may be behind the one that dates the export.
                let time = min(time, newest[search.typeName] ?? time)
                try journal.keep(SyncCursor(scope: cursor.scope, since: time, newest: time, page: nil))
                let deletions = try journal.cursor("_history/\(search.typeName)", type: search.typeName)
                try journal.keep(SyncCursor(scope: deletions.scope, since: time, newest: nil, page: nil))
            }
        }
    }

    /// - Parameter newestOfType: the newest time of change of each type so far.
    private mutating func store(
        _ file: BulkExportResult.File, scope: Int64?, _ newestOfType: inout [String: Int64]
    ) async throws {
        let handle: FileHandle
        do { handle = try FileHandle(forReadingFrom: file.url) } catch {
            throw FHIRClientError(.file, "a file of the bulk export cannot be read: remove its folder and begin again")
        }
        defer { do { try handle.close() } catch {} }
        var (rest, done, isAtEnd) = (Data(), 0, false)
        while !isAtEnd {
            try Task.checkCancellation()
            var lines: [Data] = []
            while lines.count < Self.batchSize, !isAtEnd {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.append(Data(rest[..<end]))
                    rest = rest[(end + 1)...]
                } else if let more = try handle.read(upToCount: 1 << 20), !more.isEmpty {
                    rest = Data(rest) + more
                } else {
                    lines.append(Data(rest))
                    isAtEnd = true
                }
            }
            let texts = lines.filter { !$0.isEmpty }
            let isDeletions = file.content == .deletions
            let client = client
            let (reception, unreadable, newest) = try await journal { journal in
                try journal.takeIn()
                var (states, unreadable): ([RemoteState], [UnreadableEntry]) = ([], [])
                for text in texts {
                    do { states += try Self.states(text, isDeletions, client) } catch let error as FHIRDecodingError {
                        unreadable.append(UnreadableEntry(text, reason: error.description))
                    }
                }
                let times = states.map { ServerTime.milliseconds($0.resource?.child("meta")?.instant("lastUpdated")?.date) }
                if !states.isEmpty { try journal.acknowledgeServer() }
                let kept = try journal.keep(unreadable)
                return (try journal.receive(states, scope: scope), kept, times.compactMap { $0 }.max())
            }
            count(reception)
            result.unreadable += unreadable
            if let newest { newestOfType[file.typeName] = max(newestOfType[file.typeName] ?? newest, newest) }
            try await settle(reception.unsettled)
            try await readAgain(reception.doubts, scope: nil)
            done += texts.count
            try progress.report(SyncProgress(phase: .pull, typeName: file.typeName, done: done, total: file.count))
        }
    }

    /// What a line says: a resource, or a Bundle of deletions.
    private static func states(_ line: Data, _ isDeletions: Bool, _ client: FHIRClient) throws -> [RemoteState] {
        let resource = try client.read(line)
        guard isDeletions else {
            guard let id = resource.id else { return [] }
            let key = SyncKey(typeName: resource.resourceType, id: id)
            return [RemoteState(key: key, version: resource.child("meta")?.text("versionId"), resource: resource)]
        }
        return resource.children("entry").compactMap { entry in
            guard let place = ResourceLocation(entry.child("request")?.text("url"), at: client.origin) else { return nil }
            return RemoteState(key: SyncKey(typeName: place.typeName, id: place.id), version: nil, resource: nil)
        }
    }
}
