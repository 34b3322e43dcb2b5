import FireLiteCore
import Observation

/// A resource that is edited in a form: a draft with validation, undo within the form, and conflicts with what others have stored.
///
/// ```swift
/// let form = FormModel(Draft(patient), in: store)
/// form[\.birthDate] = "1970-01-01"
/// if form.canSave { await form.save() }
/// ```
/// Its properties are observed with Swift's Observation framework. In SwiftUI, `form.binding(\.birthDate)` is a binding.
@MainActor @Observable
public final class FormModel<Resource: FHIRResource> {
    /// The draft with all edits.
    public private(set) var draft: Draft<Resource>
    /// The issues of the draft by FHIR's definitions and by the form's own rules, updated with each edit.
    public private(set) var issues: [FHIRIssue] = []
    /// The elements that others have changed too since the form was opened, with both values of each, to be shown side by side. A save
    /// that found a conflict sets them, and `save(preferring:)` resolves them.
    public private(set) var clashes: [ElementClash] = []
    /// Whether a save is running.
    public private(set) var isSaving = false
    /// Why the last save stored nothing; nil after a successful one. With a conflict, ``clashes`` has the elements.
    public private(set) var error: (any Error)?

    @ObservationIgnored private let store: FHIRStore
    @ObservationIgnored private let rules: (Resource) throws -> [FHIRIssue]
    @ObservationIgnored private var original: Draft<Resource>
    private var undone: [Draft<Resource>] = []
    private var redone: [Draft<Resource>] = []
    /// The element of the last edit, whose further edits are one step.
    @ObservationIgnored private var editedPath: AnyKeyPath?

    /// Begins to edit a draft.
    ///
    /// - Parameters:
    ///   - draft: a draft of a stored resource, or of a new one.
    ///   - store: where it is saved.
    ///   - rules: rules of your own, such as a `FHIRValidator` with profiles; called with a copy after each edit. If it throws, the form has an issue of
    ///     the code `unchecked` and cannot be saved. Default: none.
    public init(
        _ draft: Draft<Resource>, in store: FHIRStore, rules: @escaping (Resource) throws -> [FHIRIssue] = { _ in [] }
    ) {
        self.draft = draft
        self.store = store
        self.rules = rules
        original = draft
        issues = check(draft)
    }

    // MARK: - Editing

    /// A text, number, date or code, by a key path. Setting it is an edit; further edits of the same element belong to the same step of
    /// undo.
    ///
    /// - Precondition: the same path can be used on an object: positions of lists exist.
    public subscript<Value: Sendable>(path: ReferenceWritableKeyPath<Resource, Value>) -> Value {
        get { draft[path] }
        set { edit(path) { $0[keyPath: path] = newValue } }
    }

    /// A value by a key path that only reads.
    public subscript<Value: Sendable>(path: KeyPath<Resource, Value>) -> Value { draft[path] }

    /// Changes the content, as one step of undo.
    ///
    /// - Throws: errors of `body`; the form is then unchanged.
    public func change(_ body: (Resource) throws -> Void) rethrows { try edit(nil, body) }

    private func edit(_ path: AnyKeyPath?, _ body: (Resource) throws -> Void) rethrows {
        var changed = draft
        try changed.change(body)
        if path == nil || path != editedPath { undone.append(draft) }
        editedPath = path
        redone.removeAll()
        show(changed)
    }

    private func show(_ changed: Draft<Resource>) {
        draft = changed
        issues = check(changed)
    }

    private func check(_ draft: Draft<Resource>) -> [FHIRIssue] {
        let resource = draft.copy()
        let issues = resource.validate()
        do {
            return issues + (try rules(resource))
        } catch {
            let message = "the form's own rules could not be checked: \(error.localizedDescription)"
            return issues + [FHIRIssue(path: draft.resourceType, severity: .error, code: .unchecked, message: message)]
        }
    }

    // MARK: - State

    /// The elements that the form has changed.
    public var changes: [ElementDifference] { draft.differences }

    /// Whether the form has changed anything.
    public var hasChanges: Bool { !changes.isEmpty }

    /// Whether the form has changes and no errors, and is not being saved.
    public var canSave: Bool { hasChanges && !isSaving && !issues.contains { $0.severity == .error } }

    /// The issues of an element and of its children.
    ///
    /// - Parameter path: the FHIR path below the resource: `name[0].family`, `birthDate`.
    public func issues(at path: String) -> [FHIRIssue] {
        let whole = draft.resourceType + "." + path
        return issues.filter { issue in
            guard issue.path.hasPrefix(whole) else { return false }
            let next = issue.path.dropFirst(whole.count).first
            return next == nil || next == "." || next == "["
        }
    }

    // MARK: - Undo

    /// Whether there is an edit to undo.
    public var canUndo: Bool { !undone.isEmpty }

    /// Whether there is an edit to redo.
    public var canRedo: Bool { !redone.isEmpty }

    /// Undoes the last edit. Does nothing if there is none.
    public func undo() {
        guard let earlier = undone.popLast() else { return }
        redone.append(draft)
        editedPath = nil
        show(earlier)
    }

    /// Redoes the edit that was undone last. Does nothing if there is none.
    public func redo() {
        guard let later = redone.popLast() else { return }
        undone.append(draft)
        editedPath = nil
        show(later)
    }

    /// Undoes all edits, as one step that can be undone itself.
    public func revert() {
        guard hasChanges else { return }
        undone.append(draft)
        redone.removeAll()
        editedPath = nil
        show(original)
    }

    // MARK: - Saving

    /// Saves the draft, merged with what others have stored since. Afterwards the form has a draft of the stored resource, without undo.
    ///
    /// - Parameter side: whose value an element gets if both have changed it: the form's (`.local`) or the stored one (`.remote`).
    ///   Default: neither; then nothing is stored, and ``clashes`` has these elements.
    /// - Returns: whether it was stored; otherwise ``error`` says why.
    @discardableResult
    public func save(preferring side: ThreeWayMerge.Side? = nil) async -> Bool {
        guard !isSaving else { return false }
        isSaving = true
        defer { isSaving = false }
        let saved = draft
        do {
            let stored = try await store.save(saved, preferring: side)
            original = stored
            undone.removeAll()
            redone.removeAll()
            editedPath = nil
            clashes = []
            error = nil
            show(stored)
            return true
        } catch {
            clashes = (error as? FHIRStoreError)?.clashes ?? []
            self.error = error
            return false
        }
    }
}
