/// The category types of the standard mapping. Their values are coded with their own names.
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
}
