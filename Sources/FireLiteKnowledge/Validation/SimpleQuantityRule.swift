import FireLiteCore

/// The rule for the quantities whose type in FHIR is the profile SimpleQuantity: they have no comparator (FHIR, Data Types, SimpleQuantity).
enum SimpleQuantityRule {
    /// Whether a quantity that is a value of an element may not have a comparator.
    static func forbidsComparator(_ element: String, of layout: Layout) -> Bool {
        var current: Layout? = layout
        while let type = current {
            if paths.contains("\(type.name).\(element)") { return true }
            current = type.base
        }
        return false
    }

    /// The elements of STU3 to R5; those that are so in one release alone are left out.
    private static let paths = Set(
        """
        ActivityDefinition.quantity BiologicallyDerivedProductDispense.quantity CarePlan.activity.detail.dailyAmount
        CarePlan.activity.detail.quantity Claim.item.detail.quantity Claim.item.detail.subDetail.quantity Claim.item.quantity
        ClaimResponse.addItem.detail.quantity ClaimResponse.addItem.detail.subDetail.quantity ClaimResponse.addItem.quantity
        Contract.term.asset.valuedItem.quantity Contract.term.valuedItem.quantity Contract.valuedItem.quantity
        Coverage.costToBeneficiary.value[x] CoverageEligibilityRequest.item.quantity DeviceDispense.quantity Dosage.doseAndRate.dose[x]
        Dosage.doseAndRate.rate[x] Dosage.dose[x] Dosage.maxDosePerAdministration Dosage.maxDosePerLifetime Dosage.rate[x]
        Evidence.statistic.modelCharacteristic.value ExplanationOfBenefit.addItem.detail.quantity
        ExplanationOfBenefit.addItem.detail.subDetail.quantity ExplanationOfBenefit.addItem.quantity
        ExplanationOfBenefit.item.detail.quantity ExplanationOfBenefit.item.detail.subDetail.quantity ExplanationOfBenefit.item.quantity
        Immunization.doseQuantity InventoryItem.netContent Medication.package.content.amount MedicationAdministration.dosage.dose
        MedicationAdministration.dosage.rate[x] MedicationDispense.daysSupply MedicationDispense.quantity
        MedicationKnowledge.administrationGuidelines.patientCharacteristics.characteristic[x] MedicationKnowledge.amount
        MedicationKnowledge.definitional.drugCharacteristic.value[x] MedicationKnowledge.drugCharacteristic.value[x]
        MedicationKnowledge.kinetics.areaUnderCurve MedicationKnowledge.kinetics.lethalDose50 MedicationKnowledge.packaging.quantity
        MedicationKnowledge.regulatory.maxDispense.quantity MedicationRequest.dispenseRequest.initialFill.quantity
        MedicationRequest.dispenseRequest.quantity NutritionIntake.consumedItem.amount NutritionIntake.consumedItem.rate
        NutritionIntake.ingredientLabel.amount NutritionOrder.enteralFormula.additive.quantity
        NutritionOrder.enteralFormula.administration.quantity NutritionOrder.enteralFormula.administration.rate[x]
        NutritionOrder.enteralFormula.caloricDensity NutritionOrder.enteralFormula.maxVolumeToDeliver
        NutritionOrder.oralDiet.nutrient.amount NutritionOrder.supplement.quantity NutritionProduct.characteristic.value[x]
        NutritionProduct.instance.quantity NutritionProduct.productCharacteristic.value[x] Observation.referenceRange.high
        Observation.referenceRange.low Range.high Range.low RatioRange.denominator RatioRange.highNumerator RatioRange.lowNumerator
        SampledData.origin Specimen.collection.quantity Specimen.container.capacity Specimen.container.specimenQuantity
        SpecimenDefinition.typeTested.container.capacity SpecimenDefinition.typeTested.container.minimumVolume[x]
        Substance.instance.quantity Substance.quantity SupplyDelivery.suppliedItem.quantity VisionPrescription.dispense.duration
        VisionPrescription.lensSpecification.duration
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
