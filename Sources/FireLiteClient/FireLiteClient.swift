// A FHIR client, and the HTTP and the authorization that it stands on. FHIR's objects are part of the public interface.

@_exported import FireLiteCore
