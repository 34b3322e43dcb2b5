import FireLiteCore

extension MediaType {
    package static let fhirXML = "application/fhir+xml"
    /// That of DSTU2.
    package static let oldFHIRXML = "application/xml+fhir"

    /// Whether it is FHIR's XML, by its registered name, its older one or a general one.
    package var isFHIRXML: Bool {
        name == Self.fhirXML || name == Self.oldFHIRXML || name == "application/xml" || name == "text/xml"
    }
}

extension FHIRRelease {
    /// The media type of its XML.
    package var xmlMediaType: String { facts.json == MediaType.oldFHIRJSON ? MediaType.oldFHIRXML : MediaType.fhirXML }
}
