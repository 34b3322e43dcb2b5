// A FHIR client, and the HTTP and the authorization that it stands on. FHIR's objects and keys are part of the public interface.

@_exported import FireLiteCore
@_exported import FireLiteCrypto
