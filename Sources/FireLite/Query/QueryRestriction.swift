import FireLiteCore

/// Hides resources from reads: whatever does not meet its condition is not there.
package protocol QueryRestriction: AnyObject, Sendable {
    /// The condition that resources of a type must meet to be seen.
    ///
    /// - Parameters:
    ///   - layout: the type.
    ///   - transaction: the snapshot that is read, here without the restriction.
    /// - Throws: what its reads throw.
    func condition(on layout: Layout, in transaction: ReadTransaction) throws -> Predicate
}

extension FHIRStoreError {
    /// The refusal of a call that would not hide what a restriction hides.
    static var notInRestrictedView: FHIRStoreError {
        FHIRStoreError(.invalidArgument, "a restricted view only reads, and does not offer this")
    }
}
