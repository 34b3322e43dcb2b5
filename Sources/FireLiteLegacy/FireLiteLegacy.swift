// What services that are gone have left behind. What it adds to is part of the public interface.

@_exported import FireLiteSamples
@_exported import FireLiteSync
@_exported import FireLiteTrust
