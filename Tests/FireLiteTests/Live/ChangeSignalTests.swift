import FireLiteR4
import Testing

@testable import FireLite

/// A signal keeps the changed elements that its observer has not seen yet.
@Suite struct ChangeSignalTests {
    private func commit(_ root: Int64, revision: Int64, _ paths: [String], _ store: FHIRStore) -> StoreCommit {
        StoreCommit(
            resources: [
                ResourceChange(
                    kind: .updated, typeName: "Patient", id: nil, root: root, revision: revision, paths: paths, givenPK: nil,
                    identity: store.identity)
            ], typeNames: ["Patient"], isComplete: true)
    }

    /// A commit may be announced after the observer has read and before it asks for the changes.
    @Test func changesThatTheResultsDoNotContainYetAreKept() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let signal = ChangeSignal(store.announcer, wantsPaths: true)
        signal.note(commit(1, revision: 2, ["active"], store))
        signal.note(commit(1, revision: 3, ["birthDate"], store))
        signal.note(commit(2, revision: 5, ["gender"], store))
        #expect(signal.takeChanges(upTo: [ResultKey(root: 1, revision: 2)])?[1]?[2] == ["active"])
        // What is no result is not kept.
        #expect(signal.takeChanges(upTo: [ResultKey(root: 1, revision: 3)]) == [1: [3: ["birthDate"]]])
        #expect(signal.takeChanges(upTo: []) == [:])
    }

    @Test func aCommitWithoutDetailsMakesTheChangesUnknownOnce() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let signal = ChangeSignal(store.announcer, wantsPaths: true)
        signal.note(commit(1, revision: 2, ["active"], store))
        signal.note(.unknown)
        signal.note(commit(1, revision: 3, ["birthDate"], store))
        #expect(signal.takeChanges(upTo: [ResultKey(root: 1, revision: 3)]) == nil)
        signal.note(commit(1, revision: 4, ["gender"], store))
        #expect(signal.takeChanges(upTo: [ResultKey(root: 1, revision: 4)]) == [1: [4: ["gender"]]])
    }
}
