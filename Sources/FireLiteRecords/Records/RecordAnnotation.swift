import Foundation

/// The form in which annotations are kept and compared.
package enum RecordAnnotation {
    /// The annotations without white space at their ends, in lower case and composed (NFC), each once, sorted.
    ///
    /// - Throws: `RecordError.emptyAnnotation`.
    package static func normalized(_ annotations: some Sequence<String>) throws -> [String] {
        var found: Set<String> = []
        for annotation in annotations { found.insert(try normalized(annotation)) }
        return found.sorted()
    }

    /// One annotation in that form.
    ///
    /// - Throws: `RecordError.emptyAnnotation`.
    package static func normalized(_ annotation: String) throws -> String {
        let text = annotation.trimmingCharacters(in: .whitespacesAndNewlines).lowercased().precomposedStringWithCanonicalMapping
        guard !text.isEmpty else { throw RecordError(.emptyAnnotation, "an annotation is empty: leave it out") }
        return text
    }
}
