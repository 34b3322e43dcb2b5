import FireLite
import FireLiteCore
import Foundation

extension FHIRResource {
    /// The time of `meta.lastUpdated`.
    var lastUpdated: Date? { child("meta")?.instant("lastUpdated")?.date }

    /// Sets what the server decides of a resource that is not stored yet.
    func setServerMeta(version: String?, updated: FHIRInstant?) {
        guard let element = layout.element(named: "meta"), let metaLayout = element.layout else { return }
        let known = child("meta")
        let meta = known ?? metaLayout.makeObject()
        meta.setText("versionId", version)
        if let slot = metaLayout.element(named: "lastUpdated")?.slot { meta._setInstant(slot, updated) }
        if known == nil, version != nil || updated != nil { _setObject(element.slot, meta) }
    }

    /// The resource as clients see it: with the store's number of the version as `meta.versionId`. The same object if it says so already.
    ///
    /// - Parameters:
    ///   - version: the number of the version; nil to leave what is there.
    ///   - date: when it was stored, for a resource that does not say when it was last changed.
    func stamped(version: Int64?, storedAt date: Date? = nil) -> FHIRResource {
        guard let version else { return self }
        let text = String(version)
        let meta = child("meta")
        let isDated = date == nil || meta?.instant("lastUpdated") != nil
        if meta?.text("versionId") == text, isDated { return self }
        let copy = self.copy()
        copy.setServerMeta(version: text, updated: meta?.instant("lastUpdated") ?? date.map { FHIRInstant($0) })
        return copy
    }
}
