/// A type of payload, recognized by its first bytes.
public enum AttachmentKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// A JPEG picture.
    case jpeg
    /// A PNG picture.
    case png
    /// A TIFF picture, of one or more pages.
    case tiff
    /// A PDF document.
    case pdf
    /// A DICOM file: medical pictures with what is known of them.
    case dicom

    /// The number of bytes that decide.
    static let beginningBytes = 132

    /// Its media type.
    public var contentType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .tiff: "image/tiff"
        case .pdf: "application/pdf"
        case .dicom: "application/dicom"
        }
    }

    /// The type with this media type; nil for others. `image/jpg` counts as `image/jpeg`.
    ///
    /// - Parameter contentType: a media type, with or without parameters.
    public init?(contentType: String) {
        let name = MediaType(contentType).name
        guard let kind = Self.allCases.first(where: { $0.contentType == (name == "image/jpg" ? "image/jpeg" : name) }) else { return nil }
        self = kind
    }

    /// The type shown by the first bytes of a payload; nil for other types.
    ///
    /// - Parameter beginning: the first 132 bytes, or all if there are fewer.
    public init?(beginning: some Collection<UInt8>) {
        let bytes = Array(beginning.prefix(Self.beginningBytes))
        // JPEG: FF D8 FF and one of the first markers of JFIF, Exif, SPIFF and raw files.
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]), bytes.count > 3, [0xDB, 0xE0, 0xE1, 0xE2, 0xE3, 0xE8, 0xEE].contains(bytes[3]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.starts(with: [0x49, 0x49, 0x2A, 0x00]) || bytes.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) {
            self = .tiff
        } else if bytes.starts(with: Array("%PDF-".utf8)) {
            self = .pdf
        } else if bytes.count >= 132, bytes[128..<132].elementsEqual("DICM".utf8) {
            self = .dicom
        } else {
            return nil
        }
    }
}
