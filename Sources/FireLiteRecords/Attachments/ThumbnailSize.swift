/// A size of an image.
public enum ThumbnailSize: String, Sendable, Hashable, CaseIterable {
    /// The payload itself.
    case full
    /// At most 1,000 pixels high.
    case medium
    /// At most 200 pixels high.
    case small

    /// The greatest height in pixels; nil for the payload itself.
    public var height: Int? {
        switch self {
        case .full: nil
        case .medium: 1_000
        case .small: 200
        }
    }
}
