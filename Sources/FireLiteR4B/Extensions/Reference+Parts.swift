import FireLiteCore

extension Reference: FHIRReference {}
