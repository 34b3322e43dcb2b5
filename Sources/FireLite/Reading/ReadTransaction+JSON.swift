import FireLiteCore

extension ReadTransaction {
    /// Calls `body` with the JSON of the stored resources of a type with these ids, as far as it can be written from their rows without making
    /// objects, in the order of their numbers.
    ///
    /// - Parameter body: called with the index of an id and the JSON of its resource, the bytes being valid during the call. It must not use the
    ///   transaction.
    /// - Returns: the indexes of the other ids: of unknown ones, and of resources that must be read as objects.
    /// - Throws: `FHIRStoreError`; errors of `body`.
    package func forEachJSON(
        typeName: String, ids: [String], _ body: (Int, UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws -> [Int] {
        try perform {
            let table = try table(ofTypeNamed: typeName)
            guard loader.isInRows else { return Array(ids.indices) }
            let found = try access.registry.registrations(of: table, ids: ids)
            var wanted = found.indices.compactMap { place in found[place].map { (registration: $0, place: place) } }
            wanted.sort { $0.registration.root < $1.registration.root }
            let registrations = wanted.map(\.registration)
            // An id that is given twice has one place too few.
            guard zip(registrations, registrations.dropFirst()).allSatisfy({ $0.root < $1.root }),
                access.reader.beginLines()
            else { return Array(ids.indices) }
            var others = found.indices.filter { found[$0] == nil }
            var next = 0
            try access.reader.forEachLine(registrations, key: store.identity.digestKey, near: 8) { _, line in
                let place = wanted[next].place
                next += 1
                guard let line, line.begins(withType: typeName, id: ids[place]) else { return others.append(place) }
                try body(place, UnsafeBufferPointer(rebasing: line.bytes.dropLast()))
            }
            return others
        }
    }
}

extension RowEncoder.Line {
    /// Whether the JSON begins with the type and id, without escapes; otherwise the rows of another resource may have been found.
    fileprivate func begins(withType typeName: String, id: String) -> Bool {
        var start = "{\"resourceType\":\"\(typeName)\",\"id\":\"\(id)\""
        return start.withUTF8 { start in
            guard let first = start.baseAddress, let own = bytes.baseAddress, start.count < bytes.count else { return false }
            return sameBytes(first, own, start.count)
        }
    }
}
