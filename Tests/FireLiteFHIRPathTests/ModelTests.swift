import FireLiteCore
import FireLiteFHIRPath
import FireLiteR4
import Foundation
import Testing

/// Paths over FHIR objects: elements, choices, primitives, references, types and the check against the model.
@Suite struct ModelTests {
    @Test func elementsAreFollowed() throws {
        Sample.expect(
            [
                ("name.given", "Ann, Marie, Annie, Ann, Marie"), ("Patient.name.family", "Lee, Moss"),
                ("name.where(use = 'official').given.first()", "Ann"),
                ("Patient.name[1].given", "Annie"), ("name.period.start", "@2001-05T"), ("birthDate", "@1974-12-25"), ("active", "true"),
                ("id", "p1"),
                ("deceased", "false"), ("telecom.rank", "2, 1"), ("telecom.sort(rank).value", "ann@example.org, 030 1234"),
                ("contact.name.family", "Poe"),
                ("link", ""), ("contained.name", "Clinic"), ("DomainResource.active", "true"), ("Resource.id", "p1"),
                ("name.given.distinct().count()", "3"),
                ("name.select(given.join(' '))", "Ann Marie, Annie, Ann Marie"),
                ("name.exists(family = 'Moss' and use = 'maiden')", "true"),
                ("Encounter.status", ""), ("name.given | name.family", "Ann, Marie, Annie, Lee, Moss"), ("name[0] = name[2]", "false"),
                ("name[0] = name[0]", "true"),
                ("name[0].given = name[2].given", "true"), ("name.count() = 3 and gender = 'female'", "true"),
                ("birthDate < today()", "true"),
                ("children().count() > 10", "true"), ("descendants().where($this is HumanName).family", "Lee, Moss, Poe"),
                ("%resource.id & %context.id", "p1p1"),
                ("name.given.where($this.startsWith('Ann')).count()", "3"), ("gender.upper()", "FEMALE"),
                ("text.`div`.htmlChecks()", "true"),
            ], on: try Sample.patient())
        Sample.expect(
            [
                ("value", "70.50 'kg'"), ("value.value", "70.50"), ("value.unit", "kg"), ("value > 70 'kg'", "true"),
                ("value = 70500 'g'", "true"),
                ("value.ofType(Quantity).code", "kg"), ("(value as Quantity).unit", "kg"), ("value is Quantity", "true"),
                ("value is Period", "false"),
                ("value.as(Period)", ""), ("effective", "@2020-03-01T10:30:00Z"), ("effective > @2020-02", "true"),
                ("value * 2", "141.00 'kg'"),
                ("code.coding.where(system = %loinc).code", "29463-7"), ("value is System.Quantity", "false"),
                ("value.toQuantity() is System.Quantity", "true"),
            ], on: try Sample.observation())
    }

    @Test func primitivesHaveIdsExtensionsAndTypes() throws {
        Sample.expect(
            [
                ("birthDate.extension('http://example.org/time').value", "@1974-12-25T14:35:45-05:00"),
                ("birthDate.extension.count()", "1"),
                ("birthDate.hasValue()", "true"), ("name.hasValue()", "false"), ("birthDate.getValue() is System.Date", "true"),
                ("birthDate is date", "true"),
                ("birthDate is System.Date", "false"), ("birthDate is Date", "false"), ("gender is code", "true"),
                ("gender is string", "true"),
                ("gender as string", ""), ("gender as code", "female"), ("gender.ofType(string)", ""), ("gender is FHIR.code", "true"),
                ("gender is uri", "false"),
                ("gender is Element", "true"), ("gender.type().name", "code"), ("gender.type().namespace", "FHIR"),
                ("type().name", "Patient"),
                ("name.type().name.distinct()", "HumanName"), ("contact.type().name", "BackboneElement"),
                ("contact is BackboneElement", "true"),
                ("$this is DomainResource", "true"), ("$this is Observation", "false"), ("extension.value is Age", "true"),
                ("extension.value is Quantity", "true"),
                ("extension.value is Duration", "false"), ("extension.value.ofType(Quantity).value", "40"),
                ("gender is nothing", "error: execution"),
                ("name as HumanName", "error: execution"), ("name.ofType(HumanName).count()", "3"),
                ("telecom.rank.first() is integer", "true"),
                ("extension('http://example.org/age').value.value", "40"), ("hasExtension('http://example.org/age')", "true"),
                ("active is boolean", "true"),
                ("birthDate.value", "@1974-12-25"),
                ("conformsTo('http://hl7.org/fhir/StructureDefinition/Patient')", "true"),
                ("conformsTo('http://hl7.org/fhir/StructureDefinition/Person')", "false"),
                ("conformsTo('http://example.org')", "error: execution"),
            ], on: try Sample.patient())
    }

