/// The quantity types of the standard mapping: name, unit, UCUM code, category, profile, and LOINC codes with their texts.
///
/// The codes are those that were published for these types: by HealthKitOnFhir (Microsoft) and HealthKitOnFHIR (Stanford) for most; by HL7's guide
/// Personal Health Records, page "PGHD Code Mapping", for 93819-1, 2339-0, 33452-4, 64098-7, 93818-3 and what people eat; by CardinalKit's guide for
/// 55430-3 (there with a digit missing), 60842-2 and 89273-7. CardinalKit's codes of nutrients over 24 hours are left out: a sample is no day.
/// The units are those of UCUM. A type without a LOINC code keeps the code with its own name.
enum StandardQuantities {
    static let table = """
        ActiveEnergyBurned|kcal|kcal|activity||41981-2 Calories burned;93819-1
        AppleExerciseTime|min|min|activity||
        AppleMoveTime|min|min|activity||
        AppleSleepingBreathingDisturbances|disturbances|{disturbances}|||
        AppleSleepingWristTemperature|°C|Cel|||
        AppleStandTime|min|min|activity||
        AppleWalkingSteadiness|%|%|activity||
        AtrialFibrillationBurden|%|%|||
        BasalBodyTemperature|°C|Cel|vital-signs||
        BasalEnergyBurned|kcal|kcal|activity||
        BloodAlcoholContent|%|%|laboratory||74859-0 Ethanol [Mass/volume] in Blood Estimated from serum or plasma level
        BloodGlucose|mg/dL|mg/dL|laboratory||41653-7 Glucose [Mass/volume] in Capillary blood by Glucometer;2339-0 Glucose [Mass/volume] in Blood
        BloodPressureDiastolic|mmHg|mm[Hg]|vital-signs||8462-4 Diastolic blood pressure
        BloodPressureSystolic|mmHg|mm[Hg]|vital-signs||8480-6 Systolic blood pressure
        BodyFatPercentage|%|%|||41982-0 Percentage of body fat Measured
        BodyMass|kg|kg|vital-signs|bodyweight|29463-7 Body weight;3141-9 Body weight Measured
        BodyMassIndex|kg/m2|kg/m2|vital-signs|bmi|39156-5 Body mass index (BMI) [Ratio]
        BodyTemperature|°C|Cel|vital-signs|bodytemp|8310-5 Body temperature
        CrossCountrySkiingSpeed|m/s|m/s|activity||
        CyclingCadence|revolutions/minute|/min|activity||
        CyclingFunctionalThresholdPower|W|W|activity||
        CyclingPower|W|W|activity||
        CyclingSpeed|km/h|km/h|activity||
        DietaryBiotin|µg|ug|||
        DietaryCaffeine|mg|mg|||
        DietaryCalcium|mg|mg|||9045-6
        DietaryCarbohydrates|g|g|||9059-7
        DietaryChloride|mg|mg|||
        DietaryCholesterol|mg|mg|||
        DietaryChromium|µg|ug|||
        DietaryCopper|µg|ug|||
        DietaryEnergyConsumed|kcal|kcal|||9052-2 Calorie intake total
        DietaryFatMonounsaturated|g|g|||
        DietaryFatPolyunsaturated|g|g|||
        DietaryFatSaturated|g|g|||
        DietaryFatTotal|g|g|||9066-2
        DietaryFiber|g|g|||
        DietaryFolate|µg|ug|||
        DietaryIodine|µg|ug|||
        DietaryIron|mg|mg|||
        DietaryMagnesium|mg|mg|||
        DietaryManganese|mg|mg|||
        DietaryMolybdenum|µg|ug|||
        DietaryNiacin|mg|mg|||
        DietaryPantothenicAcid|mg|mg|||
        DietaryPhosphorus|mg|mg|||
        DietaryPotassium|mg|mg|||
        DietaryProtein|g|g|||9079-5
        DietaryRiboflavin|mg|mg|||
        DietarySelenium|µg|ug|||
        DietarySodium|mg|mg|||9086-0
        DietarySugar|g|g|||
        DietaryThiamin|mg|mg|||
        DietaryVitaminA|µg|ug|||
        DietaryVitaminB12|µg|ug|||
        DietaryVitaminB6|mg|mg|||
        DietaryVitaminC|mg|mg|||
        DietaryVitaminD|µg|ug|||
        DietaryVitaminE|mg|mg|||
        DietaryVitaminK|µg|ug|||
        DietaryWater|L|L|||
        DietaryZinc|mg|mg|||
        DistanceCrossCountrySkiing|m|m|activity||
        DistanceCycling|m|m|activity||93818-3
        DistanceDownhillSnowSports|m|m|activity||
        DistancePaddleSports|m|m|activity||
        DistanceRowing|m|m|activity||
        DistanceSkatingSports|m|m|activity||
        DistanceSwimming|m|m|activity||93816-7 Swimming distance unspecified time
        DistanceWalkingRunning|m|m|activity||55430-3 Distance walked in unspecified time Pedometer
        DistanceWheelchair|m|m|activity||
        ElectrodermalActivity|S|S|||
        EnvironmentalAudioExposure|dB(SPL)|dB[SPL]|||
        EnvironmentalSoundReduction|dB|dB|||
        EstimatedWorkoutEffortScore|score|{score}|activity||
        FlightsClimbed|flights|{flights}|activity||100304-5 Flights climbed [#] Reporting Period
        ForcedExpiratoryVolume1|L|L|||20150-9 FEV1
        ForcedVitalCapacity|L|L|||19870-5 Forced vital capacity [Volume] Respiratory system
        HeadphoneAudioExposure|dB(SPL)|dB[SPL]|||
        HeartRate|beats/minute|/min|vital-signs|heartrate|8867-4 Heart rate
        HeartRateRecoveryOneMinute|beats/minute|/min|||
        HeartRateVariabilitySDNN|ms|ms|||80404-7 R-R interval.standard deviation (Heart rate variability)
        Height|cm|cm|vital-signs|bodyheight|8302-2 Body height
        InhalerUsage|uses|{uses}|||
        InsulinDelivery|IU|[iU]|||
        LeanBodyMass|kg|kg|||91557-9 Lean body weight
        NumberOfAlcoholicBeverages|drinks|{drinks}|||
        NumberOfTimesFallen|falls|{falls}|||
        OxygenSaturation|%|%|vital-signs|oxygensat|2708-6 Oxygen saturation in Arterial blood;59408-5 Oxygen saturation in Arterial blood by Pulse oximetry
        PaddleSportsSpeed|m/s|m/s|activity||
        PeakExpiratoryFlowRate|L/min|L/min|||19935-6 Maximum expiratory gas flow Respiratory system airway by Peak flow meter;33452-4
        PeripheralPerfusionIndex|%|%|||61006-3 Perfusion index Tissue by Pulse oximetry
        PhysicalEffort|kcal/kg/h|kcal/kg/h|activity||
        PushCount|pushes|{pushes}|activity||96502-0 Number of wheelchair pushes per time period
        RespiratoryRate|breaths/minute|/min|vital-signs|resprate|9279-1 Respiratory rate
        RestingHeartRate|beats/minute|/min|vital-signs||40443-4 Heart rate --resting
        RowingSpeed|m/s|m/s|activity||
        RunningGroundContactTime|ms|ms|activity||
        RunningPower|W|W|activity||
        RunningSpeed|km/h|km/h|activity||
        RunningStrideLength|m|m|activity||
        RunningVerticalOscillation|m|m|activity||
        SixMinuteWalkTestDistance|m|m|activity||64098-7
        StairAscentSpeed|m/s|m/s|activity||
        StairDescentSpeed|m/s|m/s|activity||
        StepCount|steps|{steps}|activity||55423-8 Number of steps in unspecified time Pedometer
        SwimmingStrokeCount|strokes|{strokes}|activity||
        TimeInDaylight|min|min|||
        UVExposure|index|{index}|||
        UnderwaterDepth|m|m|||
        VO2Max|mL/kg/min|mL/kg/min|activity||60842-2 Oxygen consumption (VO2)
        WaistCircumference|cm|cm|||8280-0 Waist Circumference at umbilicus by Tape measure
        WalkingAsymmetryPercentage|%|%|activity||
        WalkingDoubleSupportPercentage|%|%|activity||
        WalkingHeartRateAverage|beats/minute|/min|vital-signs||89273-7 Heart rate --W exercise
        WalkingSpeed|m/s|m/s|activity||
        WalkingStepLength|m|m|activity||
        WaterTemperature|°C|Cel|||
        WorkoutEffortScore|score|{score}|activity||
        """
}
