import FireLiteCore
import Foundation

/// The profiles of FHIR itself that apply without being named (FHIR, Observation Vital Signs Profiles), from their rules.
enum BuiltInDefinitions {
    /// The profiles of vital signs: name, LOINC code, and the units in which its value may be given; none for a panel.
    private static let vitalSigns: [(id: String, code: String, units: [String])] = [
        ("vitalspanel", "85353-1", []), ("resprate", "9279-1", ["/min"]), ("heartrate", "8867-4", ["/min"]),
        ("oxygensat", "2708-6", ["%"]), ("bodytemp", "8310-5", ["Cel", "[degF]"]), ("bodyheight", "8302-2", ["cm", "[in_i]"]),
        ("headcircum", "9843-4", ["cm", "[in_i]"]), ("bodyweight", "29463-7", ["g", "kg", "[lb_av]"]), ("bmi", "39156-5", ["kg/m2"]),
        ("bp", "85354-9", []),
    ]

    /// The codes of SNOMED CT for the same observations.
    private static let vitalSignsInSNOMED = [
        "86290005": "resprate", "364075005": "heartrate", "431314004": "oxygensat", "386725007": "bodytemp", "276885007": "bodytemp",
        "50373000": "bodyheight", "363812007": "headcircum", "27113001": "bodyweight", "60621009": "bmi", "75367002": "bp",
    ]

    /// The id of the profile that an Observation with a code of LOINC or SNOMED CT has to follow; nil for other codes.
    static func vitalSign(_ code: String, system: String) -> String? {
        switch system {
        case "http://loinc.org": vitalSigns.first { $0.code == code }?.id
        case "http://snomed.info/sct": vitalSignsInSNOMED[code]
        default: nil
        }
    }

    static func of(_ release: FHIRRelease) -> [Definition] {
        guard ["R4", "R4B"].contains(release.name) else { return [] }
        let sets = unitSets.map { valueSet($0.id, $0.units, release) }
        let all =
            sets + [vitalsigns(release)] + vitalSigns.map { profile($0.id, code: $0.code, units: $0.units, release) }
            + otherProfiles(release)
        return all.compactMap { try? Definition(Data($0.utf8), source: "FHIR \(release.name)") }
    }

    /// The value sets of units that FHIR enumerates: their ids and codes of UCUM.
    private static let unitSets: [(id: String, units: [String])] = [
        ("age-units", ["min", "h", "d", "wk", "mo", "a"]), ("ucum-bodyweight", ["g", "kg", "[lb_av]"]),
        ("ucum-bodylength", ["cm", "[in_i]"]),
        ("ucum-bodytemp", ["Cel", "[degF]"]),
    ]

    private static func valueSet(_ id: String, _ units: [String], _ release: FHIRRelease) -> String {
        let concepts = units.map { "{\"code\":\"\($0)\"}" }.joined(separator: ",")
        return """
            {"resourceType":"ValueSet","id":"\(id)","url":"http://hl7.org/fhir/ValueSet/\(id)","version":"\(release.version)","status":"draft",\
            "compose":{"include":[{"system":"http://unitsofmeasure.org","concept":[\(concepts)]}]}}
            """
    }

    private static func definition(
        _ id: String, base: String, type: String = "Observation", kind: String = "resource", _ release: FHIRRelease, _ elements: [String]
    ) -> String {
        """
        {"resourceType":"StructureDefinition","id":"\(id)","url":"\(Knowledge.base)\(id)","version":"\(release.version)","name":"\(id)",\
        "status":"draft","kind":"\(kind)","abstract":false,"type":"\(type)","baseDefinition":"\(Knowledge.base)\(base)",\
        "derivation":"constraint","differential":{"element":[\(elements.joined(separator: ","))]}}
        """
    }

