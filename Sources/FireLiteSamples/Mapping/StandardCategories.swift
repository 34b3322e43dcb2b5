/// The category types of the standard mapping.
///
/// Symptoms have the SNOMED CT codes of HL7's guide Personal Health Records, page "PGHD Code Mapping"; sleep and its stages those of HL7's guide
/// Patient Contributed Data, value sets "sleep observation code" and "sleep stage value"; the severities those of FHIR's value set
/// "condition-severity". The other types, and all values, have the code with their own name.
enum StandardCategories {
    static let names: [String] = list.split(separator: " ").map(String.init)

    private static let list = """
        AbdominalCramps Acne AppetiteChanges AppleStandHour AppleWalkingSteadinessEvent AudioExposureEvent \
        BladderIncontinence BleedingAfterPregnancy BleedingDuringPregnancy Bloating BreastPain CervicalMucusQuality \
        ChestTightnessOrPain Chills Constipation Contraceptive Coughing Diarrhea Dizziness DrySkin Fainting Fatigue \
        Fever GeneralizedBodyAche HairLoss HandwashingEvent Headache HeadphoneAudioExposureEvent Heartburn \
        HighHeartRateEvent HotFlashes InfrequentMenstrualCycles IntermenstrualBleeding IrregularHeartRhythmEvent \
        IrregularMenstrualCycles Lactation LossOfSmell LossOfTaste LowCardioFitnessEvent LowHeartRateEvent LowerBackPain \
        MemoryLapse MenstrualFlow MindfulSession MoodChanges Nausea NightSweats OvulationTestResult PelvicPain \
        PersistentIntermenstrualBleeding Pregnancy PregnancyTestResult ProgesteroneTestResult ProlongedMenstrualPeriods \
        RapidPoundingOrFlutteringHeartbeat RunnyNose SexualActivity ShortnessOfBreath SinusCongestion SkippedHeartbeat \
        SleepAnalysis SleepApneaEvent SleepChanges SoreThroat ToothbrushingEvent VaginalDryness Vomiting Wheezing
        """

    /// The entry of a type.
    static func entry(_ name: String) -> SampleMapping.Entry {
        var entry = SampleMapping.Entry()
        if name == "SleepAnalysis" {
            entry.codes = [.snomed("258158006", "Sleep, function")]
            entry.values = values(sleepStages, after: "HKCategoryValueSleepAnalysis")
        } else if let code = symptoms[name] {
            entry.codes = [code]
            entry.values = values(severities, after: "HKCategoryValueSeverity")
        }
        return entry
    }

    private static func values(_ table: [(String, SampleCoding)], after beginning: String) -> [String: [SampleCoding]] {
        Dictionary(table.map { (beginning + $0.0, [$0.1]) }) { first, _ in first }
    }

    private static let sleepStages: [(String, SampleCoding)] = [
        ("Asleep", .snomed("248220008", "Asleep")), ("AsleepUnspecified", .snomed("248220008", "Asleep")),
        ("Awake", .snomed("248218005", "Awake")), ("AsleepCore", .snomed("60984000", "Non-rapid eye movement sleep, function")),
        ("AsleepDeep", .snomed("60984000", "Non-rapid eye movement sleep, function")),
        ("AsleepREM", .snomed("89129007", "Rapid eye movement sleep, function")),
    ]

    private static let severities: [(String, SampleCoding)] = [
        ("Mild", .snomed("255604002", "Mild")), ("Moderate", .snomed("6736007", "Moderate")), ("Severe", .snomed("24484000", "Severe")),
    ]

    private static let symptoms: [String: SampleCoding] = {
        var symptoms: [String: SampleCoding] = [:]
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            guard words.count > 1 else { continue }
            symptoms[words[0]] = .snomed(words[1], words.count > 2 ? words[2] : nil)
        }
        return symptoms
    }()

    private static let table = """
        AbdominalCramps 51197009 Stomach cramps
        Acne 403364000
        AppetiteChanges 249473004 Altered appetite
        BladderIncontinence 165232002
        Bloating 116289008 Abdominal bloating
        BreastPain 53430007 Pain of breast
        ChestTightnessOrPain 23924001 Tight chest
        Chills 43724002 Chill
        Constipation 14760008 Constipation
        Coughing 49727002 Cough
        Diarrhea 62315008 Diarrhea
        Dizziness 404640003 Dizziness
        DrySkin 106076001
        Fainting 271594007 Syncope
        Fatigue 84229001 Fatigue
        Fever 386661006 Fever
        GeneralizedBodyAche 22253000 Pain
        HairLoss 278040002 Loss of hair
        Headache 25064002 Headache
        Heartburn 16331000 Heartburn
        HotFlashes 198436008
        LossOfSmell 44169009 Loss of sense of smell
        LossOfTaste 36955009 Loss of taste
        LowerBackPain 279039007 Low back pain
        MemoryLapse 225038006
        MoodChanges 106131003 Mood finding
        Nausea 422587007 Nausea
        NightSweats 42984000 Night sweats
        PelvicPain 30473006
        RapidPoundingOrFlutteringHeartbeat 80313002 Palpitations
        RunnyNose 64531003 Nasal discharge
        ShortnessOfBreath 267036007 Dyspnea
        SinusCongestion 68235000 Nasal congestion
        SkippedHeartbeat 80313002 Palpitations
        SleepChanges 247950007
        SoreThroat 267102003
        VaginalDryness 31908003 Vaginal dryness
        Vomiting 300359004
        Wheezing 56018004 Wheezing
        """
}
