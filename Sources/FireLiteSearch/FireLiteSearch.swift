// FHIR search and SQL on FHIR over a store. The store and its objects, and the expressions of FHIRPath, are part of the public interface.

@_exported import FireLite
@_exported import FireLiteFHIRPath
