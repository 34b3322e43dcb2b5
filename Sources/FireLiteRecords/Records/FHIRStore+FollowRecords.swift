import FireLite

extension FHIRStore {
    /// Notes what is written through this store object from now on in the file's records, if it has any: a deletion leaves its tombstone at once.
    ///
    /// - Throws: `FHIRStoreError`.
    package func followRecordsIfKept() throws {
        if try read({ try $0.hasTables(of: RecordTables.records.module) }) { _ = records }
    }
}