    private static func element(_ id: String, _ members: String...) -> String {
        let path = id.split(separator: ".").map { $0.prefix { $0 != ":" } }.joined(separator: ".")
        let last = id.split(separator: ".").last ?? ""
        let slice = last.firstIndex(of: ":").map { last[$0...].dropFirst() }
        let name = slice.map { "\"sliceName\":\"\($0)\"," } ?? ""
        return "{\"id\":\"\(id)\",\"path\":\"\(path)\",\(name)\(members.joined(separator: ","))}"
    }

    private static func constraint(_ key: String, _ expression: String, _ severity: String = "error") -> String {
        """
        {"key":"\(key)","severity":"\(severity)","human":"\(key)","expression":"\(expression)"}
        """
    }

    private static func discriminators(_ paths: String...) -> String {
        let list = paths.map { "{\"type\":\"value\",\"path\":\"\($0)\"}" }.joined(separator: ",")
        return "\"slicing\":{\"discriminator\":[\(list)],\"ordered\":false,\"rules\":\"open\"}"
    }

    private static let isSupported = "\"mustSupport\":true"

    private static func required(_ valueSet: String, _ strength: String = "required") -> String {
        "\"binding\":{\"strength\":\"\(strength)\",\"valueSet\":\"http://hl7.org/fhir/ValueSet/\(valueSet)\"}"
    }

    private static func targets(_ names: String...) -> String {
        let list = names.map { "\"\(Knowledge.base)\($0)\"" }.joined(separator: ",")
        return "\"type\":[{\"code\":\"Reference\",\"targetProfile\":[\(list)]}]"
    }

    private static func vitalsigns(_ release: FHIRRelease) -> String {
        let vs1 = constraint("vs-1", "($this as dateTime).toString().length() >= 8")
        let vs2 = constraint("vs-2", "(component.empty() and hasMember.empty()) implies (dataAbsentReason.exists() or value.exists())")
        let vs3 = constraint("vs-3", "value.exists() or dataAbsentReason.exists()")
        let category = "Observation.category:VSCat"
        return definition(
            "vitalsigns", base: "Observation", release,
            [
                element("Observation", "\"constraint\":[\(vs2)]"), element("Observation.status", isSupported),
                element("Observation.category", discriminators("coding.code", "coding.system"), "\"min\":1", isSupported),
                element(category, "\"min\":1", "\"max\":\"1\"", isSupported), element("\(category).coding", "\"min\":1", isSupported),
                element(
                    "\(category).coding.system", "\"min\":1", isSupported,
                    "\"fixedUri\":\"http://terminology.hl7.org/CodeSystem/observation-category\""),
                element("\(category).coding.code", "\"min\":1", isSupported, "\"fixedCode\":\"vital-signs\""),
                element("Observation.code", isSupported, required("observation-vitalsignresult", "extensible")),
                element("Observation.subject", "\"min\":1", targets("Patient"), isSupported),
                element(
                    "Observation.effective[x]", "\"min\":1", "\"type\":[{\"code\":\"dateTime\"},{\"code\":\"Period\"}]",
                    "\"constraint\":[\(vs1)]", isSupported),
                element("Observation.value[x]", isSupported), element("Observation.dataAbsentReason", isSupported),
                element("Observation.hasMember", targets("QuestionnaireResponse", "MolecularSequence", "vitalsigns")),
                element(
                    "Observation.derivedFrom",
                    targets("DocumentReference", "ImagingStudy", "Media", "QuestionnaireResponse", "MolecularSequence", "vitalsigns")),
                element("Observation.component", "\"constraint\":[\(vs3)]", isSupported),
                element("Observation.component.code", isSupported, required("observation-vitalsignresult", "extensible")),
                element("Observation.component.value[x]", isSupported, required("ucum-vitals-common|4.0.1")),
                element("Observation.component.dataAbsentReason", isSupported),
            ])
    }

    private static func coding(_ path: String, _ code: String) -> [String] {
        [
            element(path, "\"min\":1", "\"max\":\"1\""), element("\(path).system", "\"min\":1", "\"fixedUri\":\"http://loinc.org\""),
            element("\(path).code", "\"min\":1", "\"fixedCode\":\"\(code)\""),
        ]
    }

