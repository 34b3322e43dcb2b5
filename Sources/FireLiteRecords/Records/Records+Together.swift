import FireLiteCore
import Foundation

// Many new records at once, in few statements.

extension Records {
    /// So many new records are stored together.
    static let together = 256

    /// Stores resources as new records; nil, with nothing stored, if they must be stored one by one: to seal them, or to find out which fail.
    ///
    /// - Throws: an error that concerns all of them.
    func createTogether<Resource: FHIRResource>(
        _ resources: ArraySlice<Resource>, _ annotations: [String], _ tx: WriteTransaction
    ) throws -> [Record<Resource>]? {
        var list: [FHIRResource] = []
        list.reserveCapacity(resources.count)
        for resource in resources { list.append(resource) }
        guard let rows = try add(list, annotations, tx) else { return nil }
        var records: [Record<Resource>] = []
        records.reserveCapacity(rows.count)
        for (place, row) in rows.enumerated() {
            let resource = resources[resources.startIndex + place]
            records.append(Record(resource: resource, metadata: row.metadata(isPending: false), annotations: annotations))
        }
        return records
    }

    private func add(_ resources: [FHIRResource], _ annotations: [String], _ tx: WriteTransaction) throws -> [RecordRow]? {
        guard resources.count > 1, let type = resources.first?.resourceType, keeper.encryption.elements(of: type) == nil,
            resources.allSatisfy({ !$0.isManaged && $0.resourceType == type })
        else { return nil }
        var ids: [String] = []
        ids.reserveCapacity(resources.count)
        var unnamed: [FHIRResource] = []
        for resource in resources {
            if let id = resource.id {
                ids.append(id)
            } else {
                ids.append(UUID().uuidString.lowercased())
                unnamed.append(resource)
            }
        }
        // A resource with an id that occurs twice has its id twice.
        guard Set(ids).count == ids.count, Set(unnamed.map { ObjectIdentifier($0) }).count == unnamed.count,
            try tx.registered(type, ids: ids).allSatisfy({ $0 == nil })
        else { return nil }
        if !unnamed.isEmpty { for (resource, id) in zip(resources, ids) where resource.id == nil { resource.id = id } }
        do {
            guard let added = try tx.addTogether(resources) else {
                for resource in unnamed { resource.id = nil }
                return nil
            }
            return try record(type, ids, added, annotations, tx)
        } catch {
            for resource in unnamed where !resource.isManaged { resource.id = nil }
            // None is stored, and one by one it turns out which of them fail.
            if resources.allSatisfy({ !$0.isManaged }), BatchResult<RecordRow>.concernsOne(error) { return nil }
            throw error
        }
    }

    /// Writes the rows of records whose resources were added.
    private func record(
        _ type: String, _ ids: [String], _ added: [(root: Int64, revision: Int64)], _ annotations: [String], _ tx: WriteTransaction
    ) throws -> [RecordRow] {
        var rows = try keeper.rows(continuing: type, ids, as: added.map(\.root), keeper.now, tx)
        for index in rows.indices { rows[index].edition = try tx.incremented(rows[index].edition, in: tables.name) }
        try tables.addAnnotations(annotations, of: rows.filter { $0.version == 1 }.map(\.number), tx)
        // Those that continue a deleted record have its annotations.
        for row in rows where row.version != 1 { try tables.setAnnotations(annotations, of: row.number, isKeyed: false, isNew: false, tx) }
        try keeper.store(rows, revisions: added.map(\.revision), tx)
        return rows
    }
}
