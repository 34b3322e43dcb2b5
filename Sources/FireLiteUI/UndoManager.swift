#if canImport(ObjectiveC)
    import Foundation

    extension HistoryUndo {
        /// Registers the last step with an undo manager, whose menus then undo and redo it.
        ///
        /// Call it after ``perform(_:on:_:)``. A step that cannot be undone or redone, for example because a resource was changed
        /// since, is reported and dropped, as the undo manager has forgotten it; the next command undoes the step before it.
        ///
        /// - Parameters:
        ///   - manager: the undo manager of a window or document.
        ///   - report: called with the error of a step that could not be undone or redone.
        public func register(with manager: UndoManager, report: @escaping @MainActor (any Error) -> Void) {
            guard let name = undoName else { return }
            manager.registerUndo(withTarget: self) { target in
                MainActor.assumeIsolated { target.run(manager, isUndo: true, report) }
            }
            manager.setActionName(name)
        }

        private func run(_ manager: UndoManager, isUndo: Bool, _ report: @escaping @MainActor (any Error) -> Void) {
            do {
                if isUndo { try undo() } else { try redo() }
            } catch {
                drop(isUndo: isUndo)
                return report(error)
            }
            manager.registerUndo(withTarget: self) { target in
                MainActor.assumeIsolated { target.run(manager, isUndo: !isUndo, report) }
            }
        }
    }
#endif
