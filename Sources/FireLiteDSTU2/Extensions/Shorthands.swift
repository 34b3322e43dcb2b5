import FireLiteCore

extension Coding: FHIRCoding {}
extension CodeableConcept: FHIRCodeableConcept {}
extension Quantity: FHIRQuantity {}
extension HumanName: FHIRHumanName {}
