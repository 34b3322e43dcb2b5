import FireLiteCore
import FireLiteXML
import Foundation

// All of the client works with JSON. What a server sends as XML becomes JSON as it arrives, and what it gets as XML is made of JSON as it leaves.
extension FHIRClient {
    /// How resources are written on the way (<https://hl7.org/fhir/http.html#mime-type>).
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// FHIR's JSON.
        case json
        /// FHIR's XML, which needs the system's libxml2.
        case xml

        var other: Format { self == .json ? .xml : .json }
    }

    // MARK: - What is sent

    /// The media types that an answer may have, by preference.
    func accepted(_ formats: FormatChoice.Formats) -> String {
        let (first, second) = (mediaType(formats.accepted), mediaType(formats.accepted.other))
        return formats.acceptsOneAlone ? first : "\(first), \(second);q=0.9"
    }

    private func mediaType(_ format: Format) -> String { format == .json ? release.facts.json : release.xmlMediaType }

    /// The body of a request in a format, with its media type; nil to send it as it is: it is no FHIR, or in that format already.
    ///
    /// - Throws: `FHIRClientError.invalidArgument` if it cannot be written so.
    func content(of request: FHIRRequest, in format: Format) throws -> (body: Data, mediaType: String)? {
        guard format == .xml, let body = request.body, let type = request.fields["Content-Type"], MediaType(type).isFHIRJSON else {
            return nil
        }
        do {
            return (try FHIRXML.data(try FHIRJSON.resource(from: body, release: release)), release.xmlMediaType)
        } catch let error as FHIRDecodingError {
            throw FHIRClientError(
                .invalidArgument, "\(request): the content is not valid FHIR \(release) (\(error.code.rawValue) at \(error.path))")
        } catch let error as FHIRXMLError {
            throw FHIRClientError(.invalidArgument, "\(request): the content cannot be sent as XML: \(error)")
        }
    }

    // MARK: - What is received

    /// An answer whose resource is JSON. XML that is not valid stays as it is, so that whoever reads it says what is wrong.
    ///
    /// - Throws: `FHIRClientError.invalidResponse` if the system has no libxml2 to read a success.
    func readable(_ response: HTTPResponse, _ request: FHIRRequest) throws -> HTTPResponse {
        guard response.isFHIRXML else { return response }
        do {
            // What a server says about a failure is read as far as possible.
            let isOutcome = FHIRXML.rootName(of: response.body) == "OperationOutcome"
            let resource =
                isOutcome
                ? try FHIRXML.lenientResource(from: response.body, release: release).resource
                : try FHIRXML.resource(from: response.body, release: release)
            var converted = response
            converted.body = FHIRJSON.data(resource)
            converted.fields["Content-Type"] = release.facts.json
            return converted
        } catch is FHIRDecodingError {
            return response
        } catch let error as FHIRXMLError {
            guard 200..<300 ~= response.status else { return response }
            throw FHIRClientError(.invalidResponse, "\(request): the server answers with XML: \(error)", status: response.status)
        }
    }
}

extension HTTPResponse {
    /// Whether the body is XML that may be FHIR: by its media type, else by its first character.
    var isFHIRXML: Bool {
        guard let type = fields["Content-Type"] else { return body.isXML }
        return MediaType(type).isFHIRXML
    }
}

extension Data {
    /// Whether the first character is that of XML.
    var isXML: Bool {
        let text = starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...]
        return text.first { $0 > 0x20 } == UInt8(ascii: "<")
    }
}
