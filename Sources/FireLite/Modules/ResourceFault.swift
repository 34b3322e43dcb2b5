import FireLiteCore

/// An error that may concern the content of one resource only, such as a payload that is missing or a seal without its key. A call over many resources
/// that can skip faulty ones goes on with the next.
///
/// The modules' own errors conform, so that this module can tell them from errors that concern all resources.
package protocol ResourceFault: AdvisedError {
    /// Whether other resources can still be read or stored.
    var concernsOneResource: Bool { get }
}

extension FHIRStoreError: ResourceFault {
    /// Whether one resource is too large, or is sealed and cannot be opened.
    package var concernsOneResource: Bool { [.tooLarge, .missingKey, .wrongKey].contains(code) }
}
