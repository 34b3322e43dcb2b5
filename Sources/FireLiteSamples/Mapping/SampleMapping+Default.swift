extension SampleMapping {
    private static let profileBase = "http://hl7.org/fhir/StructureDefinition/"

    /// The standard mapping: every quantity type that Apple has, with LOINC codes where they are known, units of UCUM, vital signs with their
    /// profiles; categories, with SNOMED CT codes of symptoms and stages of sleep; blood pressure, food and exercise.
    public static let standard: SampleMapping = {
        var entries: [SampleType: Entry] = [:]
        for line in StandardQuantities.table.split(separator: "\n") {
            let parts = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 6 else { continue }
            var entry = Entry()
            entry.unit = Unit(parts[1], code: parts[2])
            entry.categories = parts[3].isEmpty ? [] : [parts[3]]
            entry.profiles = parts[4].isEmpty ? [] : [profileBase + parts[4]]
            entry.codes = parts[5].split(separator: ";").map { code in
                let words = code.split(separator: " ", maxSplits: 1).map(String.init)
                return .loinc(words[0], words.count > 1 ? words[1] : nil)
            }
            entries[.quantity(parts[0])] = entry
        }
        // HealthKitOnFhir's own table has these codes too.
        entries[.bodyMass]?.codes.append(.snomed("27113001", "Body weight"))
        entries[.bloodPressureSystolic]?.codes.append(.snomed("271649006", "Systolic blood pressure"))
        for name in StandardCategories.names { entries[.category(name)] = StandardCategories.entry(name) }
        var pressure = Entry()
        pressure.codes = [.loinc("85354-9", "Blood pressure panel with all children optional")]
        pressure.categories = ["vital-signs"]
        pressure.profiles = [profileBase + "bp"]
        entries[.bloodPressure] = pressure
        var food = Entry()
        food.codes = [.loinc("80453-4", "Food intake panel")]
        entries[.correlation("Food")] = food
        var workout = Entry()
        workout.codes = [.loinc("73985-4", "Exercise activity")]
        workout.categories = ["activity"]
        entries[.workout] = workout
        return SampleMapping(entries: entries)
    }()

    /// What HealthKitOnFhir wrote, for receivers that depend on it: its codes and units, no status, no category, no profile, percentages as
    /// fractions.
    public static let compatible: SampleMapping = {
        let rows: [(String, [SampleCoding], String, String)] = [
            ("HeartRate", [.loinc("8867-4")], "count/min", "/min"),
            ("RestingHeartRate", [.loinc("40443-4")], "count/min", "/min"),
            ("WalkingHeartRateAverage", [], "count/min", "/min"),
            ("BloodPressureDiastolic", [.loinc("8462-4")], "mmHg", "mmHg"),
            ("BloodPressureSystolic", [.loinc("8480-6"), .snomed("271649006")], "mmHg", "mmHg"),
            ("StepCount", [.loinc("55423-8")], "count", "{tot}"),
            ("BloodGlucose", [.loinc("41653-7")], "mg/dL", "mg/dL"),
            ("OxygenSaturation", [.loinc("2708-6"), .loinc("59408-5")], "%", "%"),
            ("BodyMass", [.loinc("29463-7"), .loinc("3141-9"), .snomed("27113001")], "kg", "kg"),
            ("BodyTemperature", [.loinc("8310-5")], "degC", "Cel"),
            ("RespiratoryRate", [.loinc("9279-1")], "count/min", "/min"),
            ("Height", [.loinc("8302-2")], "cm", "cm"),
            ("ActiveEnergyBurned", [.loinc("41981-2")], "kcal", "kcal"),
            ("DietaryEnergyConsumed", [.loinc("9052-2")], "kcal", "kcal"),
            ("HeartRateVariabilitySDNN", [.loinc("80404-7")], "ms", "ms"),
            ("AppleExerciseTime", [], "ms", "ms"), ("AppleStandTime", [], "ms", "ms"),
            ("EnvironmentalAudioExposure", [], "dBASPL", "B(SPL)"),
        ]
        var entries: [SampleType: Entry] = [:]
        for (name, codes, unit, code) in rows {
            var entry = Entry()
            entry.codes = codes
            entry.unit = Unit(unit, code: code)
            entries[.quantity(name)] = entry
        }
        var pressure = Entry()
        pressure.codes = [.loinc("85354-9")]
        entries[.bloodPressure] = pressure
        return SampleMapping(form: .compatible, entries: entries)
    }()
}
