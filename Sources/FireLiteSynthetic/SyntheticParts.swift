import FireLiteCore
import FireLiteR4

/// Datatypes that several kinds of synthetic resources share.
enum SyntheticParts {
    static func meta(_ profile: String) -> Meta {
        Meta {
            $0.versionId = "1"
            $0.lastUpdated = "2024-03-01T08:00:00.000Z"
            $0.profile = ["http://hl7.org/fhir/us/core/StructureDefinition/us-core-\(profile.lowercased())"]
        }
    }

    static func identifier(_ system: String, _ value: String, type: SyntheticCode? = nil) -> Identifier {
        Identifier {
            $0.type = type?.concept
            $0.system = system
            $0.value = value
        }
    }

    static func phone(_ random: inout SyntheticRandom, use: ContactPointUse) -> ContactPoint {
        let number = random.number(1_000...9_999)
        return ContactPoint {
            $0.system = .phone
            $0.value = "555-01\(number / 100)-\(number)"
            $0.use = use
        }
    }

    static func address(_ random: inout SyntheticRandom, _ city: (name: String, postalCode: Int)) -> Address {
        let line = "\(random.number(1...220)) \(random.pick(SyntheticVocabulary.streets))"
        return Address {
            $0.line = [line]
            $0.city = city.name
            $0.state = "Massachusetts"
            $0.postalCode = "0\(city.postalCode)"
            $0.country = "US"
        }
    }

    static func reference(to resource: FHIRResource, display: String? = nil) -> Reference {
        Reference {
            $0.reference = "\(resource.resourceType)/\(resource.id ?? "")"
            $0.display = display
        }
    }

    static func period(_ start: SyntheticTime, _ end: SyntheticTime) -> Period {
        Period {
            $0.start = start.fhirDateTime
            $0.end = end.fhirDateTime
        }
    }

    /// `digits` with a decimal point before the last `places`.
    static func decimal(_ digits: Int, places: Int) -> FHIRDecimal? {
        guard places > 0 else { return FHIRDecimal("\(digits)") }
        var text = String(digits.magnitude)
        while text.count <= places { text = "0" + text }
        text.insert(".", at: text.index(text.endIndex, offsetBy: -places))
        return FHIRDecimal((digits < 0 ? "-" : "") + text)
    }

    static func money(_ cents: Int) -> Money {
        Money {
            $0.value = decimal(cents, places: 2)
            $0.currency = "USD"
        }
    }

    static func quantity(_ digits: Int, _ measurement: SyntheticVocabulary.Measurement) -> Quantity {
        Quantity {
            $0.value = decimal(digits, places: measurement.places)
            $0.unit = measurement.unit
            $0.system = "http://unitsofmeasure.org"
            $0.code = measurement.unit
        }
    }
}
