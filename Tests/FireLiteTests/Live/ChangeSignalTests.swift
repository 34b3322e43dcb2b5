import FireLiteR4
import Testing

@testable import FireLite

/// A signal keeps the changed elements that its observer has not seen yet.
@Suite struct ChangeSignalTests {
    private func commit(_ root: Int64, revision: Int64, after before: Int64? = nil, _ paths: [String], _ store: FHIRStore) -> StoreCommit {
        StoreCommit(
            resources: [
                ResourceChange(
                    kind: .updated, typeName: "Patient", id: nil, root: root, revision: revision, oldRevision: before ?? revision - 1,
                    paths: paths, givenPK: nil, identity: store.identity)
            ], typeNames: ["Patient"], isComplete: true)
    }

    /// A commit may be announced after the observer has read and before it asks for the changes.
    @Test func changesThatTheResultsDoNotContainYetAreKept() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let signal = ChangeSignal(store.announcer, wantsPaths: true)
        signal.note(commit(1, revision: 2, ["active"], store))
        signal.note(commit(1, revision: 3, ["birthDate"], store))
        signal.note(commit(2, revision: 5, ["gender"], store))
        #expect(signal.takeChanges(upTo: [ResultKey(root: 1, revision: 2)])?[1]?[2]?.paths == ["active"])
        // What is no result is not kept.
        #expect(signal.takeChanges(upTo: [ResultKey(root: 1, revision: 3)]) == [1: [3: NotedChange(before: 2, paths: ["birthDate"])]])
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
        #expect(signal.takeChanges(upTo: [ResultKey(root: 1, revision: 4)]) == [1: [4: NotedChange(before: 3, paths: ["gender"])]])
    }

    /// A commit of another connection may be forgotten before the results contain it: the noted ones then do not lead up to the results.
    @Test func pathsAreUnknownIfACommitBetweenWasMissed() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let signal = ChangeSignal(store.announcer, wantsPaths: true)
        func changes(from before: Int64, to after: Int64) -> [String]?? {
            let new = [ResultKey(root: 1, revision: after)]
            return ResultChanges(from: [ResultKey(root: 1, revision: before)], to: new, paths: signal.takeChanges(upTo: new)).updates
                .first?.paths
        }
        signal.note(commit(1, revision: 3, ["active"], store))
        #expect(changes(from: 1, to: 3) == .some(nil), "nobody noted what led from 1 to 2")
        signal.note(commit(1, revision: 4, ["active"], store))
        #expect(changes(from: 3, to: 5) == .some(nil), "nobody noted what led from 4 to 5")
        signal.note(commit(1, revision: 6, ["active"], store))
        signal.note(commit(1, revision: 9, after: 6, ["gender", "active"], store))
        #expect(changes(from: 5, to: 9) == ["active", "gender"], "one commit may count several revisions")
        signal.note(commit(1, revision: 12, after: 9, ["birthDate"], store))
        #expect(changes(from: 10, to: 12) == .some(nil), "a commit that led past the results before")
    }
}