    @Test func namesThatTheModelLacksAreErrors() throws {
        let patient = try Sample.patient()
        let wrong = [
            "name.given1", "given", "name.where(firstname = 'a')", "Patient.name.family.text", "deceasedBoolean", "contact.name.foo.bar",
            "name.select(x)",
            "birthDate.extension.nothing", "iif(name.y.exists(), 1, 2)", "name.first().z", "'1'.startsWith(length().toString())",
            "identifier.startsWith('a')", "name.length()", "iif(1 | 2, 1, 2)", "iif('a', 1, 2)",
            "generalPractitioner.ofType(Period).reference",
        ]
        for expression in wrong {
            #expect(Sample.answer(expression, on: patient) == "error: semantic", "\(expression)")
        }
        let error = #expect(throws: FHIRPathError.self) { try FHIRPath("name.where(true).given1").evaluate(on: patient) }
        #expect(error?.message == "HumanName has no element 'given1': did you mean 'given'?" && error?.position == 17)
        for (expression, end) in [
            ("nmae.family", ": did you mean 'name'?"), ("deceasd", ": did you mean 'deceased'?"), ("contact.nothing", "'nothing'"),
        ] {
            let mistake = #expect(throws: FHIRPathError.self) { try FHIRPath(expression).evaluate(on: patient) }
            #expect(mistake?.message.hasSuffix(end) == true, "\(mistake?.message ?? "")")
        }
        let function = #expect(throws: FHIRPathError.self) { try FHIRPath("name.wher(true)") }
        #expect(function?.message == "there is no function 'wher': did you mean 'where'?" && function?.position == 5)
        let choice = #expect(throws: FHIRPathError.self) { try FHIRPath("valueQuantity.unit").check(for: Observation.self) }
        #expect(choice?.message.contains("value.ofType(Quantity)") ?? false)
        try FHIRPath("value.unit").check(for: Observation.self)
        try FHIRPath("entry.resource.birthDate").check(for: Bundle.self)
        try FHIRPath("item.repeat(item).linkId").check(for: Questionnaire.self)
        try FHIRPath("%limit + 1").check(for: Patient.self, variables: ["limit"])
        #expect(throws: FHIRPathError.self) { try FHIRPath("%limit + 1").check(for: Patient.self) }
        var unchecked = FHIRPathOptions()
        unchecked.checksModel = false
        #expect(Sample.answer("name.given1", on: patient, options: unchecked) == "")
        var choices = FHIRPathOptions()
        choices.allowsChoiceNames = true
        #expect(Sample.answer("valueQuantity.unit", on: try Sample.observation(), options: choices) == "kg")
    }

    @Test func theStrictCheckRefusesMore() throws {
        var options = FHIRPathOptions()
        options.isStrict = true
        Sample.expect(
            [
                ("Encounter.status", "error: semantic"), ("children().skip(1)", "error: semantic"),
                ("descendants().first()", "error: semantic"),
                ("descendants()[0]", "error: semantic"), ("name.skip(1).given", "Annie, Ann, Marie"), ("Patient.id", "p1"),
            ], on: try Sample.patient(), options: options)
    }

