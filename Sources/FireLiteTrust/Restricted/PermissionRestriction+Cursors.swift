import FireLite

extension PermissionRestriction {
    func sealed(_ cursor: QueryCursor, in store: FHIRStore) throws -> QueryCursor { try seal.sealed(cursor, in: store) }

    func opened(_ cursor: QueryCursor, in store: FHIRStore) throws -> QueryCursor { try seal.opened(cursor, in: store) }

    /// The cursors of the actor; no other actor can use them.
    private var seal: CursorSeal { CursorSeal("FireLite cursor \(actor)") }
}
