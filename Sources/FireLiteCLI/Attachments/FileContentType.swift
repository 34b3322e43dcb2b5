import FireLiteRecords
import Foundation

/// The media type of a file that is attached.
enum FileContentType {
    /// By the ending of the name. Types that show in the first bytes are not in it, as bytes say more than a name.
    private static let byEnding = [
        "bmp": "image/bmp", "csv": "text/csv", "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "gif": "image/gif", "heic": "image/heic",
        "htm": "text/html", "html": "text/html", "json": "application/json", "m4a": "audio/mp4", "md": "text/markdown",
        "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "odt": "application/vnd.oasis.opendocument.text",
        "ogg": "audio/ogg", "rtf": "application/rtf", "svg": "image/svg+xml", "txt": "text/plain", "wav": "audio/wav", "webp": "image/webp",
        "xls": "application/vnd.ms-excel", "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "xml": "application/xml", "zip": "application/zip",
    ]

    /// The type that the first bytes show, or else that of the name's ending; for others, `text/plain` if the content is text in UTF-8 and
    /// `application/octet-stream` if it is not.
    ///
    /// - Parameters:
    ///   - path: the name of the file.
    ///   - bytes: its content.
    static func of(_ path: String, _ bytes: Data) -> String {
        if let kind = AttachmentKind(beginning: bytes) { return kind.contentType }
        if let known = byEnding[URL(fileURLWithPath: path).pathExtension.lowercased()] { return known }
        let isText = !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
        return isText ? "text/plain" : "application/octet-stream"
    }
}
