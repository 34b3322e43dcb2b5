// example UsingFHIRPath.md
import FireLiteFHIRPath
import FireLiteR4
// end
import Testing

/// The examples on the page UsingFHIRPath, between `// example` and `// end`.
@Suite struct FHIRPathExamples {
    @Test func expressions() throws {
        let patient = try Sample.patient()
        // example UsingFHIRPath.md
        let path = try FHIRPath("name.where(use = 'official').given.first()")
        let given = try path.strings(on: patient)
        // end
        #expect(given == ["Ann"])
        // example UsingFHIRPath.md
        for value in try FHIRPath("name.given | birthDate | contact").evaluate(on: patient) {
            print(value.type, value.string ?? value.object?.layout.name ?? "")
        }
        // end
        // example UsingFHIRPath.md
        do {
            _ = try FHIRPath("Patient.name.givn").strings(on: patient)
        } catch let error as FHIRPathError {
            print(error.code.rawValue, error)  // semantic line 1, column 14: HumanName has no element 'givn': did you mean 'given'?
        }
        // end
        let error = #expect(throws: FHIRPathError.self) { try FHIRPath("Patient.name.givn").strings(on: patient) }
        #expect(
            error.map { "\($0.code.rawValue) \($0)" }
                == "semantic line 1, column 14: HumanName has no element 'givn': did you mean 'given'?")
    }

    @Test func contexts() throws {
        let patient = try Sample.patient()
        let practitioner = Practitioner()
        practitioner.name = [HumanName { $0.family = "Kim" }]
        // example UsingFHIRPath.md
        var context = FHIRPathContext()
        context.variables["limit"] = [FHIRPathValue(18)]
        context.resolve = { reference in reference == "Practitioner/d1" ? practitioner : nil }
        let isAdult = try FHIRPath("birthDate + %limit * 1 year <= today()").bool(on: patient, context: context)
        let doctors = try FHIRPath("generalPractitioner.resolve().name.family").strings(on: patient, context: context)
        // end
        #expect(isAdult == true && doctors == ["Kim"])
    }

    @Test func constraints() throws {
        let patient = try Sample.patient()
        patient.contact.append(PatientContact { $0.gender = .female })
        // example UsingFHIRPath.md
        let rule = FHIRPathConstraint(
            path: "Patient.contact", key: "pat-1", severity: .error,
            expression: "name.exists() or telecom.exists() or address.exists() or organization.exists()")
        let constraints = FHIRPathConstraints([rule], release: .r4)
        for issue in patient.validate(constraints: constraints) { print(issue) }
        // end
        #expect(patient.validate(constraints: constraints).map(\.path) == ["Patient.contact[1]"])
    }
}
