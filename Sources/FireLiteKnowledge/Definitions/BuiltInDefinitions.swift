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

    /// The id of the profile that an Observation with a LOINC code has to follow; nil for other codes.
    static func vitalSign(loinc code: String) -> String? { vitalSigns.first { $0.code == code }?.id }

    static func of(_ release: FHIRRelease) -> [Definition] {
        guard ["R4", "R4B"].contains(release.name) else { return [] }
        let sets = unitSets.map { valueSet($0.id, $0.units, release) }
        let all = sets + [vitalsigns(release)] + vitalSigns.map { profile($0.id, code: $0.code, units: $0.units, release) }
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

    private static func definition(_ id: String, base: String, _ release: FHIRRelease, _ elements: [String]) -> String {
        """
        {"resourceType":"StructureDefinition","id":"\(id)","url":"\(Knowledge.base)\(id)","version":"\(release.version)","name":"\(id)",\
        "status":"draft","kind":"resource","abstract":false,"type":"Observation","baseDefinition":"\(Knowledge.base)\(base)",\
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

    private static func vitalsigns(_ release: FHIRRelease) -> String {
        let vs1 = constraint(
            "vs-1", "($this as dateTime).toString().length() >= 8")
        let vs2 = constraint("vs-2", "(component.empty() and hasMember.empty()) implies (dataAbsentReason.exists() or value.exists())")
        let vs3 = constraint("vs-3", "value.exists() or dataAbsentReason.exists()")
        return definition(
            "vitalsigns", base: "Observation", release,
            [
                element("Observation", "\"constraint\":[\(vs2)]"), element("Observation.status", "\"min\":1"),
                element("Observation.category", discriminators("coding.code", "coding.system"), "\"min\":1"),
                element("Observation.category:VSCat", "\"min\":1", "\"max\":\"1\""),
                element("Observation.category:VSCat.coding", "\"min\":1"),
                element(
                    "Observation.category:VSCat.coding.system", "\"min\":1",
                    "\"fixedUri\":\"http://terminology.hl7.org/CodeSystem/observation-category\""),
                element("Observation.category:VSCat.coding.code", "\"min\":1", "\"fixedCode\":\"vital-signs\""),
                element("Observation.subject", "\"min\":1"),
                element(
                    "Observation.effective[x]", "\"min\":1", "\"type\":[{\"code\":\"dateTime\"},{\"code\":\"Period\"}]",
                    "\"constraint\":[\(vs1)]"),
                element("Observation.component", "\"constraint\":[\(vs3)]"),
            ])
    }

    private static func profile(_ id: String, code: String, units: [String], _ release: FHIRRelease) -> String {
        let slice = id + "Code"
        var elements = [
            element("Observation.code.coding", discriminators("code", "system")),
            element("Observation.code.coding:\(slice)", "\"min\":1", "\"max\":\"1\""),
            element("Observation.code.coding:\(slice).system", "\"min\":1", "\"fixedUri\":\"http://loinc.org\""),
            element("Observation.code.coding:\(slice).code", "\"min\":1", "\"fixedCode\":\"\(code)\""),
        ]
        if !units.isEmpty {
            elements += [
                element("Observation.value[x]", "\"type\":[{\"code\":\"Quantity\"}]"),
                element("Observation.value[x].value", "\"min\":1"), element("Observation.value[x].unit", "\"min\":1"),
                element("Observation.value[x].system", "\"min\":1", "\"fixedUri\":\"http://unitsofmeasure.org\""),
                units.count == 1
                    ? element("Observation.value[x].code", "\"min\":1", "\"fixedCode\":\"\(units[0])\"")
                    : element(
                        "Observation.value[x].code", "\"min\":1",
                        "\"constraint\":[\(constraint("unit", "$this in (\(units.map { "'\($0)'" }.joined(separator: "|")))"))]"),
            ]
        }
        if id == "vitalspanel" { elements.append(element("Observation.hasMember", "\"min\":1")) }
        if id == "bp" {
            elements += [
                element("Observation.value[x]", "\"max\":\"0\""),
                element("Observation.component", discriminators("code.coding.code", "code.coding.system"), "\"min\":2"),
            ]
            for (name, code) in [("SystolicBP", "8480-6"), ("DiastolicBP", "8462-4")] {
                let path = "Observation.component:\(name)"
                let coding = "\(path).code.coding:\(name.prefix(1))BPCode"
                elements += [
                    element(path, "\"min\":1", "\"max\":\"1\""),
                    element("\(path).code.coding", discriminators("code", "system")),
                    element(coding, "\"min\":1", "\"max\":\"1\""),
                    element("\(coding).system", "\"min\":1", "\"fixedUri\":\"http://loinc.org\""),
                    element("\(coding).code", "\"min\":1", "\"fixedCode\":\"\(code)\""),
                ]
            }
        }
        return definition(id, base: "vitalsigns", release, elements)
    }
}
