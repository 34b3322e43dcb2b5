import FireLite
import FireLiteCore
import Foundation

// The asynchronous forms of calls that read or write much, which do not block the caller. `progress` is called on the thread that does the work.

extension Attachments {
    /// Stores a payload by itself: see the blocking form.
    ///
    /// - Parameters:
    ///   - bytes: the payload.
    ///   - contentType: the stated type; nil for none. Default: nil.
    /// - Throws: errors of the blocking form; `CancellationError`.
    public func put(_ bytes: Data, contentType: String? = nil) async throws -> PayloadReference {
        try await store.writing { try self.put(bytes, contentType: contentType) }
    }

    /// Adds an attachment to a stored resource: see the blocking form.
    ///
    /// - Parameters:
    ///   - bytes: the payload.
    ///   - typeName: the type of the resource.
    ///   - id: its id.
    ///   - title: a title. Default: none.
    ///   - contentType: the media type; nil to recognize it from the bytes. Default: nil.
    /// - Throws: errors of the blocking form; `CancellationError`.
    public func attach(
        _ bytes: Data, to typeName: String, id: String, title: String? = nil, contentType: String? = nil
    ) async throws {
        try await store.writing { try self.attach(bytes, to: typeName, id: id, title: title, contentType: contentType) }
    }

    /// Removes an attachment from a stored resource: see the blocking form.
    ///
    /// - Parameters:
    ///   - number: the position of the attachment among those of the resource, from 0.
    ///   - typeName: the type of the resource.
    ///   - id: its id.
    /// - Throws: errors of the blocking form; `CancellationError`.
    public func detach(_ number: Int, from typeName: String, id: String) async throws {
        try await store.writing { try self.detach(number, from: typeName, id: id) }
    }

    /// Keeps the payloads of everything that is stored from now on apart from its rows: see the blocking form.
    ///
    /// - Throws: errors of the blocking form; `CancellationError`.
    public func externalizeNewPayloads(_ policy: AttachmentPolicy = AttachmentPolicy()) async throws {
        try await store.writing { try self.externalizeNewPayloads(policy) }
    }

    /// Continues to keep payloads apart in a file that does so already: see the blocking form.
    ///
    /// - Returns: whether payloads are kept apart.
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func resume() async throws -> Bool { try await store.writing { try self.resume() } }

    /// The separate payloads, in the order they were stored.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func list() async throws -> [StoredPayload] { try await store.reading { try self.list() } }

    /// Makes and stores thumbnails of an image: see the blocking form.
    ///
    /// - Parameters:
    ///   - reference: the image.
    ///   - make: makes a JPEG, PNG or TIFF of at most that height in pixels; nil if it cannot. It is called on a thread of the store's own.
    /// - Returns: the stored sizes.
    /// - Throws: errors of the blocking form; `CancellationError`.
    @discardableResult
    public func makeThumbnails(
        of reference: PayloadReference, _ make: sending @escaping (Data, AttachmentKind, Int) throws -> Data?
    ) async throws -> Set<ThumbnailSize> {
        try await store.writing { try self.makeThumbnails(of: reference, make) }
    }

    /// An image in a size, or in the next larger stored size.
    ///
    /// - Returns: the bytes and their size: `full` for the image itself.
    /// - Throws: errors of the blocking form; `CancellationError`.
    public func thumbnail(_ size: ThumbnailSize, of reference: PayloadReference) async throws -> (size: ThumbnailSize, bytes: Data) {
        try await store.reading { try self.thumbnail(size, of: reference) }
    }

    /// The bytes of a separate payload, compared with their hash.
    /// The bytes of a separate payload, compared with their hash.
    ///
    /// - Throws: errors of the blocking form; `CancellationError`.
    public func data(_ reference: PayloadReference) async throws -> Data { try await store.reading { try self.data(reference) } }

    /// A part of a payload: see the blocking form.
    ///
    /// - Parameters:
    ///   - reference: the payload.
    ///   - range: the requested bytes; those beyond the end are omitted.
    /// - Throws: errors of the blocking form; `CancellationError`.
    public func data(_ reference: PayloadReference, in range: Range<Int>) async throws -> Data {
        try await store.reading { try self.data(reference, in: range) }
    }

    /// The resource as it was stored, with its separate payloads.
    ///
    /// - Parameter resource: a resource of this store, which the caller must not use afterwards.
    /// - Throws: errors of the blocking form; `CancellationError`.
    public func resolvingPayloads<Resource: FHIRResource>(in resource: sending Resource) async throws -> sending Resource {
        try await store.reading { try self.resolvingPayloads(in: resource) }
    }

    /// Moves payloads apart: see the blocking form. Cancelling ends it between two writes; moved payloads stay moved.
    ///
    /// - Parameters:
    ///   - policy: the policy; nil for the file's, or the default one. Default: nil.
    ///   - progress: receives the number of examined resources. Default: none.
    /// - Throws: errors of the blocking form; `CancellationError`.
    @discardableResult
    public func externalizePayloads(
        _ policy: AttachmentPolicy? = nil, progress: ProgressHandler<StoreProgress>? = nil
    ) async throws -> Int {
        try await store.transferring { try self.externalizePayloads(policy, progress: progress) }
    }

    /// Moves all payloads back: see the blocking form. Cancelling ends it between two writes; moved payloads stay moved.
    ///
    /// - Parameter progress: receives the number of examined resources. Default: none.
    /// - Throws: errors of the blocking form; `CancellationError`.
    @discardableResult
    public func inlinePayloads(progress: ProgressHandler<StoreProgress>? = nil) async throws -> Int {
        try await store.transferring { try self.inlinePayloads(progress: progress) }
    }

    /// Compares every payload with its hash: see the blocking form.
    ///
    /// - Parameter progress: receives the number of bytes read. Default: none.
    /// - Throws: as the blocking form does; `CancellationError`.
    public func verify(progress: ProgressHandler<StoreProgress>? = nil) async throws -> [PayloadFault] {
        try await store.reading { try self.verify(progress: progress) }
    }

    /// Deletes unreferenced payloads: see the blocking form.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func removeUnreferencedPayloads() async throws -> (payloads: Int, bytes: Int) {
        try await store.writing { try self.removeUnreferencedPayloads() }
    }
}
