import FireLite

extension Attachments {
    /// Moves payloads out of rows, and keeps later ones apart. With a keyring in `records.encryption`, it also seals separate payloads in
    /// the clear. Resources keep their revisions: observers, the change log and syncs see no change.
    ///
    /// It takes many writes. If it ends early, moved payloads stay moved, and a later call continues.
    /// - Parameters:
    ///   - policy: the policy; nil for the file's, or the default one. Default: nil.
    ///   - progress: receives the number of examined resources. Default: none.
    /// - Returns: the number of resources whose payloads were moved.
    /// - Throws: errors of `progress`; `FHIRStoreError`.
    @discardableResult
    public func externalizePayloads(_ policy: AttachmentPolicy? = nil, progress: StoreProgressHandler? = nil) throws -> Int {
        try externalizeNewPayloads(policy ?? self.policy ?? AttachmentPolicy())
        return try move(apart: true, progress)
    }

    /// Moves all payloads back into the rows of their resources, and keeps none apart from now on. Payloads of older versions stay where
    /// they are.
    ///
    /// Objects in memory still have references: fetch them again before you change them.
    /// - Parameter progress: receives the number of examined resources. Default: none.
    /// - Returns: the number of resources whose payloads were moved.
    /// - Throws: errors of `progress`; `AttachmentError` for a missing or changed payload; `FHIRStoreError`.
    @discardableResult
    public func inlinePayloads(progress: StoreProgressHandler? = nil) throws -> Int {
        guard try resume() || store.payloads.keeper != nil else { return 0 }
        try store.write { tx in try tx.runBlobs("DELETE FROM _blob_policy") }
        try resume()
        return try move(apart: false, progress)
    }

    /// The number of resources looked at in a write, and of rows after which it ends early: 64 MB of payloads.
    private static let resourcesPerWrite = 512
    private static let rowsPerWrite = 256

    private func move(apart: Bool, _ progress: StoreProgressHandler?) throws -> Int {
        let total = try store.counts().reduce(0) { $0 + $1.count }
        var (last, moved, looked) = (0 as Int64, 0, 0)
        // Numbers begin with 1; the first one may be 0 in a file of an early version.
        last = -1
        while true {
            let numbers = try store.read { try $0.resourceNumbers(after: last, limit: Self.resourcesPerWrite) }
            guard !numbers.isEmpty else { return moved }
            let mover = AttachmentKeeper(
                places: PayloadPlaces(store.release), minimumBytes: apart ? try policy?.minimumBytes : nil, sealsKnown: apart)
            try store.write { tx in
                let before = tx.rowsWritten
                try tx.checkCancellation()
                for number in numbers {
                    if try tx.movePayloads(ofResource: number, apart: apart, by: mover) { moved += 1 }
                    (last, looked) = (number, looked + 1)
                    if tx.rowsWritten - before > Self.rowsPerWrite { break }
                }
            }
            try progress?(StoreProgress(.rewriting, looked, of: max(total, looked), .resources))
        }
    }
}
