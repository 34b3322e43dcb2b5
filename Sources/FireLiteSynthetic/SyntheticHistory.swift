import FireLiteCore
import FireLiteR4
import Foundation

/// One patient and everything recorded about them.
struct SyntheticHistory {
    private static let firstYear = 2014
    private static let lastYear = 2023

    var random: SyntheticRandom
    let practice: SyntheticPractice
    private let patient: Patient
    private let patientName: String
    /// The patient first, then each visit and what belongs to it.
    private(set) var resources: [FHIRResource] = []

    init(random: SyntheticRandom, practice: SyntheticPractice, number: Int) {
        var random = random
        patient = Self.patient(&random, practice, number)
        patientName = "\(patient.name[0].given[0]) \(patient.name[0].family ?? "")"
        self.random = random
        self.practice = practice
    }

    // MARK: - Patient

    private static func patient(_ random: inout SyntheticRandom, _ practice: SyntheticPractice, _ number: Int) -> Patient {
        let isFemale = random.chance(51)
        let names = isFemale ? SyntheticVocabulary.femaleNames : SyntheticVocabulary.maleNames
        let family = random.pick(SyntheticVocabulary.familyNames)
        let given = [random.pick(names), random.pick(names)]
        let birth = SyntheticTime(year: random.number(1930...2012), dayOfYear: random.number(1...365), minute: 0)
        let city = random.pick(SyntheticVocabulary.cities)
        let id = random.id("Patient")
        return Patient {
            $0.id = id
            $0.meta = SyntheticParts.meta("Patient")
            $0.text = Narrative {
                $0.status = .generated
                $0.div = "<div xmlns=\"http://www.w3.org/1999/xhtml\">\(given[0]) \(family), born in \(birth.year)</div>"
            }
            $0.identifier = identifiers(&random, number)
            $0.active = true
            $0.name = patientNames(&random, family, given, isMarriedName: isFemale && random.chance(40))
            $0.telecom = [SyntheticParts.phone(&random, use: .home)]
            $0.gender = isFemale ? .female : .male
            $0.birthDate = birth.fhirDate
            $0.address = [SyntheticParts.address(&random, city)]
            $0.maritalStatus = random.pick(SyntheticVocabulary.maritalStatuses).concept
            $0.multipleBirthBoolean = random.chance(3)
            let language = random.chance(80) ? SyntheticVocabulary.languages[0] : random.pick(SyntheticVocabulary.languages)
            $0.communication = [
                PatientCommunication {
                    $0.language = language.concept
                    $0.preferred = true
                }
            ]
            $0.generalPractitioner = [SyntheticParts.reference(to: random.pick(practice.practitioners))]
            $0.managingOrganization = SyntheticParts.reference(to: practice.organization, display: practice.organization.name)
        }
    }

    private static func identifiers(_ random: inout SyntheticRandom, _ number: Int) -> [Identifier] {
        [
            SyntheticParts.identifier(
                "https://practices.example.org/records", "\(100_000 + number)", type: .hl7("v2-0203", "MR", "Medical Record Number")),
            SyntheticParts.identifier(
                "http://hl7.org/fhir/sid/us-ssn", "999-\(random.number(10...99))-\(random.number(1_000...9_999))",
                type: .hl7("v2-0203", "SS", "Social Security Number")),
        ]
    }

    private static func patientNames(
        _ random: inout SyntheticRandom, _ family: String, _ given: [String], isMarriedName: Bool
    ) -> [HumanName] {
        var names = [
            HumanName {
                $0.use = .official
                $0.family = family
                $0.given = given
            }
        ]
        if isMarriedName {
            let maiden = random.pick(SyntheticVocabulary.familyNames)
            names.append(
                HumanName {
                    $0.use = .maiden
                    $0.family = maiden
                    $0.given = given
                })
        }
        return names
    }

    /// The reference to the patient in every record.
    var subject: Reference { SyntheticParts.reference(to: patient, display: patientName) }

    // MARK: - Visits

    mutating func add(_ more: [FHIRResource]) { resources += more }

    /// Creates the resources.
    mutating func record() {
        resources.append(patient)
        if random.chance(15) { resources.append(allergy()) }
        var year = random.number(Self.firstYear...Self.firstYear + 4)
        while year <= Self.lastYear {
            let start = SyntheticTime(year: year, dayOfYear: random.number(1...365), minute: random.number(8 * 60...16 * 60))
            recordVisit(start)
            year += random.number(1...3)
        }
    }

