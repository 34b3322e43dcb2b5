import FireLiteCore
import FireLiteFHIRPath
import FireLiteR4
import Foundation
import Testing

/// Objects for the tests, and answers of expressions as text.
enum Sample {
    static func patient() throws -> Patient {
        try FHIRJSON.decode(Patient.self, from: Data(patientJSON.utf8))
    }

    static func observation() throws -> Observation {
        try FHIRJSON.decode(Observation.self, from: Data(observationJSON.utf8))
    }

    /// What an expression gives: the values in FHIRPath's notation with commas between them, or `error:` and the code.
    static func answer(
        _ expression: String, on object: FHIRObject? = nil, options: FHIRPathOptions = FHIRPathOptions(),
        context: FHIRPathContext = FHIRPathContext()
    ) -> String {
        do {
            let path = try FHIRPath(expression, options: options)
            let values = try object.map { try path.evaluate(on: $0, context: context) } ?? path.evaluate(context: context)
            return values.map { $0.literal ?? $0.description }.joined(separator: ", ")
        } catch let error as FHIRPathError {
            return "error: \(error.code.rawValue)"
        } catch {
            return "\(error)"
        }
    }

    /// Expects each expression to give the answer beside it.
    static func expect(
        _ answers: [(String, String)], on object: FHIRObject? = nil, options: FHIRPathOptions = FHIRPathOptions(),
        context: FHIRPathContext = FHIRPathContext(), sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for (expression, expected) in answers {
            let found = answer(expression, on: object, options: options, context: context)
            #expect(found == expected, "\(expression)", sourceLocation: sourceLocation)
        }
    }

    private static let patientJSON = """
        {
          "resourceType": "Patient", "id": "p1",
          "text": {"status": "generated", "div": "<div xmlns=\\"http://www.w3.org/1999/xhtml\\">Ann</div>"},
          "contained": [{"resourceType": "Organization", "id": "org", "name": "Clinic"}],
          "extension": [{"url": "http://example.org/age", "valueAge": {"value": 40, "unit": "a", "system": "http://unitsofmeasure.org", "code": "a"}}],
          "identifier": [{"system": "http://example.org/ids", "value": "12345"}],
          "active": true,
          "name": [
            {"use": "official", "family": "Lee", "given": ["Ann", "Marie"], "period": {"start": "2001-05"}},
            {"use": "usual", "given": ["Annie"]},
            {"use": "maiden", "family": "Moss", "given": ["Ann", "Marie"], "period": {"end": "2002"}}
          ],
          "telecom": [{"system": "phone", "value": "030 1234", "rank": 2}, {"system": "email", "value": "ann@example.org", "rank": 1}],
          "gender": "female",
          "birthDate": "1974-12-25",
          "_birthDate": {"extension": [{"url": "http://example.org/time", "valueDateTime": "1974-12-25T14:35:45-05:00"}]},
          "deceasedBoolean": false,
          "contact": [{"name": {"family": "Poe"}, "relationship": [{"coding": [{"system": "http://example.org/r", "code": "N"}]}]}],
          "generalPractitioner": [{"reference": "Practitioner/d1"}],
          "managingOrganization": {"reference": "#org"}
        }
        """

    private static let observationJSON = """
        {
          "resourceType": "Observation", "id": "o1", "status": "final",
          "code": {"coding": [{"system": "http://loinc.org", "code": "29463-7"}]},
          "subject": {"reference": "Patient/p1"},
          "effectiveDateTime": "2020-03-01T10:30:00Z",
          "valueQuantity": {"value": 70.50, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg"}
        }
        """
}
