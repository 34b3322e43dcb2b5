/// An element of a type that has elements of its own, such as `Patient.contact`.
struct BackboneDefinition: Sendable {
    /// Full path, `Patient.contact` or `Bundle.entry.search`.
    var path: String
    /// Name of the type it derives from: `BackboneElement` or `Element`.
    var base: String
    /// Own elements in definition order, without the inherited ones.
    var elements: [ElementDefinition]
    /// Where it was read.
    var location: SourceLocation
}
