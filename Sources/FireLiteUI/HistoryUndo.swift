import FireLiteCore
import Foundation

/// Undo and redo of what a user has done in a store, over its history.
///
/// ```swift
/// try store.track(.history)
/// let undo = HistoryUndo(store)
/// try undo.perform("Rename", on: [("Patient", "1")]) { tx in try tx.upsert(patient) }
/// try undo.undo()
/// ```
/// A step restores the versions that resources had before, as new versions. A resource that somebody else has changed since is not overwritten:
/// undoing such a step throws. On Apple's systems `register(with:report:)` connects it to an `UndoManager`.
@MainActor
public final class HistoryUndo {
    /// A step that can be undone.
    private struct Step {
        let name: String
        /// The resources that the step changed: their versions before, nil if there was none, and after it, nil if it was deleted.
        var changes: [(type: String, id: String, before: Int64?, after: Int64?)]
    }

    private let store: FHIRStore
    private var undone: [Step] = []
    private var redone: [Step] = []

    /// Creates an undo history without steps.
    ///
    /// - Parameter store: a store that keeps the history of the types that are changed.
    public init(_ store: FHIRStore) { self.store = store }

    /// The name of the step that ``undo()`` undoes; nil if there is none.
    public var undoName: String? { undone.last?.name }

    /// The name of the step that ``redo()`` redoes; nil if there is none.
    public var redoName: String? { redone.last?.name }

    /// Performs a step: a write whose changes to the named resources can be undone. Its changes to other resources stay when the step is undone.
    ///
    /// - Parameters:
    ///   - name: what the user did, for menus.
    ///   - keys: the types and ids of the resources that the write adds, changes or deletes.
    ///   - body: the write.
    /// - Throws: errors of `body`; `FHIRStoreError`.
    public func perform<Value>(
        _ name: String, on keys: [(type: String, id: String)], _ body: (WriteTransaction) throws -> Value
    ) throws -> Value {
        let (value, step) = try store.write { tx -> (Value, Step) in
            let before = try keys.map { try Self.version($0.type, $0.id, tx) }
            let value = try body(tx)
            try tx.saveChanges()
            let after = try keys.map { try Self.version($0.type, $0.id, tx) }
            let changes = keys.indices.filter { before[$0] != after[$0] }
                .map { (type: keys[$0].type, id: keys[$0].id, before: before[$0], after: after[$0]) }
            return (value, Step(name: name, changes: changes))
        }
        // Several changes in one write are one version, whose number is settled at the commit.
        undone.append(try settled(step))
        redone.removeAll()
        return value
    }

    /// Undoes the last step. Does nothing if there is none.
    ///
    /// - Throws: `FHIRStoreError`: `conflict` if a resource was changed since; then nothing is changed, and the step stays.
    public func undo() throws {
        guard let step = undone.last else { return }
        let inverse = try restore(step)
        undone.removeLast()
        redone.append(inverse)
    }

    /// Redoes the step that was undone last. Does nothing if there is none.
    ///
    /// - Throws: as ``undo()``.
    public func redo() throws {
        guard let step = redone.last else { return }
        let inverse = try restore(step)
        redone.removeLast()
        undone.append(inverse)
    }

    /// Forgets the last step, or the one undone last, without restoring anything.
    func drop(isUndo: Bool) {
        if isUndo { _ = undone.popLast() } else { _ = redone.popLast() }
    }

    // MARK: - Restoring

    private static func version(_ type: String, _ id: String, _ tx: ReadTransaction) throws -> Int64? {
        try tx.registered(type, id: id)?.revision
    }

    /// Lets steps that ended with the version before a change end with the one that replaced it.
    private static func follow(
        _ steps: inout [Step], _ change: (type: String, id: String, before: Int64?, after: Int64?), _ version: Int64?
    ) {
        for step in steps.indices {
            for index in steps[step].changes.indices {
                let other = steps[step].changes[index]
                guard other.type == change.type, other.id == change.id, other.after == change.before else { continue }
                steps[step].changes[index].after = version
            }
        }
    }

    private func settled(_ step: Step) throws -> Step {
        try store.read { tx in
            Step(
                name: step.name,
                changes: try step.changes.map { ($0.type, $0.id, $0.before, try Self.version($0.type, $0.id, tx)) })
        }
    }

    /// Restores the versions before a step.
    ///
    /// - Returns: the step that takes it back.
    private func restore(_ step: Step) throws -> Step {
        try store.write { tx in
            for change in step.changes {
                guard try Self.version(change.type, change.id, tx) == change.after else {
                    throw FHIRStoreError(
                        .conflict, "a \(change.type) was changed since, so the step cannot be undone: show its present state",
                        conflict: .changed)
                }
                guard let before = change.before else {
                    try tx.delete(typeName: change.type, id: change.id)
                    continue
                }
                guard try tx.restore(typeName: change.type, id: change.id, version: before) != nil else {
                    throw FHIRStoreError(
                        .conflict, "an earlier version of a \(change.type) is not kept: track the history of the type",
                        conflict: .deleted)
                }
            }
        }
        let inverse = try settled(Step(name: step.name, changes: step.changes.map { ($0.type, $0.id, $0.after, nil) }))
        // A restored version is a new one with the content of the old, which is where the other steps began or ended.
        for (change, now) in zip(step.changes, inverse.changes) {
            Self.follow(&undone, change, now.after)
            Self.follow(&redone, change, now.after)
        }
        return inverse
    }
}
