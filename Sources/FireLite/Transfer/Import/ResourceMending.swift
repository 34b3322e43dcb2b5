import FireLiteCore

/// Mends texts of another program before they are read as FHIR's JSON.
package protocol ResourceMender: Sendable {
    /// A reader for one file, used on one thread.
    func reader(of file: String) -> any ResourceMending
}

/// Reads the mended texts of one file. Mistakes are reported at their places in the given text.
package protocol ResourceMending: AnyObject {
    /// - Throws: `FHIRDecodingError`.
    func resource(from bytes: UnsafeBufferPointer<UInt8>) throws -> (resource: FHIRResource, mends: [Mend])

    /// The same for an object that is not a resource: a Bundle's entry.
    func read(_ bytes: UnsafeBufferPointer<UInt8>, as layout: Layout) throws -> (object: FHIRObject, mends: [Mend])

    /// The resources of a text in another form; nil if it has the usual one.
    func rows(in bytes: UnsafeBufferPointer<UInt8>) -> ForeignRows?

    /// Gives a resource without an id one.
    ///
    /// - Returns: the mended place; nil if the resource has an id.
    func assignID(_ resource: FHIRResource) -> Mend?

    /// The type and id of a resource for messages, from its text.
    ///
    /// - Parameter typeName: the type of a resource that does not name it, if known.
    func name(of text: UnsafeBufferPointer<UInt8>, typeName: String?) -> String?
}

/// Resources in a text that is no form of FHIR's.
package struct ForeignRows {
    package struct Row {
        package let typeName: String
        /// Where it is in the text.
        package let range: Range<Int>
        /// Reads it from the whole text; throws `FHIRDecodingError`.
        package let read: (UnsafeBufferPointer<UInt8>) throws -> (resource: FHIRResource, mends: [Mend])

        package init(
            typeName: String, range: Range<Int>,
            read: @escaping (UnsafeBufferPointer<UInt8>) throws -> (resource: FHIRResource, mends: [Mend])
        ) {
            self.typeName = typeName
            self.range = range
            self.read = read
        }
    }

    package let resources: [Row]
    /// What was skipped; the paths are names.
    package let skipped: [Mend]

    package init(resources: [Row], skipped: [Mend]) {
        self.resources = resources
        self.skipped = skipped
    }
}
