import FireLiteCore

/// A module that notes something about the content of each resource as it is written, such as a hash of it, so that it need not read
/// the resource again at the commit. A store has one at most: the first that was added.
package protocol ContentWitness: WriteParticipant {
    /// Called with each resource that a write adds or changes, each time. It must not use the store, nor change or keep the resource.
    ///
    /// - Returns: the note, which `WrittenResource` has at the commit.
    /// - Throws: an error that the write fails with.
    func note(on resource: FHIRResource) throws -> [UInt8]
}