    private static func profile(_ id: String, code: String, units: [String], _ release: FHIRRelease) -> String {
        let name = names[id] ?? id
        var elements = [element("Observation.code.coding", discriminators("code", "system"))]
        elements += coding("Observation.code.coding:\(name)Code", code)
        if !units.isEmpty { elements += quantity(units, id) }
        if id == "vitalspanel" { elements.append(element("Observation.hasMember", "\"min\":1")) }
        if id == "bp" {
            elements += [
                element("Observation.value[x]", "\"max\":\"0\""),
                element("Observation.component", discriminators("code.coding.code", "code.coding.system"), "\"min\":2"),
            ]
            for (name, code) in [("SystolicBP", "8480-6"), ("DiastolicBP", "8462-4")] {
                let path = "Observation.component:\(name)"
                elements += [
                    element(path, "\"min\":1", "\"max\":\"1\""),
                    element("\(path).code.coding", discriminators("code", "system")),
                ]
                elements += coding("\(path).code.coding:\(name.prefix(1))BPCode", code)
            }
        }
        return definition(id, base: "vitalsigns", release, elements)
    }

    /// The names that slices of codes begin with.
    private static let names = ["oxygensat": "OxygenSat", "bodytemp": "BodyTemp", "heartrate": "HeartRate", "bp": "BP"]

    /// A value in one of several units of UCUM.
    private static func quantity(_ units: [String], _ id: String) -> [String] {
        let path = "Observation.value[x]:valueQuantity"
        let slicing = "\"slicing\":{\"discriminator\":[{\"type\":\"type\",\"path\":\"$this\"}],\"ordered\":false,\"rules\":\"closed\"}"
        let type = "\"type\":[{\"code\":\"Quantity\"}]"
        let sets = ["bodytemp": "ucum-bodytemp", "bodyheight": "ucum-bodylength", "headcircum": "ucum-bodylength"]
        let unit = units.count == 1 ? "\"fixedCode\":\"\(units[0])\"" : required((sets[id] ?? "ucum-bodyweight") + "|4.0.1")
        return [
            element("Observation.value[x]", type, slicing, isSupported), element(path, type, isSupported),
            element("\(path).value", "\"min\":1", isSupported), element("\(path).unit", "\"min\":1", isSupported),
            element("\(path).system", "\"min\":1", "\"fixedUri\":\"http://unitsofmeasure.org\"", isSupported),
            element("\(path).code", "\"min\":1", unit, isSupported),
        ]
    }

    /// Profiles of FHIR that profiles of guides are derived from (FHIR, Data Types, Special Profiles; Composition, Clinical Document Profile).
    private static func otherProfiles(_ release: FHIRRelease) -> [String] {
        let money = constraint(
            "mtqy-1", "(code.exists() or value.empty()) and (system.empty() or system = 'urn:iso:std:iso:4217')")
        let version = "\(Knowledge.base)composition-clinicaldocument-versionNumber"
        return [
            definition(
                "SimpleQuantity", base: "Quantity", type: "Quantity", kind: "complex-type", release,
                [
                    element("Quantity", "\"constraint\":[\(constraint("sqty-1", "comparator.empty()"))]"),
                    element("Quantity.comparator", "\"max\":\"0\""),
                ]),
            definition(
                "MoneyQuantity", base: "Quantity", type: "Quantity", kind: "complex-type", release,
                [element("Quantity", "\"constraint\":[\(money)]")]),
            definition(
                "clinicaldocument", base: "Composition", type: "Composition", release,
                [
                    element("Composition.extension", discriminators("url")),
                    element(
                        "Composition.extension:versionNumber",
                        "\"type\":[{\"code\":\"Extension\",\"profile\":[\"\(version)\"]}]"),
                ]),
        ]
    }
}