    @Test func referencesResolve() throws {
        let patient = try Sample.patient()
        let practitioner = Practitioner()
        practitioner.id = "d1"
        practitioner.active = true
        var context = FHIRPathContext()
        context.resolve = { $0 == "Practitioner/d1" ? practitioner : nil }
        Sample.expect(
            [
                ("managingOrganization.resolve().name", "Clinic"), ("generalPractitioner.resolve().active", "true"),
                ("(generalPractitioner | managingOrganization).resolve().count()", "2"), ("'Practitioner/x'.resolve()", ""),
                ("generalPractitioner.resolve() is Practitioner", "true"),
                ("generalPractitioner.getReferenceKey(Practitioner)", "Practitioner/d1"),
                ("generalPractitioner.getReferenceKey(Patient)", ""), ("getResourceKey()", "Patient/p1"),
            ], on: patient, context: context)
        let bundle = Bundle()
        bundle.type = .collection
        let observation = try Sample.observation()
        bundle.entry = [
            BundleEntry {
                $0.fullUrl = "http://example.org/Patient/p1"
                $0.resource = patient
            },
            BundleEntry {
                $0.fullUrl = "http://example.org/Observation/o1"
                $0.resource = observation
            },
        ]
        Sample.expect(
            [
                ("entry.resource.ofType(Observation).subject.resolve().name.first().family", "Lee"),
                ("entry[1].resource.subject.resolve().id", "p1"),
            ], on: bundle)
        Sample.expect([("subject.resolve().gender", "female")], on: observation)
        Sample.expect([("%resource.id", "org"), ("%rootResource.id", "p1"), ("%context.id", "org")], on: patient.contained[0])
        Sample.expect([("%resource.id & ':' & family", "p1:Lee")], on: patient.name[0])
    }

    @Test func terminologyIsGiven() throws {
        struct Sexes: FHIRPathTerminology {
            func isMember(_ coded: FHIRPathValue, of valueSet: String) throws -> Bool? {
                valueSet == "http://example.org/sexes" ? ["female", "male"].contains(coded.string) : nil
            }

            func subsumes(_ general: FHIRPathValue, _ special: FHIRPathValue) throws -> Bool? {
                general.object?.layout.name == "Coding" && special.object?.layout.name == "Coding"
            }

            func perform(_ operation: String, _ arguments: [[FHIRPathValue]]) throws -> FHIRResource? {
                guard operation == "expand", let url = arguments.first?.first?.string else { return nil }
                return ValueSet { $0.url = url }
            }
        }
        let patient = try Sample.patient()
        var context = FHIRPathContext()
        context.terminology = Sexes()
        Sample.expect(
            [
                ("gender.memberOf('http://example.org/sexes')", "true"), ("id.memberOf('http://example.org/sexes')", "false"),
                ("gender.memberOf('http://example.org/other')", ""), ("%terminologies.expand('http://x').url", "http://x"),
                ("%terminologies.translate('http://x', gender)", ""),
                ("contact.relationship.coding.subsumes(%resource.contact.relationship.coding)", "true"),
                ("contact.relationship.coding.subsumedBy(%resource.contact.relationship.coding)", "true"),
            ], on: patient, context: context)
        #expect(Sample.answer("gender.memberOf('http://example.org/sexes')", on: patient) == "error: execution")
        #expect(Sample.answer("gender.expand('http://example.org/sexes')", on: patient, context: context) == "error: execution")
    }

    @Test func valuesTellTheirTypesAndNothingElse() throws {
        let patient = try Sample.patient()
        let values = try FHIRPath("name.first() | gender | active | birthDate | telecom.rank.first() | 1.50 | 5 'mg'").evaluate(on: patient)
        #expect(values.map(\.type) == ["HumanName", "code", "boolean", "date", "positiveInt", "Decimal", "Quantity"])
        #expect(values.map(\.namespace) == ["FHIR", "FHIR", "FHIR", "FHIR", "FHIR", "System", "System"])
        #expect(values.map(\.description)[1] == "FHIR.code")
        #expect(values[0].object === patient.name[0] && values[0].string == nil)
        #expect(values[1].string == "female" && values[2].bool == true && values[4].int == 2 && values[5].decimal?.literal == "1.50")
        #expect(values[3].element?.layout.name == "Element")
        #expect(try FHIRPath("name.given").strings(on: patient) == ["Ann", "Marie", "Annie", "Ann", "Marie"])
        #expect(try FHIRPath("name").exists(on: patient) && !FHIRPath("link").exists(on: patient))
        #expect(try FHIRPath("active").bool(on: patient) == true && FHIRPath("link.type").bool(on: patient) == nil)
        #expect(try FHIRPath("$this.count()").evaluate(on: values).first?.int == 7)
    }

    @Test func oneExpressionServesThreads() async throws {
        let path = try FHIRPath("name.where(use = 'official').given.first()")
        let json = FHIRJSON.data(try Sample.patient())
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    guard let patient = try? FHIRJSON.decode(Patient.self, from: json) else { return false }
                    for _ in 0..<300 { guard (try? path.strings(on: patient)) == ["Ann"] else { return false } }
                    return true
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