    private mutating func recordVisit(_ start: SyntheticTime) {
        let practitioner = random.pick(practice.practitioners)
        let visit = encounter(start, practitioner)
        resources.append(visit)
        if random.chance(55) {
            let (code, isChronic, medication, timesADay) = random.pick(SyntheticVocabulary.conditions)
            let condition = condition(code, isChronic: isChronic, start: start, visit: visit)
            visit.reasonCode = [code.plainConcept]
            visit.reasonReference = [SyntheticParts.reference(to: condition)]
            resources.append(condition)
            let request = medicationRequest(
                medication, timesADay: timesADay, isChronic: isChronic, start: start, visit: visit, practitioner: practitioner,
                condition: condition)
            resources.append(request)
        }
        for measurement in SyntheticVocabulary.vitalSigns where random.chance(50) {
            resources.append(observation(measurement, category: .vitalSigns, start: start, visit: visit))
        }
        if random.chance(80) { resources.append(bloodPressure(start, visit)) }
        if random.chance(25) { recordLaboratory(start, visit) }
        if random.chance(30) { resources.append(smokingStatus(start, visit)) }
        if random.chance(45) { resources.append(procedure(start, visit)) }
        if random.chance(35) { resources.append(immunization(start, visit)) }
        resources.append(note(start, visit, practitioner))
    }

    private mutating func encounter(_ start: SyntheticTime, _ practitioner: Practitioner) -> Encounter {
        let id = random.id("Encounter")
        let code = random.pick(SyntheticVocabulary.visits)
        let period = SyntheticParts.period(start, start.adding(days: 0, minutes: random.number(10...60)))
        return Encounter {
            $0.id = id
            $0.meta = SyntheticParts.meta("Encounter")
            $0.identifier = [SyntheticParts.identifier("https://practices.example.org/encounters", id)]
            $0.status = .finished
            $0.class = SyntheticCode.hl7("v3-ActCode", "AMB", "ambulatory").coding
            $0.type = [code.concept]
            $0.subject = subject
            $0.participant = [
                EncounterParticipant {
                    $0.type = [SyntheticCode.hl7("v3-ParticipationType", "PPRF", "primary performer").concept]
                    $0.period = period.copy()
                    $0.individual = SyntheticParts.reference(to: practitioner)
                }
            ]
            $0.period = period
            $0.serviceProvider = SyntheticParts.reference(to: practice.organization, display: practice.organization.name)
        }
    }

    // MARK: - Conditions and treatment

    private mutating func condition(_ code: SyntheticCode, isChronic: Bool, start: SyntheticTime, visit: Encounter) -> Condition {
        let id = random.id("Condition")
        let end = isChronic ? nil : start.adding(days: random.number(5...30))
        return Condition {
            $0.id = id
            $0.meta = SyntheticParts.meta("Condition")
            let status = isChronic ? ("active", "Active") : ("resolved", "Resolved")
            $0.clinicalStatus = SyntheticCode.hl7("condition-clinical", status.0, status.1).plainConcept
            $0.verificationStatus = SyntheticCode.hl7("condition-ver-status", "confirmed", "Confirmed").plainConcept
            $0.category = [SyntheticCode.hl7("condition-category", "encounter-diagnosis", "Encounter Diagnosis").plainConcept]
            $0.code = code.concept
            $0.subject = subject
            $0.encounter = SyntheticParts.reference(to: visit)
            $0.onsetDateTime = start.fhirDateTime
            $0.abatementDateTime = end?.fhirDateTime
            $0.recordedDate = start.fhirDateTime
        }
    }

    private mutating func medicationRequest(
        _ medication: SyntheticCode, timesADay: Int, isChronic: Bool, start: SyntheticTime, visit: Encounter,
        practitioner: Practitioner, condition: Condition
    ) -> MedicationRequest {
        let id = random.id("MedicationRequest")
        return MedicationRequest {
            $0.id = id
            $0.meta = SyntheticParts.meta("MedicationRequest")
            $0.status = isChronic ? .active : .completed
            $0.intent = .order
            $0.category = [SyntheticCode.hl7("medicationrequest-category", "community", "Community").concept]
            $0.medicationCodeableConcept = medication.concept
            $0.subject = subject
            $0.encounter = SyntheticParts.reference(to: visit)
            $0.authoredOn = start.fhirDateTime
            $0.requester = SyntheticParts.reference(to: practitioner)
            $0.reasonReference = [SyntheticParts.reference(to: condition)]
            $0.dosageInstruction = [dosage(timesADay)]
        }
    }

