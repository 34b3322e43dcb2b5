import FireLiteCore

/// The base address of a FHIR service, `https://example.org/fhir`.
enum BaseAddress {
    /// The address without slashes at its end.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for other text.
    static func checked(_ text: String) throws -> String {
        var base = text[...]
        while base.hasSuffix("/") { base.removeLast() }
        let isPlain = base.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && !"'\"<>\\".unicodeScalars.contains($0) }
        guard isPlain, ReferenceParts(base + "/Patient/1").base == String(base) else {
            throw FHIRStoreError(
                .invalidArgument,
                "a base address begins with http:// or https:// and a host, and has no query: write it as https://example.org/fhir")
        }
        return String(base)
    }
}
