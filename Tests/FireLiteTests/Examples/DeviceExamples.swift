import FireLite
import FireLiteR4
import Foundation
import Testing

/// The examples of the pages about phones and watches.
@Suite struct DeviceExamples {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { try body(URL(fileURLWithPath: $0).appendingPathComponent("a/b")) }
    }

    @Test func aFolderIsPreparedForItsOwnerOnly() throws {
        try withFolder { folder in
            // example FileProtection.md
            try FHIRStore.prepareFolder(
                folder, protection: .completeUntilFirstUserAuthentication)
            let store = try FHIRStore(
                path: folder.appendingPathComponent("health.sqlite").path, release: .r4)
            // end
            // example DeviceBackups.md
            try FHIRStore.prepareFolder(folder, isInBackups: false)
            // end
            try store.write { tx in try tx.add(Patient()) }
            #expect(try store.count(Patient.self) == 1)
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
            #expect(mode == 0o700)
            let error = #expect(throws: FHIRStoreError.self) {
                try FHIRStore.prepareFolder(folder.appendingPathComponent("health.sqlite/below"))
            }
            #expect(error?.code == .cannotOpen)
        }
    }

    @Test func aWidgetReadsWhatTheAppWrites() throws {
        try withFolder { group in
            // example AppGroups.md
            try FHIRStore.prepareFolder(group)
            let store = try FHIRStore(
                path: group.appendingPathComponent("health.sqlite").path, release: .r4)
            // end
            let path = store.path
            try store.write { tx in
                for day in 1...5 { try tx.add(Observation { $0.effectiveDateTime = FHIRDateTime("2024-05-0\(day)") }) }
            }
            // example AppGroups.md
            // The scene goes to the background, or a background task expires.
            store.suspendWrites()
            // end
            // example AppGroups.md
            var configuration = FHIRStore.Configuration()
            configuration.access = .readOnly
            configuration.cacheBytes = 4 << 20
            configuration.maximumReaders = 1
            let shared = try FHIRStore(path: path, release: .r4, configuration: configuration)
            let newest = try shared.query(Observation.self)
                .sort(\.effectiveDateTime, .reverse).limit(3).all()
            try shared.close()
            // end
            #expect(newest.map { $0.effectiveDateTime?.literal } == ["2024-05-05", "2024-05-04", "2024-05-03"])
            // example AppGroups.md
            // The scene comes to the foreground.
            store.resumeWrites()
            // end
            // example MemoryPressure.md
            // In the handler of a memory warning.
            store.releaseMemory()
            // end
            #expect(try store.deleteAll(Observation.self) == 5)
        }
    }

    @Test func workIsEndedWhenItsTimeIsOver() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        @Sendable func finishWork() async throws {
            try await store.write { tx in _ = try tx.add(Patient()) }
            try await _Concurrency.Task.sleep(for: .seconds(600))
        }
        // example BackgroundWork.md
        let work = _Concurrency.Task { try await finishWork() }
        let hasExpired = {
            work.cancel()
            store.suspendWrites()
        }
        // end
        hasExpired()
        await #expect(throws: (any Error).self) { try await work.value }
        #expect(store.areWritesSuspended)
    }

    @Test func aFullDiskIsToldApart() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let incoming = [Patient()]
        func showLowDisk() {}
        // example LowDisk.md
        do {
            try store.write { tx in _ = try tx.upsert(incoming) }
        } catch let error as FHIRStoreError where error.code == .diskFull {
            showLowDisk()
        }
        // end
        #expect(try store.count(Patient.self) == 1)
    }

    // The page's other block opens the store of the user, which tests leave alone; it is compiled here.
    private func storeWithoutBackups() throws -> FHIRStore {
        // example DeviceBackups.md
        let store = try FHIRStore(release: .r4, isInBackups: false)
        // end
        return store
    }
}