    private func dosage(_ timesADay: Int) -> Dosage {
        Dosage {
            $0.sequence = 1
            $0.text = timesADay == 1 ? "Take one a day." : "Take one, \(timesADay) times a day."
            $0.timing = Timing {
                $0.repeat = TimingRepeat {
                    $0.frequency = timesADay
                    $0.period = FHIRDecimal(1)
                    $0.periodUnit = .d
                }
            }
            $0.asNeededBoolean = false
            $0.doseAndRate = [
                DosageDoseAndRate {
                    $0.type = SyntheticCode.hl7("dose-rate-type", "ordered", "Ordered").plainConcept
                    $0.doseQuantity = Quantity { $0.value = FHIRDecimal(1) }
                }
            ]
        }
    }

    private mutating func procedure(_ start: SyntheticTime, _ visit: Encounter) -> Procedure {
        let id = random.id("Procedure")
        let code = random.pick(SyntheticVocabulary.procedures)
        return Procedure {
            $0.id = id
            $0.meta = SyntheticParts.meta("Procedure")
            $0.status = .completed
            $0.code = code.concept
            $0.subject = subject
            $0.encounter = SyntheticParts.reference(to: visit)
            $0.performedPeriod = SyntheticParts.period(start, start.adding(days: 0, minutes: 15))
            $0.performer = [
                ProcedurePerformer {
                    $0.actor = SyntheticParts.reference(to: practice.organization, display: practice.organization.name)
                }
            ]
        }
    }

    private mutating func immunization(_ start: SyntheticTime, _ visit: Encounter) -> Immunization {
        let id = random.id("Immunization")
        let vaccine = random.pick(SyntheticVocabulary.vaccines)
        return Immunization {
            $0.id = id
            $0.meta = SyntheticParts.meta("Immunization")
            $0.status = .completed
            $0.vaccineCode = vaccine.concept
            $0.patient = subject
            $0.encounter = SyntheticParts.reference(to: visit)
            $0.occurrenceDateTime = start.fhirDateTime
            $0.primarySource = true
        }
    }

    private mutating func note(_ start: SyntheticTime, _ visit: Encounter, _ practitioner: Practitioner) -> DocumentReference {
        let id = random.id("DocumentReference")
        let sentences = (0..<random.number(4...12)).map { _ in random.pick(SyntheticVocabulary.sentences) }
        let text = "# \(visit.type[0].text ?? "")\n\n\(patientName). \(sentences.joined(separator: " "))\n"
        return DocumentReference {
            $0.id = id
            $0.meta = SyntheticParts.meta("DocumentReference")
            $0.status = .current
            $0.type = SyntheticCode.loinc("34117-2", "History and physical note").concept
            $0.subject = subject
            $0.date = start.fhirInstant
            $0.author = [SyntheticParts.reference(to: practitioner)]
            $0.custodian = SyntheticParts.reference(to: practice.organization, display: practice.organization.name)
            $0.content = [
                DocumentReferenceContent {
                    $0.attachment = Attachment {
                        $0.contentType = "text/plain; charset=utf-8"
                        $0.data = Data(text.utf8).base64EncodedString()
                    }
                }
            ]
            $0.context = DocumentReferenceContext {
                $0.encounter = [SyntheticParts.reference(to: visit)]
                $0.period = visit.period?.copy()
            }
        }
    }

    private mutating func allergy() -> AllergyIntolerance {
        let id = random.id("AllergyIntolerance")
        let (code, category) = random.pick(SyntheticVocabulary.allergens)
        return AllergyIntolerance {
            $0.id = id
            $0.meta = SyntheticParts.meta("AllergyIntolerance")
            $0.clinicalStatus = SyntheticCode.hl7("allergyintolerance-clinical", "active", "Active").plainConcept
            $0.verificationStatus = SyntheticCode.hl7("allergyintolerance-verification", "confirmed", "Confirmed").plainConcept
            $0.type = .allergy
            $0.category = [AllergyIntoleranceCategory(rawValue: category)]
            $0.criticality = .low
            $0.code = code.concept
            $0.patient = subject
        }
    }
}
