import FireLiteCore
import Foundation

/// Rules for attachments (FHIR, Datatypes, Attachment): media types, and the size and the hash of what they contain.
struct AttachmentRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ attachment: FHIRObject) {
        if let type = attachment.text("contentType"), !type.utf8.contains(UInt8(ascii: "/")) {
            run.at("contentType") { run.add(.attachment, "needs a media type, such as text/plain") }
        }
        let data = attachment.text("data")
        if let size = attachment.integer("size") {
            if size < 0 {
                run.at("size") { run.add(.attachment, "a size is not negative") }
            } else if let data, let actual = Self.size(ofBase64: data), size != actual {
                run.at("size") { run.add(.attachment, "the stated size is not that of the content") }
            }
        }
        if let hash = attachment.text("hash") { run.at("hash") { check(hash, of: data) } }
        if let url = attachment.text("url"), url.hasPrefix("data:"), !url.contains(",") {
            run.at("url") { run.add(.attachment, "a data URL has a comma before its content") }
        }
        if data == nil, attachment.text("url") == nil,
            attachment.text("contentType") != nil || attachment.text("language") != nil, attachment.children("extension").isEmpty
        {
            run.add(.attachment, "has neither content nor a URL", .warning)
        }
    }

    /// The number of bytes of SHA-1.
    private static let hashLength = 20

    /// The hash is the base 64 of the content's SHA-1. Of content elsewhere only its form is checked; a text that is no base 64 breaks the type's format.
    private func check(_ hash: String, of data: String?) {
        guard let stated = Data(fhirBase64: hash) else { return }
        guard stated.count == Self.hashLength else {
            return run.add(.attachment, "is not the base 64 of a SHA-1 hash, which has \(Self.hashLength) bytes", .warning)
        }
        guard let sha1 = run.sha1, let data, let content = Data(fhirBase64: data) else { return }
        if sha1(content) != stated { run.add(.attachment, "the stated hash is not that of the content") }
    }

    /// The number of bytes that base 64 stands for; nil for text that is none.
    static func size(ofBase64 text: String) -> Int? {
        var digits = 0
        for byte in text.utf8 {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "="): continue
            default: digits += 1
            }
        }
        return digits % 4 == 1 ? nil : digits * 3 / 4
    }
}
