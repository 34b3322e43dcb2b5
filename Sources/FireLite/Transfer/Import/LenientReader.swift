import FireLiteCore
import Foundation

/// Reads resources whose dates are not in FHIR's format, and reports the changes.
///
/// The result is read again strictly, so that nothing invalid gets through.
final class LenientReader {
    private let reader: FHIRJSONReader
    private let strict: FHIRJSONReader
    private let mender: DateMender

    init(release: FHIRRelease, _ mender: DateMender) {
        reader = FHIRJSONReader(release: release, isLenient: true)
        strict = FHIRJSONReader(release: release)
        self.mender = mender
    }

    /// Reads a text that the strict reader refused.
    ///
    /// - Returns: the object, and the corrected mistakes in the text; nil if it has other mistakes.
    func resource(from bytes: UnsafeBufferPointer<UInt8>) -> (object: FHIRResource, changes: [FHIRDecodingError])? {
        // Both readers throw for mistakes that cannot be corrected, and the caller has the strict reader's error.
        guard let resource = try? reader.resource(from: bytes), let json = mended(resource),
            let object = try? strict.resource(from: json)
        else { return nil }
        return (object, reader.issues)
    }

    /// The same for an object that is not a resource: a Bundle's entry.
    func read(_ bytes: UnsafeBufferPointer<UInt8>, as layout: Layout) -> (object: FHIRObject, changes: [FHIRDecodingError])? {
        let object = layout.makeObject()
        guard (try? reader.read(bytes, into: object)) != nil, let json = mended(object) else { return nil }
        let result = layout.makeObject()
        let isRead: Void? = json.withUnsafeBytes { try? strict.read($0.bindMemory(to: UInt8.self), into: result) }
        return isRead == nil ? nil : (result, reader.issues)
    }

    /// An object that was read leniently, with corrected dates; nil if it has other mistakes.
    func mended(_ object: FHIRObject, _ issues: [FHIRDecodingError]) -> FHIRObject? {
        guard !issues.isEmpty, issues.allSatisfy({ $0.code == .invalidValue }) else { return nil }
        mend(object)
        let result = object.layout.makeObject()
        let isRead: Void? = FHIRJSON.data(object).withUnsafeBytes { try? strict.read($0.bindMemory(to: UInt8.self), into: result) }
        return isRead == nil ? nil : result
    }

    /// The object as JSON with corrected dates; nil if the text has other mistakes, or some cannot be corrected.
    private func mended(_ object: FHIRObject) -> Data? {
        guard !reader.issues.isEmpty, reader.issues.allSatisfy({ $0.code == .invalidValue }) else { return nil }
        mend(object)
        return FHIRJSON.data(object)
    }

    /// The text in FHIR's form, or unchanged.
    private func mended(_ text: String, _ type: PrimitiveType) -> String {
        DateMender.isValid(text, type) ? text : mender.mended(text, as: type) ?? text
    }

    private func mend(_ object: FHIRObject) {
        var changes: [(slot: Int, texts: [String], isList: Bool)] = []
        let entries = object.layoutTable.pointee.entries
        object.forEachSlot { slot in
            let index = Int(slot.index)
            slot.value.forEachChild { mend($0) }
            let type = entries[index].primitive
            guard [.date, .dateTime, .instant, .time].contains(type) else { return }
            // A value with an annotation keeps it, and the strict reader refuses it.
            switch slot.value {
            case .text(let text): changes.append((index, [mended(text, type)], false))
            case .texts(let texts): changes.append((index, texts.map { mended($0, type) }, true))
            default: return
            }
        }
        for change in changes {
            if change.isList {
                object.replacePrimitives(change.slot, change.texts)
            } else {
                object._setString(change.slot, change.texts[0])
            }
        }
    }
}
