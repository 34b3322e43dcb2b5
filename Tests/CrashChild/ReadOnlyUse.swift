import FireLite
import FireLiteR4
import Foundation

/// Uses a store in every way that does not change it.
struct ReadOnlyUse {
    let path: String
    /// Where new files go.
    let folder: String

    func run() throws -> String {
        var words: [String] = []
        var configuration = FHIRStore.Configuration()
        for (name, access) in [("readOnly", FHIRStore.Configuration.Access.readOnly), ("immutable", .readOnlyImmutable)] {
            configuration.access = access
            let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
            let found = try store.query(Patient.self).where { $0.id == "1" }.all().count
            let isThere = try store.resource(Patient.self, id: "1") != nil
            words.append("\(name) \(try store.count(Patient.self)) \(found) \(isThere) \(try store.check().count)")
            do {
                try store.write { tx in try tx.add(Patient { $0.id = "new" }) }
                words.append("written")
            } catch let error as FHIRStoreError {
                words.append(error.code.rawValue)
            }
            try store.backup(to: URL(fileURLWithPath: folder + "/\(name).sqlite"))
            words.append("\(try FHIRStore(path: folder + "/\(name).sqlite", release: .r4).count(Patient.self))")
        }
        let report = try FHIRStore.recover(
            from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: folder + "/recovered.sqlite"), release: .r4)
        words.append("recovered \(report.recovered) \(report.isComplete)")
        return words.joined(separator: ", ")
    }
}
