import FireLite
import FireLiteCore
import FireLiteCrypto
import FireLiteSync
import Foundation

extension Outbox {
    /// Puts what waits in a folder of the old DataQueue into the outbox, in its order: `QueuedResource-1.json`, `QueuedResource-2.json` …
    ///
    /// A resource with an id is updated, one without is created: the old queue did not keep the method. All are imported or none.
    /// Importing a folder twice does no more than importing it once.
    /// - Parameters:
    ///   - folder: the folder of the server's host, `DataQueue/example.org`.
    ///   - removingFiles: whether the files are deleted once they are in the outbox.
    /// - Returns: the number of resources that were put into the outbox.
    /// - Throws: `OutboxError.Code.file`, which names the file, if one cannot be read or is no resource of the release;
    ///   `EnvelopeError`; `FHIRStoreError`.
    @discardableResult
    public func importDataQueue(from folder: URL, removingFiles: Bool = true) async throws -> Int {
        let queued = try Self.files(in: folder).map { try QueuedFile($0, store.release) }
        let count = try await store.write { tx in
            var count = 0
            for file in queued {
                let known = try tx.outboxRows("SELECT 1 FROM _outbox WHERE mark = ?", [.text(file.mark.uuid)])
                guard known.isEmpty else { continue }
                _ = try tx.enqueue(file.request, for: self.client.base, sealing: self.envelopes, mark: file.mark, created: file.created)
                count += 1
            }
            return count
        }
        if removingFiles {
            for file in queued {
                do { try FileManager.default.removeItem(at: file.url) } catch {
                    throw OutboxError(.file, "\(file.url.path) is in the outbox and cannot be deleted: delete it")
                }
            }
        }
        return count
    }

    /// The files of the queue in its order.
    private static func files(in folder: URL) throws -> [URL] {
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: folder.path) } catch {
            throw OutboxError(.file, "\(folder.path) cannot be read: check the path and its permissions")
        }
        let numbered = names.compactMap { name -> (number: Int, name: String)? in
            guard name.hasPrefix("QueuedResource-"), name.hasSuffix(".json") else { return nil }
            return Int(name.dropFirst("QueuedResource-".count).dropLast(".json".count)).map { ($0, name) }
        }
        return numbered.sorted { $0.number < $1.number }.map { folder.appendingPathComponent($0.name) }
    }
}

/// A file of the old DataQueue.
private struct QueuedFile: Sendable {
    let url: URL
    let request: FHIRRequest
    let created: Date
    /// Made from the name and the content, so that a file gives the same entry each time.
    let mark: OutboxMark

    init(_ url: URL, _ release: FHIRRelease) throws {
        struct Head: Decodable {
            let resourceType: String
            let id: String?
        }
        self.url = url
        let body: Data
        let head: Head
        do {
            body = try WholeFile.bytes(url.path)
            head = try JSONDecoder().decode(Head.self, from: body)
        } catch { throw OutboxError(.file, "\(url.path) cannot be read as a resource: repair it, or move it elsewhere") }
        guard release.resourceLayout(named: head.resourceType) != nil else {
            throw OutboxError(.file, "\(url.path) is no resource of FHIR \(release.name): move it elsewhere")
        }
        let fields = FHIRRequest.contentFields(release)
        do {
            request =
                if let id = head.id { FHIRRequest(.put, try FHIRRequest.path(head.resourceType, id), fields: fields, body: body) } else {
                    FHIRRequest(.post, head.resourceType, fields: fields, body: body)
                }
        } catch { throw OutboxError(.file, "\(url.path) has an id that FHIR does not allow: repair it, or move it elsewhere") }
        var status = stat()
        created = stat(url.path, &status) == 0 ? Date(timeIntervalSince1970: Double(status.modificationSeconds)) : .present
        var hash = [UInt8](HashAlgorithm.sha256.digest(of: Data(url.lastPathComponent.utf8) + body).prefix(16))
        // A UUID of version 8 (RFC 9562).
        hash[6] = hash[6] & 0x0F | 0x80
        hash[8] = hash[8] & 0x3F | 0x80
        var rest = hash.hexText[...]
        mark = OutboxMark(
            uuid: [8, 4, 4, 4, 12].map { count in
                defer { rest = rest.dropFirst(count) }
                return String(rest.prefix(count))
            }.joined(separator: "-"))
    }
}

extension stat {
    /// The time of the last change of the content, in seconds since 1970.
    fileprivate var modificationSeconds: Int {
        #if canImport(Darwin)
            st_mtimespec.tv_sec
        #else
            st_mtim.tv_sec
        #endif
    }
}
