import FireLiteCore
import FireLiteSamples
import Foundation

/// The event of a sample for an IoMT connector: uuid, times and the value under the type's name.
enum IoMTEvent {
    /// The units of events where they are not the mapping's.
    private static let units: [SampleType: (unit: String, code: String)] = [
        .heartRate: ("beats/min", "/min"), .restingHeartRate: ("beats/min", "/min"),
        .quantity("WalkingHeartRateAverage"): ("beats/min", "/min"),
        .respiratoryRate: ("count/min", "/min"), .quantity("EnvironmentalAudioExposure"): ("dB(SPL)", "dB[SPL]"),
        .stepCount: ("count", "{count}"), .bloodGlucose: ("mg/dL", "mg/dL"), .oxygenSaturation: ("%", "%"), .bodyMass: ("kg", "kg"),
        .bodyTemperature: ("degC", "Cel"), .height: ("cm", "cm"), .activeEnergyBurned: ("kcal", "kcal"),
        .quantity("DietaryEnergyConsumed"): ("kcal", "kcal"), .quantity("HeartRateVariabilitySDNN"): ("ms", "ms"),
        .quantity("AppleExerciseTime"): ("ms", "ms"), .quantity("AppleStandTime"): ("ms", "ms"),
    ]

    /// The JSON of a sample; nil for an exercise or a correlation other than a blood pressure, which connectors have no form for.
    static func json(_ sample: Sample) -> String? {
        let offset = sample.zone?.secondsFromGMT(for: sample.start) ?? 0
        var members: [(name: String, json: String)] = [
            ("uuid", JSONText.string(sample.identifier)),
            ("startDate", JSONText.string(SampleTime.text(sample.startTime, offset: offset))),
            ("endDate", JSONText.string(SampleTime.text(sample.endTime, offset: offset))),
        ]
        switch sample.value {
        case .quantity(let number, let unit):
            let (value, name) = quantity(number, unit, sample.type)
            members += [(sample.type.shortName, value.literal), ("unit", JSONText.string(name))]
        case .category(let name): members.append((sample.type.shortName, JSONText.string(name)))
        case .correlation(let parts):
            for (type, name) in [(SampleType.bloodPressureSystolic, "systolic"), (.bloodPressureDiastolic, "diastolic")] {
                guard let part = parts.first(where: { $0.type == type }), case .quantity(let number, let unit) = part.value,
                    let value = SampleUnits.convert(number, from: unit, to: "mm[Hg]")
                else { return nil }
                members += [(name, value.literal), ("\(name)Unit", JSONText.string("mmHg"))]
            }
        case .workout: return nil
        }
        return JSONText.object(members)
    }

    private static func quantity(_ number: FHIRDecimal, _ unit: String, _ type: SampleType) -> (FHIRDecimal, String) {
        guard let target = units[type], let value = SampleUnits.convert(number, from: unit, to: target.code) else { return (number, unit) }
        return (value, target.unit)
    }
}
