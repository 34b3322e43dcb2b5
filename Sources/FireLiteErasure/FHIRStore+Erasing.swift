import FireLiteCore
import FireLiteRecords
import Foundation

extension FHIRStore {
    /// What `erase(id:)` would erase, without changing anything.
    ///
    /// - Throws: `ErasureError`; `FHIRStoreError`: `missingKey` if resources are sealed and no keyring is set.
    public func erasurePlan(
        person type: String = "Patient", id: String, options: ErasureOptions = ErasureOptions()
    ) throws -> ErasureReport {
        let others = try self.statistics().others
        return try read { tx in
            var (report, _, _) = try plan(type, id: id, options: options, tx)
            report.isPlan = true
            report.left += others.map { ErasureReport.Remainder(kind: .other, what: $0) }
            return report
        }
    }

    /// What `erase(id:)` would erase, without changing anything and without blocking the caller.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func erasurePlan(
        person type: String = "Patient", id: String, options: ErasureOptions = ErasureOptions()
    ) async throws -> ErasureReport {
        try await reading { try self.erasurePlan(person: type, id: id, options: options) }
    }

    /// Erases a person: the resource, everything in its compartment (FHIR, CompartmentDefinition), and what else the file keeps of them
    /// in the history, the change log, full-text indexes, payloads, records, samples, the outbox and the journals of a sync.
    ///
    /// ```swift
    /// let report = try store.erase(person: "Patient", id: "1")
    /// for place in report.left { print(place.kind, place.what) }
    /// ```
    /// The file is then rewritten, so that no deleted bytes are left in it or in its write-ahead log. Copies elsewhere, in backups, in
    /// exports and on servers, are not reached; the report lists those that the file knows of. An audit trail keeps its rows, which have
    /// no content.
    ///
    /// - Parameters:
    ///   - type: a type with a compartment. Default: Patient.
    ///   - id: the id of the resource.
    ///   - options: how to erase.
    /// - Returns: what was erased, and what is left elsewhere.
    /// - Precondition: not inside a read or write.
    /// - Throws: `ErasureError`: with `notOverwritten` everything is deleted, but the file must still be rewritten, by calling this again when
    ///   nobody reads. That call returns what was erased and what is left: the file notes both until it is overwritten. So does a call after the
    ///   process ended. `FHIRStoreError`: `missingKey` if resources are sealed and no keyring is set, because it is then unknown whose they are.
    @discardableResult
    public func erase(
        person type: String = "Patient", id: String, options: ErasureOptions = ErasureOptions()
    ) throws -> ErasureReport {
        let others = try self.statistics().others.map { ErasureReport.Remainder(kind: .other, what: $0) }
        // References to payloads are removed by what knows payloads.
        try attachments.resume()
        let isOverwritingDue = try completeDeletion() != nil
        let payloadsBefore = try payloadCount()
        var report: ErasureReport
        do {
            report = try write { tx in
                try tx.overwriteDeleted()
                let (planned, contents, rows) = try plan(type, id: id, options: options, tx)
                try delete(contents, tx)
                try ErasedTables.erase(rows, tx)
                try tx.purgeFullText()
                var unfinished = try UnfinishedErasure(tx) ?? UnfinishedErasure()
                let completed = unfinished.persons
                unfinished.add(planned, left: others, of: contents)
                // From now on, files of payloads are overwritten before they are deleted.
                try tx.noteUnfinishedErasure(unfinished.note())
                var report = unfinished.report(of: contents.person)
                report.completed = completed
                return report
            }
        } catch let error as ErasureError where error.code == .notFound && isOverwritingDue && options.overwrites {
            // An earlier call has deleted the person.
            let unfinished = try read { try UnfinishedErasure($0) } ?? UnfinishedErasure()
            report = unfinished.report(of: "\(type)/\(id)")
            report.completed = unfinished.persons
            report.isCompletion = true
            if unfinished.persons.isEmpty { report.left = [Self.forgottenReport] }
        }
        do {
            if !report.isCompletion {
                // What nothing refers to any longer went with the deletions; what versions had refers to goes now.
                let deleted = max(0, payloadsBefore - (try payloadCount()))
                if let (payloads, kept) = try completeDeletion(after: deleted) {
                    report.payloads += payloads
                    report.left += kept.map { .init(kind: .unknown, what: $0) }
                }
            }
            report.left += try unnamedFiles() + unnamedPieces()
            try options.overwrites ? overwriteFile() : forgetReports()
        } catch let error as FHIRStoreError where [.busy, .diskFull].contains(error.code) {
            let (obstacle, remedy) = error.code == .busy ? ("is in use", "end what uses it") : ("is on a full disk", "free space")
            throw ErasureError(
                .notOverwritten,
                "everything is deleted, but \(path) \(obstacle), so deleted bytes may still be in it: "
                    + "\(remedy) and erase again, which overwrites the file and lists what is left")
        }
        return report
    }

    /// `erase` without blocking the caller.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func erase(
        person type: String = "Patient", id: String, options: ErasureOptions = ErasureOptions()
    ) async throws -> ErasureReport {
        try await writing { try self.erase(person: type, id: id, options: options) }
    }

    // MARK: - Steps

    /// The list of an erasure that has returned it without overwriting the file, or whose process ended when it was about to return it.
    static var forgottenReport: ErasureReport.Remainder {
        .init(kind: .unknown, what: "what an earlier erasure listed as left, which the file no longer has")
    }

    private func plan(
        _ type: String, id: String, options: ErasureOptions, _ tx: ReadTransaction
    ) throws -> (ErasureReport, PersonContents, [ErasedTables.Rows]) {
        try ErasedTables.check(tx)
        let contents = try PersonContents(type, id: id, options: options, tx)
        let rows = try ErasedTables.rows(contents, tx)
        var report = ErasureReport()
        report.resources = contents.counts.sorted { $0.key < $1.key }.map { .init(name: $0.key, count: $0.value) }
        report.changes = try tx.changeCount(of: contents.roots, keys: contents.keyPairs) + contents.sequences.count
        report.rows = rows.map { .init(name: $0.table, count: $0.numbers.count) }
        report.left = try contents.left + ErasedTables.left(contents, rows, tx)
        return (report, contents, rows)
    }

    private func delete(_ contents: PersonContents, _ tx: WriteTransaction) throws {
        for root in contents.roots { try tx.delete(number: root) }
        _ = try forget(contents, tx)
    }

    private func forget(_ contents: PersonContents, _ tx: WriteTransaction) throws -> Int {
        try tx.forgetChanges(of: contents.roots, keys: contents.keyPairs, sequences: contents.sequences)
    }

    /// Erases what the deletions of an erasure have left: what observes writes notes deletions at the commit, and payloads stay while the log or the
    /// history refers to them.
    ///
    /// Everything that must happen before the file is overwritten belongs here, so that a later call does it, too.
    /// - Parameter deleted: the number of payloads that the deletions have deleted already.
    /// - Returns: the number of deleted payloads, and why others stay that nothing seems to refer to; nil if no erasure has deleted and not
    ///   yet overwritten.
    private func completeDeletion(after deleted: Int = 0) throws -> (payloads: Int, kept: [String])? {
        guard try read({ try $0.unfinishedErasure }) != nil else { return nil }
        let isUnfinished = try write { tx in
            guard var unfinished = try UnfinishedErasure(tx) else { return false }
            try tx.overwriteDeleted()
            for contents in unfinished.contents.compactMap(PersonContents.init(note:)) {
                _ = try forget(contents, tx)
                try ErasedTables.erase(ErasedTables.rows(contents, tx), tx)
            }
            unfinished.contents = []
            try tx.noteUnfinishedErasure(unfinished.note())
            return true
        }
        guard isUnfinished else { return nil }
        // Payloads of others stay as they are.
        let collected = try attachments.collect(takesBackFiles: false)
        let payloads = deleted + collected.payloads
        if payloads > 0 {
            try write { tx in
                guard var unfinished = try UnfinishedErasure(tx) else { return }
                unfinished.addPayloads(payloads)
                try tx.noteUnfinishedErasure(unfinished.note())
            }
        }
        return (payloads, collected.kept)
    }

    /// The number of payloads in the store.
    private func payloadCount() throws -> Int {
        let rows = try read { try $0.rows(ofModuleTable: "_blob", "SELECT count(*) FROM _blob WHERE hash IS NOT NULL") }
        return rows.first?[0].integer.map { Int($0) } ?? 0
    }

    /// The files of payloads that no row names. They stay only while a payload has lost its row or its pieces and may be in one of them.
    private func unnamedFiles() throws -> [ErasureReport.Remainder] {
        guard let folder = PayloadFolder(self), try !folder.names().isEmpty else { return [] }
        // Inside a write, nobody is between a file and its row.
        let count = try write { tx in
            let used = Set(try tx.rows(ofModuleTable: "_blobfile", "SELECT name FROM _blobfile").compactMap { $0[0].text })
            return try folder.names().filter { PayloadFolder.isName($0) && !used.contains($0) }.count
        }
        let files = String(counting: count, "file", "files")
        return count == 0 ? [] : [.init(kind: .unknown, what: "\(files) in \(folder.path) that no payload names")]
    }

    /// The bytes of payloads whose own row is lost: nobody knows whose they are.
    private func unnamedPieces() throws -> [ErasureReport.Remainder] {
        let (pieces, files) = try read { tx in
            func count(_ table: String, _ sql: String) throws -> Int { Int(try tx.rows(ofModuleTable: table, sql).first?[0].integer ?? 0) }
            return (
                try count("_blob_chunk", "SELECT count(*) FROM _blob_chunk WHERE chunk >> 24 NOT IN (SELECT blob FROM _blob)"),
                try count("_blobfile", "SELECT count(*) FROM _blobfile WHERE blob NOT IN (SELECT blob FROM _blob)")
            )
        }
        let parts = [(pieces, "piece", "pieces", "database"), (files, "file", "files", "folder of payloads")].filter { $0.0 > 0 }
        return parts.map { count, one, many, place in
            .init(kind: .unknown, what: "\(String(counting: count, one, many)) of payloads in the \(place) whose rows are lost")
        }
    }

    /// Rewrites the file and empties its log, and ends what the file notes of erasures.
    private func overwriteFile() throws {
        let note = try read { try $0.unfinishedErasure }
        try vacuum()
        try emptyLog()
        // Another erasure that has begun meanwhile also overwrites the file.
        let deleted = try UnfinishedErasure().note()
        guard let note, UnfinishedErasure(note: note).contents.isEmpty, try replaceNote(note, with: deleted) else { return }
        do {
            // What the note says of persons stays in the file's page until the log is moved there.
            try emptyLog()
        } catch {
            _ = try replaceNote(deleted, with: note)
            throw error
        }
        _ = try replaceNote(deleted, with: nil)
    }

    private func emptyLog() throws { if path != ":memory:" { try checkpoint(.truncate) } }

    /// Removes from the file what erasures have to report: the caller has it. That the file must be overwritten stays noted.
    private func forgetReports() throws {
        guard let note = try read({ try $0.unfinishedErasure }) else { return }
        _ = try replaceNote(note, with: UnfinishedErasure(contents: UnfinishedErasure(note: note).contents).note())
    }

    /// Replaces the note of unfinished erasures, and overwrites it.
    ///
    /// - Returns: false if another erasure has changed it since it was read.
    private func replaceNote(_ old: String, with new: String?) throws -> Bool {
        try write { tx in
            guard try tx.unfinishedErasure == old else { return false }
            try tx.overwriteDeleted()
            try tx.noteUnfinishedErasure(new)
            return true
        }
    }
}

extension ReadTransaction {
    /// The types and numbers of the resources of a person: the resource, its compartment, and Binary resources that these name.
    ///
    /// - Throws: `ErasureError`; `FHIRStoreError`.
    package func resources(ofPerson type: String, id: String) throws -> (types: [String], roots: Set<Int64>) {
        var options = ErasureOptions()
        options.erasesShared = true
        let contents = try PersonContents(type, id: id, options: options, self)
        return (contents.counts.keys.sorted(), Set(contents.roots))
    }
}

extension PersonContents {
    var keyPairs: [(type: String, id: String)] {
        keys.compactMap { key in
            let parts = key.split(separator: "/", maxSplits: 1).map(String.init)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
    }
}
