/// The differences between FHIR releases that layouts do not express, for code shared by all releases.
///
/// The only place that knows releases by name. A release with another name counts as similar to R4.
package struct ReleaseFacts: Sendable {
    /// The media type of its JSON.
    package var json = MediaType.fhirJSON
    /// The versions of the specification that belong to it, by their first two numbers (<https://hl7.org/fhir/versions.html>).
    package var versions: [String] = []
    /// The release whose compartments are its own.
    package var compartments: String
    /// The separator between the coordinates of the search parameter `near`.
    package var coordinateSeparator: Character = ":"
    /// The code system of the tag `SUBSETTED`.
    package var subsetSystem = "http://terminology.hl7.org/CodeSystem/v3-ObservationValue"
    /// Whether a Subscription without a topic must say which content is sent.
    package var subscriptionsNeedPayload = false
    /// Whether an Observation has one category instead of a list.
    package var hasOneCategory = false
    /// The element with the time between two values of SampledData, and the element with its unit, if another.
    package var sampledDataInterval: (name: String, unit: String?) = ("period", nil)
    package var device = DeviceFacts()

    /// How a Device is written.
    package struct DeviceFacts: Sendable {
        /// The list of names, the element with the text of each, and the type of the model's name; nil if there is no list.
        package var names: (list: String, text: String, model: String)? = ("deviceName", "name", "model-name")
        package var model = "modelNumber"
        /// Whether versions are a list with types.
        package var hasTypedVersions = true
        package var needsType = false
    }

    private static let known: [String: ReleaseFacts] = {
        var dstu2 = ReleaseFacts(versions: ["0.5", "1.0"], compartments: "STU3")
        // Published before the present media type was registered.
        dstu2.json = MediaType.oldFHIRJSON
        dstu2.coordinateSeparator = ","
        dstu2.subsetSystem = "http://hl7.org/fhir/v3/ObservationValue"
        dstu2.subscriptionsNeedPayload = true
        dstu2.hasOneCategory = true
        dstu2.device = DeviceFacts(names: nil, model: "model", hasTypedVersions: false, needsType: true)
        var stu3 = ReleaseFacts(versions: ["3.0"], compartments: "STU3")
        stu3.subsetSystem = dstu2.subsetSystem
        stu3.device = DeviceFacts(names: nil, model: "model", hasTypedVersions: false)
        let r4 = ReleaseFacts(versions: ["4.0"], compartments: "R4")
        let r4b = ReleaseFacts(versions: ["4.1", "4.3"], compartments: "R4B")
        var r5 = ReleaseFacts(versions: ["4.2", "4.4", "4.5", "4.6", "5.0"], compartments: "R5")
        r5.sampledDataInterval = ("interval", "intervalUnit")
        r5.device.names = ("name", "value", "registered-name")
        return ["DSTU2": dstu2, "STU3": stu3, "R4": r4, "R4B": r4b, "R5": r5]
    }()

    /// The short name of the release that a version belongs to, by its first two numbers; nil if none is known.
    package static func name(ofVersion prefix: String) -> String? { known.first { $0.value.versions.contains(prefix) }?.key }

    /// The facts of a release by its short name.
    package static func of(_ name: String) -> ReleaseFacts { known[name] ?? ReleaseFacts(compartments: name) }
}

extension FHIRRelease {
    /// The release's own facts.
    package var facts: ReleaseFacts { ReleaseFacts.of(name) }
}
