import FireLite
import FireLiteCore
import FireLiteCrypto
import Foundation

extension Attachments {
    /// Adds an attachment to a stored resource, with its type, size and SHA-1 hash as FHIR's `Attachment` has them.
    ///
    /// It goes into the first element that holds attachments: `Patient.photo`, `DiagnosticReport.presentedForm`,
    /// `DocumentReference.content`.
    /// - Parameters:
    ///   - bytes: the payload.
    ///   - typeName: the type of the resource.
    ///   - id: its id.
    ///   - title: a title. Default: none.
    ///   - contentType: the media type; nil to recognize it from the bytes. Default: nil.
    /// - Throws: `AttachmentError`: `tooLarge`, `wrongType`, `noPlace` if the resource is not stored or has no element for another
    ///   attachment; `FHIRStoreError`.
    public func attach(
        _ bytes: Data, to typeName: String, id: String, title: String? = nil, contentType: String? = nil
    ) throws {
        try check(bytes, contentType)
        let policy = try policy
        let kind = contentType.flatMap { AttachmentKind(contentType: $0) } ?? AttachmentKind(beginning: bytes)
        try store.write { tx in
            guard let resource = try tx.resource(typeName: typeName, id: id)?.copy() else {
                throw AttachmentError(.noPlace, "\(typeName)/\(id) is not in the store")
            }
            guard let layout = store.release.layout(named: "Attachment") else {
                throw AttachmentError(.noPlace, "FHIR \(store.release.name) has no attachments")
            }
            let attachment = layout.makeObject()
            let text: String
            if let policy, bytes.count >= policy.minimumBytes {
                text = try tx.storePayload(bytes, digest: HashAlgorithm.sha256.digest(of: bytes)).reference.description
            } else {
                text = bytes.fhirBase64
            }
            let texts = [
                "contentType": kind?.contentType ?? contentType, "title": title, "data": text,
                "hash": HashAlgorithm.sha1.digest(of: bytes).fhirBase64,
            ]
            for (name, text) in texts { if let slot = layout.element(named: name)?.slot { attachment._setString(slot, text) } }
            if let slot = layout.element(named: "size")?.slot { attachment._setInt(slot, bytes.count) }
            guard Self.add(attachment, to: resource) else {
                throw AttachmentError(.noPlace, "no element of \(typeName) can take another attachment")
            }
            try tx.upsert(resource)
        }
    }

    private static func add(_ attachment: FHIRObject, to resource: FHIRResource) -> Bool {
        let elements = resource.layout.elements
        for element in elements where element.layout === attachment.layout && element.choice == nil {
            if element.isList {
                resource._setObjects(element.slot, resource._objects(element.slot) + [attachment])
                return true
            }
            if resource.value(element.slot) == nil {
                resource._setObject(element.slot, attachment)
                return true
            }
        }
        for element in elements where element.isList {
            let inner = element.layout?.elements.first { $0.layout === attachment.layout && $0.choice == nil && !$0.isList }
            guard let inner, let holder = element.makeObject() else { continue }
            holder._setObject(inner.slot, attachment)
            resource._setObjects(element.slot, resource._objects(element.slot) + [holder])
            return true
        }
        return false
    }

    /// The attachments of a resource, including contained and nested ones, in the order of its elements.
    public func attachments(in resource: FHIRResource) -> [FHIRObject] {
        guard let layout = resource.layout.release.layout(named: "Attachment") else { return [] }
        var found: [FHIRObject] = []
        func look(_ object: FHIRObject) {
            if object.layout === layout { found.append(object) }
            object.forEachSlot { $0.value.forEachChild(look) }
        }
        look(resource)
        return found
    }

    /// Removes an attachment from a stored resource, with an element that requires one. Its payload is deleted with the last resource that
    /// has it.
    ///
    /// - Parameters:
    ///   - number: the position of the attachment among those of the resource, from 0.
    ///   - typeName: the type of the resource.
    ///   - id: its id.
    /// - Throws: `AttachmentError.noPlace` if there is no such resource or attachment; `FHIRStoreError`.
    public func detach(_ number: Int, from typeName: String, id: String) throws {
        try store.write { tx in
            guard let resource = try tx.resource(typeName: typeName, id: id)?.copy() else {
                throw AttachmentError(.noPlace, "\(typeName)/\(id) is not in the store")
            }
            let found = attachments(in: resource)
            guard found.indices.contains(number) else {
                throw AttachmentError(.noPlace, "\(typeName)/\(id) has \(found.count) attachments")
            }
            Self.remove(found[number])
            try tx.upsert(resource)
        }
    }

    private static func remove(_ object: FHIRObject) {
        guard let owner = object.ownerObject else { return }
        for element in owner.layout.elements {
            switch owner.value(element.slot) {
            case .object(let child)? where child === object:
                if element.min > 0, owner.ownerObject != nil { return remove(owner) }
                owner._setObject(element.slot, FHIRObject?.none)
                return
            case .objects(let children)? where children.contains { $0 === object }:
                owner._setObjects(element.slot, children.filter { $0 !== object })
                return
            default: continue
            }
        }
    }
}
