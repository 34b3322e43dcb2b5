import FireLiteCore
import Foundation

/// Writes objects as FHIR XML (<https://hl7.org/fhir/xml.html>).
///
/// Not public yet: reading is missing, and a narrative is written as it is, without a check that it is well-formed.
package enum FHIRXML {
    /// The object as XML in UTF-8: elements in the order of FHIR's definitions, values with their literals.
    ///
    /// - Parameter pretty: whether each element begins on a line of its own. Default: false.
    /// - Throws: `XMLEncodingFault` if a text has a character that XML does not have.
    package static func data(_ object: FHIRObject, pretty: Bool = false) throws(XMLEncodingFault) -> Data {
        var writer = XMLWriter(isPretty: pretty)
        try writer.writeRoot(object)
        return Data(writer.text.utf8)
    }
}
