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

    /// The restriction for reading a resource again later: this one, unless it is for one snapshot.
    var lasting: any QueryRestriction { get }

    /// A cursor that reveals nothing of the places between: keys count what is hidden, too.
    ///
    /// - Throws: what sealing throws.
    func sealed(_ cursor: QueryCursor, in store: FHIRStore) throws -> QueryCursor

    /// The place of a cursor that was sealed.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for any other cursor.
    func opened(_ cursor: QueryCursor, in store: FHIRStore) throws -> QueryCursor

    /// Runs a call of a query with this restriction. It can keep a record of what is handed out, and refuse to hand it out.
    ///
    /// - Parameters:
    ///   - typeName: the type that the query is for.
    ///   - body: reads, and calls its argument with each resource before it hands it out.
    /// - Throws: errors of `body`; what keeping the record throws.
    func reading<Value>(
        _ typeName: String, in store: FHIRStore, _ body: (@escaping (FHIRResource) -> Void) throws -> Value
    ) throws -> Value
}

extension FHIRQuery {
    /// Runs a call that observes restrictions.
    ///
    /// - Parameter body: reads. If there is a second argument, it calls it with each resource before it hands it out.
    func perform<Value>(_ body: (ReadTransaction, ((FHIRResource) -> Void)?) throws -> Value) throws -> Value {
        guard let restriction = request.restriction else { return try store.perform(observesRestriction: true) { try body($0, nil) } }
        return try restriction.reading(request.layout.name, in: store) { note in
            try store.perform(observesRestriction: true, isRecorded: false) { transaction in
                try body(transaction) { resource in
                    resource.restrict(by: restriction)
                    note(resource)
                }
            }
        }
    }
}

extension FHIRResource {
    /// Notes what decides from now on whether the stored resource is read again.
    package func restrict(by restriction: any QueryRestriction) { (objectExtras as? StoreTie)?.restriction = restriction.lasting }

    /// Runs `body` with the stored resource's registration, if there is one that its restriction does not hide.
    ///
    /// - Parameter reads: whether the resource may be handed out, which the restriction records.
    func withRegistration<Value>(
        _ tie: StoreTie, reads: Bool, _ body: (ReadTransaction, Registration) throws -> Value
    ) throws -> Value? {
        func run(_ note: ((FHIRResource) -> Void)?) throws -> Value? {
            let isRestricted = tie.restriction != nil
            return try tie.store.perform(observesRestriction: isRestricted, isRecorded: !isRestricted) { transaction in
                guard let registration = try transaction.access.registry.registration(root: tie.root) else { return nil }
                if let restriction = tie.restriction,
                    try !transaction.restricted(by: restriction, { try transaction.isPermitted(registration) })
                {
                    return nil
                }
                let value = try body(transaction, registration)
                note?(self)
                return value
            }
        }
        guard reads, let restriction = tie.restriction else { return try run(nil) }
        return try restriction.reading(layout.name, in: tie.store) { try run($0) }
    }
}

extension FHIRStoreError {
    /// The refusal of a call that would not hide what a restriction hides.
    static var notInRestrictedView: FHIRStoreError {
        FHIRStoreError(.invalidArgument, "a restricted view only reads, and does not offer this")
    }
}
