import FireLiteCore
import FireLiteR4
import TestSupport
import Testing

/// The enums of choice elements are equal by case and content.
@Suite struct ChoiceTests {
    @Test func choicesAreEqualByContent() {
        func quantity(_ value: FHIRDecimal?) -> ObservationValue { .quantity(Quantity { $0.value = value }) }
        #expect(quantity(FHIRDecimal("1.50")) == quantity(FHIRDecimal("1.50")))
        #expect(quantity(FHIRDecimal("1.50")) != quantity(FHIRDecimal("1.5")))
        #expect(ObservationValue.string("a") == .string("a") && ObservationValue.string("a") != .string("b"))
        #expect(ObservationValue.dateTime("2020") != .time("10:00:00"))
        #expect(OpenType.code("a") != .string("a"))
        #expect(PatientDeceased.boolean(true) == .boolean(true) && PatientDeceased.boolean(true) != .dateTime("2020"))
        #expect(Observation().value == nil)
    }

    /// A copy's choice is equal, and another once its content changes.
    @Test func choicesOfCopiesAreEqual() throws {
        var compared = 0
        try withEvery(0..<200) { seed in
            var random = RandomInstance(seed: seed)
            let observation = random.make(Observation.self)
            let copy = observation.copy()
            try #require(observation.value == copy.value && observation.effective == copy.effective)
            guard let value = observation.value else { return }
            compared += 1
            if case .quantity(let quantity) = copy.value {
                quantity.unit = "\(quantity.unit ?? "")x"
                try #require(copy.value != value)
            }
        }
        #expect(compared > 20)
    }

    /// Those of primitives alone may cross threads.
    @Test func choicesOfPrimitivesAreSendable() {
        func isSendable(_: some Sendable) -> Bool { true }
        #expect(isSendable(PatientDeceased.boolean(true)) && isSendable(PatientMultipleBirth.integer(2)))
    }
}
