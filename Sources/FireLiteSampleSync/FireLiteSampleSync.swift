// Samples of devices for FHIR servers, through the outbox. Both are part of the public interface.

@_exported import FireLiteSamples
@_exported import FireLiteSync
